"""Compare the bots of a pool: differences, pairings that the ratings do not fit, and circles of strength."""

from collections.abc import Iterator
from itertools import combinations
from statistics import NormalDist
from typing import Final

from arbiter.arrays import Floats, np
from arbiter.tournament.ratings.bootstrap import count_scores
from arbiter.tournament.ratings.bradley_terry import expect_scores
from arbiter.tournament.ratings.rate import ELO, PoolFit, compare_bots, find_variance
from arbiter.tournament.ratings.symmetry import EqualNumbers
from arbiter.tournament.ratings.values import Cycle, Difference, NashRating, PoolAnalysis

_NORMAL: Final = NormalDist()
_PRIOR_GAMES: Final = 2.0  # with the expected score, in each pairing, for Nash averaging
_IN_MIX: Final = 1e-3  # least weight that is shown


def analyse(pool: PoolFit | None) -> PoolAnalysis:
    """Compare the bots of a pool; without games there is nothing to compare."""
    if pool is None:
        return PoolAnalysis((), (), ())
    table = _Meetings(pool)
    return PoolAnalysis(
        tuple(_list_differences(pool, table)),
        tuple(sorted(_find_cycles(pool, table), key=lambda cycle: (-cycle.likelihood, cycle.bots))),
        tuple(sorted(_rate_by_nash(pool, table), key=lambda one: (-one.weight, -one.elo, one.bot))),
    )


class _Meetings:
    """The games between bots, as a matrix of bots x bots, from the view of the bot in the row."""

    def __init__(self, pool: PoolFit) -> None:
        bots = len(pool.names)
        results = pool.results
        counted = count_scores(results)
        as_red, as_blue = (one[0] for one in expect_scores(results.one, results.two, pool.likeliest))
        red, blue = counted.red_games[0], counted.blue_games[0]
        self.games = np.zeros((bots, bots))
        self.score = np.zeros((bots, bots))
        self.expected = np.zeros((bots, bots))
        self.variance = np.zeros((bots, bots))
        score = counted.red_score[0] + counted.blue_score[0]
        expected = red * as_red + blue * as_blue
        for row, column, own, likely in (
            (results.one, results.two, score, expected),
            (results.two, results.one, red + blue - score, red + blue - expected),
        ):
            self.games[row, column] = red + blue
            self.score[row, column] = own
            self.expected[row, column] = likely
            self.variance[row, column] = red * as_red * (1 - as_red) + blue * as_blue * (1 - as_blue)


def _list_differences(pool: PoolFit, table: _Meetings) -> Iterator[Difference]:
    """Yield the differences of each group, ordered by the ratings."""
    order = np.argsort(-pool.best.bots[0], kind="stable").tolist()
    by_group = sorted(order, key=lambda bot: int(pool.groups[bot]))
    pairings = [(one, two) for one, two in combinations(by_group, 2) if pool.is_connected(one, two)]
    ones, twos = np.array(pairings).T
    best = pool.best.bots[0, ones] - pool.best.bots[0, twos]
    errors = np.sqrt([find_variance(pool.covariance, one)[two] for one, two in pairings])
    equal = EqualNumbers(best, errors)
    superiority = compare_bots(pool)
    for place, (one, two) in enumerate(pairings):
        games = int(table.games[one, two])
        surplus = table.score[one, two] - table.expected[one, two]
        yield Difference(
            one=pool.names[one],
            two=pool.names[two],
            elo=equal.estimate(
                place,
                float(best[place]),
                lambda places: pool.samples.bots[:, ones[places]] - pool.samples.bots[:, twos[places]],
            ),
            superiority=superiority[pool.names[one]][pool.names[two]],
            games=games,
            score=float(table.score[one, two]),
            expected=float(table.expected[one, two]),
            residual=float(surplus / np.sqrt(table.variance[one, two])) if games else 0.0,
        )


