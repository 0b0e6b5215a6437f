"""Reports that arrive twice, late, from another worker or of another game: each game has one outcome."""

from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
import trio.testing
from cluster.test_machines import DESK
from msgspec.structs import replace
from tournament.stored_games import CONDITIONS
from tournament.stored_games import attempt as make_attempt
from tournament.tournaments import tournament_file

from arbiter.cluster.connect import WorkerState
from arbiter.cluster.coordinator import ClusterExecutor
from arbiter.cluster.messages import GameBegan, GameVoided, decode_order, encode, report_played
from arbiter.cluster.placement import Placement
from arbiter.record import GameResult, RecordWriter
from arbiter.referee.game import PlayedGame
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.execution.executor import Excuses, GameSpecs, GameTask, Played
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.machine import observe_conditions
from arbiter.transcript import GameLog

A, B = "tcp://127.0.0.1:1", "tcp://127.0.0.1:2"
SPECS = GameSpecs(resolve(tournament_file(("random", "stdlib"), rules="duel"), Path()), "5ec7" * 8)


class FakeCluster:
    """A scheduler whose workers the test removes; also its client."""

    run = "run"
    name = "the cluster"

    def __init__(self):
        self.client = self
        self.workers = {A: WorkerState(0.0, 1), B: WorkerState(0.0, 1)}

    def subscribe_topic(self, _topic, handler):
        self.announce = handler

    def unsubscribe_topic(self, _topic):
        pass

    def check(self):
        pass

    def list_workers(self):
        return dict(self.workers)

    def remove(self, address):
        """Let a worker leave."""
        del self.workers[address]
        self.announce((0.0, {"action": "remove-worker"}))


class FakeRoster:
    """Two workers, each on a machine of its own; the first one gets the first game."""

    admission = SimpleNamespace(isolation="process", shipment=None, here=DESK)

    def __init__(self):
        self.placement = Placement()
        self.machines = {}
        for address in (A, B):
            self.machines[address] = replace(DESK, id=address, host=address)
            self.placement.add(address, address, (0,))
        self.known = {A, B}

    def list_lost(self):
        return {}

    def remove(self, address):
        self.known.discard(address)
        self.placement.remove(address)

    def note_games(self, games):
        pass

    def count_game(self, machine, *, voided):
        pass

    def report(self, sentence):
        pass


class FakeWire:
    """The orders that workers receive, and the reports that they send."""

    def __init__(self):
        self._send, self._orders = trio.open_memory_channel(100)

    def listen(self, receive):
        self.receive = receive

    def close(self):
        pass

    def send(self, address, order):
        self._send.send_nowait((address, decode_order(encode(order))))

    async def receive_order(self):
        """Return the worker that received the next order, and the order."""
        with trio.fail_after(60):
            return await self._orders.receive()

    async def report(self, address, *reports):
        """Send reports as a worker, and wait until the coordinator has received them."""
        self.receive([(address, encode(reports))])
        await trio.testing.wait_all_tasks_blocked()


class Run:
    """Games of one pairing on two workers, and their outcomes in the order of their ends."""

    def __init__(self):
        self.cluster = FakeCluster()
        self.wire = FakeWire()
        self.roster = FakeRoster()
        self.executor = ClusterExecutor(self.cluster, self.roster, self.wire, follow=False)
        self.outcomes = []
        self.voids = []
        self.is_wanted = True
        """False if no more games are to begin."""

    @asynccontextmanager
    async def open(self):
        """Listen to the workers, and stop all games at the end."""

        def fail(error):
            raise error

        async with self.executor.open(lambda: None, fail), trio.open_nursery() as self.nursery:
            yield self
            self.nursery.cancel_scope.cancel()

    async def begin(self, number):
        """Hand out a game; return the worker that got it, and the key."""
        self.nursery.start_soon(self.play, number, make_fixture("random", "stdlib", number, 1))
        address, order = await self.wire.receive_order()
        return address, order.key

    async def play(self, number, fixture):
        """Play a game."""
        places = []

        async def note(void):
            self.voids.append((number, void.attempt.reason))

        task = GameTask(
            fixture=fixture,
            make_spec=lambda speed: SPECS.make(fixture, speed),
            excuses=Excuses(),
            is_wanted=lambda: self.is_wanted,
            began=lambda: None,
            note=note,
            played_by=places.append,
        )
        outcome = await self.executor.try_game(task)
        if isinstance(outcome, Played):
            self.outcomes.append((number, outcome.game.result.plies, *places))


