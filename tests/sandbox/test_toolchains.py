"""The files and folders that a program is shown: interpreters, declared paths, and nothing next to them."""

import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

import protocol
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.toolchains import hidden, visible


@pytest.fixture
def home(tmp_path):
    """Return a home with a Python, a virtual environment on it, a Node.js, a tool among others, and a secret."""
    for folder in [
        "python/bin",
        "python/lib/python3.12",
        "venv/bin",
        "node/bin",
        "node/include/node",
        ".local/bin",
        ".local/share",
        "bots/mine",
    ]:
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "python/lib/python3.12/os.py").touch()
    (tmp_path / "python/bin/python3.12").write_bytes(b"\x7fELF")
    (tmp_path / "venv/bin/python").symlink_to(tmp_path / "python/bin/python3.12")
    (tmp_path / "venv/pyvenv.cfg").write_text(f"home = {tmp_path}/python/bin\nversion = 3.12\n")
    (tmp_path / "node/bin/node").write_bytes(b"\x7fELF")
    (tmp_path / ".local/bin/tool").write_bytes(b"\x7fELF")
    (tmp_path / ".local/share/secret").touch()
    (tmp_path / "bots/mine/bot").write_text(f"#!{tmp_path}/venv/bin/python\n")
    return tmp_path


def shown(home, *argv, inner=(), read=()):
    """Name what is shown below the home for a command of programs in it."""
    command, started, declared = (tuple(home / word for word in words) for words in (argv, inner, read))
    paths = visible(
        Program(
            name="x",
            argv=tuple(map(str, command)),
            inner=tuple(map(str, started)),
            folder=home / "bots/mine",
            read=declared,
        )
    )
    return {str(path.relative_to(home)) for path in paths}


CASES = [
    (["venv/bin/python"], {"bots/mine", "venv", "python"}),
    (["python/bin/python3.12"], {"bots/mine", "python"}),
    (["bots/mine/bot"], {"bots/mine", "venv", "python"}),
    (["node/bin/node"], {"bots/mine", "node"}),
    ([".local/bin/tool"], {"bots/mine", ".local/bin/tool"}),
    (["no/such/tool"], {"bots/mine"}),
]


@pytest.mark.parametrize(("argv", "expected"), CASES)
def test_a_command_is_shown_what_it_needs(home, argv, expected):
    assert shown(home, *argv) == expected


def test_the_program_that_a_bridge_starts_is_shown_what_it_needs_too(home):
    assert shown(home, "venv/bin/python", inner=["node/bin/node"]) == {"bots/mine", "venv", "python", "node"}
    assert shown(home, "node/bin/node", inner=["bots/mine/bot"]) == {"bots/mine", "venv", "python", "node"}


def test_declared_paths_are_shown_and_no_path_twice(home):
    read = ["node", "node/bin", "bots/mine/bot", "python"]
    assert shown(home, "venv/bin/python", read=read) == {"bots/mine", "venv", "python", "node"}


def test_system_folders_are_not_listed(home):
    assert visible(Program(name="x", argv=("/usr/bin/env",), folder=home)) == (home,)


def test_the_arbiters_own_python_includes_the_kit(home):
    paths = visible(Program(name="x", argv=(sys.executable,), folder=home))
    kit = Path(protocol.__path__[0])
    assert any(kit.is_relative_to(path) for path in paths)
    assert any(Path(sys.base_prefix).is_relative_to(path) for path in (*paths, Path("/usr")))


def test_circular_links_end(home):
    (home / "one").symlink_to(home / "two")
    (home / "two").symlink_to(home / "one")
    assert shown(home, "one") == {"bots/mine"}


def test_secrets_are_hidden_in_folders_that_are_shown(home):
    (home / "bots/mine/results").mkdir()
    for name in ("club.sqlite", "club.sqlite-wal", "other.sqlite"):
        (home / "bots/mine/results" / name).touch()
    (home / "bots/link").symlink_to(home / "bots/mine")
    secrets = [home / "bots/link/results/club.*", home / "elsewhere/club.toml", home / ".local/share/secret"]
    assert {str(path.relative_to(home)) for path in hidden(secrets, [home / "bots/mine"])} == {
        "bots/mine/results/club.sqlite",
        "bots/mine/results/club.sqlite-wal",
    }


@pytest.mark.parametrize("folder", ["/tmp", str(Path.home())])
def test_of_a_shared_folder_only_the_files_of_the_command_are_shown(folder):
    with NamedTemporaryFile(dir=folder, suffix=".py") as bot, NamedTemporaryFile(dir=folder) as other:
        program = Program(name="x", argv=("/usr/bin/env", "python3", bot.name), folder=Path(folder))
        assert visible(program) == (Path(bot.name),)
        assert Path(other.name) not in visible(program)
