"""Nothing that a process of a bot leaves behind is seen by the next one, or by one that runs at the same time."""

import json
import os
import shutil
import sys

import pytest
import trio
from referee.real_games import bot, started

from arbiter.sandbox.isolation import Program

FOLDER = bot().folder


def marker(*words):
    """Return the program that looks for marks and leaves its own."""
    return Program(name="marker", argv=(sys.executable, "-ES", str(FOLDER / "leaves_marks.py"), *words), folder=FOLDER)


async def read_marks(process):
    with trio.fail_after(60):
        return json.loads(await process.reader.line())


def test_no_mark_reaches_another_process_of_a_bot(sandbox):
    async def run():
        async with started(marker("twice"), isolation=sandbox, grace_s=0) as first:
            assert await read_marks(first) == []
            own = await read_marks(first)
            async with started(marker(), isolation=sandbox, grace_s=0) as second:
                beside = await read_marks(second)
        async with started(marker(), isolation=sandbox, grace_s=0) as third:
            return own, beside, await read_marks(third)

    own, beside, later = trio.run(run)
    assert {"/tmp/arbiter-mark", "/dev/shm/arbiter-mark", "socket", "ARBITER_MARK"} <= set(own)  # these places work
    assert beside == []
    assert later == []


@pytest.mark.skipif(os.geteuid() != 0, reason="allowed: only root gives files to root")
@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6755])
def test_a_program_with_the_rights_of_root_has_none_in_the_sandbox(sandbox, tmp_path, mode):
    tmp_path.chmod(0o755)
    program = tmp_path / "id"
    shutil.copy("/usr/bin/id", program)
    program.chmod(mode)

    async def run():
        launched = Program(name="id", argv=(str(program),), folder=tmp_path)
        async with started(launched, isolation=sandbox) as process:
            with trio.fail_after(60):
                return await process.reader.line()

    found = trio.run(run)
    assert b"uid=" in found
    assert b"=0(" not in found
    assert b"euid=" not in found
    assert b"egid=" not in found
