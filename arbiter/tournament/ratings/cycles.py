"""Cycles of strength: what ratings cannot explain, compared with what chance alone does to a pool that they explain.

Ratings put all bots in one line.  The differences between the scores of pairings and those that the ratings predict
show cycles, and chance.  A parametric bootstrap separates them: pools are drawn in which the ratings are true, with
the same pairings, draws and correlation, and are rated again.
"""

from collections.abc import Sequence
from typing import Final

from arbiter.arrays import Floats, np
from arbiter.games.chance import derive_seed
from arbiter.tournament.ratings.bootstrap import draw_pools
from arbiter.tournament.ratings.bradley_terry import Strengths, expect_scores
from arbiter.tournament.ratings.pool import ELO, Meetings, PoolFit, fit_strengths
from arbiter.tournament.ratings.values import Cycle, Cyclicity

_MOST_POOLS: Final = 999
_LEAST_POOLS: Final = 199
_TRIPLES: Final = 100_000_000  # in all pools, to limit the time
_MOST_P: Final = 0.05  # of a cycle that is listed
_LEAST_BOTS: Final = 3


def find_cycles(pool: PoolFit, table: Meetings) -> tuple[Cyclicity | None, Sequence[Cycle]]:
    """Measure how far a pool goes round in circles, and list the cycles of three bots that are clearer than chance.

    The p-value of a cycle is corrected for the number of triples (Westfall and Young, Resampling-based multiple
    testing, 1993): it compares the cycle with the clearest one of each drawn pool.
    """
    bots = len(pool.names)
    played = len(pool.results.one)
    groups = int(pool.groups[-1]) + 1
    if bots < _LEAST_BOTS or played <= bots - groups:
        return None, ()
    pools = max(_LEAST_POOLS, min(_MOST_POOLS, _TRIPLES // bots**3))
    one, two = pool.results.one, pool.results.two
    ahead = pool.likeliest.bots[0, one] - pool.likeliest.bots[0, two]
    error = pool.samples.bots[:, one] - pool.samples.bots[:, two]
    spread = float((ahead**2).mean())
    transitive = max(0.0, spread - float((error.var(0) / ELO**2).mean()))
    # Ratings differ more than the strengths do, by their errors; drawn pools have differences of the true size.
    drawn = _draw_surplus(pool, pools, (transitive / max(spread, 1e-9)) ** 0.5)
    surplus = (table.score - table.expected)[one, two]
    variance, information = table.variance[one, two], table.information[one, two]
    misfit = float((surplus**2 / variance).sum())
    misfits = (drawn**2 / variance).sum(1)
    # A cyclic difference c of two bots changes the score by information * c, and the fit takes part of it up.
    taken = float(misfits.mean()) / played
    cyclic = max(0.0, misfit - float(misfits.mean())) / (taken * float((information**2 / variance).sum()))
    cyclicity = Cyclicity(
        p_value=float((1 + (misfits >= misfit).sum()) / (pools + 1)),
        share=cyclic / (cyclic + transitive) if cyclic else 0.0,
    )
    return cyclicity, _list_cycles(pool, table, surplus, drawn)


def _draw_surplus(pool: PoolFit, pools: int, scale: float) -> Floats:
    """Draw pools that the ratings times `scale` explain; return how far scores exceed the fit: pools x pairings."""
    true = Strengths(scale * pool.likeliest.bots, pool.likeliest.advantage)
    chance = np.random.default_rng(derive_seed(pool.seed, "cycles"))
    found = []
    for scores, with_prior in draw_pools(pool.results, true, pool.correlation, chance, pools):
        strengths = fit_strengths(with_prior, pool, pool.likeliest, pool.penalty)
        as_red, as_blue = expect_scores(pool.results.one, pool.results.two, strengths)
        expected = scores.red_games * as_red + scores.blue_games * as_blue
        found.append(scores.red_score + scores.blue_score - expected)
    return np.concatenate(found)


def _list_cycles(pool: PoolFit, table: Meetings, surplus: Floats, drawn: Floats) -> Sequence[Cycle]:
    """List the cycles in which each bot beat the next one, if they are clearer than chance makes them."""
    one, two = pool.results.one, pool.results.two
    bots = len(pool.names)
    information, variance = table.information[one, two], table.variance[one, two]
    # By how much the first bot is stronger than the ratings predict, in natural units, and the variance of that.
    odds = np.zeros((len(drawn) + 1, bots, bots))
    odds[:, one, two] = np.concatenate([surplus[None], drawn]) / information
    odds[:, two, one] = -odds[:, one, two]
    noise = np.full((bots, bots), np.inf)
    noise[one, two] = noise[two, one] = variance / information**2
    beats = table.score > table.games / 2
    clearest = np.zeros(len(drawn))
    found: list[tuple[float, tuple[int, int, int]]] = []
    for first in range(bots - 2):
        rest = slice(first + 1, None)
        total = odds[:, first, rest, None] + odds[:, rest, rest] + odds[:, rest, first][:, None, :]
        spread = np.sqrt(noise[first, rest, None] + noise[rest, rest] + noise[rest, first][None, :])
        with np.errstate(invalid="ignore"):
            clarity = np.where(np.isfinite(spread), np.abs(total) / spread, 0.0)
        clearest = np.maximum(clearest, clarity[1:].max(axis=(1, 2)))
        circles = beats[first, rest, None] & beats[rest, rest] & beats[rest, first][None, :]
        for second, third in np.argwhere(circles & (total[0] > 0)).tolist():
            found.append((float(clarity[0, second, third]), (first, first + 1 + second, first + 1 + third)))
    cycles = []
    for clarity_of_cycle, (first, second, third) in sorted(found, key=lambda one: (-one[0], one[1])):
        p_value = float((1 + (clearest >= clarity_of_cycle).sum()) / (len(clearest) + 1))
        if p_value > _MOST_P:
            break
        edges = ((first, second), (second, third), (third, first))
        scores = [float(table.score[edge] / table.games[edge]) for edge in edges]
        names = pool.names[first], pool.names[second], pool.names[third]
        cycles.append(Cycle(names, (scores[0], scores[1], scores[2]), p_value))
    return cycles
