"""Processor time of ratings, and a comparison with another program.

Rates 100 bots after 99,000 games.  Then it writes a tournament as PGN, reads the headers again, and rates them with
choix (https://pypi.org/project/choix/), if that is installed: another implementation of the Bradley-Terry model.
"""

import math
import re
import time
from collections.abc import Iterable
from importlib.util import find_spec

from arbiter.arrays import np
from arbiter.show.tables.games import write_pgn
from arbiter.tournament.ratings.rate import rate, rate_pool
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.measured import Measured
from benchmarks.simulated_games import Setting, simulate

HEADERS = re.compile(r'\[White "(.*)"\]\n\[Black "(.*)"\]\n\[Result "(.*)"\]')
FLAT = 2000.0  # Elo: a spread of the prior with which it hardly counts
SCORES = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1)}  # a draw is half a game won and half a game lost


def make_game(red: str, blue: str, pair: int, score: float) -> StoredGame:
    """Make a stored game with what ratings need; the score is that of red."""
    return StoredGame(
        id=f"{red}~{blue}~{pair}",
        round=1,
        pair=pair,
        red=red,
        blue=blue,
        winner={1.0: "red", 0.5: None, 0.0: "blue"}[score],
        ending="flag_taken" if score in {0.0, 1.0} else "agreed",
        reason=None,
        plies=100,
        red_points=0,
        blue_points=0,
        started="2026-01-01T00:00:00Z",
        seconds=1,
        fingerprint=f"{red}~{blue}~{pair}",
    )


def play(bots: int, pairs: int, seed: int) -> tuple[list[str], list[StoredGame]]:
    """Simulate a round robin; return the names of the bots, and the games."""
    chance = np.random.default_rng(seed)
    games = []
    for pair in simulate(Setting("", bots, pairs), 200 * chance.standard_normal(bots), chance):
        assert pair.as_red is not None
        assert pair.as_blue is not None
        games.append(make_game(pair.one, pair.two, pair.number + 1, pair.as_red))
        games.append(make_game(pair.two, pair.one, pair.number + 1, 1 - pair.as_blue))
    return [f"{bot:03}" for bot in range(bots)], games


def measure_speed(bots: int = 100, pairs: int = 10) -> tuple[int, float]:
    """Return the number of games, and the seconds of processor time that ratings take."""
    names, games = play(bots, pairs, 1)
    started = time.process_time()
    rate(names, games, 1)
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
    names, games = play(bots, pairs, 2)
    theirs = rate_with_choix(names, "".join(write_pgn(games, "simulated")))
    ratings, _ = rate_pool(names, games, 1, spread=FLAT)
    ours = {one.bot: one.rating.elo for one in ratings.bots if one.rating is not None}
    return max(abs(ours[bot] - theirs[bot]) for bot in theirs)


def describe() -> dict[str, str]:
    """Measure, and write the sentences of docs/numbers.md."""
    games, seconds = measure_speed()
    largest = compare()
    return {
        "speed": f"The ratings of 100 bots after {games:,} games take {seconds:.1f} s of processor time, with one thread; the target is 5 s.",
        "choix": "choix was not installed when this page was written."
        if largest is None
        else f"No rating differs by more than {largest:.1f} Elo.",
    }


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print."""
    measured = []
    for bots, pairs, most in ((20, 5, 0.5), (100, 10, 5)):
        games, seconds = measure_speed(bots, pairs)
        print(f"{bots} bots, {games} games: {seconds:.1f} s of processor time")
        measured.append(Measured(f"ratings of {bots} bots after {games:,} games", seconds, "s", "Python", at_most=most))
    largest = compare()
    print("choix is not installed" if largest is None else f"largest difference to choix: {largest:.1f} Elo")
    return measured
