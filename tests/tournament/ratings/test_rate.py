"""Ratings of invented and simulated tournaments."""

import random
from itertools import combinations
from math import log10

import pytest
from tournament.stored_games import game

from arbiter.errors import ConfigError
from arbiter.tournament.ratings.rate import rate, rate_difference
from arbiter.tournament.ratings.values import Anchor, find_anchor

WINNER = {"1": "red", "0": "blue", "=": None}


def make_pairs(one, two, text, first=1):
    """Make pairs of games of `one`'s scores, as red and as blue: `11 10 =0` (a dot: no such game)."""
    for number, (as_red, as_blue) in enumerate(text.split(), start=first):
        if as_red != ".":
            yield game(one, two, WINNER[as_red], "flag_taken" if as_red != "=" else "agreed", pair=number)
        if as_blue != ".":
            winner = {"1": "blue", "0": "red", "=": None}[as_blue]
            yield game(two, one, winner, "flag_taken" if as_blue != "=" else "agreed", pair=number)


def rate_match(text):
    return list(make_pairs("a", "b", text))


def by_name(ratings):
    return {one.bot: one for one in ratings.bots}


def elo_difference(ratings):
    return by_name(ratings)["a"].rating.elo - by_name(ratings)["b"].rating.elo


def test_two_bots_differ_by_their_score():
    """Sixty of 80 games and a drawn game of the prior: 60.5 to 20.5."""
    found = rate("ab", rate_match("11 10 01 11 " * 10), 1)
    assert elo_difference(found) == pytest.approx(400 * log10(60.5 / 20.5), abs=1e-3)
    assert by_name(found)["a"].rating.elo == pytest.approx(-by_name(found)["b"].rating.elo)


@pytest.mark.parametrize("text", ["11 10", "== 10 01", "1.", "00 " * 3])
def test_a_difference_is_the_rating_with_the_other_bot_as_anchor(text):
    games = [*rate_match(text), *make_pairs("a", "c", "11")]
    found = rate("ab", games, 1, Anchor("b", 0.0), 500)
    assert rate_difference("a", "b", games, 1, 500) == by_name(found)["a"].rating
    assert rate_difference("b", "c", games, 1, 500) is None


@pytest.mark.parametrize("text", ["11 " * 3, "11 " * 100, "00 " * 3, "10 " * 50, "== " * 20, "1.", "=."])
def test_every_number_is_finite(text):
    found = rate("ab", rate_match(text), 1)
    for one in found.bots:
        for estimate in (one.rating, one.as_red, one.as_blue):
            if estimate is not None:
                assert -5000 < estimate.low <= estimate.elo <= estimate.high < 5000
    assert 0 < found.superiority["a"]["b"] < 1


def test_intervals_are_wide_after_a_few_games():
    few, many = (rate("ab", rate_match("11 " * pairs), 1) for pairs in (2, 200))
    assert by_name(few)["a"].rating.low < 0 < by_name(few)["a"].rating.elo
    assert by_name(many)["a"].rating.low > 150
    assert by_name(many)["a"].rating.high - by_name(many)["a"].rating.elo > 100, "how much better it is remains open"


def test_a_score_counts_more_against_strong_opponents():
    """All of a, b and c score half: a against the strong, b against both, c against the weak."""
    games = [
        *make_pairs("a", "strong", "10 01 10 01"),
        *make_pairs("c", "weak", "10 01 10 01"),
        *make_pairs("b", "strong", "00 00 01 10"),
        *make_pairs("b", "weak", "11 11 01 10"),
    ]
    found = by_name(rate(["a", "b", "c", "strong", "weak"], games, 1))
    assert found["a"].rating.elo > found["b"].rating.elo + 20 > found["c"].rating.elo + 40


def test_ratings_do_not_depend_on_the_order_of_bots_and_games():
    games = [*make_pairs("a", "b", "11 10 0="), *make_pairs("b", "c", "1= 01 11"), *make_pairs("c", "a", "== 11")]
    shuffled = random.Random(1).sample(games, len(games))
    assert rate("abc", games, 7) == rate("cab", shuffled, 7)
    assert rate("abc", games, 7) != rate("abc", games, 8), "the intervals are drawn from the seed"


