"""Games a second in 1, 2, 4 and 8 worker processes, the cost of a game for the coordinator, and its memory.

`cluster.py` plays games of bots that sleep 5 ms a move; `cluster.py speed 20000` lets them sleep 20 ms.
`cluster.py memory [GAMES]` simulates the games, 100,000 by default: the workers report the same short game again and
again, and everything else is real.
"""

import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import trio
from distributed import Worker, WorkerPlugin
from msgspec import Struct
from native import build_shuffler

from arbiter.cluster import messages
from arbiter.cluster.coordinator import ClusterExecutor, open_worker_executor
from arbiter.cluster.messages import Assignment, GameBegan, RunSettings, encode, report_played
from arbiter.cluster.wire import ORDERS, REPORTS
from arbiter.record import GameResult, RecordWriter
from arbiter.referee.game import PlayedGame
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.config.tournament_file import Draws, TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Began, Event, Finished
from arbiter.tournament.execution.executor import Played
from arbiter.tournament.machine import observe_conditions
from arbiter.tournament.new_results import KeptLogs
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store
from arbiter.transcript import GameLog

PLIES = 200
PAUSE_US = "5000"
GAMES_A_WORKER = 26
WORKERS = (1, 2, 4, 8)
SIMULATED_GAMES = 32  # at a time


class Measurement(Struct, frozen=True):
    """The games of one run."""

    games: int
    seconds: float
    """From the start of the first game to the end of the last one."""
    cpu_ms: float
    """Processor time of the coordinator, with the scheduler and the store, for each game."""
    cores: float
    """Cores that the coordinator, the workers and the bots used, on average."""


def processor_s() -> float:
    """Return the processor time of this process in seconds."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def processor_s_of_children() -> float:
    """Return the processor time of the child processes, and of their children that have ended, in seconds."""
    total = 0
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text().split():
            total += sum(map(int, Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def resident_mib() -> float:
    """Return the resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def make_tournament(games: int, plies: int, pause_us: str) -> Tournament:
    """Make a tournament of two bots that sleep before each move."""
    bots = [BotEntry(name=name, command=[str(build_shuffler()), pause_us]) for name in ("one", "two")]
    draws = Draws(no_attack_plies=0, max_plies=plies)
    return resolve(TournamentFile(name="cluster", games=games, draws=draws, bots=bots), Path("/tmp"))


@contextmanager
def open_executor(tournament: Tournament, workers: int, jobs: int) -> Iterator[ClusterExecutor]:
    """Start worker processes that play `jobs` games at a time together."""
    settings = RunSettings(
        isolation="process",
        programs=tournament.programs,
        hidden_files=HiddenFiles(),
        logs=KeptLogs(),
    )
    with open_worker_executor(workers, jobs, settings, tournament.file.time, print, follow=False) as executor:
        yield executor


def play(
    workers: int,
    games: int,
    plies: int = PLIES,
    *,
    pause_us: str = PAUSE_US,
    every: int = 0,
    is_simulated: bool = False,
) -> Measurement:
    """Play or simulate games in worker processes and store them; print the memory after each `every` games."""
    tournament = make_tournament(games, plies, pause_us)
    times: list[tuple[float, float, float]] = []  # at the start of the first game, and at the end of the last one
    finished = 0

    def note_times() -> None:
        times.append((time.perf_counter(), processor_s(), processor_s_of_children()))

    def follow(event: Event) -> None:
        nonlocal finished
        if isinstance(event, Began) and not times:
            note_times()
        if isinstance(event, Finished):
            finished += 1
            if finished == games:
                note_times()
            if every and finished % every == 0:
                rate = finished / (time.perf_counter() - times[0][0])
                print(f"{finished:>9}{resident_mib():>10.1f}{rate:>12.0f}", flush=True)

    jobs = SIMULATED_GAMES if is_simulated else workers
    with tempfile.TemporaryDirectory() as folder, open_executor(tournament, workers, jobs) as executor:
        if is_simulated:
            executor.cluster.client.register_plugin(SimulatedGames())
        manifest = new_manifest(tournament, "process")
        with Store.create_or_resume(Path(folder) / "cluster.sqlite", manifest) as store:
            arena = Arena(tournament, manifest.key, executor, store.add)
            trio.run(arena.play, Dispatcher(tournament.schedule(manifest.key)), follow)
            assert len({game.id for game in store.games_as_stored()}) == games
    seconds, used, used_by_children = (after - before for before, after in zip(*times, strict=True))
    return Measurement(games, seconds, used / games * 1e3, (used + used_by_children) / seconds)


class SimulatedGames(WorkerPlugin):
    """Reports games with one line, as if they had been played."""

    def setup(self, worker: Worker) -> None:
        """Receive orders instead of the arbiter."""
        worker.stream_handlers[ORDERS] = partial(self._receive, worker)

    def _receive(self, worker: Worker, run: str, orders: Sequence[bytes]) -> None:
        for assignment in map(messages.decode_order, orders):
            assert isinstance(assignment, Assignment)
            unfinished = RecordWriter(assignment.header).unfinished()
            game = PlayedGame(result=GameResult(winner=None, ending="ply_limit", plies=0), unfinished=unfinished)
            played = Played(game, observe_conditions(1, 0.0, {}, "process"))
            reports = (GameBegan(assignment.key), report_played(assignment.key, played, GameLog(), {}))
            worker.batched_send({"op": REPORTS, "run": run, "reports": encode(reports)})


def measure_speed(pause_us: str) -> None:
    """Print games a second for several numbers of workers, compared with one worker, and how many cores they used."""
    print(f"{'workers':>9}{'games/s':>10}{'of N x one':>12}{'coordinator ms/game':>22}{'cores':>8}")
    one = 0.0
    for workers in WORKERS:
        measured = play(workers, GAMES_A_WORKER * workers, pause_us=pause_us)
        rate = measured.games / measured.seconds
        one = one or rate
        print(
            f"{workers:>9}{rate:>10.2f}{rate / one / workers:>12.2f}{measured.cpu_ms:>22.2f}{measured.cores:>8.2f}",
            flush=True,
        )


def measure_memory(games: int) -> None:
    """Print the memory of the coordinator while workers simulate games."""
    print(f"{'games':>9}{'MiB':>10}{'games/s':>12}")
    measured = play(2, games, 2, every=games // 10, is_simulated=True)
    print(f"processor time of the coordinator: {measured.cpu_ms:.2f} ms/game")


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        measure_memory(int(sys.argv[2]) if sys.argv[2:] else 100_000)
    else:
        measure_speed(sys.argv[2] if sys.argv[2:] else PAUSE_US)