def _find_cycles(pool: PoolFit, table: _Meetings) -> Iterator[Cycle]:
    """Yield the cycles of three bots, each once, beginning with the first in the order of the pool."""
    beats = table.score > table.games / 2

    def share(one: int, two: int) -> float:
        return float(table.score[one, two] / max(table.games[one, two], 1))

    for first in range(len(pool.names)):
        circles = beats[first][:, None] & beats & beats[:, first][None, :]
        circles[:first], circles[:, :first] = False, False
        for second, third in np.argwhere(circles).tolist():
            edges = ((first, second), (second, third), (third, first))
            yield Cycle(
                (pool.names[first], pool.names[second], pool.names[third]),
                (share(first, second), share(second, third), share(third, first)),
                float(np.prod([_likelihood(table.score[edge], table.games[edge]) for edge in edges])),
            )


def _likelihood(score: float, games: float) -> float:
    """Return the likelihood that a bot is stronger than another, by their games: independent, with one more drawn."""
    share = (score + 0.5) / (games + 1)
    return _NORMAL.cdf((share - 0.5) * ((games + 1) / (share * (1 - share))) ** 0.5)


def _rate_by_nash(pool: PoolFit, table: _Meetings) -> Iterator[NashRating]:
    """Rate the bots of the largest group by Nash averaging.

    The difference of two bots is that of their score against each other, with two more games that end as the ratings
    predict; for two bots that have not met, it is that of the ratings.
    """
    group = np.flatnonzero(pool.groups == 0)
    strengths = pool.likeliest.bots[0, group]
    likely = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    games, score = table.games[np.ix_(group, group)], table.score[np.ix_(group, group)]
    share = (score + _PRIOR_GAMES * likely) / (games + _PRIOR_GAMES)
    share = (share + 1 - share.T) / 2
    differences = np.log(share / (1 - share))
    np.fill_diagonal(differences, 0.0)
    weights = average(differences)
    for bot, weight, elo in zip(group.tolist(), weights, ELO * (differences @ weights), strict=True):
        yield NashRating(pool.names[bot], float(weight) if weight >= _IN_MIX else 0.0, float(elo))


# --- Nash averaging -------------------------------------------------------------------------------

# D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating evaluation", NeurIPS 2018.  Bots play a game
# against each other: each side names a bot, or a mix of bots, and scores the difference in strength.  The mix
# that no bot beats, with the most even weights if there are several, is the equilibrium of greatest entropy;
# copies of a bot share its weight.


_STAGES: Final = 60  # in each, the temperature is halved
_MOST_STEPS: Final = 50
_CLOSE: Final = 1e-6
_LONGEST_STEP: Final = 3.0
_LEAST_TEMPERATURE: Final = 1e-6  # relative to the largest difference
_LEAST_LOGARITHM: Final = -200.0  # of a weight; less is as good as 0


def average(differences: Floats) -> Floats:
    """Return the weights of the bots in the equilibrium of greatest entropy.

    `differences` is antisymmetric: the strength of the bot in the row above that of the bot in the column.

    With a bonus of `temperature` times its entropy the best mix is unique, and each weight is positive.  It is followed
    by Newton's method from a high temperature to a low one.
    """
    bots = len(differences)
    largest = float(np.abs(differences).max(initial=0.0))
    if largest == 0.0:
        return np.full(bots, 1 / bots)
    scaled = differences / largest
    logarithms = np.full(bots, -np.log(bots))
    temperature = 2.0
    for _ in range(_STAGES):
        logarithms = _solve(scaled, temperature, logarithms)
        if temperature < _LEAST_TEMPERATURE:
            break
        temperature /= 2
    weights = np.exp(logarithms)
    normalized: Floats = weights / weights.sum()
    return normalized


def _solve(differences: Floats, temperature: float, logarithms: Floats) -> Floats:
    """Find the weights w with temperature * log w = differences @ w + constant, near those given."""
    bots = len(differences)
    system = np.zeros((bots + 1, bots + 1))
    for _ in range(_MOST_STEPS):
        weights = np.exp(logarithms)
        fault = temperature * logarithms - differences @ weights
        system[:bots, :bots] = temperature * np.eye(bots) - differences * weights
        system[:bots, bots] = -1.0
        system[bots, :bots] = weights
        step = np.linalg.solve(system, np.append(-fault, 1 - weights.sum()))[:bots]
        before = logarithms
        logarithms = np.maximum(before + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP), _LEAST_LOGARITHM)
        if np.abs(logarithms - before).max() < _CLOSE:
            break
    return logarithms
