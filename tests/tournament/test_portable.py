"""The start of bots on another machine: another folder here, with other programs on the PATH."""

import re
import shutil
import sys
from pathlib import Path

import msgspec
import pytest
import trio

import sample_bots
from arbiter.clock import TimeSettings
from arbiter.sandbox.files.archive import unpack
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.process import ProcessIsolation
from arbiter.tournament.config import bot_config
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.entries import open_entries
from arbiter.tournament.execution.portable import (
    CannotStart,
    compare_program,
    find_program,
    localize,
    make_portable,
    start_once,
)
from arbiter.tournament.programs import ProgramDigests

STDLIB = Path(sample_bots.__path__[0]) / "stdlib_player.py"
TIME = TimeSettings(start_s=20)
NODE = shutil.which("node")


@pytest.fixture
def base(tmp_path):
    """Make the folder of a tournament with bots of several kinds."""
    base = tmp_path / "event"
    for name in ("plain", "script", "broken", "silent", "helped"):
        (base / name).mkdir(parents=True)
    shutil.copy(STDLIB, base / "plain" / "bot.py")
    text = STDLIB.read_text()
    (base / "script" / "run").write_text(f"#!/usr/bin/env python3\n{text.removeprefix('#!/usr/bin/env python3')}")
    (base / "script" / "run").chmod(0o755)
    (base / "script" / "link").symlink_to("run")
    (base / "broken" / "bot.py").write_text("import a_module_that_only_the_organiser_has\n")
    (base / "silent" / "bot.py").write_text("import time\ntime.sleep(60)\n")
    (base / "helped" / "bot.py").write_text(f"open('help.txt').read()\nimport sys\nopen(sys.argv[1]).read()\n{text}")
    (base / "helped" / "help.txt").write_text("help")
    (base / "weights.bin").write_text("weights")
    (base / "tables").mkdir()
    (base / "tables" / "endings").write_text("endings")
    return base


@pytest.fixture
def folders(tmp_path):
    """Return the folder of the other machine."""
    (tmp_path / "unpacked").mkdir()
    return tmp_path / "unpacked"


BOTS = {
    "plain": {"command": ["./plain/bot.py"]},
    "script": {"command": ["./script/run"]},
    "link": {"command": ["./script/link"]},
    "helped": {"command": [sys.executable, "helped/bot.py", "./weights.bin"], "read": ["weights.bin", "tables"]},
    "random": {},
    "renamed": {"command": [sys.executable, "-I", "-m", "sample_bots.random_player"]},
}


def ship(base, folders, name, entry, *, shared=False, hidden=()):
    """Send a bot to the other machine; return it as it arrives."""
    program = bot_config.find_program(BotConfig(name=name, **entry), base)
    digests = ProgramDigests([program], hidden)
    with open_entries(None, digests) as entries:
        bot = make_portable(program, digests, None if shared else entries)
    if bot.archive is not None:
        (folders / name).mkdir()
        unpack(bot.archive, folders / name)
    return bot


def find_folder(bot, folders):
    """Return the folder into which a bot was unpacked; None if it was not sent."""
    return None if bot.archive is None else folders / bot.program.name


def prepare(bot, folders, isolation=None, time=TIME, *, trusts_all=False):
    """Start a bot once; return its program and the warning."""
    isolation = isolation or ProcessIsolation()

    async def start():
        folder = find_folder(bot, folders)
        program, warning = await find_program(bot, folder, isolation, HiddenFiles(), trusts_all=trusts_all)
        await start_once(program, isolation, time)
        return program, warning

    return trio.run(start)


@pytest.mark.parametrize("shared", [False, True], ids=["sent", "shared"])
def test_bots_start_on_another_machine(base, folders, sandbox, shared):
    bots = [ship(base, folders, name, entry, shared=shared) for name, entry in BOTS.items()]
    if not shared:  # the organiser's files are on the other machine only if its folder is shared
        for name in ("plain", "script", "helped"):
            shutil.rmtree(base / name)
        (base / "weights.bin").unlink()
    for bot in bots:
        program, warning = prepare(bot, folders, sandbox, trusts_all=True)
        assert (program.name, warning) == (bot.program.name, "")
        is_sent = not shared and program.name not in ("random", "renamed")
        assert program.folder.is_relative_to(folders) == is_sent


def test_a_sample_bot_of_an_installed_arbiter_finds_its_libraries_in_a_sandbox(base, sandbox, monkeypatch):
    program = bot_config.find_program(BotConfig(name="random"), base)
    bot = make_portable(program, ProgramDigests([program]), None)
    # Next to the libraries, as if the arbiter was installed from a wheel.
    monkeypatch.setattr(sample_bots, "__path__", [str(Path(msgspec.__file__).parent)])
    program = localize(bot, None)
    probe = sandbox.try_out(program, (program.argv[0], "-I", "-c", "import trio"))
    assert (probe.status, probe.err) == (0, "")


