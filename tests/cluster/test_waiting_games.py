"""Games that wait on the workers that play the other games of their pairs: they begin there, or are given back."""

from pathlib import Path

import pytest
import trio
import trio.testing
from cluster.test_late_reports import A, B, Run, played
from msgspec.structs import replace
from tournament.tournaments import tournament_file

from arbiter.cluster import coordinator
from arbiter.cluster import worker_games as games
from arbiter.cluster.messages import (
    Assignment,
    GameBegan,
    GameNotBegun,
    GamePlayed,
    GiveBack,
    RunSettings,
    StopGame,
    decode_reports,
    encode,
)
from arbiter.cluster.worker_games import WorkerGames
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.execution.executor import GameSpecs, UsedExcuses
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.new_results import KeptLogs


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


SETTINGS = RunSettings(isolation="process", programs=(), hidden_files=HiddenFiles(), logs=KeptLogs())


def make_orders(numbers):
    """Make orders to play games of two bots, whose keys are their numbers; return the programs of the bots, too."""
    tournament = resolve(tournament_file(("random", "stdlib"), rules="duel"), Path())
    specs = GameSpecs(tournament, "5ec7" * 8)
    fixtures = [make_fixture("random", "stdlib", number, 1) for number in numbers]
    orders = [
        Assignment(
            key=str(fixture.pair),
            fixture=fixture,
            header=specs.make(fixture).header,
            retries=0,
            used_excuses=UsedExcuses(),
            versions={},
            shared=None,
            follow=False,
        )
        for fixture in fixtures
    ]
    return tournament.programs, orders


def test_a_worker_begins_waiting_games_in_order_and_gives_back_only_those_that_have_not_begun(monkeypatch):
    monkeypatch.setattr(games, "adopt_orphans", lambda: None)  # this process would adopt those of other tests
    programs, orders = make_orders(range(1, 6))
    others = (GiveBack("1"), GiveBack("3"), StopGame("4"), GiveBack("9"))
    reports = []

    async def main():
        is_over = trio.Event()

        def receive(data):
            for report in decode_reports(data):
                reports.append((type(report), int(report.key)))
                if isinstance(report, GamePlayed) and report.key == "5":
                    is_over.set()

        worker = WorkerGames(replace(SETTINGS, programs=programs, numbers=(0,)), receive)
        is_ready = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(worker.play, lambda _prepared: is_ready.set())
            with trio.fail_after(60):
                await is_ready.wait()
                worker.obey([encode(order) for order in (*orders, *others)])
                await is_over.wait()
            worker.stop()

    trio.run(main)
    assert reports == [
        (GameNotBegun, 3),
        (GameNotBegun, 4),
        *((kind, number) for number in (1, 2, 5) for kind in (GameBegan, GamePlayed)),
    ]
