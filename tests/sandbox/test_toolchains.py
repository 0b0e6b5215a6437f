"""The files and folders that a program is shown: interpreters, declared paths, and nothing next to them."""

import os
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

import protocol
from arbiter.sandbox.files import toolchains
from arbiter.sandbox.files.toolchains import machine_toolchains
from arbiter.sandbox.files.visible import HiddenFiles, find_own, find_visible
from arbiter.sandbox.isolation import Program


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return a home with a Python, a virtual environment on it, a Node.js, a tool among others, and a secret."""
    folders = "python/bin python/lib/python3.12 venv/bin node/bin node/include/node .local/bin .local/share bots/mine"
    for folder in folders.split():
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "python/lib/python3.12/os.py").touch()
    (tmp_path / "python/bin/python3.12").write_bytes(b"\x7fELF")
    (tmp_path / "venv/bin/python").symlink_to(tmp_path / "python/bin/python3.12")
    (tmp_path / "venv/pyvenv.cfg").write_text(f"home = {tmp_path}/python/bin\nversion = 3.12\n")
    (tmp_path / "node/bin/node").write_bytes(b"\x7fELF")
    (tmp_path / ".local/bin/tool").write_bytes(b"\x7fELF")
    (tmp_path / ".local/share/secret").touch()
    (tmp_path / "bots/mine/bot").write_text(f"#!{tmp_path}/venv/bin/python\n")
    monkeypatch.setenv("PATH", os.pathsep.join(f"{tmp_path}/{folder}/bin" for folder in ("python", "venv", "node")))
    machine_toolchains.cache_clear()
    yield tmp_path
    machine_toolchains.cache_clear()


def visible(program, secrets=None):
    """Return the paths that a program is shown."""
    found = find_visible(program, secrets or HiddenFiles())
    assert found.fault is None
    return tuple(path for _, path in found.paths)


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


BASE = {"bots/mine", "python/bin", "python/lib"}
VENV = {*BASE, "venv/bin", "venv/pyvenv.cfg"}
CASES = [
    (["venv/bin/python"], VENV),
    (["python/bin/python3.12"], BASE),
    (["bots/mine/bot"], VENV),
    (["node/bin/node"], {"bots/mine", "node"}),
    ([".local/bin/tool"], {"bots/mine", ".local/bin/tool"}),
    (["no/such/tool"], {"bots/mine"}),
]


@pytest.mark.parametrize(("argv", "expected"), CASES)
def test_a_command_is_shown_what_it_needs(home, argv, expected):
    assert shown(home, *argv) == expected


def test_the_program_that_a_bridge_starts_is_shown_what_it_needs_too(home):
    assert shown(home, "venv/bin/python", inner=["node/bin/node"]) == {*VENV, "node"}
    assert shown(home, "node/bin/node", inner=["bots/mine/bot"]) == {*VENV, "node"}


def test_links_next_to_a_part_are_links_and_empty_parts_are_left_out(home):
    (home / "venv/lib/python3.12").mkdir(parents=True)
    (home / "venv/lib64").symlink_to("lib")
    (home / "venv/include").mkdir()
    program = Program(name="x", argv=(f"{home}/venv/bin/python",), folder=home / "bots/mine")
    assert shown(home, "venv/bin/python") == {*VENV, "venv/lib"}
    assert find_visible(program, HiddenFiles()).links == ((home / "venv/lib", home / "venv/lib64"),)


def test_a_link_to_another_place_is_shown_as_what_it_leads_to(home):
    (home / "elsewhere").mkdir()
    (home / "bots/other").symlink_to(home / "elsewhere")
    program = Program(name="x", argv=("/usr/bin/env",), folder=home / "bots/other", base=home / "bots")
    found = find_visible(program, HiddenFiles())
    assert found.links == ()
    assert set(found.paths) == {(home / "elsewhere", home / "bots/other"), (home / "elsewhere", home / "elsewhere")}


def test_declared_paths_are_shown_and_no_path_twice(home):
    read = ["node", "node/bin", "bots/mine/bot", "python"]
    assert shown(home, "venv/bin/python", read=read) == {"bots/mine", "venv/bin", "venv/pyvenv.cfg", "python", "node"}


def test_system_folders_are_not_listed(home):
    assert visible(Program(name="x", argv=("/usr/bin/env",), folder=home)) == (home,)


def test_the_arbiters_own_python_includes_the_kit(home):
    paths = visible(Program(name="x", argv=(sys.executable,), folder=home))
    kit = Path(protocol.__path__[0])
    assert any(kit.is_relative_to(path) for path in paths)
    assert any(Path(sys.base_prefix, "lib").is_relative_to(path) for path in (*paths, Path("/usr")))


def test_a_link_of_the_system_to_private_files_is_no_base_of_an_environment(home, monkeypatch):
    """Every machine has some, such as /usr/share/maven/conf, which leads to /etc/maven."""
    (home / "private").mkdir()
    (home / "system").mkdir()
    (home / "system/conf").symlink_to(home / "private")
    monkeypatch.setattr(toolchains, "_SYSTEM_PATHS", (*toolchains._SYSTEM_PATHS, home / "system"))
    for folder in ("bots/mine", "venv"):
        (home / folder / "pyvenv.cfg").write_text(f"home = {home}/system/conf/bin\n")
        (home / folder / "bin").mkdir(exist_ok=True)
    (home / "bots/mine/bin/python").symlink_to("/usr/bin/python3")
    assert shown(home, "bots/mine/bin/python") == {"bots/mine"}
    assert "private" not in shown(home, "venv/bin/python")


def test_a_toolchain_that_contains_the_folder_of_the_operator_is_not_shown(home):
    program = Program(
        name="x", argv=(f"{home}/node/bin/node",), folder=home / "bots/mine", base=home / "node/tournament"
    )
    (home / "node/tournament").mkdir()
    assert visible(program) == (home / "bots/mine",)


def test_circular_links_end(home):
    (home / "bots/mine/one").symlink_to(home / "bots/mine/two")
    (home / "bots/mine/two").symlink_to(home / "bots/mine/one")
    assert shown(home, "bots/mine/one") == {"bots/mine"}


def seen(home, *secrets, folders=()):
    """Name what is shown of the folder of a bot that contains secrets, with the views inside."""
    program = Program(name="x", argv=("/usr/bin/env",), folder=home / "bots/mine")
    found = find_visible(program, HiddenFiles(tuple(secrets), tuple(folders)))
    assert found.fault is None
    views = {str(path.relative_to(home)) for view in found.views for _, path in view.entries}
    return {str(path.relative_to(home)) for _, path in found.paths}, views


def test_a_folder_with_secrets_is_shown_without_them_and_without_names_made_from_theirs(home):
    names = ("bot.py", "club.toml", "club.toml~", ".club.toml.swp", "#club.toml#", "club.py", "club.sqlite-wal")
    for name in names:
        (home / "bots/mine" / name).touch()
    (home / "bots/mine/results").mkdir()
    (home / "bots/link").symlink_to(home / "bots/mine")
    secrets = [home / "bots/link" / name for name in ("club.toml", "club.sqlite")]
    paths, views = seen(home, *secrets, folders=[home / "bots/mine/results"])
    assert (paths, views) == (set(), {"bots/mine/bot", "bots/mine/bot.py", "bots/mine/club.py"})


def test_a_folder_of_secrets_below_is_hidden_as_a_whole(home):
    (home / "bots/mine/out/results").mkdir(parents=True)
    (home / "bots/mine/out/notes").touch()
    paths, views = seen(home, home / "bots/mine/out/results/club.sqlite", folders=[home / "bots/mine/out/results"])
    assert (paths, views) == ({"bots/mine"}, {"bots/mine/out/notes"})


def test_results_in_a_folder_that_does_not_exist_yet_are_hidden(home):
    new = home / "bots/mine/out/results"
    assert seen(home, new / "club.sqlite", folders=[new]) == (set(), {"bots/mine/bot"})
    (home / "bots/mine/bot.d").mkdir()
    assert seen(home, home / "bots/mine/new/club.sqlite") == (set(), {"bots/mine/bot", "bots/mine/bot.d"})


def test_results_in_the_folder_of_a_bot_hide_no_file_of_the_bot(home):
    (home / "bots/mine/bot.sqlite").touch()
    assert seen(home, home / "bots/mine/bot.sqlite", folders=[home / "bots/mine"]) == (set(), {"bots/mine/bot"})


def test_secrets_elsewhere_change_nothing(home):
    secrets = [home / "elsewhere/club.toml", home / ".local/share/secret", home / "bots/club.toml"]
    assert seen(home, *secrets, folders=[home / "bots"]) == ({"bots/mine"}, set())


@pytest.mark.parametrize("folder", ["/tmp", str(Path.home())])
def test_of_a_shared_folder_only_the_files_of_the_command_are_shown(folder):
    with NamedTemporaryFile(dir=folder, suffix=".py") as bot, NamedTemporaryFile(dir=folder) as other:
        program = Program(name="x", argv=("/usr/bin/env", "python3", bot.name), folder=Path(folder))
        assert visible(program) == (Path(bot.name),)
        assert Path(other.name) not in visible(program)


def test_an_interpreter_in_a_shared_folder_is_no_file_of_the_bot(tmp_path, monkeypatch):
    """`python -m venv ~/venv` makes one next to the bot `~/bot.py`."""
    bot = tmp_path / "bot.py"
    bot.touch()
    monkeypatch.setattr(Path, "home", lambda: Path(sys.prefix).parent)
    program = Program(name="x", argv=(sys.executable, str(bot)), folder=Path(sys.prefix).parent)
    assert find_own(program) == ()
