"""The sequential test: published figures, the order of pairs, error rates."""

import random
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tournament.stored_games import game

from arbiter.errors import ConfigError
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.ratings.pairs import count_pairs, pair_games
from arbiter.tournament.ratings.sprt import Sprt, SprtRun, llr

# From the tests of fastchess (app/tests/sprt_test.cpp, "logistic pentanomial"), which give two decimals.
PUBLISHED = [
    ((223, 9863, 20279 + 1000, 10037, 246), (0.5, 2.5), -3.07),
    ((871, 26175, 55003 + 980, 26678, 821), (0, 2), -4.98),
]
# Computed by the formulas of fishtest (LLRcalc.py) with another solver, scipy's brentq.
COMPUTED = [
    ((1, 5, 20, 8, 3), (0, 10), 0.443948),
    ((0, 0, 0, 0, 7), (0, 50), 0.935389),
    ((3, 0, 9, 1, 12), (-5, 5), 0.443090),
    ((12, 30, 41, 19, 5), (0, 20), -3.189168),
    ((0, 0, 40, 0, 0), (0, 30), -3.594339),
    ((100, 200, 400, 250, 120), (0, 5), 1.725060),
    ((2, 1, 0, 3, 9), (100, 200), 0.734653),
]


@pytest.mark.parametrize(("counts", "elo", "expected"), PUBLISHED)
def test_published_ratios(counts, elo, expected):
    assert llr(counts, *elo) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(("counts", "elo", "expected"), COMPUTED)
def test_ratios_of_another_implementation(counts, elo, expected):
    assert llr(counts, *elo) == pytest.approx(expected, abs=1e-6)


def test_the_bounds_of_wald():
    sprt = Sprt(elo0=0, elo1=5, alpha=0.05, beta=0.1)
    assert (sprt.lower, sprt.upper) == (log(0.1 / 0.95), log(0.9 / 0.05))


def test_the_ratio_is_zero_before_the_first_pair():
    assert llr((0,) * 5, 0, 5) == 0


counts = st.tuples(*[st.integers(0, 500)] * 5)
elos = st.floats(-300, 300)


@given(counts, elos, elos)
def test_swapping_the_hypotheses_changes_the_sign(seen, one, two):
    assert llr(seen, one, two) == pytest.approx(-llr(seen, two, one), abs=1e-6)


@given(counts, elos, elos)
def test_the_ratio_from_the_other_side_is_the_same(seen, one, two):
    assert llr(seen, one, two) == pytest.approx(llr(seen[::-1], -one, -two), abs=1e-6, rel=1e-9)


# --- pairs in their order -------------------------------------------------------------------------

RESULTS = {"W": ("red", "blue"), "D": (None, None), "L": ("blue", "red")}


def make_games(*kinds, first=1):
    """Make games of a against b: each kind is what a made of its games as red and as blue, as `WL`."""
    for number, (as_red, as_blue) in enumerate(kinds, start=first):
        yield game("a", "b", RESULTS[as_red][0], "flag_taken" if as_red != "D" else "agreed", pair=number)
        yield game("b", "a", RESULTS[as_blue][1], "flag_taken" if as_blue != "D" else "agreed", pair=number)


def test_pairs_are_counted_from_either_side():
    games = list(make_games("WW", "WD", "DW", "DD", "WL", "LD", "LL", "LL"))
    assert count_pairs(pair_games(games), "a") == (2, 1, 2, 2, 1)
    assert count_pairs(pair_games(games), "b") == (1, 2, 2, 1, 2)
    assert count_pairs(pair_games(games[:-1]), "a") == (1, 1, 2, 2, 1)


SPRT = Sprt(elo0=0, elo1=200)
LONG = ["WW", "WL", "WD", "WW", "DW"] * 10


def test_a_clear_advantage_is_accepted_and_a_clear_draw_is_not():
    assert SprtRun(SPRT, "a", make_games(*LONG)).accepted == "H1"
    assert SprtRun(SPRT, "b", make_games(*LONG)).accepted == "H0"
    assert SprtRun(SPRT, "a", make_games(*["WL", "LW", "DD"] * 10)).accepted == "H0"
    assert SprtRun(SPRT, "a", make_games("WW", "LL")).accepted is None


def test_games_after_the_result_do_not_change_it():
    at_verdict = SprtRun(SPRT, "a", make_games(*LONG))
    judged = sum(at_verdict.counts)
    assert judged < len(LONG)
    longer = SprtRun(SPRT, "a", [*make_games(*LONG[:judged]), *make_games(*["LL"] * 30, first=judged + 1)])
    assert (longer.accepted, longer.llr, longer.counts) == ("H1", at_verdict.llr, at_verdict.counts)


@given(st.randoms(use_true_random=False))
def test_the_result_does_not_depend_on_the_order_in_which_games_finish(chance):
    games = list(make_games(*["WW", "LL", "WL", "DD", "WW", "WW", "WD"] * 4))
    straight = SprtRun(SPRT, "a", games)
    chance.shuffle(games)
    shuffled = SprtRun(SPRT, "a", games)
    assert (shuffled.accepted, shuffled.llr, shuffled.counts) == (straight.accepted, straight.llr, straight.counts)


