"""Normalized Elo of a match: an interval that stays readable after a few games with equal scores."""

import pytest

from arbiter.tournament.ratings.sequential import estimate_normalized


@pytest.mark.parametrize(
    "counts", [(1, 0, 0, 0, 0), (2, 0, 0, 0, 0), (5, 0, 0, 0, 0), (0, 1, 1, 0, 0), (0, 0, 7, 0, 0)]
)
@pytest.mark.parametrize("seed", range(5))
def test_a_few_equal_pairs_give_no_absurd_interval(counts, seed):
    for pairs in (counts, counts[::-1]):
        estimate = estimate_normalized(pairs, seed)
        assert -3000 < estimate.low <= estimate.elo <= estimate.high < 3000
        assert estimate.high - estimate.low > 200


def test_mirrored_scores_have_mirrored_estimates():
    one, other = estimate_normalized((1, 2, 9, 4, 3), 1), estimate_normalized((3, 4, 9, 2, 1), 1)
    assert one.elo == pytest.approx(-other.elo)
    assert one.high > 0 > other.low


def test_no_pair_gives_no_estimate():
    assert estimate_normalized((0, 0, 0, 0, 0), 1) is None
