"""Simulated pools: the share that chance gives cycles, and the share with a cycle that `arbiter ratings` lists."""

from itertools import permutations

from msgspec import Struct

from arbiter.arrays import np
from arbiter.tournament.ratings.cycles import find_cycles
from arbiter.tournament.ratings.pool import Meetings, fit_pool
from benchmarks.measured import Measured, write_markdown, write_share
from benchmarks.simulated_games import Setting, choose_pairings, make_pairs, play

POOLS, SHORT_POOLS = 250, 20
SEED = 1
DRAWS = 100  # of the bootstrap
MOST_P = 0.05


class Pool(Struct, frozen=True):
    """Pools of one kind: strengths are drawn from a normal distribution, and the first three bots go round in a circle."""

    name: str
    setting: Setting
    circle: float = 0.0
    """Elo that each of the first three bots is ahead of the next one, in addition to the strengths."""


POOLS_OF_KINDS = (
    Pool("6 equal bots, 10 games of each pairing", Setting("equal", 6, 5, spread=0)),
    Pool("6 bots with a spread of 150 Elo, 10 games", Setting("spread", 6, 5)),
    Pool("12 equal bots, 4 games", Setting("twelve", 12, 2, spread=0)),
    Pool("6 equal bots, three of them 150 Elo ahead in a circle, 40 games", Setting("circle", 6, 20, spread=0), 150.0),
)


def count_cycles(pool: Pool, pools: int) -> tuple[int, int, int]:
    """Count pools in which three bots each scored more than half against the next one, those with p <= 0.05, and those that list a cycle."""
    setting = pool.setting
    chance = np.random.default_rng([SEED, *pool.name.encode()])
    circles = significant = listed = 0
    for number in range(pools):
        strengths = setting.spread * chance.standard_normal(setting.bots)
        pairings = choose_pairings(setting, chance)
        ahead = np.array([pool.circle * _find_side(one, two) for one, two in pairings.tolist()])
        # Each pairing is played with strengths of its own, which only differ from the others' in a circle.
        scores = [
            play(setting, np.array([strengths[one] + more, strengths[two]]), np.array([[0, 1]]), chance)
            for (one, two), more in zip(pairings.tolist(), ahead.tolist(), strict=True)
        ]
        red, blue = (np.concatenate([one[colour] for one in scores]) for colour in (0, 1))
        fitted = fit_pool(list(make_pairs(setting, pairings, (red, blue), chance)), number, None, DRAWS)
        assert fitted is not None
        meetings = Meetings(fitted)
        beats = meetings.score > meetings.games / 2
        circles += any(beats[a, b] and beats[b, c] and beats[c, a] for a, b, c in permutations(range(setting.bots), 3))
        cyclicity, cycles = find_cycles(fitted, meetings)
        significant += cyclicity is not None and cyclicity.p_value <= MOST_P
        listed += bool(cycles)
    return circles, significant, listed


def _find_side(one: int, two: int) -> int:
    """Return 1 if the first bot beats the second in the circle, -1 if the second beats the first, else 0."""
    return {(0, 1): 1, (1, 2): 1, (0, 2): -1}.get((one, two), 0)


def simulate(*, is_full: bool) -> tuple[str, list[Measured]]:
    """Simulate; return the table, and the share of pools of equal bots that list a cycle."""
    pools = POOLS if is_full else SHORT_POOLS
    rows, measured = [], []
    for pool in POOLS_OF_KINDS:
        counts = count_cycles(pool, pools)
        rows.append((pool.name, *(write_share(count, pools) for count in counts)))
        if not pool.circle:
            what = f"pools that list a cycle, {pool.name}"
            most = 100 * (MOST_P + 2 * (MOST_P * (1 - MOST_P) / pools) ** 0.5)
            measured.append(Measured(what, 100 * counts[2] / pools, "%", "nothing", at_most=most if is_full else None))
    head = ("pool", "three bots that each scored more than half against the next", "p at most 5 %", "a cycle is listed")
    return write_markdown(head, rows), measured


def main(*, is_full: bool) -> list[Measured]:
    """Simulate and print."""
    table, rows = simulate(is_full=is_full)
    print(table)
    return rows
