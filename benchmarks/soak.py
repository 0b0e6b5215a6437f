"""Memory, descriptors, child processes and disk during thousands of short games with referee and store."""

import os
import sys
import tempfile
import time
from pathlib import Path

import trio
from native import build_shuffler

from arbiter.sandbox.process import ProcessIsolation, adopt_orphans
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.config.tournament_file import Draws, TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Event, Finished
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store

PLIES = 40
JOBS = 4


def resident_mib() -> float:
    """Return the resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    """Play and print ten lines.  The first argument is the number of games (default: 10,000)."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    bots = [BotEntry(name=name, command=[str(build_shuffler())]) for name in ("one", "two")]
    draws = Draws(no_attack_plies=0, max_plies=PLIES)
    tournament = resolve(TournamentFile(name="soak", games=count, draws=draws, bots=bots), Path("/tmp"))
    adopt_orphans()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "soak.sqlite"
        with Store.create_or_resume(path, new_manifest(tournament, "process")) as store:
            play_games(store, tournament, path, count)


def play_games(store: Store, tournament: Tournament, path: Path, count: int) -> None:
    """Play all games and print measurements."""
    started = time.perf_counter()
    played = 0
    print(f"{'games':>7}{'MiB':>8}{'fds':>6}{'disk MiB':>10}{'ms/game':>9}")

    def report(event: Event) -> None:
        nonlocal played
        if not isinstance(event, Finished):
            return
        played += 1
        if played % max(1, count // 10) == 0:
            fds = len(list(Path("/proc/self/fd").iterdir()))
            each = (time.perf_counter() - started) / played * 1e3
            print(f"{played:>7}{resident_mib():>8.1f}{fds:>6}{path.stat().st_size / 2**20:>10.1f}{each:>9.2f}")

    arena = Arena(tournament, store.manifest.key, LocalExecutor(ProcessIsolation(), JOBS), store.add)
    trio.run(arena.play, Dispatcher(tournament.schedule(store.manifest.key)), report)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    assert not children, f"children left: {children}"
    assert not arena.voids, arena.voids


if __name__ == "__main__":
    main()
