"""Games on several processes."""

import pytest

from arbiter.api import derive_seed
from arbiter.learning.pool import GamePool


def test_results_come_in_the_order_of_the_tasks_and_do_not_depend_on_the_number_of_processes():
    seeds = list(range(40))
    with GamePool(1) as alone, GamePool(2) as pool:
        assert pool.map(derive_seed, seeds) == alone.map(derive_seed, seeds) == [derive_seed(seed) for seed in seeds]
        with pytest.raises(ValueError, match="invalid literal"):
            pool.map(int, ["1", "x"])
        assert pool.map(abs, [-1]) == [1]
