"""A cluster of 1,000 workers, simulated on this machine: how near its throughput comes to the ideal.

Real: the scheduler of Dask, in a process of its own, and its connections, the arena, the schedule, the coordinator and
the store.  Simulated: the workers are asynchronous workers of Dask in a few processes, and instead of playing a game
they wait for 0.5 to 1.5 s, times `seconds`.  `cluster_scale.py [WORKERS [SECONDS]]`.  Default: 1000 workers, 1 s.

The columns `coord.` and `sched.` are milliseconds of processor time for each game.
"""

import asyncio
import heapq
import logging
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from multiprocessing.queues import Queue
from pathlib import Path
from random import Random
from typing import Literal

import dask
import trio
from cluster import processor_s
from distributed import Client, Scheduler, Worker, WorkerPlugin

from arbiter.cluster.connect import Cluster
from arbiter.cluster.coordinator import ClusterExecutor
from arbiter.cluster.machines import Machine
from arbiter.cluster.messages import (
    REPORTS,
    Assignment,
    GameBegan,
    GameReport,
    decode_order,
    encode_reports,
    report_played,
)
from arbiter.cluster.placement import Placement
from arbiter.cluster.relay import ORDERS
from arbiter.cluster.wire import Wire
from arbiter.record import GameResult, RecordWriter
from arbiter.referee.game import PlayedGame
from arbiter.tournament.arena import Arena
from arbiter.tournament.conditions import observe_conditions
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Began, Event
from arbiter.tournament.execution.executor import Played
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store
from arbiter.transcript import GameLog

SECONDS = "SIMULATED_SECONDS"
PROCESSES = 2
PROGRAM = ["/bin/true"]
GAMES_A_WORKER = 6
SWISS_ROUNDS = 3


def find_duration(game_id: str, seconds: float) -> float:
    """Return the duration of a game: the longest is three times as long as the shortest."""
    return seconds * Random(game_id).uniform(0.5, 1.5)


class SimulatedGames(WorkerPlugin):
    """Waits as long as a game would take, and reports it."""

    def setup(self, worker: Worker) -> None:
        """Receive orders."""
        self._worker = worker
        worker.stream_handlers[ORDERS] = self._receive

    def _receive(self, run: str, orders: Sequence[bytes]) -> None:
        for order in map(decode_order, orders):
            assert isinstance(order, Assignment)
            self._report(run, GameBegan(order.key))
            duration = find_duration(order.fixture.id, float(os.environ[SECONDS]))
            asyncio.get_running_loop().call_later(duration, self._end, run, order)

    def _end(self, run: str, assignment: Assignment) -> None:
        unfinished = RecordWriter(assignment.header).unfinished()
        game = PlayedGame(result=GameResult(winner="red", ending="flag_taken", plies=0), unfinished=unfinished)
        played = Played(game, observe_conditions(1, 0.0, {}, "process"))
        self._report(run, report_played(assignment.key, played, GameLog(), {}))

    def _report(self, run: str, report: GameReport) -> None:
        self._worker.log_event(run, {REPORTS: encode_reports([report])})


def run_scheduler(addresses: "Queue[str]") -> None:
    """Run a scheduler in this process until it is ended."""
    logging.disable(logging.CRITICAL)

    async def run() -> None:
        scheduler = await Scheduler(host="127.0.0.1", port=0, dashboard=False)
        addresses.put(scheduler.address)
        await scheduler.finished()

    asyncio.run(run())


