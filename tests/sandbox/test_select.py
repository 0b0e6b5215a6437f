"""The choice of an isolation, what is refused without a sandbox, and what the operator reads."""

import os
import sys
import tempfile
from pathlib import Path

import pytest
from msgspec.structs import replace
from referee.real_games import bot

from arbiter.errors import ConfigError
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.select import ASKED_FOR, select_isolation

TRUSTED = Program(name="sample", argv=("/bin/true",), folder=bot().folder, trusted=True)
BROKEN = """#!/bin/sh
case $1 in
--version) echo bubblewrap 0.9.0;;
--help) echo "    --size BYTES  Set size";;
*) echo "bwrap: setting up uid map: Permission denied" >&2; exit 1;;
esac
"""


@pytest.fixture
def without(monkeypatch):
    """Return a way to have another bwrap than the machine's, or none; every user can reach it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o755)

        def put(script=None):
            if script:
                (path / "bwrap").write_text(script)
                (path / "bwrap").chmod(0o755)
            (path / "unshare").symlink_to("/usr/bin/unshare")
            monkeypatch.setenv("PATH", folder)

        yield put


def refused(asked, *programs):
    with pytest.raises(ConfigError) as caught:
        select_isolation(asked, programs)
    (line,) = str(caught.value).splitlines()
    return line


def test_the_sandbox_is_chosen_if_possible(sandbox):
    choice = select_isolation(None, [bot(), TRUSTED])
    assert (choice.isolation.name, choice.notice) == ("full", None)


def test_no_sandbox_on_request_with_a_notice():
    choice = select_isolation("process", [bot()])
    assert (choice.isolation.name, choice.notice) == ("process", ASKED_FOR)


@pytest.mark.parametrize(
    ("second", "warned"), [({}, True), ({"trusted": True}, False), ({"folder": Path("/one")}, False)]
)
def test_bots_of_several_people_without_a_sandbox_cause_a_warning(second, warned):
    one = replace(bot(), name="one", folder=Path("/one"))
    two = replace(one, name="two", **{"folder": Path("/two")} | second)
    warnings = select_isolation("process", [one, two]).warnings
    assert [line.startswith("without a sandbox, one, two can read and change") for line in warnings] == [True] * warned


def test_without_a_sandbox_trusted_bots_play_with_a_warning(without):
    without()
    choice = select_isolation(None, [TRUSTED])
    assert choice.isolation.name == "process"
    assert "bubblewrap is not installed; install bubblewrap (apt" in choice.notice


OLD = BROKEN.replace("--size", "--some").replace("0.9.0", "0.6.1")
REFUSED = [
    (None, None, "no sandbox for base: bubblewrap is not installed; install bubblewrap (apt"),
    (None, None, "or use --sandbox process for programs that you trust"),
    (None, "full", "--sandbox full: bubblewrap is not installed"),
    (BROKEN, "full", "bubblewrap does not work here: bwrap: setting up uid map: Permission denied; "),
    (OLD, "full", "bubblewrap 0.6.1 is too old; install bubblewrap 0.7 or newer"),
]


@pytest.mark.parametrize(("script", "asked", "words"), REFUSED)
def test_without_a_sandbox_bots_are_refused_with_a_fix(without, script, asked, words):
    without(script)
    assert words in refused(asked, TRUSTED, bot())


@pytest.fixture
def own(tmp_path):
    """Return a program in a folder of its own that everybody may read."""
    folder = tmp_path / "mine"
    folder.mkdir(mode=0o755)
    (folder / "bot.py").touch()
    return Program(name="mine", argv=(sys.executable, str(folder / "bot.py")), folder=folder)


def moved(program, **changes):
    return type(program)(**{name: getattr(program, name) for name in program.__struct_fields__} | changes)


def test_a_program_is_found_in_its_sandbox(sandbox, own):
    assert select_isolation("full", [own]).isolation.name == "full"


def test_files_outside_the_folder_must_be_declared(sandbox, own, tmp_path):
    book = tmp_path / "openings" / "book"
    book.parent.mkdir(mode=0o755)
    book.touch()
    needing = moved(own, argv=(*own.argv, "--book", str(book)))
    assert f"bots.mine: in its sandbox it cannot read {book}; declare what it needs" in refused("full", needing)
    assert select_isolation("full", [moved(needing, read=(book.parent,))]).isolation.name == "full"


def test_a_shim_is_refused(sandbox, own):
    why = refused("full", moved(own, argv=("/home/me/.pyenv/shims/python3",)))
    assert "python3 is a shim, which only searches for the program" in why
    assert "/home/me" not in why, "authors see it too"


@pytest.mark.skipif(os.geteuid() != 0, reason="allowed: only root plays bots under other users")
def test_files_that_only_root_may_read_are_reported(sandbox, own):
    (own.folder / "bot.py").chmod(0o600)
    assert refused("full", own).endswith(f"may not read some of its files; run chmod -R o+rX {own.folder}/bot.py")
    own.folder.chmod(0o700)
    assert refused("full", own).endswith("as another user: let every user reach and read it (chmod -R o+rX)")
