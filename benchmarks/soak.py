"""Memory, descriptors, child processes and disk during thousands of short games with referee and store."""

import os
import tempfile
import time
from pathlib import Path

import trio

from arbiter.sandbox.process import ProcessIsolation, adopt_orphans
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.config.tournament_file import Draws, TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Event, Finished
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store
from benchmarks.measured import Measured
from benchmarks.native import build_shuffler

GAMES, SHORT_GAMES = 10_000, 1_000
PLIES = 40
JOBS = 4


def resident_mib() -> float:
    """Return the resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main(*, is_full: bool) -> list[Measured]:
    """Play and print ten lines."""
    count = GAMES if is_full else SHORT_GAMES
    bots = [BotConfig(name=name, command=[str(build_shuffler())]) for name in ("one", "two")]
    draws = Draws(no_attack_plies=0, max_plies=PLIES)
    tournament = resolve(TournamentFile(name="soak", games=count, draws=draws, bots=bots), Path("/tmp"))
    adopt_orphans()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "soak.sqlite"
        with Store.create_or_resume(path, new_manifest(tournament, "process")) as store:
            grown = play_games(store, tournament, path, count)
    return [Measured("memory of a run, growth in its second half", grown, "MiB", "nothing", at_most=1)]


def play_games(store: Store, tournament: Tournament, path: Path, count: int) -> float:
    """Play all games and print measurements; return the growth of memory in the second half, in MiB."""
    started = time.perf_counter()
    played = 0
    memory = []
    print(f"{'games':>7}{'MiB':>8}{'fds':>6}{'disk MiB':>10}{'ms/game':>9}")

    def report(event: Event) -> None:
        nonlocal played
        if not isinstance(event, Finished):
            return
        played += 1
        if played % max(1, count // 10) == 0:
            memory.append(resident_mib())
            fds = len(list(Path("/proc/self/fd").iterdir()))
            each = (time.perf_counter() - started) / played * 1e3
            print(f"{played:>7}{memory[-1]:>8.1f}{fds:>6}{path.stat().st_size / 2**20:>10.1f}{each:>9.2f}")

    arena = Arena(tournament, store.manifest.key, LocalExecutor(ProcessIsolation(), JOBS), store.add)
    trio.run(arena.play, Dispatcher(tournament.schedule(store.manifest.key)), report)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    assert not children, f"children left: {children}"
    assert not arena.voids, arena.voids
    return memory[-1] - memory[4]
