"""A series of short games: new processes for each game, processes that stay, and the bots without an arbiter.

All play the same games of `barrage` between two bots with the kit.  Elapsed time counts, so a busy machine changes all
of them; they are measured in turns.
"""

import resource
import sys
import time
from functools import partial
from pathlib import Path

import trio
from msgspec.structs import replace

from arbiter.sandbox.isolation import Isolation
from arbiter.sandbox.process import ProcessIsolation
from arbiter.sandbox.select import NoSandbox, open_sandbox
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_config import BotConfig, find_program
from arbiter.tournament.config.tournament import Tournament, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.execution.local import LocalExecutor
from benchmarks.bots_alone import KEY, BotInLoop, BotInProcess, play_alone
from benchmarks.measured import Measured

FRESH, REUSED, SHORT_REUSED = 20, 1000, 300  # games of a measurement
REPEATS = 3
NAMES = ("one", "two")


def make_tournament(games: int) -> Tournament:
    """Make a tournament of two kit bots."""
    bots = [BotConfig(name=name) for name in NAMES]
    programs = [find_program(BotConfig(name="kit"), Path.cwd())] * len(NAMES)
    file = TournamentFile(name="series", rules="barrage", games=games, bots=bots)
    named = tuple(replace(program, name=name) for program, name in zip(programs, NAMES, strict=True))
    return replace(resolve_names(file), programs=named)


def play_series(tournament: Tournament, isolation: Isolation, jobs: int = 1, *, keeps_processes: bool = True) -> int:
    """Play the games of the tournament, some at a time; return the number of plies."""
    plies = 0

    def note(event: object) -> None:
        nonlocal plies
        plies += game.plies if (game := getattr(event, "game", None)) else 0

    arena = Arena(tournament, KEY, LocalExecutor(isolation, jobs, keeps_processes=keeps_processes))
    trio.run(arena.play, Dispatcher(tournament.schedule(KEY)), note)
    return plies


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print the table."""
    reused = REUSED if is_full else SHORT_REUSED
    isolations: list[Isolation] = [ProcessIsolation()]
    try:
        isolations.append(open_sandbox())
    except NoSandbox as error:
        print(f"no sandbox: {error}", file=sys.stderr)
    strongest = isolations[-1]
    ways = {
        "one process": partial(play_alone, new_bot=BotInLoop),
        "bare loop": partial(play_alone, new_bot=BotInProcess),
        **{f"fresh, {one.name}": partial(play_series, isolation=one, keeps_processes=False) for one in isolations},
        **{f"reused, {one.name}": partial(play_series, isolation=one) for one in isolations},
        "one process, 2 at a time": partial(play_alone, new_bot=BotInLoop, jobs=2),
        "bare loop, 2 at a time": partial(play_alone, new_bot=BotInProcess, jobs=2),
        f"reused, {strongest.name}, 2 at a time": partial(play_series, isolation=strongest, jobs=2),
    }
    best = dict.fromkeys(ways, float("inf"))
    cpu_ms = dict.fromkeys(ways, float("inf"))
    played: dict[int, set[int]] = {FRESH: set(), reused: set()}
    for _ in range(REPEATS if is_full else 1):
        for name, run in ways.items():
            games = FRESH if name.startswith("fresh") else reused
            tournament = make_tournament(games)
            started, used = time.perf_counter(), measure_cpu_s()
            played[games].add(run(tournament))
            best[name] = min(best[name], (time.perf_counter() - started) / games)
            cpu_ms[name] = min(cpu_ms[name], (measure_cpu_s() - used) / games * 1000)
    assert all(len(plies) == 1 for plies in played.values()), "the games differ"
    print(
        f"{'':<28}{'games/s':>9}{'of the bare loop':>18}{'of one process':>16}{'times fresh':>13}{'CPU ms a game':>15}"
    )
    for name, seconds in best.items():
        rest = ", 2 at a time" if name.endswith("time") else ""
        print(f"{name:<28}{1 / seconds:>9.1f}{best[f'bare loop{rest}'] / seconds:>18.2f}", end="")
        print(f"{best[f'one process{rest}'] / seconds:>16.2f}", end="")
        fresh = best[f"fresh, {strongest.name if rest else name.rpartition(' ')[2]}"] if "reused" in name else None
        print(f"{fresh / seconds if fresh else '':>13{'.1f' if fresh else ''}}", end="")
        is_known = "full" not in name  # bwrap hides the time of the bots
        print(f"{cpu_ms[name]:>15.1f}" if is_known else "")
    stays = best[f"reused, {strongest.name}"]
    return [
        Measured(
            "games a second, processes that stay / new ones",
            best[f"fresh, {strongest.name}"] / stays,
            "",
            "Python and kernel",
            at_least=10,
        ),
        Measured("the same / bare loop", best["bare loop"] / stays, "", "Python and kernel", at_least=0.5),
    ]


def measure_cpu_s() -> float:
    """Return the processor time that this process and its ended children have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
