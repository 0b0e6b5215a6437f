"""Normal priors of strengths: compared with grids, and with simulated pools whose strengths follow the prior."""

from itertools import combinations

import numpy as np
import pytest

from arbiter.tournament.ratings.pairs import Pair
from arbiter.tournament.ratings.pool import ELO, fit_pool

ADVANTAGE_SPREAD = 200
FLAT = 2000  # a prior that assumes nearly nothing


def make_pairs(one, two, outcomes):
    """Make pairs of games of `one`'s scores as red and as blue."""
    return [Pair(one, two, number, *scores, f"{number}r", f"{number}b") for number, scores in enumerate(outcomes)]


def repeat(**counts):
    """List outcomes of pairs: `wl=3` for three pairs won as red and lost as blue."""
    value = {"w": 1.0, "d": 0.5, "l": 0.0}
    return [(value[text[0]], value[text[1]]) for text, count in counts.items() for _ in range(count)]


def find_dispersion(pool):
    return pool.variance * (1 + pool.correlation), pool.variance * (1 - pool.correlation)


def weigh_match(outcomes, spread, dispersion):
    """Return differences in Elo, and how likely each is: an own sum over a grid, without red's advantage."""
    differences = np.linspace(-1500, 1500, 6001)
    score, games = sum(map(sum, outcomes)), 2 * len(outcomes)
    likelihood = score * np.log(1 / (1 + 10 ** (-differences / 400)))
    likelihood += (games - score) * np.log(1 / (1 + 10 ** (differences / 400)))
    logarithm = likelihood / dispersion - differences**2 / (4 * spread**2)
    weights = np.exp(logarithm - logarithm.max())
    return differences, weights / weights.sum()


@pytest.mark.parametrize("spread", [20, 100, 400])
@pytest.mark.parametrize(
    "outcomes",
    [
        repeat(ww=20, wl=30, lw=25, ll=8),
        repeat(ww=60, wl=9, lw=8, ll=1),
        repeat(wd=15, dd=30, wl=5, lw=5, ld=2),
        repeat(ww=2, wl=1),
    ],
    ids=["no draws", "mostly won", "many draws", "few"],
)
def test_a_match_is_rated_as_a_grid_does(outcomes, spread):
    pool = fit_pool(make_pairs("a", "b", outcomes), 1, None, 4000, spread)
    differences, weights = weigh_match(outcomes, spread, find_dispersion(pool)[0])
    best = pool.best.bots[0, 0] - pool.best.bots[0, 1]
    assert best == pytest.approx(differences[weights.argmax()], abs=0.5)
    low, high = np.interp((0.025, 0.975), weights.cumsum(), differences)
    found = np.quantile(pool.samples.bots[:, 0] - pool.samples.bots[:, 1], (0.025, 0.975))
    assert found == pytest.approx([low, high], abs=0.12 * (high - low))


def test_three_bots_and_red_are_rated_as_a_grid_does():
    played = {
        ("a", "b"): repeat(ww=4, wl=5, lw=1),
        ("a", "c"): repeat(ww=8, wl=2),
        ("b", "c"): repeat(wl=6, wd=2, ll=1),
    }
    pairs = [pair for names, outcomes in played.items() for pair in make_pairs(*names, outcomes)]
    spread = 120
    pool = fit_pool(pairs, 1, None, 500, spread)
    elo = {"a": pool.best.bots[0, 0], "b": pool.best.bots[0, 1]}
    dispersion, of_advantage = find_dispersion(pool)

    def find_logarithm(one, two, advantage):
        strengths = {"a": one, "b": two, "c": -one - two}
        total = 0.0
        for (first, second), outcomes in played.items():
            for scores in outcomes:
                for score, sign in zip(scores, (1, -1), strict=True):
                    ahead = (strengths[first] - strengths[second] + sign * advantage) / 400
                    total -= score * np.log1p(10**-ahead) + (1 - score) * np.log1p(10**ahead)
        squares = sum(strength**2 for strength in strengths.values())
        return total - dispersion * squares / (2 * spread**2) - of_advantage * (advantage / ADVANTAGE_SPREAD) ** 2 / 2

    found = np.array([elo["a"], elo["b"], pool.best.advantage[0]])
    size = 300.0
    best = np.zeros(3)
    while size > 0.2:
        steps = np.linspace(-size, size, 7)
        grid = np.meshgrid(*(place + steps for place in best), indexing="ij")
        highest = np.unravel_index(find_logarithm(*grid).argmax(), grid[0].shape)
        best = np.array([axis[highest] for axis in grid])
        size /= 1.8
    assert found == pytest.approx(best, abs=1)
    assert pool.best.bots.sum() == pytest.approx(0, abs=1e-3)


