"""Comparisons of the bots of a pool."""

import random
from itertools import combinations, pairwise

import pytest
from tournament.ratings.test_rate import by_name, make_pairs

from arbiter.tournament.ratings.comparisons import analyse
from arbiter.tournament.ratings.cycles import find_cycles
from arbiter.tournament.ratings.pool import Meetings
from arbiter.tournament.ratings.rate import rate_pool
from arbiter.tournament.ratings.values import Anchor


def compare(bots, games, **words):
    rated, pool = rate_pool(bots, games, 1, draws=1000, **words)
    return rated, analyse(pool)


CIRCLE = [*make_pairs("a", "b", "11 1= 11 10"), *make_pairs("b", "c", "11 1= 11 10"), *make_pairs("c", "a", "11 == 11")]
LADDER = [
    *make_pairs("a", "b", "11 10 1= 10"),
    *make_pairs("b", "c", "11 1= 10 10"),
    *make_pairs("a", "c", "11 11 11 10"),
    *make_pairs("c", "d", "10 1= 11"),
]


def test_differences_agree_with_the_ratings():
    rated, found = compare("abcd", LADDER)
    elo = {one.bot: one.rating.elo for one in rated.bots}
    assert [(one.one, one.two) for one in found.differences] == [
        *(("a", x) for x in "bcd"),
        *(("b", x) for x in "cd"),
        ("c", "d"),
    ]
    for one in found.differences:
        assert one.elo.elo == pytest.approx(elo[one.one] - elo[one.two])
        assert one.elo.low < one.elo.elo < one.elo.high
        assert one.superiority == rated.superiority[one.one][one.two]
    met = {(one.one, one.two): (one.games, one.score) for one in found.differences}
    assert met["a", "b"] == (8, 5.5)
    assert met["a", "d"] == (0, 0)


def test_the_interval_of_a_difference_is_not_that_of_the_ratings():
    """Bots that met often differ less uncertainly than the mean of the pool."""
    games = [*make_pairs("a", "b", "10 01 1= 0= " * 20), *make_pairs("b", "c", "10 01")]
    rated, found = compare("abc", games)
    difference = next(one.elo for one in found.differences if {one.one, one.two} == {"a", "b"})
    ratings = by_name(rated)
    assert difference.high - difference.low < (ratings["a"].rating.high - ratings["a"].rating.low)


def test_the_ratings_predict_the_sum_of_all_scores():
    _, found = compare("abcd", LADDER)
    played = found.residuals
    assert len(played) == 4
    assert all(abs(one.residual) <= abs(before.residual) for before, one in pairwise(played))
    for one in played:
        assert (one.residual > 0) == (one.score > one.expected)


def test_a_surprising_pairing_is_first():
    games = [*LADDER, *make_pairs("b", "d", "11 1= 11 11"), *make_pairs("d", "a", "11 11")]
    one = compare("abcd", games)[1].residuals[0]
    assert {one.one, one.two} == {"a", "d"}
    assert abs(one.residual) > 2


def test_a_cycle_is_found_once():
    (cycle,) = compare("abc", CIRCLE)[1].cycles
    assert cycle.bots == ("a", "b", "c")
    assert cycle.scores == pytest.approx((6.5 / 8, 6.5 / 8, 5 / 6))
    assert cycle.p_value <= 0.05
    assert compare("abcd", LADDER)[1].cycles == ()


def play_round(bots, text):
    """Make games in which each bot plays with these scores against each later one."""
    return [game for one, two in combinations(bots, 2) for game in make_pairs(one, two, text)]


@pytest.mark.heavy
def test_chance_does_not_make_cycles():
    """In pools of equal bots with ten games, 93 of 100 have a circle of scores; at most a few have a clear one."""
    chance = random.Random(2)
    clear, rare = 0, 0
    for seed in range(20):
        games = []
        for one, two in combinations("abcdef", 2):
            games += make_pairs(one, two, " ".join("".join(chance.choices("10", k=2)) for _ in range(5)))
        pool = rate_pool("abcdef", games, seed, draws=50)[1]
        cyclicity, cycles = find_cycles(pool, Meetings(pool))
        clear += bool(cycles)
        rare += cyclicity.p_value <= 0.05
    assert clear <= 4
    assert rare <= 4


def test_a_pool_of_circles_has_a_large_cyclic_share():
    pairs = "11 1= 11 10 11 11 1= 11"
    circle = [*make_pairs("a", "b", pairs), *make_pairs("b", "c", pairs), *make_pairs("c", "a", pairs)]
    found = compare("abc", circle)[1]
    assert found.cyclicity.p_value < 0.01
    assert found.cyclicity.share > 0.9
    in_line = compare("abcd", play_round("abcd", "11 10 01 11 1= 10"))[1]
    assert in_line.cyclicity.p_value > 0.05
    assert in_line.cyclicity.share < 0.5


def test_too_few_pairings_for_a_cycle():
    chain = [*make_pairs("a", "b", "11"), *make_pairs("b", "c", "11")]
    assert compare("abc", chain)[1].cyclicity is None
    assert compare("ab", list(make_pairs("a", "b", "11 10")))[1].cyclicity is None


def test_drawn_pairings_are_no_cycle():
    games = [*make_pairs("a", "b", "10"), *make_pairs("b", "c", "11"), *make_pairs("c", "a", "11")]
    assert compare("abc", games)[1].cycles == ()


def test_groups_are_not_compared():
    games = [*LADDER, *make_pairs("x", "y", "11 10")]
    _, found = compare("abcdxy", games)
    assert {frozenset((one.one, one.two)) for one in found.differences if "x" in (one.one, one.two)} == {
        frozenset("xy")
    }


def test_an_anchor_does_not_change_differences():
    free, held = compare("abcd", LADDER)[1], compare("abcd", LADDER, anchor=Anchor("b", 1500))[1]
    for one, other in zip(free.differences, held.differences, strict=True):
        assert (one.elo.elo, one.elo.low) == pytest.approx((other.elo.elo, other.elo.low))


def test_nothing_to_compare():
    found = compare("ab", [])[1]
    assert (found.differences, found.cycles, found.residuals) == ((), (), ())


def test_probabilities_of_ranks():
    rated, _ = compare("abcd", LADDER)
    assert sum(one.first for one in rated.bots) == pytest.approx(1, abs=0.01)
    assert rated.bots[0].first > 0.5
    assert all(1 <= one.ranks[0] <= one.ranks[1] <= 4 for one in rated.bots)
    assert rated.bots[0].ranks[0] == 1
    assert rated.bots[-1].ranks[1] == 4
    sure, _ = compare("ab", list(make_pairs("a", "b", "11 1= 10 11 " * 30)))
    assert [one.ranks for one in sure.bots] == [(1, 1), (2, 2)]
