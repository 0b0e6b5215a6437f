"""Simulated games in real workers of Dask (`--preload simulated_workers.py`): their threads wait instead of playing."""

import time
import zlib
from collections.abc import Mapping
from typing import Any

import msgspec
from distributed import Worker

from arbiter.cluster.messages import GameNews, TaskReport, WorkerNews, decode_assignment, encode
from arbiter.cluster.worker import NAME, ArbiterPlugin
from arbiter.record import GameResult, RecordWriter
from arbiter.referee.game import PlayedGame
from arbiter.tournament.execution.arrival import report_played
from arbiter.tournament.execution.executor import Played
from arbiter.tournament.execution.machines import measure_machine
from arbiter.tournament.machine import observe_conditions
from arbiter.transcript import GameLog


def find_duration(game_id: str, seconds: float) -> float:
    """Return the duration of a game: the longest is three times as long as the shortest."""
    return seconds * (0.5 + zlib.crc32(game_id.encode()) / 2**32)


class SimulatedGames(ArbiterPlugin):
    """Waits as long as games would take, and reports each as if it had been played."""

    async def setup(self, worker: Worker) -> None:
        """Play nothing."""
        self._worker = worker
        self._conditions = observe_conditions(1, 0.0, {}, "process")

    async def teardown(self, worker: Worker) -> None:
        """Do nothing."""

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:  # noqa: ANN401
        """Do nothing: all games are played to their end."""

    def play(self, key: Any, encoded: bytes, bots: Mapping[str, bytes]) -> bytes:  # noqa: ANN401, ARG002
        """Wait, and return the report."""
        assignment = decode_assignment(encoded)
        address = self._worker.address
        reports = []
        for order in assignment.games:
            news = WorkerNews(address, self._machine, (GameNews(str(key), order.fixture.id),))
            self._worker.loop.add_callback(self._worker.log_event, assignment.run.run, encode(news))
            time.sleep(find_duration(order.fixture.id, float(assignment.absent[0])))
            unfinished = RecordWriter(order.header).unfinished()
            game = PlayedGame(result=GameResult(winner="red", ending="flag_taken", plies=0), unfinished=unfinished)
            reports.append(report_played(Played(game, self._conditions), GameLog()))
        return encode(TaskReport(worker=address, machine=self._machine, games=tuple(reports)))


async def dask_setup(worker: Worker) -> None:
    """Describe the machine, and prepare to simulate."""
    machine = measure_machine()
    worker.startup_information[NAME] = lambda _worker: msgspec.to_builtins(machine)
    await worker.plugin_add(SimulatedGames(machine))
