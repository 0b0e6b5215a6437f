"""Compare the bots of a pool: differences, pairings that the ratings do not fit, and cycles."""

from collections.abc import Iterator
from itertools import combinations

from arbiter.arrays import np
from arbiter.tournament.ratings.cycles import find_cycles
from arbiter.tournament.ratings.pool import Meetings, PoolFit
from arbiter.tournament.ratings.rate import compare_bots, find_variance
from arbiter.tournament.ratings.symmetry import EqualNumbers
from arbiter.tournament.ratings.values import Difference, PoolAnalysis


def analyse(pool: PoolFit | None) -> PoolAnalysis:
    """Compare the bots of a pool; without games there is nothing to compare."""
    if pool is None:
        return PoolAnalysis((), ())
    table = Meetings(pool)
    cyclicity, cycles = find_cycles(pool, table)
    return PoolAnalysis(tuple(_list_differences(pool, table)), tuple(cycles), cyclicity)


def _list_differences(pool: PoolFit, table: Meetings) -> Iterator[Difference]:
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
