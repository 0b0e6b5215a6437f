"""Simulated tournaments with `games = "until sure"`: games and errors, compared with round robins.

Each is compared with a round robin that stops by the same kind of evidence about the scores of all its games, and with
a round robin of a fixed length, which is as short as the error allows if all strengths are known in advance.
"""

import math
import statistics
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from msgspec import Struct

from arbiter.arrays import Floats, Generator, np
from arbiter.tournament.ratings.pairs import PAIR_SCORES
from arbiter.tournament.schedule.allocation import list_open
from arbiter.tournament.schedule.evidence import Limits, Pairing, PairingCount
from arbiter.tournament.schedule.format import Entrants
from arbiter.tournament.schedule.round_robin import RoundRobinSettings
from arbiter.tournament.schedule.until_sure import choose_round, count_claims, know, list_sizes, plan_first_round
from arbiter.tournament.standings.stored_game import SYSTEMS
from benchmarks.measured import Measured, write_markdown, write_share

SEED = 1
RUNS, SHORT_RUNS = 200, 8
LENGTH_RUNS = 400  # of each length that is tried
DRAWN = 0.15
MOST_PAIRS = 200_000
ERROR = 0.05
BETS = 2.0 ** np.arange(-2, 6)  # on differences of scores, for round robins


class Pool(Struct, frozen=True):
    """Bots with known strengths, and what is to be decided."""

    name: str
    elo: tuple[float, ...]
    decide: str | int
    width: float = 30.0


POOLS: Final = (
    Pool("6 bots, 60 Elo apart", tuple(-60.0 * bot for bot in range(6)), "order"),
    Pool(
        "8 bots, the first 50 Elo ahead of the second, the others 60 Elo apart",
        (110, 60, 0, -60, -120, -180, -240, -300),
        "winner",
    ),
    Pool("6 equal bots", (0.0,) * 6, "order", 50.0),
    Pool("12 bots, 40 Elo apart", tuple(-40.0 * bot for bot in range(12)), 3),
    Pool("16 bots: one 80 Elo ahead of 15 equal ones", (80.0, *[0.0] * 15), "winner"),
)


class Outcome(Struct, frozen=True):
    """The end of a simulated tournament."""

    games: int
    is_sure: bool
    is_wrong: bool


def share_scores(ahead: float) -> Floats:
    """Return the probabilities of the scores of a pair of independent games."""
    won = 1 / (1 + 10 ** (-ahead / 400))
    drawn = DRAWN * 4 * won * (1 - won)
    game = np.array([1 - won - drawn / 2, drawn, won - drawn / 2])
    shares: Floats = np.convolve(game, game)
    return shares


def is_wrong(pool: Pool, order: Sequence[int], sizes: Sequence[int]) -> bool:
    """Return True if a bot is placed, across a limit that was to be decided, ahead of one that is better by the width."""
    return any(
        pool.elo[two] - pool.elo[one] >= pool.width for size in sizes for one in order[:size] for two in order[size:]
    )


def play_until_sure(pool: Pool, chance: Generator) -> Outcome:
    """Simulate a tournament with `games = "until sure"`."""
    bots = tuple(f"bot{number:02}" for number in range(len(pool.elo)))
    elo = dict(zip(bots, pool.elo, strict=True))
    settings = RoundRobinSettings(decide=pool.decide, error=ERROR, width=pool.width)
    entrants = Entrants(bots=bots, games=2, settings=settings, points=SYSTEMS["simple"], tie_breaks=(), seed=0)
    sizes = list_sizes(settings, len(bots))
    counts: dict[Pairing, PairingCount] = {}
    played = 0
    pairings, pairs = plan_first_round(entrants)
    while pairings:
        for one, two in pairings:
            new = chance.multinomial(pairs, share_scores(elo[one] - elo[two])).tolist()
            found = counts.get((one, two), PairingCount())
            total = tuple(map(sum, zip(found.counts, new, strict=True)))
            counts[one, two] = PairingCount(total, found.played + pairs)
        played += pairs * len(pairings)
        known = know(entrants, bots, counts)
        numbers = chance.integers(2**53, size=len(bots)).tolist()
        pairings, pairs = choose_round(known, sizes, played, MOST_PAIRS, numbers)
    is_sure = not list_open(known, sizes)
    return Outcome(2 * played, is_sure, is_sure and is_wrong(pool, known.order, sizes))


def play_laps(pool: Pool, laps: int, chance: Generator) -> Floats:
    """Play round robins of one pair of games each; return the share of points of each bot: laps x bots."""
    size = len(pool.elo)
    found = np.zeros((laps, size))
    for one, two in combinations(range(size), 2):
        scores = chance.choice(PAIR_SCORES, size=laps, p=share_scores(pool.elo[one] - pool.elo[two])) / 2
        found[:, one] += scores
        found[:, two] += 1 - scores
    return found / (size - 1)