def played(key, plies):
    """Make the report of a game with some number of plies."""
    unfinished = RecordWriter(SPECS.make(make_fixture("random", "stdlib", 1, 1)).header).unfinished()
    game = PlayedGame(result=GameResult(winner=None, ending="ply_limit", plies=plies), unfinished=unfinished)
    return report_played(key, Played(game, observe_conditions(1, 0.0, {}, "process")), GameLog(), {})


def voided(key, reason, host):
    """Make the report of a game that was voided on a host, because one of its bots was killed."""
    conditions = replace(CONDITIONS, host=host)
    attempt = replace(make_attempt("random~stdlib~1", reason, "red"), conditions=conditions)
    return GameVoided(key, attempt, GameLog())


def test_a_report_that_arrives_twice_counts_once():
    async def main():
        async with Run().open() as run:
            worker, key = await run.begin(1)
            await run.wire.report(worker, GameBegan(key), played(key, 10), played(key, 11))
            await run.wire.report(worker, played(key, 12))
            assert run.outcomes == [(1, 10, worker)]
            other, next_key = await run.begin(2)
            for address in (worker, other):
                await run.wire.report(address, GameBegan(key), played(key, 13))
            assert run.outcomes == [(1, 10, worker)]
            await run.wire.report(other, GameBegan(next_key), played(next_key, 20))
            assert run.outcomes == [(1, 10, worker), (2, 20, other)]
            assert run.voids == []

    trio.run(main)


def test_a_game_that_another_worker_has_is_decided_by_that_worker():
    async def main():
        async with Run().open() as run:
            lost, key = await run.begin(1)
            await run.wire.report(lost, GameBegan(key))
            run.cluster.remove(lost)
            worker, order = await run.wire.receive_order()
            assert worker != lost
            assert order.key != key
            assert order.fixture == make_fixture("random", "stdlib", 1, 1)
            for address, late in ((lost, key), (lost, order.key), (worker, key), (worker, "run-1-"), (worker, "")):
                await run.wire.report(address, GameBegan(late), played(late, 10))
            assert run.outcomes == []
            await run.wire.report(worker, GameBegan(order.key), played(order.key, 20))
            assert run.outcomes == [(1, 20, worker)]
            assert run.voids == [(1, "lost")]

    trio.run(main)


@pytest.mark.parametrize("reason", ["error", "sandbox_killed", "out_of_memory", "killed"])
def test_a_game_that_was_voided_on_a_machine_is_played_again_on_another_one(reason):
    async def main():
        async with Run().open() as run:
            first, key = await run.begin(1)
            other, other_key = await run.begin(2)
            await run.wire.report(first, GameBegan(key), voided(key, reason, host=first))
            await run.wire.report(other, GameBegan(other_key), played(other_key, 10))
            assert run.voids == [(1, reason)]
            second, second_key = await run.begin(1)
            assert second == other
            await run.wire.report(second, GameBegan(second_key), played(second_key, 20))

    trio.run(main)


def test_games_of_other_workers_do_not_suffer_from_a_damaged_report():
    async def main():
        async with Run().open() as run:
            worker, key = await run.begin(1)
            other = next(address for address in (A, B) if address != worker)
            run.wire.receive([(other, b"\xff"), (other, "text"), ("", b"")])
            await run.wire.report(worker, GameBegan(key), played(key, 10))
            assert run.outcomes == [(1, 10, worker)]
            assert run.voids == []

    trio.run(main)
