"""Coverage of the intervals of ratings: the share that contain the true rating, in tournaments simulated with a seed.

Each pair of games is played with swapped colours; red is worth 40 Elo, up to one game in five is drawn, and in three of
ten pairs the same colour tends to win both games.
"""

import random
from collections.abc import Iterator, Mapping
from itertools import combinations

from msgspec import Struct

from arbiter.tournament.ratings.rate import rate
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.measured import Measured

TOURNAMENTS, SHORT_TOURNAMENTS = 1000, 40
SEED = 1
ADVANTAGE = 40
DRAWN = 0.2
ALIKE = 0.3
DRAWS = 300  # of the bootstrap


class Setting(Struct, frozen=True):
    """Simulated tournaments of one kind."""

    name: str
    strengths: Mapping[str, float]
    pairs: int
    """Pairs of games for each pairing."""
    challenger: str | None = None
    """In a gauntlet, the bot that plays against all others."""


SETTINGS = (
    Setting("match, 10 games", {"a": 40, "b": -40}, 5),
    Setting("match, 40 games", {"a": 40, "b": -40}, 20),
    Setting("match, 200 games", {"a": 40, "b": -40}, 100),
    Setting("round robin of 6, 10 games each", {"a": 150, "b": 90, "c": 30, "d": -30, "e": -90, "f": -150}, 5),
    Setting("gauntlet of 6 equal bots, 10 games each", dict.fromkeys("abcdef", 0), 5, "a"),
    Setting(
        "gauntlet of 7, 10 games each", {"a": 50, "b": 0, "c": -50, "d": 100, "e": -100, "f": 30, "g": -30}, 5, "a"
    ),
    Setting("gauntlet of 5 unequal bots, 10 games each", {"a": 100, "b": -300, "c": 200, "d": -100, "e": 100}, 5, "a"),
)


class Coverage(Struct, frozen=True):
    """The share of intervals that contain the truth."""

    name: str
    mean: float
    """Of all bots."""
    error: float
    """Standard error of the mean, over tournaments."""
    lowest: float
    """Of the bot with the lowest share."""
    advantage: float
    """Of the intervals of red's advantage."""


def make_game(red: str, blue: str, pair: int, winner: str | None) -> StoredGame:
    """Make a stored game with what ratings need."""
    return StoredGame(
        id=f"{red}~{blue}~{pair}",
        round=1,
        pair=pair,
        red=red,
        blue=blue,
        winner="red" if winner == red else "blue" if winner == blue else None,
        ending="agreed" if winner is None else "flag_taken",
        why="",
        plies=100,
        red_points=0,
        blue_points=0,
        started="2026-01-01T00:00:00Z",
        seconds=1,
    )


def simulate(setting: Setting, chance: random.Random) -> Iterator[StoredGame]:
    """Simulate a tournament."""
    for (one, mine), (two, its) in combinations(setting.strengths.items(), 2):
        if setting.challenger not in {None, one, two}:
            continue
        for pair in range(1, setting.pairs + 1):
            first = chance.random()
            second = 1 - first if chance.random() < ALIKE else chance.random()
            for red, blue, ahead, value in ((one, two, mine - its, first), (two, one, its - mine, second)):
                expected = 1 / (1 + 10 ** (-(ahead + ADVANTAGE) / 400))
                is_drawn = abs(value - expected) < DRAWN * min(expected, 1 - expected)
                yield make_game(red, blue, pair, None if is_drawn else red if value < expected else blue)


def measure(setting: Setting, tournaments: int, seed: int) -> Coverage:
    """Rate simulated tournaments, and count the intervals that contain the truth."""
    chance = random.Random(seed)
    held = dict.fromkeys(setting.strengths, 0)
    middle = sum(setting.strengths.values()) / len(setting.strengths)
    advantage = 0
    shares = []
    for number in range(tournaments):
        found = rate(setting.strengths, simulate(setting, chance), number, draws=DRAWS)
        holds = {
            one.bot: one.rating.low <= setting.strengths[one.bot] - middle <= one.rating.high
            for one in found.bots
            if one.rating is not None
        }
        for bot, is_held in holds.items():
            held[bot] += is_held
        shares.append(sum(holds.values()) / len(holds))
        red = found.red_advantage
        advantage += red is not None and red.low <= ADVANTAGE <= red.high
    mean = sum(shares) / tournaments
    variance = sum((share - mean) ** 2 for share in shares) / (tournaments - 1)
    lowest = min(held.values()) / tournaments
    return Coverage(setting.name, mean, (variance / tournaments) ** 0.5, lowest, advantage / tournaments)


def main(*, is_full: bool) -> list[Measured]:
    """Simulate and print."""
    found = []
    for setting in SETTINGS:
        one = measure(setting, TOURNAMENTS if is_full else SHORT_TOURNAMENTS, SEED)
        print(f"{one.name:<45}{one.mean:.3f} ± {one.error:.3f}, lowest {one.lowest:.3f}, red {one.advantage:.3f}")
        target = 0.94 if is_full else None
        found.append(Measured(f"intervals with the truth, {one.name}", one.mean, "", "nothing", at_least=target))
    return found
