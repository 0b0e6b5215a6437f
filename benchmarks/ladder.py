"""Each sample bot of the ladder against the next weaker one: games won, plies, milliseconds per move.

Arguments: the number of games (default: 100), and a folder that stores them, so that an interrupted run can resume.
Times and clocks are processor time, so other load on the machine does not change any game.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from arbiter.games.base import FORFEITS
from arbiter.record import read_record
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame

LADDER = ("random", "hunter", "tracker", "strategist")
TOURNAMENT = """
name = "{upper} against {lower}"
rules = "original"
games = {games}
seed = 2026
jobs = 1
time = {{ clock = "cpu" }}
bots = [{{ name = "{upper}" }}, {{ name = "{lower}" }}]
"""
HEAD = f"{'bot':<12}{'against':<12}{'won':>7}{'drawn':>7}{'lost':>7}{'forfeit':>9}{'plies':>7}{'ms':>7}{'95 %':>7}{'worst':>7}"


def play_remaining(upper: str, lower: str, games: int, folder: Path) -> Store:
    """Play the remaining games of two bots; return all games."""
    file = folder / f"{upper}-{games}.toml"
    file.write_text(TOURNAMENT.format(upper=upper, lower=lower, games=games), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "arbiter", "run", file, "--results", folder], check=True)
    return Store.read(file.with_suffix(".sqlite"))


def format_line(upper: str, lower: str, store: Store) -> str:
    """Return a line of the table."""
    games = store.games()
    winners = [game.winner and getattr(game, game.winner) for game in games]
    times = sorted(ms for game in games for ms in answer_times_ms(upper, game, store))
    counts = [winners.count(one) for one in (upper, None, lower)]
    forfeits = sum(game.ending in FORFEITS for game in games)
    plies = statistics.mean(game.plies for game in games)
    quantiles = (times[len(times) // 2], times[int(len(times) * 0.95)], times[-1])
    return (
        f"{upper:<12}{lower:<12}{''.join(f'{count:>7}' for count in counts)}{forfeits:>9}{plies:>7.0f}"
        f"{''.join(f'{ms:>7.1f}' for ms in quantiles)}"
    )


def answer_times_ms(bot: str, game: StoredGame, store: Store) -> list[float]:
    """Return the time of each answer of a bot, in milliseconds."""
    seat = "red" if game.red == bot else "blue"
    return [act.ms for act in read_record(store.record(game.id)).acts if act.seat == seat and act.ms is not None]


def measure(games: int, folder: Path) -> None:
    """Play all pairs of bots, then print the table."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for lower, upper in pairwise(LADDER):
        with play_remaining(upper, lower, games, folder) as store:
            lines.append(format_line(upper, lower, store))
    print(HEAD, *lines, sep="\n")


def main() -> None:
    """Read the arguments, play and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="?", type=int, default=100)
    parser.add_argument("folder", nargs="?", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        measure(arguments.games, arguments.folder or Path(scratch))


if __name__ == "__main__":
    main()
