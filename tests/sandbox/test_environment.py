"""Environment variables of a bot: those of its entry, in both isolations, and never the arbiter's own."""

import json
import sys

import pytest
from referee.real_games import started
from trio.testing import trio_test

from arbiter.sandbox.isolation import Program
from arbiter.sandbox.process import ProcessIsolation

PRINT = "import json, os; print(json.dumps({name: os.environ.get(name) for name in ('DEPTH', 'TEXT', 'HOME', 'SECRET')}), flush=True); input()"


@pytest.mark.parametrize("kind", ["process", "full"])
@trio_test
async def test_a_bot_gets_its_variables_and_no_others(kind, request, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "of the operator")
    isolation = ProcessIsolation() if kind == "process" else request.getfixturevalue("sandbox")
    tmp_path.chmod(0o755)
    program = Program(
        name="bot",
        argv=(sys.executable, "-c", PRINT),
        folder=tmp_path,
        environment=(("DEPTH", "3"), ("TEXT", "two words = 2")),
    )
    async with started(program, isolation=isolation, grace_s=0) as process:
        found = json.loads(await process.reader.line())
    assert found.pop("HOME")
    assert found == {"DEPTH": "3", "TEXT": "two words = 2", "SECRET": None}
