"""Shares of the processor: bots that keep every core busy while their opponent thinks, or continue while stopped."""

import os
import secrets
import signal
import statistics
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace
from referee.real_games import AMPLE, TrackedIsolation, bot, make_spec, processes_with_mark, started
from referee.sandboxed_games import play_in_sandbox, processes_with_argument
from trio.testing import trio_test

from arbiter.games.ruleset import Overrides
from arbiter.referee.game import play_game
from arbiter.referee.off_turn import OffTurn
from arbiter.sandbox import cores as sandbox_cores
from arbiter.sandbox import select

LIMIT_S = 100
PLIES = Overrides(no_attack_plies=0, max_plies=10)
LONG_GAME = replace(PLIES, max_plies=1000)
MOST_COMPARISONS = 20
SLOWDOWN = 8  # far below what 55 processes do to one that shares two cores with them on equal terms


def find_threads(word):
    """List the threads of a bot that has a word in its command line, without those of the sandbox."""
    threads = []
    for pid in processes_with_argument(word):
        with suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text().startswith("python"):
                threads += [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
    return threads


def examine(threads, what):
    """Return what is true of threads that have not ended."""
    found = set()
    for thread in threads:
        with suppress(OSError):
            found.add(what(thread))
    return found


def session(thread):
    """Return the group of processes that a thread is scheduled in, with the priority of the group."""
    group = Path(f"/proc/{thread}/autogroup").read_text().strip()
    if not group:
        raise ProcessLookupError("a thread that ends is in no group")
    return group


def cores(thread):
    return frozenset(os.sched_getaffinity(thread))


@asynccontextmanager
async def busy_bot(sandbox, way):
    """Start a bot that keeps every core busy, and restrain it off turn; yield its restraint and its threads."""
    word = secrets.token_hex(8)
    async with started(bot("hogs", way, word), isolation=sandbox, grace_s=0) as process:
        await process.writer.send(b'{"type": "start", "seat": "red"}\n')
        off_turn = OffTurn(process, pondering=True)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(off_turn.watch)
            yield off_turn, lambda: find_threads(word)
            off_turn.close()


async def wait_until(true):
    with trio.fail_after(LIMIT_S):
        while not true():  # noqa: ASYNC110 - the kernel and a bot change it
            await trio.sleep(0.05)


@pytest.mark.parametrize("way", ["processes", "storm"])
@pytest.mark.slow(keep=1)
@trio_test
async def test_all_processes_of_a_bot_are_one_group_with_a_low_priority_off_turn(sandbox, way):
    if not sandbox_cores.can_change_sessions():
        pytest.skip("allowed: not root, or sessions are not scheduled as groups")
    async with busy_bot(sandbox, way) as (off_turn, threads):
        await wait_until(lambda: len(threads()) > 4)
        (group,) = examine(threads(), session)
        assert group.endswith("nice 0")
        off_turn.begin(trio.current_time())
        await wait_until(lambda: examine(threads(), session) == {group.replace("nice 0", "nice 19")})
        assert examine(threads(), os.sched_getscheduler) == {os.SCHED_OTHER}
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert examine(threads(), lambda thread: os.getpriority(os.PRIO_PROCESS, thread)) == {own}
        off_turn.end()
        assert examine(threads(), session) == {group}


@pytest.mark.parametrize("way", ["threads", "processes", "storm"])
@pytest.mark.slow(keep=1)
@trio_test
async def test_without_the_rights_of_root_a_busy_bot_is_confined_to_half_of_the_cores(sandbox, way, monkeypatch):
    every = sorted(os.sched_getaffinity(0))
    if len(every) < 2:
        pytest.skip("allowed: one core")
    monkeypatch.setattr(sandbox_cores, "can_change_sessions", lambda: False)
    async with busy_bot(sandbox, way) as (off_turn, threads):
        await wait_until(lambda: len(threads()) > 4)
        assert examine(threads(), cores) == {frozenset(every)}
        off_turn.begin(trio.current_time())
        await wait_until(lambda: examine(threads(), cores) == {frozenset(every[len(every) // 2 :])})


def median_ms(sandbox, opponent):
    """Return the median time of a bot's answers next to an opponent."""
    played = play_in_sandbox(sandbox, opponent, bot("uses_cpu", "30"), overrides=PLIES)
    assert played.outcome == ("ply_limit", None)
    return statistics.median(act.ms for act in played.acts[2:] if act.seat == "blue")


@pytest.mark.heavy
@pytest.mark.parametrize("way", ["processes", "threads", "storm", "thrash"])
@pytest.mark.slow(keep=1)
def test_a_bot_that_keeps_every_core_busy_hardly_slows_its_opponent(sandbox, way):
    """Other programs may slow it too, so it is compared with itself against a quiet opponent, several times."""
    assert any(
        median_ms(sandbox, bot("hogs", way)) < SLOWDOWN * median_ms(sandbox, bot()) for _ in range(MOST_COMPARISONS)
    )


@pytest.fixture
def sandbox_without_groups(sandbox, monkeypatch):
    """Return a sandbox on a machine without control groups."""
    assert sandbox
    monkeypatch.setattr(select, "_find_groups", lambda: None)
    return select.open_sandbox()


@pytest.mark.parametrize(
    ("kind", "way"), [("sandbox", "alarms"), ("sandbox_without_groups", "shouts"), ("sandbox_without_groups", "alarms")]
)
@pytest.mark.heavy(keep=2)
@trio_test
async def test_a_stopped_bot_cannot_continue_or_loses(request, kind, way):
    """With SIGSTOP, many processes that send SIGCONT to each other may continue for a moment."""
    sandbox = request.getfixturevalue(kind)
    async with started(bot("continues", way), isolation=sandbox, grace_s=0) as process:
        await process.writer.send(b'{"type": "start", "seat": "red"}\n')
        before = process.cpu_ms()
        await wait_until(lambda: process.cpu_ms() > before + 30)
        off_turn = OffTurn(process, pondering=False)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(off_turn.watch)
            off_turn.begin(trio.current_time())
            with trio.fail_after(LIMIT_S):
                while await grows(process) and not off_turn.breach:
                    pass
            assert way == "shouts" or not off_turn.breach
            off_turn.close()


async def grows(process):
    """Return True if a program uses the processor; it has some time, in which a busy machine may not run it."""
    before = process.cpu_ms()
    await trio.sleep(0.2)
    return process.cpu_ms() > before


@pytest.mark.usefixtures("adopting")
@trio_test
async def test_a_bot_that_continues_loses():
    """Here this process continues it, as another program of the same user could."""
    isolation = TrackedIsolation()
    time = replace(AMPLE, pondering=False, increment_s=AMPLE.bank_s)
    spec = make_spec(bot("uses_cpu_in_background"), bot("thinks", "0.1"), time=time, overrides=LONG_GAME)

    async def continue_all():
        while True:
            pids = [pid for mark in isolation.marks for pid in processes_with_mark(mark)]
            for _ in range(50):
                for pid in pids:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGCONT)
                await trio.sleep(0.002)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(continue_all)
        played = await play_game(spec, isolation)
        nursery.cancel_scope.cancel()
    assert (played.result.ending, played.result.winner) == ("protocol", "blue")
    assert "ran while they were stopped" in played.result.why
