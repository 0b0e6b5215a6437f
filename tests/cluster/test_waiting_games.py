"""Games that wait on the workers that play the other games of their pairs: they begin there, or are given back."""

import pytest
import trio
from cluster.test_late_reports import A, B, Run, played

from arbiter.cluster import coordinator
from arbiter.cluster.messages import GameBegan, GameNotBegun, GiveBack
from arbiter.tournament.fixture import make_fixture


@pytest.fixture(autouse=True)
def frequent_checks(monkeypatch):
    """Let coordinators look for games that are not wanted any more at short intervals."""
    monkeypatch.setattr(coordinator, "_CHECK_S", 0.01)


async def begin_pair(run):
    """Hand out both games of a pair, so that the second one waits; return the worker, and the keys."""
    worker, key = await run.begin(1)
    await run.wire.report(worker, GameBegan(key))
    run.nursery.start_soon(run.play, 2, make_fixture("stdlib", "random", 1, 1))
    address, waiting = await run.wire.receive_order()
    assert address == worker
    assert run.executor.capacity == 3
    return worker, key, waiting.key


def test_a_game_that_waits_begins_when_the_other_one_is_over():
    async def main():
        async with Run().open() as run:
            worker, key, waiting = await begin_pair(run)
            await run.wire.report(worker, played(key, 10), GameBegan(waiting))
            assert run.executor.capacity == 2
            await run.wire.report(worker, played(waiting, 20))
            assert sorted(run.outcomes) == [(1, 10, worker), (2, 20, worker)]

    trio.run(main)


def test_a_game_that_waits_is_given_back_when_the_run_is_stopped():
    async def main():
        async with Run().open() as run:
            worker, key, waiting = await begin_pair(run)
            run.is_wanted = False
            assert await run.wire.receive_order() == (worker, GiveBack(waiting))
            await run.wire.report(worker, GameNotBegun(waiting))
            await run.wire.report(worker, played(key, 10))
            assert run.outcomes == [(1, 10, worker)]
            assert run.executor.capacity == 2
            assert run.voids == []

    trio.run(main)


def test_a_game_that_waits_on_an_excluded_machine_is_played_on_another_one():
    async def main():
        async with Run().open() as run:
            worker, key, waiting = await begin_pair(run)
            run.roster.placement.exclude(worker)
            assert await run.wire.receive_order() == (worker, GiveBack(waiting))
            await run.wire.report(worker, GameNotBegun(waiting))
            other, order = await run.wire.receive_order()
            assert other != worker
            await run.wire.report(other, GameBegan(order.key), played(order.key, 20))
            await run.wire.report(worker, played(key, 10))
            assert run.outcomes == [(2, 20, other), (1, 10, worker)]
            assert run.voids == []

    trio.run(main)


def test_a_game_that_begins_before_it_is_given_back_is_played_on():
    async def main():
        async with Run().open() as run:
            worker, key, waiting = await begin_pair(run)
            run.is_wanted = False
            assert await run.wire.receive_order() == (worker, GiveBack(waiting))
            await run.wire.report(worker, played(key, 10), GameBegan(waiting), played(waiting, 20))
            assert sorted(run.outcomes) == [(1, 10, worker), (2, 20, worker)]

    trio.run(main)


def test_a_game_that_waits_on_a_lost_worker_is_played_on_another_one():
    async def main():
        async with Run().open() as run:
            worker, _, _ = await begin_pair(run)
            run.cluster.remove(worker)
            for _ in range(2):
                address, order = await run.wire.receive_order()
                assert {address} == {A, B} - {worker}
                await run.wire.report(address, GameBegan(order.key), played(order.key, 10))
            assert sorted(number for number, _, _ in run.outcomes) == [1, 2]
            assert run.voids == [(1, "lost")]

    trio.run(main)
