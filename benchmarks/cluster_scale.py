"""A cluster of 1,000 workers, simulated on this machine: how near its throughput comes to the ideal.

Real: the scheduler of Dask, in a process of its own, and its connections, the arena, the schedule, the coordinator and
the store.  Simulated: the workers, which wait for 0.5 to 1.5 s, times `seconds`, instead of playing a game.
`cluster_scale.py [WORKERS [SECONDS]]`.  Default: 1000 workers, 1 s.

The columns `coord.`, `sched.` and `sim.` are milliseconds of processor time for each game, of the coordinator, the
scheduler and the simulation.
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
from types import SimpleNamespace
from typing import Literal

import trio
from cluster import processor_s
from distributed import Client, Scheduler
from simulated_workers import find_duration, run_workers

from arbiter.cluster.connect import Cluster
from arbiter.cluster.coordinator import ClusterExecutor
from arbiter.cluster.machines import Machine
from arbiter.cluster.placement import Placement
from arbiter.cluster.wire import Wire
from arbiter.tournament.arena import Arena
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Began, Event
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store

PROGRAM = ["/bin/true"]
GAMES_A_WORKER = 6
SWISS_ROUNDS = 3


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


class SimulatedRoster:
    """Workers that need no preparation, each a machine of its own."""

    def __init__(self, workers: Iterable[str]) -> None:
        self.placement = Placement()
        self.admission = SimpleNamespace(isolation="process", shipment=None, here=True)
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

    def note_games(self, _games: object) -> None:
        """Take no notice: there are no earlier games."""

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
        file = TournamentFile(name="scale", games=2, format="swiss", settings={"rounds": SWISS_ROUNDS}, bots=bots)
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


def play(client: Client, others: Sequence[int], kind: Literal["gauntlet", "swiss"], seconds: float) -> None:
    """Play a tournament on the simulated workers, and print how near it comes to the ideal.

    `others` are the ids of the processes of the scheduler and of the workers.
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
            before = [processor_s(), *map(find_processor_s, others)]
            trio.run(arena.play, Dispatcher(tournament.schedule(manifest.key)), follow)
            took = time.perf_counter() - began[0]
            after = [processor_s(), *map(find_processor_s, others)]
            games = store.games()
    durations = {game.id: find_duration(game.id, seconds) for game in games}
    pairs = {game.id: (game.round, frozenset((game.red, game.blue)), game.pair) for game in games}
    if kind == "gauntlet":
        pairs = {game_id: (1, bots, pair) for game_id, (_, bots, pair) in pairs.items()}
    ideal = find_ideal(durations, pairs, workers)
    costs = "".join(f"{(end - start) / len(games) * 1e3:>8.2f}" for start, end in zip(before, after, strict=True))
    print(f"{kind:>9}{len(games):>8}{took:>10.1f}{ideal:>10.1f}{ideal / took:>8.2f}{costs}", flush=True)


def main() -> None:
    """Start the scheduler and the simulated workers, and play."""
    count = int(sys.argv[1]) if sys.argv[1:] else 1000
    seconds = float(sys.argv[2]) if sys.argv[2:] else 1.0
    logging.disable(logging.CRITICAL)
    context = multiprocessing.get_context("spawn")
    addresses: Queue[str] = context.Queue()
    scheduler = context.Process(target=run_scheduler, args=(addresses,), daemon=True)
    scheduler.start()
    address = addresses.get()
    workers = context.Process(target=run_workers, args=(address, count, seconds), daemon=True)
    workers.start()
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(count)
        print(f"{'format':>9}{'games':>8}{'seconds':>10}{'ideal':>10}{'ratio':>8}{'coord.':>8}{'sched.':>8}{'sim.':>8}")
        others = [scheduler.pid or 0, workers.pid or 0]
        try:
            play(client, others, "gauntlet", seconds)
            play(client, others, "swiss", seconds)
        finally:
            for process in (workers, scheduler):
                process.terminate()


if __name__ == "__main__":
    main()