def play_round_robin(pool: Pool, chance: Generator, block: int = 50) -> Outcome:
    """Simulate a round robin that stops as soon as the scores of all games are evidence enough.

    For every two bots there are bets on the difference of their scores, with the same error; they know its variance,
    which helps the round robin.
    """
    size = len(pool.elo)
    settings = RoundRobinSettings(decide=pool.decide)
    sizes = list_sizes(settings, size)
    per_lap = size * (size - 1) // 2
    limits = Limits(ERROR, pool.width, count_claims(settings, size))
    margin = limits.margin * size / (size - 1)  # if two bots differ by the width, and meet the same others
    variance = _find_variances(pool)
    bets = BETS[:, None, None, None]
    total = np.zeros(size)
    for lap in range(0, MOST_PAIRS // per_lap, block):
        scores = total + play_laps(pool, block, chance).cumsum(0)
        total = scores[-1]
        laps = np.arange(lap + 1, lap + block + 1)[:, None, None]
        sums = scores[:, :, None] - scores[:, None, :]
        ahead, not_behind = (
            np.logaddexp.reduce(bets * (sums + least * laps) - bets**2 * variance * laps / 2, axis=0)
            >= limits.threshold + np.log(len(BETS))
            for least in (0.0, margin)
        )
        related = ahead | (not_behind & not_behind.transpose(0, 2, 1))
        for one in range(block):
            order = np.argsort(-scores[one], kind="stable")
            if all(related[one][np.ix_(order[:limit], order[limit:])].all() for limit in sizes):
                return Outcome(2 * per_lap * (lap + one + 1), is_sure=True, is_wrong=is_wrong(pool, order, sizes))
    return Outcome(2 * MOST_PAIRS, is_sure=False, is_wrong=False)


def _find_variances(pool: Pool) -> Floats:
    """Return the variance of the difference of the scores of two bots in a lap: bots x bots."""
    size = len(pool.elo)
    single = np.zeros((size, size))
    scores = np.array(PAIR_SCORES) / 2
    for one, two in combinations(range(size), 2):
        shares = share_scores(pool.elo[one] - pool.elo[two])
        single[one, two] = single[two, one] = shares @ scores**2 - (shares @ scores) ** 2
    sums = single.sum(1)
    variances: Floats = (sums[:, None] + sums[None, :] + 2 * single) / (size - 1) ** 2
    return variances


def find_fixed_length(pool: Pool, chance: Generator) -> int:
    """Find the games of the shortest round robin that is wrong with at most the error."""
    size = len(pool.elo)
    sizes = list_sizes(RoundRobinSettings(decide=pool.decide), size)
    laps = 1
    while True:
        wrong = 0
        for _ in range(LENGTH_RUNS):
            order = np.argsort(-play_laps(pool, laps, chance).sum(0), kind="stable").tolist()
            wrong += is_wrong(pool, order, sizes)
        if wrong <= ERROR * LENGTH_RUNS:
            return size * (size - 1) * laps
        laps = max(laps + 1, round(laps * 1.15))


def simulate(*, is_full: bool) -> tuple[str, list[Measured]]:
    """Simulate; return the table, the least share of games saved, and the share of wrong decisions."""
    runs = RUNS if is_full else SHORT_RUNS
    rows, saved = [], []
    wrong = 0
    for pool in POOLS:
        chance = np.random.default_rng(SEED)
        found = [play_until_sure(pool, chance) for _ in range(runs)]
        other_chance = np.random.default_rng([SEED, 1])
        compared = [play_round_robin(pool, other_chance) for _ in range(runs)]
        (mean, error), (other, error_of_other) = (
            (statistics.fmean(games), statistics.stdev(games) / runs**0.5)
            for games in ([one.games for one in outcomes] for outcomes in (found, compared))
        )
        saved.append(1 - mean / other)
        error_of_saved = (1 - saved[-1]) * math.hypot(error / mean, error_of_other / other)
        of_pool = sum(one.is_wrong for one in found)
        wrong += of_pool
        rows.append(
            (
                pool.name,
                str(pool.decide),
                f"{mean:,.0f} ± {error:,.0f}",
                f"{other:,.0f} ± {error_of_other:,.0f}",
                f"{100 * saved[-1]:.0f} % ± {100 * error_of_saved:.1f}",
                write_share(of_pool, runs),
                f"{find_fixed_length(pool, chance) if is_full else 0:,}",
            )
        )
        print(*rows[-1], sep=" | ", flush=True)
    head = (
        "pool",
        "decide",
        "games until sure",
        "round robin until sure",
        "games saved",
        "wrong decisions",
        "round robin of known length",
    )
    share = 100 * wrong / runs / len(POOLS)
    return write_markdown(head, rows), [
        Measured("games saved by `until sure`, least of five pools", 100 * min(saved), "%", "nothing", at_least=0),
        Measured("wrong decisions of `until sure`", share, "%", "nothing", at_most=100 * ERROR),
    ]


def main(*, is_full: bool = False) -> list[Measured]:
    """Simulate and print."""
    table, rows = simulate(is_full=is_full)
    print(table)
    return rows