FAULTS = {
    "a missing module": ({"command": ["./broken/bot.py"]}, "a_module_that_only_the_organiser_has"),
    "no answer": ({"command": ["./silent/bot.py"]}, "not ready within 0.1 s"),
    "the bot is not trusted": ({"command": ["./plain/bot.py"], "trusted": False}, "there is no sandbox"),
}


@pytest.mark.parametrize(("entry", "fault"), FAULTS.values(), ids=FAULTS)
def test_a_bot_that_does_not_start_on_a_machine_is_reported_with_the_reason(base, folders, entry, fault):
    bot = ship(base, folders, "mine", {"trusted": True} | entry)
    with pytest.raises(CannotStart, match=re.escape(fault)) as caught:
        prepare(bot, folders, time=TimeSettings(start_s=0.1 if "silent" in str(entry) else 20))
    assert caught.value.was_started == ("sandbox" not in fault)
    assert "red" not in str(caught.value)


@pytest.mark.skipif(NODE is None, reason="allowed: there is no node")
def test_an_interpreter_is_looked_up_on_the_machine(base, folders, tmp_path, monkeypatch):
    (base / "plain" / "bot.js").write_text("// a bot\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "node").symlink_to(NODE)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    bot = ship(base, folders, "mine", {"command": ["node", "plain/bot.js"]})
    assert bot.program.argv[0] == str(tmp_path / "bin" / "node")
    (tmp_path / "bin").rename(tmp_path / "elsewhere")
    with pytest.raises(CannotStart, match="there is no node on this machine; install it"):
        localize(bot, find_folder(bot, folders))
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    program = localize(bot, find_folder(bot, folders))
    assert program.argv[0] == str(tmp_path / "elsewhere" / "node")
    assert program.argv[1] == str(find_folder(bot, folders) / "bot" / "bot.js")


def test_an_interpreter_of_a_first_line_is_looked_up_too(base, folders, tmp_path, monkeypatch):
    bot = ship(base, folders, "mine", {"command": ["./script/run"]})
    assert bot.found.interpreter.startswith("python3 ")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotStart, match="there is no python3 on this machine; install it"):
        compare_program(bot, localize(bot, find_folder(bot, folders)))


def test_another_version_of_an_interpreter_is_a_warning(base, folders, tmp_path, monkeypatch):
    bot = ship(base, folders, "mine", {"command": ["./script/run"]})
    (tmp_path / "python3").write_text("#!/bin/sh\n")
    (tmp_path / "python3").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    warning = compare_program(bot, localize(bot, find_folder(bot, folders)))
    assert warning.endswith(f", on the machine of the organiser with {bot.found.interpreter}")


def test_declared_files_must_be_on_the_machine_and_the_same(base, folders):
    bot = ship(base, folders, "helped", BOTS["helped"])
    folder = find_folder(bot, folders)
    (base / "tables" / "endings").write_text("others")
    with pytest.raises(CannotStart, match=r"its files on this machine differ from .* organiser: read1:endings"):
        compare_program(bot, localize(bot, folder))
    shutil.rmtree(base / "tables")
    with pytest.raises(CannotStart, match=r"read: there is no .*/tables on this machine; copy it there"):
        localize(bot, folder)


def test_the_files_of_the_organiser_in_a_shared_folder_make_no_difference(base, folders):
    file = base / "plain" / "club.toml"
    file.write_text("name = 'club'")
    bot = ship(base, folders, "plain", BOTS["plain"], shared=True, hidden=[file])
    file.write_text("name = 'another'")
    assert compare_program(bot, localize(bot, None)) == ""


def test_a_folder_that_was_changed_on_the_machine_is_refused(base, folders):
    bot = ship(base, folders, "plain", BOTS["plain"])
    unpacked = find_folder(bot, folders) / "bot"
    unpacked.chmod(0o755)
    (unpacked / "bot.py").chmod(0o644)
    (unpacked / "bot.py").write_text("import os\n")
    for number in range(4):
        (unpacked / f"more{number}").touch()
    with pytest.raises(CannotStart, match=r"differ from those of the organiser: bot.py, more0, more1 and 2 more$"):
        prepare(bot, folders, trusts_all=True)


def list_children():
    """List the children of this process; those of multiprocessing stay to the end."""
    tasks = Path("/proc/self/task").glob("*/children")
    return sorted(child for task in tasks for child in task.read_text().split())


def test_no_process_is_left_of_bots_that_were_started(base, folders, adopting):
    before = list_children()
    for name, entry in BOTS.items():
        prepare(ship(base, folders, name, entry), folders, trusts_all=True)
    assert list_children() == before