def test_a_pair_waits_for_earlier_pairs():
    games = list(make_games("WW", "WW", "WW"))
    trial = SprtRun(SPRT, "a", games[2:])
    assert trial.counts == (0, 0, 0, 0, 0)
    trial.add(games[1])
    assert trial.counts == (0, 0, 0, 0, 0)
    trial.add(games[0])
    assert trial.counts == (0, 0, 0, 0, 3)


def test_a_pair_that_does_not_count_is_skipped():
    both_lost = [game("a", "b", None, "illegal_setup", pair=1), game("b", "a", None, "illegal_setup", pair=1)]
    trial = SprtRun(SPRT, "a", [*both_lost, *make_games("WW", first=2)])
    assert trial.counts == (0, 0, 0, 0, 1)


class Games:
    """A source that has games without end."""

    def __init__(self):
        self.added = []

    def take(self):
        return Fixture("a~b~1", 1, "a", "b", 1)

    def add(self, one):
        self.added.append(one)


def test_no_game_is_given_out_after_the_result():
    source, trial = Games(), SprtRun(SPRT, "a")
    dispatcher = Dispatcher(source, early_ends=[trial])
    for one in make_games(*LONG):
        assert (dispatcher.take() is None) == (trial.accepted is not None)
        dispatcher.add(one)
    assert dispatcher.take() is None
    assert len(source.added) == 2 * len(LONG)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"elo0": 5, "elo1": 5}, "--sprt 5,5: must be two numbers of Elo from -1000 to 1000, the lower first"),
        ({"elo0": 10, "elo1": 0}, "--sprt 10,0: must be"),
        ({"elo0": 0, "elo1": 5000}, "--sprt 0,5000: must be"),
        ({"elo0": 0, "elo1": 5, "alpha": 0}, "--alpha 0: must be more than 0 and less than 0.5"),
        ({"elo0": 0, "elo1": 5, "beta": 0.5}, "--beta 0.5: must be"),
        ({"elo0": 0, "elo1": 5, "beta": float("nan")}, "--beta nan: must be"),
    ],
)
def test_invalid_settings(settings, complaint):
    with pytest.raises(ConfigError, match=complaint):
        Sprt(**settings).check()


# --- error rates ----------------------------------------------------------------------------------


def pair_probabilities(elo, drawn, correlation):
    """Return the probability of each pair score; `correlation` makes the same colour win both games of a pair."""
    won = 1 / (1 + 10 ** (-elo / 400))
    half = drawn * min(won, 1 - won)
    win, draw, loss = won - half, 2 * half, 1 - won - half
    free = [loss * loss, 2 * loss * draw, draw * draw + 2 * win * loss, 2 * win * draw, win * win]
    same_colour = min(win, loss) * correlation  # pairs in which one colour wins both games
    return [free[0] - same_colour / 2, free[1], free[2] + same_colour, free[3], free[4] - same_colour / 2]


def accepts_h1(sprt, weights, chance):
    """Draw pairs until the test has a result; return True if H1 is accepted."""
    seen = [0] * 5
    while True:
        seen[chance.choices(range(5), weights)[0]] += 1
        ratio = llr(seen, sprt.elo0, sprt.elo1)
        if not sprt.lower < ratio < sprt.upper:
            return ratio >= sprt.upper


def measure_acceptance(sprt, elo, runs, *, drawn=0.3, correlation=0.0, seed=5):
    chance = random.Random(seed)
    return sum(accepts_h1(sprt, pair_probabilities(elo, drawn, correlation), chance) for _ in range(runs)) / runs


def test_error_rates_are_low():
    sprt = Sprt(elo0=0, elo1=200)
    assert measure_acceptance(sprt, 0, 150) < 0.15
    assert measure_acceptance(sprt, 200, 150) > 0.85


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sprt", "how"),
    [
        (Sprt(elo0=0, elo1=50), {}),
        (Sprt(elo0=-40, elo1=40), {"drawn": 0.1}),
        (Sprt(elo0=0, elo1=60), {"drawn": 0, "correlation": 0.3}),
        (Sprt(elo0=100, elo1=180, alpha=0.1, beta=0.02), {}),
    ],
    ids=["usual", "around zero", "correlated games", "other bounds"],
)
def test_error_rates_at_the_bounds(sprt, how):
    """Of 500 runs at each bound; three standard errors are left to chance."""
    runs = 500
    wrong = {
        "alpha": measure_acceptance(sprt, sprt.elo0, runs, **how),
        "beta": 1 - measure_acceptance(sprt, sprt.elo1, runs, **how),
    }
    print(wrong)  # noqa: T201 - what was measured
    for name, share in wrong.items():
        allowed = getattr(sprt, name)
        assert share <= allowed + 3 * (allowed * (1 - allowed) / runs) ** 0.5, name
