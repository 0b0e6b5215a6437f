"""The result writer: results that arrive together are stored together, and none is announced before it is stored."""

import threading

import pytest
import trio
import trio.testing
from tournament.stored_games import attempt, game
from tournament.tournaments import manifest

from arbiter.errors import ConfigError
from arbiter.tournament.new_results import NewAttempt, NewGame
from arbiter.tournament.result_writer import ResultWriter
from arbiter.tournament.results.store import Store

FIRST, *OTHERS = [NewGame(game("a", "b", None, "agreed", pair=number), b"") for number in range(1, 7)]
PATIENCE_S = 60


class Disk:
    """A disk that writes when it is allowed to."""

    def __init__(self, *, faults=()):
        self.transactions = []
        self._faults = list(faults)
        self._allowed = threading.Event()
        self.writing = threading.Event()

    def write(self, results):
        self.writing.set()
        assert self._allowed.wait(PATIENCE_S)
        if self._faults:
            raise self._faults.pop(0)
        self.transactions.append(results)

    def allow(self):
        self._allowed.set()

    async def wait_for_writing(self):
        assert await trio.to_thread.run_sync(self.writing.wait, PATIENCE_S)


def test_a_lone_result_waits_for_no_other():
    disk = Disk()
    disk.allow()

    async def main():
        writer = ResultWriter(disk.write)
        for result in (FIRST, OTHERS[0]):
            await writer.store(result)

    trio.run(main, clock=trio.testing.MockClock())  # its time does not pass: a timer would never end
    assert disk.transactions == [[FIRST], [OTHERS[0]]]


def test_results_that_arrive_during_a_transaction_are_stored_in_the_next_one_in_order():
    disk = Disk()
    arrived = [*OTHERS, NewAttempt(attempt("a~b~9"))]
    announced = []

    async def store(writer, result):
        await writer.store(result)
        announced.append((result, len(disk.transactions)))

    async def main():
        writer = ResultWriter(disk.write)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store, writer, FIRST)
            await disk.wait_for_writing()
            for result in arrived:
                nursery.start_soon(store, writer, result)
                await trio.testing.wait_all_tasks_blocked()
            assert announced == []
            disk.allow()

    trio.run(main)
    assert disk.transactions == [[FIRST], arrived]
    assert announced[0] == (FIRST, 1)
    assert announced[1:] == [(result, 2) for result in arrived]


def play_cancelled(disk, *, is_first_alone):
    """Store results until a transaction begins, cancel, and let the disk write; return what was announced."""
    announced = []

    async def store(writer, result):
        await writer.store(result)
        announced.append(result)

    async def allow_soon():
        await trio.sleep(0.01)
        disk.allow()

    async def main():
        writer = ResultWriter(disk.write)
        async with trio.open_nursery() as nursery:
            if is_first_alone:
                nursery.start_soon(store, writer, FIRST)
                await disk.wait_for_writing()
                for result in OTHERS:
                    nursery.start_soon(store, writer, result)
                await trio.testing.wait_all_tasks_blocked()
            else:
                async with writer._turn:  # all of them wait
                    for result in (FIRST, *OTHERS):
                        nursery.start_soon(store, writer, result)
                        await trio.testing.wait_all_tasks_blocked()
                await disk.wait_for_writing()  # the first task writes the results of all
            nursery.cancel_scope.cancel()
            trio.lowlevel.spawn_system_task(allow_soon)

    trio.run(main)
    return announced


def test_a_cancelled_result_is_stored_and_announced_or_neither():
    disk = Disk()
    assert play_cancelled(disk, is_first_alone=True) == [FIRST]
    assert disk.transactions == [[FIRST]]


def test_results_that_are_being_written_for_another_task_are_announced_even_if_cancelled():
    disk = Disk()
    announced = play_cancelled(disk, is_first_alone=False)
    assert disk.transactions == [[FIRST, *OTHERS]]
    assert sorted(result.game.pair for result in announced) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("fault", [ConfigError("the disk is full"), ZeroDivisionError()])
def test_results_of_a_transaction_that_fails_are_tried_again_without_the_first_one(fault):
    disk = Disk(faults=[fault])
    announced = []
    failures = []

    async def store(writer, result):
        try:
            await writer.store(result)
        except type(fault) as error:
            failures.append((result, error))
        else:
            announced.append(result)

    async def main():
        writer = ResultWriter(disk.write)
        async with trio.open_nursery() as nursery:
            async with writer._turn:
                for result in (FIRST, *OTHERS):
                    nursery.start_soon(store, writer, result)
                    await trio.testing.wait_all_tasks_blocked()
            disk.allow()

    trio.run(main)
    assert failures == [(FIRST, fault)]
    assert disk.transactions == [OTHERS]
    assert announced == OTHERS


def test_each_of_many_games_is_readable_when_it_is_announced(tmp_path):
    path = tmp_path / "club.sqlite"
    games = [game("hunter", "random", "red", "flag_taken", pair=number) for number in range(64)]
    transactions = []

    async def main(store, reader):
        def keep(results):
            transactions.append(len(results))
            store.add(results)

        async def finish(one):
            await writer.store(NewGame(one, b"record"))
            assert one.id in {game.id for game in reader.games_as_stored()}

        writer = ResultWriter(keep)
        async with trio.open_nursery() as nursery:
            for one in games:
                nursery.start_soon(finish, one)

    with Store.create_or_resume(path, manifest()) as store, Store.read(path) as reader:
        trio.run(main, store, reader)
        assert sum(transactions) == len(store.games_as_stored()) == len(games)
        assert len(transactions) <= 2
        assert store.verify_chain().faults == ()