def test_the_mean_is_zero_unless_there_is_an_anchor():
    games = [*make_pairs("a", "b", "11 10 0="), *make_pairs("b", "c", "1= 01 11")]
    free, held = rate("abc", games, 1), rate("abc", games, 1, Anchor("b", 1500))
    assert sum(one.rating.elo for one in free.bots) == pytest.approx(0, abs=3e-4), "each has four digits"
    assert (
        by_name(held)["b"].rating.elo
        == by_name(held)["b"].rating.low
        == by_name(held)["b"].rating.high
        == pytest.approx(1500)
    )
    assert by_name(held)["a"].rating.elo - 1500 == pytest.approx(
        by_name(free)["a"].rating.elo - by_name(free)["b"].rating.elo, abs=0.01
    )
    assert held.superiority == free.superiority


def test_groups_that_never_met_are_separate():
    games = [*make_pairs("a", "b", "11 10"), *make_pairs("c", "d", "11 01"), *make_pairs("d", "e", "1= 01")]
    found = rate("abcdefx", games, 1, Anchor("a", 2000))
    assert [set(group) for group in found.groups] == [{"c", "d", "e"}, {"a", "b"}]
    assert set(found.superiority["a"]) == {"b"}
    assert by_name(found)["a"].rating.elo == pytest.approx(2000)
    assert sum(by_name(found)[bot].rating.elo for bot in "cde") == pytest.approx(0, abs=1e-3), "no anchor is theirs"
    for bot in "fx":
        assert (by_name(found)[bot].group, by_name(found)[bot].rating) == (None, None)


def test_an_anchor_without_games_changes_nothing():
    assert rate("abc", rate_match("11 10"), 1, Anchor("c", 1500)).bots == rate("abc", rate_match("11 10"), 1).bots


def test_reds_advantage():
    found = rate("ab", rate_match("10 10 10 1= 11 10"), 1)
    assert found.red_advantage.low > 0
    assert by_name(found)["a"].as_red.elo > by_name(found)["a"].rating.elo > by_name(found)["a"].as_blue.elo
    single = rate("abc", [*make_pairs("a", "b", "1. 1."), *make_pairs("b", "c", "1. 0.")], 1)
    assert single.red_advantage is None
    assert by_name(single)["a"].as_blue is None
    assert by_name(single)["b"].as_blue is not None


def test_intervals_of_a_colour_surround_the_rating_of_a_bot_that_is_weak_with_one():
    games = [
        *make_pairs("a", "b", "10 10 10 11 " * 10),
        *make_pairs("a", "c", "10 10 10 00 " * 10),
        *make_pairs("b", "c", "10 01 11 00 " * 10),
    ]
    for one in rate("abc", games, 1).bots:
        for estimate in (one.as_red, one.as_blue):
            assert estimate.low + 20 < estimate.elo < estimate.high - 20
            assert estimate.high - estimate.low < 250


def test_no_advantage_without_games_of_both_colours():
    found = rate("ab", rate_match("11 11 11"), 1)
    assert found.red_advantage.low < -50 < 50 < found.red_advantage.high


def test_forfeits_count_as_losses_and_annulled_games_do_not_count():
    lost, forfeited = rate_match("11 10 01 11"), rate_match("11 10 01 11")
    forfeited = [
        game(one.red, one.blue, one.winner, "timeout" if one.winner else one.ending, pair=one.pair) for one in forfeited
    ]
    assert rate("ab", lost, 1) == rate("ab", forfeited, 1)
    nothing = [game("a", "b", None, "illegal_setup", pair=9), game("b", "a", None, "annulled", pair=9)]
    assert rate("ab", [*lost, *nothing], 1) == rate("ab", lost, 1)
    assert rate("ab", nothing, 1).groups == ()


def test_games_of_other_bots_do_not_count():
    assert rate("ab", [*rate_match("11 10"), *make_pairs("a", "x", "11")], 1) == rate("ab", rate_match("11 10"), 1)


