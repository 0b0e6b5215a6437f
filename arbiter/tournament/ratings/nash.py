"""Nash averaging and alpha-rank: places in a pool in which strength may go round in circles.

Both take a table of all pairings, bots x bots, or many tables, such as samples that show how much chance may have
changed the scores.
"""

from collections.abc import Sequence
from functools import partial
from typing import Final

from arbiter.arrays import Floats, Numbers, np
from arbiter.games.chance import derive_seed
from arbiter.tournament.ratings.pool import ELO, Meetings, PoolFit
from arbiter.tournament.ratings.rate import select
from arbiter.tournament.ratings.symmetry import EqualNumbers
from arbiter.tournament.ratings.values import Estimate, NashRating, Share

_PRIOR_GAMES: Final = 2.0  # with the expected score, in each pairing
_MOST_TABLES: Final = 500
_LEAST_TABLES: Final = 60
_NUMBERS: Final = 1_600_000  # third powers of the bots of all tables, to limit the time
_IN_MIX: Final = 1e-3  # least weight that is shown
_LEAST_SHARE: Final = 1e-6
_JEFFREYS: Final = 0.5  # games won and lost by the prior of a drawn share


def rate_by_nash(pool: PoolFit, meetings: Meetings) -> Sequence[NashRating]:
    """Rate the bots of the largest group by Nash averaging and alpha-rank, the best first.

    The difference of two bots is that of their score against each other, with two more games that end as the ratings
    predict; for two bots that have not met, it is that of the ratings.
    """
    group = np.flatnonzero(pool.groups == 0)
    tables = max(_LEAST_TABLES, min(_MOST_TABLES, _NUMBERS // len(group) ** 3))
    shares = _draw_shares(pool, meetings, group, tables)
    differences = np.log(shares / (1 - shares))
    weights = average(differences)
    alpha = rank_by_alpha(2 * shares - 1)
    elo = ELO * (differences @ weights[..., None])[..., 0]
    leaders = np.bincount(weights[1:].argmax(1), minlength=len(group)) / tables
    weights[weights < _IN_MIX] = 0.0
    errors = np.sqrt(np.diagonal(pool.covariance)[group])

    def estimate(values: Floats) -> list[Estimate]:
        equal = EqualNumbers(values[0], pool.best.bots[0, group], errors, mirrors=False)
        return [
            equal.estimate(place, float(values[0, place]), partial(select, values[1:])) for place in range(len(group))
        ]

    found = [
        NashRating(pool.names[bot], _make_share(weight), difference, _make_share(rank), float(leads))
        for bot, weight, difference, rank, leads in zip(
            group.tolist(), estimate(100 * weights), estimate(elo), estimate(100 * alpha), leaders, strict=True
        )
    ]
    return sorted(found, key=lambda one: (-one.weight.value, -one.elo.elo, one.bot))


def _find_shares(pool: PoolFit, meetings: Meetings, group: Numbers) -> Floats:
    """Return the share of points of each bot (row) against each other one."""
    strengths = pool.likeliest.bots[0, group]
    likely = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    games, score = meetings.games[np.ix_(group, group)], meetings.score[np.ix_(group, group)]
    share = (score + _PRIOR_GAMES * likely) / (games + _PRIOR_GAMES)
    shares: Floats = (share + 1 - share.T) / 2
    np.fill_diagonal(shares, 0.5)
    return shares


def _draw_shares(pool: PoolFit, meetings: Meetings, group: Numbers, tables: int) -> Floats:
    """Draw shares of points as likely as the games make them, after the likeliest: tables x bots x bots."""
    share = _find_shares(pool, meetings, group)
    chance = np.random.default_rng(derive_seed(pool.seed, "nash"))
    one, two = np.triu_indices(len(group), 1)
    games = meetings.games[np.ix_(group, group)][one, two]
    variance = pool.variance * (1 + pool.correlation)
    weight = (games + _PRIOR_GAMES) / variance
    won, lost = weight * share[one, two] + _JEFFREYS, weight * (1 - share[one, two]) + _JEFFREYS
    drawn = chance.beta(won, lost, (tables, len(one)))
    samples = pool.samples.bots[chance.integers(len(pool.samples.bots), size=tables)][:, group] / ELO
    rated = 1 / (1 + np.exp(samples[:, two] - samples[:, one]))
    drawn = np.clip(np.where(games > 0, drawn, rated), _LEAST_SHARE, 1 - _LEAST_SHARE)
    shares = np.full((tables, len(group), len(group)), 0.5)
    shares[:, one, two] = drawn
    shares[:, two, one] = 1 - drawn
    return np.concatenate([share[None], shares])


def _make_share(percent: Estimate) -> Share:
    return Share(percent.elo / 100, percent.low / 100, percent.high / 100)


# --- Nash averaging -------------------------------------------------------------------------------

# D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating evaluation", NeurIPS 2018.  Bots play a game
# against each other: each side names a bot, or a mix of bots, and scores the difference in strength.  The mix
# that no bot beats, with the most even weights if there are several, is the equilibrium of greatest entropy;
# copies of a bot share its weight.


_STAGES: Final = 60  # in each, the temperature is a quarter of that before
_MOST_STEPS: Final = 50
_CLOSE: Final = 1e-6
_LONGEST_STEP: Final = 3.0
_LEAST_TEMPERATURE: Final = 1e-6  # relative to the largest difference
_LEAST_LOGARITHM: Final = -200.0  # of a weight; less is as good as 0


def average(differences: Floats) -> Floats:
    """Return the weights of the bots in the equilibrium of greatest entropy: bots, or tables x bots.

    `differences` is antisymmetric: the strength of the bot in the row above that of the bot in the column.

    With a bonus of `temperature` times its entropy the best mix is unique, and each weight is positive.  It is followed
    by Newton's method from a high temperature to a low one.
    """
    tables = differences.reshape(-1, *differences.shape[-2:])
    bots = differences.shape[-1]
    largest = np.abs(tables).max(axis=(1, 2), keepdims=True, initial=0.0)
    scaled = tables / np.where(largest > 0, largest, 1.0)
    logarithms = np.full((len(tables), bots), -np.log(bots))
    temperature = 2.0
    for _ in range(_STAGES):
        logarithms = _solve(scaled, temperature, logarithms)
        if temperature < _LEAST_TEMPERATURE:
            break
        temperature /= 4
    weights = np.exp(logarithms)
    normalized: Floats = weights / weights.sum(1, keepdims=True)
    return normalized.reshape(differences.shape[:-1])


def _solve(differences: Floats, temperature: float, logarithms: Floats) -> Floats:
    """Find the weights w with temperature * log w = differences @ w + constant, near those given."""
    bots = differences.shape[-1]
    each = np.arange(bots)
    system = np.zeros((len(differences), bots + 1, bots + 1))
    system[:, :bots, bots] = -1.0
    active = np.arange(len(differences))
    found = logarithms.copy()
    for _ in range(_MOST_STEPS):
        before = found[active]
        weights = np.exp(before)
        some = system[: len(active)]
        some[:, :bots, :bots] = -differences[active] * weights[:, None, :]
        some[:, each, each] += temperature
        some[:, bots, :bots] = weights
        fault = np.empty((len(active), bots + 1, 1))
        fault[:, :bots, 0] = (differences[active] @ weights[..., None])[..., 0] - temperature * before
        fault[:, bots, 0] = 1 - weights.sum(1)
        step = np.linalg.solve(some, fault)[:, :bots, 0]
        after = np.maximum(before + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP), _LEAST_LOGARITHM)
        found[active] = after
        active = active[np.abs(after - before).max(1) >= _CLOSE]
        if not len(active):
            break
    return found


# --- alpha-rank -----------------------------------------------------------------------------------

# S. Omidshafiei and others, "alpha-Rank: multi-agent evaluation by evolution", Scientific Reports 9, 2019.  All
# members of a population play one bot; now and then one member tries another bot, and its success decides how
# probable it is that all follow.  The rank of a bot is the share of time in which the population plays it.


_ALPHA: Final = 100.0  # strength of selection: the population follows even a small difference
_POPULATION: Final = 50
_LARGEST_EXPONENT: Final = 500.0
_LEAST_PROBABILITY: Final = 1e-9  # so that every bot can follow every other


def rank_by_alpha(payoffs: Floats, alpha: float = _ALPHA, population: int = _POPULATION) -> Floats:
    """Return the share of time of each bot: bots, or tables x bots.

    `payoffs` is antisymmetric: what the bot in the row gains from the bot in the column, from -1 to 1.
    """
    bots = payoffs.shape[-1]
    if bots == 1:
        return np.ones(payoffs.shape[:-1])
    # The probability that all follow one member with the bot in the column, while the others play that in the row.
    exponent = np.clip(-2 * alpha * payoffs, -_LARGEST_EXPONENT / population, None)
    is_even = np.abs(exponent) < 1e-12  # noqa: PLR2004 - rounding errors
    safe = np.where(is_even, 1.0, exponent)
    fixation = np.where(is_even, 1 / population, np.expm1(-safe) / np.expm1(-population * safe))
    chain = np.maximum(fixation, _LEAST_PROBABILITY) / (bots - 1)
    each = np.arange(bots)
    chain[..., each, each] = 0.0
    chain[..., each, each] = 1 - chain.sum(-1)
    # The stationary distribution, by the elimination of Grassmann, Taksar and Heyman, which never subtracts.
    for last in range(bots - 1, 0, -1):
        chain[..., :last, last] /= chain[..., last, :last].sum(-1)[..., None]
        chain[..., :last, :last] += chain[..., :last, last, None] * chain[..., last, None, :last]
    share = np.zeros(payoffs.shape[:-1])
    share[..., 0] = 1.0
    for bot in range(1, bots):
        share[..., bot] = (share[..., :bot] * chain[..., :bot, bot]).sum(-1)
    normalized: Floats = share / share.sum(-1, keepdims=True)
    return normalized
