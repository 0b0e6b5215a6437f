"""Equal records have equal numbers, and numbers have no more digits than their simulation gives."""

import numpy as np
import pytest
from tournament.ratings.test_rate import by_name, make_pairs

from arbiter.tournament.ratings.comparisons import analyse
from arbiter.tournament.ratings.rate import rate, rate_pool
from arbiter.tournament.ratings.symmetry import find_limits, round_limits
from arbiter.tournament.ratings.values import Anchor


def test_a_drawn_game_leaves_both_bots_equal():
    found = rate("ab", make_pairs("a", "b", "=."), 1)
    assert [one.first for one in found.bots] == [0.5, 0.5]
    assert found.superiority == {"a": {"b": 0.5}, "b": {"a": 0.5}}
    one, two = (one.rating for one in found.bots)
    assert one == two
    assert one.low == -one.high


def play_all(bots, text):
    return [game for place, one in enumerate(bots) for two in bots[place + 1 :] for game in make_pairs(one, two, text)]


@pytest.mark.parametrize("anchor", [None, Anchor("a", 1500)])
def test_identical_records_have_identical_numbers(anchor):
    found, pool = rate_pool("abcdef", play_all("abcdef", "10 =="), 3, anchor)
    of_bot = by_name(found)
    assert (
        len({(one.first, one.ranks, one.rating, one.as_red, one.as_blue) for one in found.bots if one.bot != "a"}) == 1
    )
    if anchor is None:
        assert of_bot["a"].rating == of_bot["b"].rating
        assert of_bot["a"].rating.low == -of_bot["a"].rating.high
    assert {share for others in found.superiority.values() for share in others.values()} == {0.5}
    assert len({(one.elo.low, one.elo.high, one.superiority) for one in analyse(pool).differences}) == 1


def test_opposite_records_have_opposite_numbers():
    """One bot wins what the other loses, against two equal ones."""
    games = [
        *(game for bot in "cd" for game in make_pairs("a", bot, "11 1= 10")),
        *(game for bot in "cd" for game in make_pairs("b", bot, "00 0= 01")),
        *make_pairs("c", "d", "== 10 01"),
        *make_pairs("a", "b", "10 11"),
    ]
    ratings = by_name(rate("abcd", games, 5))
    best, worst = ratings["a"].rating, ratings["b"].rating
    assert (best.low, best.high) == (-worst.high, -worst.low)
    assert ratings["c"].rating == ratings["d"].rating
    assert ratings["c"].first == ratings["d"].first
    assert ratings["a"].first > 0.5 > ratings["b"].first


def test_bots_of_different_records_have_their_own_numbers():
    few = "11 00 10 01"
    games = [*make_pairs("a", "b", few), *make_pairs("b", "c", f"{few} " * 10), *make_pairs("c", "a", few)]
    ratings = by_name(rate("abc", games, 1))
    assert ratings["a"].rating.high > ratings["c"].rating.high + 10


@pytest.mark.parametrize("draws", [400, 1000, 20_000])
def test_limits_have_the_digits_of_their_error(draws):
    """Repeated simulations differ by about the error; limits are multiples of a step that is not smaller."""
    chance = np.random.default_rng(draws)
    found = [find_limits(100 * chance.standard_normal(draws)) for _ in range(40)]
    lows = [low for low, _, _ in found]
    error = float(np.median([error for _, _, error in found]))
    assert np.mean(lows) == pytest.approx(-196, abs=2 * error)
    assert 0.5 < np.std(lows) / error < 2
    rounded = round_limits(0.0, *found[0])
    step = next(step for step in (1, 2, 5, 10, 20, 50) if step >= found[0][2])
    assert rounded.low % step == rounded.high % step == 0
    assert rounded.low == pytest.approx(found[0][0], abs=step / 2)