def test_likelihood_of_superiority():
    found = rate("abc", [*rate_match("11 10 11 11"), *make_pairs("b", "c", "=1 10"), *make_pairs("a", "c", "11 1=")], 1)
    for one, two in combinations("abc", 2):
        assert found.superiority[one][two] + found.superiority[two][one] == pytest.approx(1)
    assert found.superiority["a"]["b"] > 0.9
    assert 0.2 < found.superiority["b"]["c"] < 0.95


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a", 'is "a", must be a bot and its rating, as in "a=1500"'),
        ("a=", 'is "a=", must be'),
        ("a=nan", 'is "a=nan", must be'),
        ("a=1e9", 'is "a=1e9", must be'),
        ("=1500", 'is "=1500", must be'),
        ("x=1500", "unknown bot 'x'"),
    ],
)
def test_invalid_anchors(text, complaint):
    with pytest.raises(ConfigError, match=complaint):
        find_anchor(text, ["a", "b"])


def test_an_anchor():
    assert find_anchor("a=1500", ["a"]) == Anchor("a", 1500)
    assert find_anchor("a=-12.5", ["a"]) == Anchor("a", -12.5)


# --- how often the intervals hold the truth ------------------------------------------------------


def simulate(strengths, pairs, advantage, drawn, chance):
    """Simulate pairs of games of bots with known ratings; the two games of a pair are correlated."""
    for (one, mine), (two, its) in combinations(strengths.items(), 2):
        for number in range(1, pairs + 1):
            chance_value = chance.random()
            again = 1 - chance_value if chance.random() < 0.3 else chance.random()
            for red, blue, ahead, drawn_by in ((one, two, mine - its, chance_value), (two, one, its - mine, again)):
                winner = _choose_winner(1 / (1 + 10 ** (-(ahead + advantage) / 400)), drawn, drawn_by)
                yield game(red, blue, winner, "flag_taken" if winner else "agreed", pair=number)


def _choose_winner(expected, drawn, chance_value):
    if abs(chance_value - expected) < drawn * min(expected, 1 - expected):
        return None
    return "red" if chance_value < expected else "blue"


def measure_coverage(tournaments, strengths, pairs, *, draws, advantage=40, drawn=0.2, challenger=None):
    """Return for each bot in what share of tournaments the interval held the truth; and for red's advantage."""
    chance, held = random.Random(11), dict.fromkeys([*strengths, "red"], 0)
    for seed in range(tournaments):
        games = simulate(strengths, pairs, advantage, drawn, chance)
        if challenger is not None:
            games = [one for one in games if challenger in (one.red, one.blue)]
        found = rate(strengths, games, seed, draws=draws)
        for bot, truth in strengths.items():
            held[bot] += by_name(found)[bot].rating.low <= truth <= by_name(found)[bot].rating.high
        held["red"] += found.red_advantage.low <= advantage <= found.red_advantage.high
    return {name: count / tournaments for name, count in held.items()}


@pytest.mark.heavy
def test_intervals_contain_the_true_rating_about_as_often_as_they_should():
    shares = measure_coverage(60, {"a": 100, "b": 0, "c": -100}, 15, draws=200)
    assert 0.88 < sum(shares.values()) / len(shares) <= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strengths", "pairs"),
    [({"a": 150, "b": 90, "c": 30, "d": -30, "e": -90, "f": -150}, 10), ({"a": 50, "b": -50}, 50)],
    ids=["a tournament of six", "a match"],
)
def test_intervals_contain_the_true_rating_in_95_of_100_tournaments(strengths, pairs):
    """Within 93 and 97 of a hundred, over all bots, of 400 tournaments."""
    shares = measure_coverage(400, strengths, pairs, draws=600)
    print(shares)  # noqa: T201 - what was measured
    assert 0.93 <= sum(shares[bot] for bot in strengths) / len(strengths) <= 0.97
    assert min(shares.values()) >= 0.92


UNEQUAL = {"a": 50, "b": 0, "c": -50, "d": 100, "e": -100, "f": 30, "g": -30}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pairs", "how"),
    [(1, {}), (2, {}), (2, {"drawn": 0.6}), (5, {"challenger": "a"})],
    ids=["2 games", "4 games", "many draws", "a gauntlet of 10 games"],
)
def test_intervals_are_as_wide_as_they_should_be_after_a_few_games(pairs, how):
    """Within 93 and 98 of a hundred; the intervals of pairings with a few games alone would contain all."""
    shares = measure_coverage(400, UNEQUAL, pairs, draws=400, **how)
    print(shares)  # noqa: T201 - what was measured
    assert 0.93 <= sum(shares[bot] for bot in UNEQUAL) / len(UNEQUAL) <= 0.98
