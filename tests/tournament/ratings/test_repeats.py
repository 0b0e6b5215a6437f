"""Repeated games: they count once in ratings and tests, and end a match."""

import random

import pytest
from msgspec.structs import replace
from tournament.ratings.test_rate import by_name, make_pairs
from tournament.test_dispatcher import FixtureList, make_fixtures

from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.ratings.pairs import (
    LEAST_IN_A_ROW,
    RepeatWatch,
    find_distinct,
    pair_games,
    select_distinct_games,
)
from arbiter.tournament.ratings.rate import rate
from arbiter.tournament.ratings.sprt import Sprt, SprtRun
from arbiter.tournament.ratings.values import Anchor


def play(*pairs):
    """Make games of a and b: pairs such as `10x`, a's scores as red and blue, and what the fingerprints begin with."""
    played = []
    for number, text in enumerate(pairs, start=1):
        pair = make_pairs("a", "b", text[:2], first=number)
        played += (replace(one, fingerprint=f"{text[2]} {one.red}" if text[2:] else "") for one in pair)
    return played


def test_identical_pairs_count_once():
    pairs = pair_games(play("11x", "10y", "11x", "11z", "10y"))
    assert [pair.number for pair in find_distinct(pairs)] == [1, 2, 4]


@pytest.mark.parametrize(
    ("pairs", "distinct"),
    [
        (("11x", "1.x"), 1),
        (("1.x", "11x"), 1),
        (("1.x", "1.x", ".1x"), 2),
        (("11x", "1.y"), 2),
        (("11", "11", "11"), 3),
        (("11x", "10x"), 2),
        ((), 0),
    ],
    ids=[
        "a half of a pair",
        "a half before its pair",
        "halves of both colours",
        "another half",
        "no fingerprints",
        "another result by a ruling",
        "no games",
    ],
)
def test_pairs_that_are_not_alike_in_everything(pairs, distinct):
    assert len(find_distinct(pair_games(play(*pairs)))) == distinct


def test_games_of_different_bots_are_never_repeats():
    others = [replace(one, fingerprint=f"x {one.blue}") for one in make_pairs("a", "c", "11")]
    games = [*play("11x"), *others]
    assert len(find_distinct(pair_games(games))) == 2


def choose_deployments(deployments, matches, chance):
    """Make the pairs of bots that choose one of so many deployments in each game; return them and the number of games.

    Each choice of two deployments and a colour is one game, which both bots always play in the same way.
    """
    scores: dict[str, str] = {}
    pairs = []
    for _ in range(matches):
        kinds = [f"{seat}{chance.randrange(deployments)}-{chance.randrange(deployments)}" for seat in "rb"]
        red, blue = (scores.setdefault(kind, chance.choice("10=")) for kind in kinds)
        pairs.append((red, blue, *kinds))
    games = []
    for number, (red, blue, *kinds) in enumerate(pairs, start=1):
        played = make_pairs("a", "b", red + blue, first=number)
        games += [replace(one, fingerprint=kind) for one, kind in zip(played, kinds, strict=True)]
    return games, len(scores)


def test_few_deployments_make_many_pairs_of_a_few_games():
    """Two deployments each make eight games, which form four pairs, not sixteen."""
    games, different = choose_deployments(2, 100, random.Random(3))
    assert different == 8
    distinct = find_distinct(pair_games(games))
    assert [pair.score is None for pair in distinct] == [False] * 4
    assert {one for pair in distinct for one in (pair.red_fingerprint, pair.blue_fingerprint)} == {
        one.fingerprint for one in games
    }
    run = SprtRun(Sprt(elo0=-400, elo1=400), "a", games)
    assert sum(run.counts) <= 4


def test_a_new_game_with_a_known_one_waits_for_a_partner():
    """The third pair has a new game as red; without one as blue it stays alone."""
    games = [*play("11x"), *play("00y")]
    known, new = games[1], games[2]
    mixed = [replace(one, id=f"{one.red}~{one.blue}~3", pair=3) for one in (new, known)]
    distinct = find_distinct(pair_games([*games[:2], *mixed]))
    assert [(pair.as_red, pair.as_blue) for pair in distinct] == [(1, 1), (0, None)]


@pytest.mark.parametrize("seed", range(5))
def test_each_distinct_game_is_counted_once(seed):
    """Counted again without pairs, for bots with 1 to 5 deployments."""
    chance = random.Random(seed)
    games, different = choose_deployments(1 + seed, 60, chance)
    found = find_distinct(pair_games(games))
    used = [one for pair in found for one in (pair.red_fingerprint, pair.blue_fingerprint) if one]
    assert sorted(used) == sorted({one.fingerprint for one in games})
    assert len(used) == different == len(select_distinct_games(games))
    assert rate("ab", games, 1, draws=10).distinct_games == different