def simulate(strengths, pairs, drawn, chance):
    """Simulate a round robin; red is worth 40 Elo."""
    for one, two in combinations(range(len(strengths)), 2):
        outcomes = []
        for _ in range(pairs):
            scores = []
            for sign in (1, -1):
                expected = 1 / (1 + 10 ** (-(strengths[one] - strengths[two] + sign * 40) / 400))
                margin, luck = drawn * min(expected, 1 - expected), chance.random()
                scores.append(0.5 if abs(luck - expected) < margin else float(luck < expected))
            outcomes.append(scores)
        yield from make_pairs(f"{one:02}", f"{two:02}", outcomes)


def measure_coverage(tournaments, bots, pairs, spread, *, drawn, prior):
    """Return the share of intervals of differences that contain the true one, and the mean error of prior and FLAT.

    And the share of intervals of the spread that contain it, and the probability of being first that the first bots
    have on average, with the share of them that are.
    """
    chance = np.random.default_rng(5)
    held, errors, spreads, first = [], [], [], []
    for seed in range(tournaments):
        strengths = spread * chance.standard_normal(bots)
        games = list(simulate(strengths, pairs, drawn, chance))
        pool, flat = (fit_pool(games, seed, None, *words) for words in ((400, prior), (50, FLAT)))
        truth = strengths - strengths.mean()
        for one, two in combinations(range(bots), 2):
            low, high = np.quantile(pool.samples.bots[:, one] - pool.samples.bots[:, two], (0.025, 0.975))
            held.append(low <= truth[one] - truth[two] <= high)
        errors.append([np.mean((fitted.best.bots[0] - truth) ** 2) for fitted in (pool, flat)])
        estimate = pool.prior.spread
        spreads.append(estimate.low <= spread <= estimate.high)
        likely = np.bincount(pool.samples.bots.argmax(1), minlength=bots) / len(pool.samples.bots)
        first.append((likely.max(), likely.argmax() == truth.argmax()))
    return np.mean(held), np.sqrt(np.mean(errors, axis=0)), np.mean(spreads), np.mean(first, axis=0)


@pytest.mark.heavy
def test_a_normal_prior_is_nearer_to_the_truth_after_a_few_games():
    held, (error, flat), _, _ = measure_coverage(30, 6, 1, 60, drawn=0.2, prior=60)
    assert held > 0.9
    assert error < 0.7 * flat


@pytest.mark.heavy
def test_the_probability_of_being_first_allows_for_luck():
    """The bot that seems to be the first of many was often lucky; the default takes that into account."""
    _, _, _, (stated, true) = measure_coverage(100, 8, 1, 100, drawn=0.2, prior=None)
    assert 0.25 < stated < 0.65
    assert abs(stated - true) < 0.15


def test_equal_bots_get_a_small_spread_and_unequal_ones_a_large_spread():
    chance = np.random.default_rng(2)
    small, large = (
        fit_pool(
            list(simulate(spread * np.linspace(-1, 1, 6), 10, 0.2, chance)), 1, None, 100, "estimated"
        ).prior.spread
        for spread in (0, 400)
    )
    assert small.high < large.low < 283 < large.high, "283 Elo is the standard deviation of the second pool"


@pytest.mark.slow
@pytest.mark.parametrize("prior", [100, "estimated"])
@pytest.mark.parametrize(("bots", "pairs", "drawn"), [(6, 1, 0.2), (6, 5, 0.6), (12, 1, 0.0), (3, 2, 0.2)])
def test_intervals_contain_the_truth_if_strengths_follow_the_prior(bots, pairs, drawn, prior):
    held, errors, spreads, first = measure_coverage(300, bots, pairs, 100, drawn=drawn, prior=prior)
    print(held, errors, spreads, first)  # noqa: T201 - what was measured
    assert 0.905 <= held <= 0.975
    assert errors[0] < errors[1]
    assert prior != "estimated" or spreads > 0.9


def test_the_default_is_an_estimated_spread_unless_each_group_has_two_bots():
    def find_prior(*pairings):
        games = [pair for names in pairings for pair in make_pairs(*names, repeat(ww=2, wl=1))]
        default, estimated = (fit_pool(games, 1, None, 50, spread) for spread in (None, "estimated"))
        assert (default.prior == estimated.prior) == np.array_equal(default.samples.bots, estimated.samples.bots)
        return "drawn games" if default.prior.drawn_games else "estimated"

    assert find_prior("ab") == find_prior("ab", "cd") == "drawn games"
    assert find_prior("ab", "bc") == find_prior("ab", "bc", "ac") == find_prior("ab", "cd", "de") == "estimated"


def test_numbers_are_finite_if_one_colour_wins_every_game():
    pool = fit_pool(make_pairs("a", "b", repeat(wl=6)) + make_pairs("b", "c", repeat(wl=6)), 1, None, 200, "estimated")
    for numbers in (pool.samples.bots, pool.samples.advantage, *pool.samples.by_colour.values(), pool.covariance):
        assert np.abs(numbers).max() < 5000 * ELO
