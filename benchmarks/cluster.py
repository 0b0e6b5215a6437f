"""Games a second in 1, 2, 4 and 8 worker processes, and the cost of a game for the coordinator.

The bots sleep 5 ms a move.
"""

import os
import resource
import tempfile
import time
from pathlib import Path

import trio
from msgspec import Struct

from arbiter.cluster.coordinator import open_worker_executor
from arbiter.cluster.messages import RunSettings
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.config.tournament_file import Draws, TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Began, Event, Finished
from arbiter.tournament.new_results import KeptLogs
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store
from benchmarks.measured import Measured
from benchmarks.native import build_shuffler

PLIES = 200
PAUSE_US = "5000"
GAMES_A_WORKER, SHORT_GAMES_A_WORKER = 26, 8
WORKERS, SHORT_WORKERS = (1, 2, 4, 8), (1, 2)


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


def make_tournament(games: int, plies: int, pause_us: str = PAUSE_US) -> Tournament:
    """Make a tournament of two bots that sleep before each move."""
    bots = [BotConfig(name=name, command=[str(build_shuffler()), pause_us]) for name in ("one", "two")]
    draws = Draws(no_attack_plies=0, max_plies=plies)
    return resolve(TournamentFile(name="cluster", games=games, draws=draws, bots=bots), Path("/tmp"))


def play(workers: int, games: int) -> Measurement:
    """Play games in worker processes and store them."""
    tournament = make_tournament(games, PLIES)
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

    settings = RunSettings(isolation="process", hidden_files=HiddenFiles(), logs=KeptLogs())
    with (
        tempfile.TemporaryDirectory() as folder,
        open_worker_executor(workers, workers, settings, tournament, print) as executor,
    ):
        manifest = new_manifest(tournament, "process")
        with Store.create_or_resume(Path(folder) / "cluster.sqlite", manifest) as store:
            arena = Arena(tournament, manifest.key, executor, store.add)
            trio.run(arena.play, Dispatcher(tournament.schedule(manifest.key)), follow)
            assert len({game.id for game in store.games_as_stored()}) == games
    seconds, used, used_by_children = (after - before for before, after in zip(*times, strict=True))
    return Measurement(games, seconds, used / games * 1e3, (used + used_by_children) / seconds)


def main(*, is_full: bool) -> list[Measured]:
    """Print games a second for several numbers of workers, compared with one worker, and how many cores they used."""
    print(f"{'workers':>9}{'games/s':>10}{'of N x one':>12}{'coordinator ms/game':>22}{'cores':>8}")
    one = 0.0
    for workers in WORKERS if is_full else SHORT_WORKERS:
        measured = play(workers, (GAMES_A_WORKER if is_full else SHORT_GAMES_A_WORKER) * workers)
        rate = measured.games / measured.seconds
        one = one or rate
        print(
            f"{workers:>9}{rate:>10.2f}{rate / one / workers:>12.2f}{measured.cpu_ms:>22.2f}{measured.cores:>8.2f}",
            flush=True,
        )
    what = f"{workers} worker processes, bots that sleep 5 ms a move"
    return [
        Measured(f"{what}: games a second / {workers} times one", rate / one / workers, "", "Python", at_least=0.9),
        Measured(f"{what}: coordinator per game", measured.cpu_ms, "ms", "Python", at_most=3),
    ]
