"""A cluster of 1,000 slots, simulated on this machine: how near its throughput comes to the ideal, and what it costs.

Real: the scheduler, in a process of its own, the arena, the schedule, the coordinator and the store, and workers of
Dask with 250 threads each.  Simulated: the games, which wait for 0.5 to 1.5 times their usual duration, and the test of
their results.

The columns `coord.`, `sched.` and `workers` are milliseconds of processor time for each game.  `MiB` is the memory of
the coordinator after a tenth of the games, and at the end.
"""

import heapq
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import trio

from arbiter.cluster import coordinator
from arbiter.cluster.addresses import Access
from arbiter.cluster.messages import RunSettings
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Began, Event, Finished
from arbiter.tournament.fixture import find_pair
from arbiter.tournament.new_results import KeptLogs
from arbiter.tournament.programs import ProgramDigests
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store
from benchmarks.cluster import processor_s, resident_mib
from benchmarks.measured import Measured
from benchmarks.simulated_workers import find_duration

GAMES, SHORT_GAMES = 100_000, 400
SLOTS, SHORT_SLOTS = 1000, 100
SECONDS, SHORT_SECONDS = 10.0, 4.0  # the usual duration of a game
THREADS = 250
HERE = Path(__file__).parent


def find_processor_s(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def start(stack: ExitStack, folder: Path, *words: str) -> int:
    """Start a process of Dask, which is ended with `stack`; return its id."""
    environment = os.environ | {"PYTHONPATH": str(HERE), "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return process.pid


def find_ideal(durations: Sequence[float], slots: int) -> float:
    """Return the time that pairs of games take if each slot gets its next one without any delay."""
    ends = [0.0] * slots
    for seconds in durations:
        heapq.heapreplace(ends, ends[0] + seconds)
    return max(ends)


def main(*, is_full: bool) -> list[Measured]:
    """Start the scheduler and the workers, play a tournament of independent games, and print how near it comes."""
    slots, seconds, count = (SLOTS, SECONDS, GAMES) if is_full else (SHORT_SLOTS, SHORT_SECONDS, SHORT_GAMES)
    # Any results are accepted: the games have no acts.
    coordinator.check_played = lambda *_arguments: None
    threads = min(THREADS, slots)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        address = folder / "scheduler.json"
        usual = ("--no-dashboard", "--host", "127.0.0.1")
        scheduler = start(stack, folder, "scheduler", *usual, "--port", "0", "--scheduler-file", str(address))
        words = (*usual, "--no-nanny", "--nthreads", str(threads), "--preload", str(HERE / "simulated_workers.py"))
        workers = [
            start(stack, folder, "worker", "--scheduler-file", str(address), *words) for _ in range(slots // threads)
        ]
        while not address.exists():
            time.sleep(0.1)
        return play(address, [scheduler, *workers], slots, seconds, count)


def play(address: Path, others: Sequence[int], slots: int, seconds: float, count: int) -> list[Measured]:
    """Play a tournament on simulated workers, and print how near it comes to the ideal; `others` are the ids of the processes of scheduler and workers."""
    bots = [BotConfig(name=name) for name in ("random", "hunter")]
    tournament = resolve(TournamentFile(name="scale", games=count, bots=bots), Path("/tmp"))
    settings = RunSettings(isolation="process", hidden_files=HiddenFiles(), logs=KeptLogs())
    access = Access(role="client", option="--cluster", given=str(address))
    began: list[float] = []
    memory: list[float] = []
    finished = 0

    def follow(event: Event) -> None:
        nonlocal finished
        if isinstance(event, Began) and not began:
            began.append(time.perf_counter())
        if isinstance(event, Finished):
            finished += 1
            if finished in (count // 10, count):
                memory.append(resident_mib())

    digests = ProgramDigests(tournament.programs)
    with coordinator.open_cluster_executor(
        access, settings, tournament, digests, print, entries=None, jobs=None
    ) as executor:
        while executor.jobs.number < slots:
            time.sleep(1)
            update: Any = executor.cluster.loop.call(executor.cluster.list_workers())
            executor._roster.update(update)
        executor.discard([str(seconds)])  # sends the workers how long a game is
        manifest = new_manifest(tournament, "process")
        with Store.create_or_resume(address.parent / "scale.sqlite", manifest) as store:
            arena = Arena(tournament, manifest.key, executor, store.add)
            before = [processor_s(), *map(find_processor_s, others)]
            trio.run(arena.play, Dispatcher(tournament.schedule(manifest.key)), follow)
            took = time.perf_counter() - began[0]
            used = [end - one for end, one in zip([processor_s(), *map(find_processor_s, others)], before, strict=True)]
            games = [*tournament.schedule(manifest.key).fixtures]
    pairs: dict[Any, float] = {}
    for game in games:
        pairs[find_pair(game)] = pairs.get(find_pair(game), 0.0) + find_duration(game.id, seconds)
    ideal = find_ideal(list(pairs.values()), slots)
    print(f"{'games':>8}{'seconds':>9}{'ideal':>8}{'ratio':>7}{'coord.':>8}{'sched.':>8}{'workers':>9}{'MiB':>14}")
    costs = [used[0], used[1], sum(used[2:])]
    print(
        f"{len(games):>8}{took:>9.1f}{ideal:>8.1f}{ideal / took:>7.2f}"
        + "".join(f"{cost / len(games) * 1e3:>8.2f}" for cost in costs)
        + f"{memory[0]:>9.0f}{memory[-1]:>6.0f}",
        flush=True,
    )
    found = [Measured(f"{slots:,} simulated slots: ideal / elapsed time", ideal / took, "", "Python", at_least=0.9)]
    if count >= GAMES:
        cost = sum(costs[:2]) / len(games) * 1e3
        found.append(Measured("the same: coordinator and scheduler per game", cost, "ms", "Python", at_most=8))
        kilobytes = (memory[-1] - memory[0]) * 2**20 / 1000 / (count - count // 10)
        found.append(Measured("memory of the coordinator per simulated game", kilobytes, "kB", "nothing", at_most=0.6))
    return found