def test_a_repeat_in_another_stage_is_one():
    games = play("11x")
    assert len(find_distinct(pair_games([*games, *(replace(one, id=f"s2~{one.id}") for one in games)]))) == 1


def test_ratings_are_those_of_the_distinct_pairs():
    once = rate("ab", play("10x", "11y"), seed=1)
    repeated = rate("ab", play("10x", *["11y"] * 19), seed=1)
    assert by_name(repeated)["a"].rating == by_name(once)["a"].rating
    assert repeated.superiority == once.superiority
    assert repeated.red_advantage == once.red_advantage
    assert (once.games, once.distinct_games, repeated.games, repeated.distinct_games) == (4, 4, 40, 4)
    assert [(one.games, one.distinct_games) for one in repeated.bots] == [(40, 4), (40, 4)]


@pytest.mark.parametrize("scores", ["11", "==", "00"])
def test_a_sequential_test_of_a_repeated_pair_decides_nothing(scores):
    """Twenty times the same pair decided it when each counted."""
    sprt = Sprt(elo0=0, elo1=50)
    assert SprtRun(sprt, "a", play(*[scores] * 60)).is_over
    run = SprtRun(sprt, "a", play(*[scores + "x"] * 60))
    assert (run.accepted, sum(run.counts)) == (None, 1)


def test_a_match_ends_when_no_new_games_are_expected():
    watch = RepeatWatch(starts=1)
    games = play("10x", *["11y"] * LEAST_IN_A_ROW)
    for one in [*games, *play(*["11y"] * (LEAST_IN_A_ROW + 2))[len(games) :]]:
        assert not watch.is_over
        watch.add(one)
    assert (watch.is_over, watch.games, watch.distinct) == (True, 2 * LEAST_IN_A_ROW + 4, 4)


def test_a_new_pair_starts_the_count_again():
    repeats = ["11x"] * LEAST_IN_A_ROW
    assert RepeatWatch(1, play("11x", *repeats)).is_over
    assert not RepeatWatch(1, play(*repeats, "10y", *repeats[1:])).is_over


def test_every_starting_position_has_its_turn():
    in_turn = [f"11{sign}" for sign in "abcdefghijklmnopqrst"]
    assert not RepeatWatch(20, play(*in_turn, *in_turn[:-1])).is_over
    assert RepeatWatch(20, play(*in_turn, *in_turn)).is_over


def test_no_game_is_given_out_after_the_end():
    games = play(*["11x"] * 30)
    source = FixtureList(make_fixtures(("a", "b"), games=len(games)))
    dispatcher = Dispatcher(source, early_ends=[RepeatWatch(1)])
    while dispatcher.take() is not None:
        dispatcher.add(games[len(source.games)])
    assert len(source.games) == 2 * (1 + LEAST_IN_A_ROW)


# --- the interval ---------------------------------------------------------------------------------


def measure_coverage(deployments, *, matches, pairs=100, seed=17):
    """Return the share of matches of bots with so many deployments whose interval contains the truth.

    The true difference is between -200 and 200.
    """
    chance = random.Random(seed)
    hits = 0
    for number in range(matches):
        elo = chance.uniform(-200, 200)
        won = 1 / (1 + 10 ** (-elo / 400))
        scores = {seat: chance.choices("10", (won, 1 - won), k=deployments**2) for seat in "rb"}
        games = []
        for pair in range(1, pairs + 1):
            red, blue = (chance.randrange(deployments**2) for _ in range(2))
            played = make_pairs("a", "b", scores["r"][red] + scores["b"][blue], first=pair)
            games += [replace(one, fingerprint=str(kind)) for one, kind in zip(played, (red, blue), strict=True)]
        rating = by_name(rate("ab", games, seed=number, anchor=Anchor("b", 0), draws=400))["a"].rating
        hits += rating.low <= elo <= rating.high
    return hits / matches


@pytest.mark.slow
@pytest.mark.parametrize("deployments", [2, 3, 5])
def test_the_interval_holds_if_games_are_repeated(deployments):
    """Of 300 matches; it was 0.68 and 0.57 if each pair of two games counted."""
    share = measure_coverage(deployments, matches=300)
    print(deployments, share)  # noqa: T201 - what was measured
    assert share >= 0.92
