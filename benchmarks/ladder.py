"""Each sample bot of the ladder against the next weaker one: games won, plies, milliseconds per move.

The games stay in benchmarks/build/ladder, so that an interrupted run can resume; delete them to start again.
Times and clocks are processor time, so other load on the machine does not change any game but those of the searcher.
"""

import statistics
import subprocess
import sys
from pathlib import Path
from typing import Final

from msgspec import Struct

from arbiter.games.base import FORFEITS
from arbiter.record import read_record
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.measured import Measured

SHORT_GAMES = 2
FOLDER = Path(__file__).parent / "build" / "ladder"


class Rung(Struct, frozen=True):
    """Two bots of the ladder."""

    upper: str
    lower: str
    rules: str = "original"
    games: int = 100
    most_ms: int = 50
    """The most processor time of 95 of 100 moves of the upper bot."""


LADDER: Final = (
    Rung("hunter", "random"),
    Rung("tracker", "hunter"),
    Rung("strategist", "tracker"),
    Rung("searcher", "strategist", games=200, most_ms=550),
    Rung("searcher", "strategist", "barrage", games=200, most_ms=550),
)
TOURNAMENT = """
name = "{upper} against {lower}"
rules = "{rules}"
games = {games}
seed = 2026
jobs = 1
time = {{ clock = "cpu", bank_s = 600 }}
bots = [{{ name = "{upper}" }}, {{ name = "{lower}" }}]
"""
HEAD = f"{'bot':<12}{'against':<12}{'rules':<10}{'won':>7}{'drawn':>7}{'lost':>7}{'forfeit':>9}{'plies':>7}{'ms':>7}{'95 %':>7}{'worst':>7}"


def play_remaining(rung: Rung, games: int, folder: Path) -> Store:
    """Play the remaining games of two bots; return all games."""
    file = folder / f"{rung.upper}-{rung.rules}-{games}.toml"
    file.write_text(
        TOURNAMENT.format(upper=rung.upper, lower=rung.lower, rules=rung.rules, games=games), encoding="utf-8"
    )
    subprocess.run([sys.executable, "-m", "arbiter", "run", file, "--results", folder], check=True)
    return Store.read(file.with_suffix(".sqlite"))


def format_line(rung: Rung, store: Store) -> str:
    """Return a line of the table."""
    upper, lower = rung.upper, rung.lower
    games = store.games()
    winners = [game.winner and getattr(game, game.winner) for game in games]
    times = sorted(ms for game in games for ms in answer_times_ms(upper, game, store))
    counts = [winners.count(one) for one in (upper, None, lower)]
    forfeits = sum(game.ending in FORFEITS for game in games)
    plies = statistics.mean(game.plies for game in games)
    quantiles = (times[len(times) // 2], times[int(len(times) * 0.95)], times[-1])
    return (
        f"{upper:<12}{lower:<12}{rung.rules:<10}{''.join(f'{count:>7}' for count in counts)}{forfeits:>9}{plies:>7.0f}"
        f"{''.join(f'{ms:>7.1f}' for ms in quantiles)}"
    )


def answer_times_ms(bot: str, game: StoredGame, store: Store) -> list[float]:
    """Return the time of each answer of a bot, in milliseconds."""
    seat = "red" if game.red == bot else "blue"
    return [act.ms for act in read_record(store.record(game.id)).acts if act.seat == seat and act.ms is not None]


def main(*, is_full: bool) -> list[Measured]:
    """Play all pairs of bots, then print the table."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines, found = [], []
    for rung in LADDER:
        games = rung.games if is_full else SHORT_GAMES
        with play_remaining(rung, games, FOLDER) as store:
            lines.append(format_line(rung, store))
            won = sum(game.winner is not None and getattr(game, game.winner) == rung.upper for game in store.games())
            times = sorted(ms for game in store.games() for ms in answer_times_ms(rung.upper, game, store))
        name = f"{rung.upper} against {rung.lower} in {rung.rules}"
        target = 0.7 if is_full else None
        found.append(Measured(f"{name}, share won", won / games, "", "nothing", at_least=target))
        late = times[int(len(times) * 0.95)]
        found.append(Measured(f"{name}, 95 of 100 moves", late, "ms", "Python", at_most=rung.most_ms))
    print(HEAD, *lines, sep="\n")
    return found
