"""Isolation `process` ends the daemons that bots leave behind, in whichever way they hide, and no process of others."""

import itertools
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
import trio
from referee.real_games import TrackedIsolation, bot, processes_with_mark, started

from arbiter.sandbox.isolation import Program

BOT = Path(__file__).parent.parent / "bots/daemonises.py"
WAYS = [
    "+".join(way)
    for way in itertools.product(
        ("kept", "cleared", "forged"), ("single", "double", "triple"), ("session", "group", "plain")
    )
] + [
    "cleared+double+session+detached",
    "cleared+double+session+deaf",
    "cleared+double+session+stopped",
    "cleared+double+session+late",
    "cleared+double+session+leaves",
    "cleared+single+session+leaves",
    "cleared+triple+session+detached+deaf+late+leaves",
    "cleared+single+session+sibling",
    "cleared+double+session+sibling",
    "cleared+single+plain+sibling+leaves",
    "kept+single+session+sibling+detached",
    "forged+double+session+leaves+deaf",
    "forged+single+session+sibling+late",
]


def running(number):
    """Return the processes of a daemon."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if f"3600.{number}".encode() in words:
            found.append(int(entry.name))
    return found


def numbers(count):
    return [f"{os.getpid()}{place:03}" for place in range(count)]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="allowed: the number of a system call is that of x86-64")
@pytest.mark.parametrize("ways", [WAYS[::3], WAYS], ids=["some", "all"])
@pytest.mark.heavy(keep=1)
def test_no_daemon_outlives_its_bot(adopting, ways):
    """The bots end one after another; the bot next to them, its helper and the arbiter's own child live on."""
    isolation = TrackedIsolation()
    tokens = dict(zip(ways, numbers(len(ways)), strict=True))
    survivors = {}

    async def play():
        async with started(bot("leaves_a_grandchild"), isolation=isolation, grace_s=0) as honest:
            assert await honest.reader.line() == b"here"
            before = processes_with_mark(isolation.marks[0])
            for way, number in tokens.items():
                argv = (sys.executable, "-ES", str(BOT), way, number, isolation.marks[0])
                program = Program(name="daemonises", argv=argv, folder=BOT.parent)
                async with started(program, isolation=isolation, grace_s=0) as process:
                    with trio.fail_after(60):
                        assert await process.reader.line() == b"here"
                if not way.startswith("forged") and (left := running(number)):
                    survivors[way] = left
            assert sorted(set(before) & set(processes_with_mark(isolation.marks[0]))) == sorted(before)

    with subprocess.Popen(["/bin/sleep", "3600"], start_new_session=True) as own:
        trio.run(play)
        assert own.poll() is None
        own.kill()
    survivors |= {way: left for way, number in tokens.items() if (left := running(number))}
    assert survivors == {}
    assert isolation.leftovers() == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="allowed: the number of a system call is that of x86-64")
def test_bots_that_end_at_the_same_time_leave_no_daemon(adopting):
    isolation = TrackedIsolation()
    ways = dict(zip(WAYS[9:18], numbers(9), strict=True))

    async def play():
        async with trio.open_nursery() as nursery:
            for way, number in ways.items():
                nursery.start_soon(play_one, way, number)

    async def play_one(way, number):
        argv = (sys.executable, "-ES", str(BOT), way, number, "")
        program = Program(name="daemonises", argv=argv, folder=BOT.parent)
        async with started(program, isolation=isolation, grace_s=0) as process:
            assert await process.reader.line() == b"here"

    trio.run(play)
    assert [way for way, number in ways.items() if running(number)] == []
    assert isolation.leftovers() == []
