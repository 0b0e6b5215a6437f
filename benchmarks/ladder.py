"""Each sample bot of the ladder against the next weaker one: games won, plies, milliseconds per move.

The games stay in benchmarks/build/ladder, so that an interrupted run can resume; delete them to start again.
Times and clocks are processor time, so other load on the machine does not change any game.
"""

import statistics
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from arbiter.games.base import FORFEITS
from arbiter.record import read_record
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.measured import Measured

GAMES, SHORT_GAMES = 100, 2
FOLDER = Path(__file__).parent / "build" / "ladder"
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


def main(*, is_full: bool) -> list[Measured]:
    """Play all pairs of bots, then print the table."""
    games = GAMES if is_full else SHORT_GAMES
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines, found = [], []
    for lower, upper in pairwise(LADDER):
        with play_remaining(upper, lower, games, FOLDER) as store:
            lines.append(format_line(upper, lower, store))
            won = sum(game.winner is not None and getattr(game, game.winner) == upper for game in store.games())
            times = sorted(ms for game in store.games() for ms in answer_times_ms(upper, game, store))
        target = 0.7 if is_full else None
        found.append(Measured(f"{upper} against {lower}, share won", won / games, "", "nothing", at_least=target))
    print(HEAD, *lines, sep="\n")
    late = times[int(len(times) * 0.95)]
    return [*found, Measured(f"95 of 100 moves of {LADDER[-1]}", late, "ms", "Python", at_most=50)]