def find_processor_s(pid: int) -> float:
    """Return the processor time of a process in seconds."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def run_workers(address: str, count: int) -> None:
    """Run asynchronous workers in this process until it is ended."""
    logging.disable(logging.CRITICAL)
    dask.config.set({"distributed.worker.profile.enabled": False, "distributed.admin.system-monitor.interval": "60s"})

    async def run() -> None:
        workers = [
            Worker(address, nthreads=1, memory_limit=0, dashboard=False, plugins=[SimulatedGames()])
            for _ in range(count)
        ]
        await asyncio.gather(*workers)
        await asyncio.gather(*(worker.finished() for worker in workers))

    asyncio.run(run())


class SimulatedRoster:
    """Workers that need no preparation, each a machine of its own."""

    def __init__(self, workers: Iterable[str]) -> None:
        self.placement = Placement()
        self.isolation = "process"
        self.is_local = True
        self.known = set(workers)
        self.machines = {
            address: Machine(
                id=address,
                host=address,
                cores=1,
                slots=1,
                speed=1.0,
                sandbox="process",
                python="",
                arbiter="",
                processor="",
            )
            for address in self.known
        }
        for address in self.known:
            self.placement.add(address, address, (0,))

    def list_lost(self) -> dict[str, str]:
        return {}

    def find_speed(self, _machine: Machine) -> None:
        return None

    def count_game(self, _machine: Machine, *, voided: bool) -> None:
        assert not voided

    def remove(self, address: str) -> None:
        raise RuntimeError(f"{address} was lost")


def make_tournament(kind: Literal["gauntlet", "swiss"], workers: int) -> Tournament:
    """Make a tournament with enough games for all workers."""
    if kind == "gauntlet":  # of two bots: all games are independent
        bots = [BotEntry(name=name, command=PROGRAM) for name in ("one", "two")]
        file = TournamentFile(name="scale", games=GAMES_A_WORKER * workers, bots=bots)
    else:
        bots = [BotEntry(name=f"bot{number}", command=PROGRAM) for number in range(workers)]
        file = TournamentFile(name="scale", games=2, format="swiss", rounds=SWISS_ROUNDS, bots=bots)
    return resolve(file, Path("/tmp"))


def find_ideal(
    durations: Mapping[str, float], rounds: Mapping[str, tuple[int, frozenset[str], int]], workers: int
) -> float:
    """Return the time that the games take if each worker gets its next pair of games without any delay."""
    total = 0.0
    for number in sorted({key[0] for key in rounds.values()}):
        pairs: dict[tuple[int, frozenset[str], int], float] = {}
        for game, key in rounds.items():
            if key[0] == number:
                pairs[key] = pairs.get(key, 0.0) + durations[game]
        ends = [0.0] * workers
        for seconds in pairs.values():
            heapq.heapreplace(ends, ends[0] + seconds)
        total += max(ends)
    return total


def play(client: Client, scheduler: int, kind: Literal["gauntlet", "swiss"], seconds: float) -> None:
    """Play a tournament on the simulated workers, and print how near it comes to the ideal.

    `scheduler` is the process id of the scheduler.
    """
    cluster = Cluster(client, "simulation")
    roster = SimulatedRoster(cluster.list_workers())
    workers = len(roster.known)
    tournament = make_tournament(kind, workers)
    began: list[float] = []

    def follow(event: Event) -> None:
        if isinstance(event, Began) and not began:
            began.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder:
        manifest = new_manifest(tournament, "process")
        with Store.create_or_resume(Path(folder) / "scale.sqlite", manifest) as store:
            executor = ClusterExecutor(cluster, roster, Wire(cluster), follow=False)  # type: ignore[arg-type]
            arena = Arena(tournament, manifest.key, executor, store.add)
            before = processor_s(), find_processor_s(scheduler)
            trio.run(arena.play, Dispatcher(tournament.schedule(manifest.key)), follow)
            took = time.perf_counter() - began[0]
            games = store.games()
    durations = {game.id: find_duration(game.id, seconds) for game in games}
    pairs = {game.id: (game.round, frozenset((game.red, game.blue)), game.pair) for game in games}
    if kind == "gauntlet":
        pairs = {game_id: (1, bots, pair) for game_id, (_, bots, pair) in pairs.items()}
    ideal = find_ideal(durations, pairs, workers)
    used = processor_s() - before[0], find_processor_s(scheduler) - before[1]
    coordinator_ms, scheduler_ms = (one / len(games) * 1e3 for one in used)
    print(
        f"{kind:>9}{len(games):>8}{took:>10.1f}{ideal:>10.1f}{ideal / took:>8.2f}{coordinator_ms:>8.2f}{scheduler_ms:>8.2f}",
        flush=True,
    )


def main() -> None:
    """Start the scheduler and the simulated workers, and play."""
    count = int(sys.argv[1]) if sys.argv[1:] else 1000
    seconds = float(sys.argv[2]) if sys.argv[2:] else 1.0
    os.environ[SECONDS] = str(seconds)
    logging.disable(logging.CRITICAL)
    context = multiprocessing.get_context("spawn")
    addresses: Queue[str] = context.Queue()
    scheduler = context.Process(target=run_scheduler, args=(addresses,), daemon=True)
    scheduler.start()
    address = addresses.get()
    shares = [count // PROCESSES + (number < count % PROCESSES) for number in range(PROCESSES)]
    processes = [context.Process(target=run_workers, args=(address, share), daemon=True) for share in shares]
    for process in processes:
        process.start()
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(count)
        print(f"{'format':>9}{'games':>8}{'seconds':>10}{'ideal':>10}{'ratio':>8}{'coord.':>8}{'sched.':>8}")
        try:
            play(client, scheduler.pid or 0, "gauntlet", seconds)
            play(client, scheduler.pid or 0, "swiss", seconds)
        finally:
            for process in (*processes, scheduler):
                process.terminate()


if __name__ == "__main__":
    main()
