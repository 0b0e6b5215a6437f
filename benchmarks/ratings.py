"""Processor time of ratings, and a comparison with another program.

Rates 100 bots after 99,000 games.  Then it writes a tournament as PGN, reads the headers again, and rates them with
choix (https://pypi.org/project/choix/), if that is installed: another implementation of the Bradley-Terry model.
"""

import math
import random
import re
import time
from collections.abc import Iterable
from importlib.util import find_spec

from msgspec.structs import replace

from arbiter.show.tables.games import write_pgn
from arbiter.tournament.ratings.rate import rate
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.intervals import Setting, simulate
from benchmarks.measured import Measured

HEADERS = re.compile(r'\[White "(.*)"\]\n\[Black "(.*)"\]\n\[Result "(.*)"\]')
SCORES = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1)}  # a draw is half a game won and half a game lost


def play(bots: int, pairs: int, seed: int) -> tuple[Setting, list[StoredGame]]:
    """Simulate a round robin with fingerprints."""
    chance = random.Random(seed)
    setting = Setting("", {f"bot{number:03}": chance.gauss(0, 200) for number in range(bots)}, pairs)
    return setting, [replace(game, fingerprint=game.id) for game in simulate(setting, chance)]


def measure_speed(bots: int = 100, pairs: int = 10) -> tuple[int, float]:
    """Return the number of games, and the seconds of processor time that ratings take."""
    setting, games = play(bots, pairs, 1)
    started = time.process_time()
    rate(setting.strengths, games, 1)
    return len(games), time.process_time() - started


def rate_with_choix(bots: Iterable[str], pgn: str) -> dict[str, float]:
    """Rate the games of a PGN file with choix: Elo with mean 0."""
    import choix  # noqa: PLC0415 - not a dependency of the project

    names = sorted(bots)
    number = {bot: place for place, bot in enumerate(names)}
    data = []
    for white, black, result in HEADERS.findall(pgn):
        won, lost = SCORES[result]
        data += [(number[white], number[black])] * won + [(number[black], number[white])] * lost
    strengths = choix.opt_pairwise(len(names), data)
    middle = sum(strengths) / len(strengths)
    return {bot: 400 / math.log(10) * float(one - middle) for bot, one in zip(names, strengths, strict=True)}


def compare(bots: int = 12, pairs: int = 50) -> float | None:
    """Return the largest difference of a rating to that of choix; None if it is not installed."""
    if find_spec("choix") is None:
        return None
    setting, games = play(bots, pairs, 2)
    theirs = rate_with_choix(setting.strengths, "".join(write_pgn(games, "simulated")))
    ours = {one.bot: one.rating.elo for one in rate(setting.strengths, games, 1).bots if one.rating is not None}
    return max(abs(ours[bot] - theirs[bot]) for bot in theirs)


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print."""
    games, seconds = measure_speed()
    print(f"100 bots, {games} games: {seconds:.1f} s of processor time")
    largest = compare()
    print("choix is not installed" if largest is None else f"largest difference to choix: {largest:.1f} Elo")
    return [Measured(f"ratings of 100 bots after {games:,} games", seconds, "s", "Python", at_most=5)]
