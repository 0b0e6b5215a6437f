"""`arbiter kit`: the wheel is complete, and a bot whose environment has nothing else plays with it."""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest
from cli.command_line import call, call_ok, call_refused

import protocol

PACKAGE = Path(protocol.__file__).parent


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_kit(folder="."):
    call_ok("kit", folder)
    [wheel] = Path(folder).glob("stratego_arbiter_kit-*-py3-none-any.whl")
    return wheel


def test_the_wheel_contains_the_package_and_says_what_it_needs():
    with ZipFile(write_kit()) as wheel:
        assert wheel.testzip() is None
        files = {name: wheel.read(name) for name in wheel.namelist()}
    package = {
        f"protocol/{path.relative_to(PACKAGE)}": path.read_bytes()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name: data for name, data in files.items() if name.startswith("protocol/")} == package
    info = {name.partition("/")[2]: data.decode() for name, data in files.items() if ".dist-info/" in name}
    headers = info["METADATA"].partition("\n\n")[0].splitlines()
    assert "Name: stratego-arbiter-kit" in headers
    needs = [line.partition(": ")[2] for line in headers if line.startswith("Requires-Dist")]
    assert needs == ["msgspec>=0.19", 'websockets>=14; extra == "connect"']
    assert "arbiter-connect = protocol.connect:main" in info["entry_points.txt"]
    assert "Requires-Python: >=3.11" in headers
    assert "MIT License" in info["licenses/LICENSE"]
    for row in info["RECORD"].splitlines():
        name, digest, size = row.rsplit(",", 2)
        if digest:
            found = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
            assert (digest, size) == (f"sha256={found}", str(len(files[name])))
    assert len(info["RECORD"].splitlines()) == len(files)


def test_the_same_kit_is_written_again():
    first = write_kit().read_bytes()
    assert write_kit().read_bytes() == first
    assert write_kit("new/folder").read_bytes() == first


def test_a_folder_that_cannot_be_written(folder):
    (folder / "file").write_text("")
    assert "file" in call_refused("kit", "file")


def make_environment():
    """Make an environment with msgspec; return its folder of packages."""
    venv.create("venv", symlinks=True, with_pip=False)
    [packages] = Path("venv/lib").glob("python3*/site-packages")
    shutil.copytree(Path(find_spec("msgspec").origin).parent, packages / "msgspec")
    return packages


def finds(module):
    """Return True if Python finds a module in the environment."""
    probe = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
    return subprocess.run(["venv/bin/python", "-I", "-c", probe], check=False, env=os.environ).returncode == 0


@pytest.mark.heavy
def test_a_bot_in_its_own_environment_with_only_the_kit_plays():
    wheel = write_kit()
    packages = make_environment()
    pip = [sys.executable, "-m", "pip", "--python", "venv/bin/python", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*pip, "install", "--quiet", "--no-compile", "--no-index", "--no-deps", wheel], check=True)
    call_ok("new-bot", "mybot.py", "--kit")
    result = call("match", "venv/bin/python mybot.py", "random", "--rules", "duel", "--games", 2, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert sorted(entry.name for entry in packages.iterdir() if not entry.name.startswith("__")) == [
        "msgspec",
        "protocol",
        f"{wheel.name.split('-py3')[0]}.dist-info",
    ]
    assert not finds("arbiter")


SEARCHER = '''
from random import Random

from arbiter.api import GameState
from protocol.bot import deploy_at_random, run

games = {}


def know(turn):
    """Return what this seat knows of the game."""
    if turn.game not in games:
        games.clear()
        games[turn.game] = GameState.from_view(turn.rules, turn.seat)
    known = games[turn.game]
    known.note_facts(turn.news)
    return known


def note(turn, action):
    games[turn.game].note_action(action)
    return action


def deploy(turn):
    know(turn)
    return note(turn, deploy_at_random(turn))


def choose(turn):
    sample = know(turn).sample(turn.rng)
    assert sample.legal_actions(turn.seat) == turn.legal
    return note(turn, turn.rng.choice(sample.legal_actions(turn.seat)))


run(choose, deploy=deploy, name="searcher", wants=["legal"])
'''


@pytest.mark.heavy
def test_a_bot_with_only_the_kit_and_the_rules_samples_games(folder):
    call_ok("kit", "--rules")
    wheels = sorted(folder.glob("stratego_arbiter_*.whl"))
    assert len(wheels) == 2
    packages = make_environment()
    for path in wheels:
        with ZipFile(path) as wheel:
            wheel.extractall(packages)
    (folder / "searcher.py").write_text(SEARCHER)
    for rules in ("duel", "card-game"):
        result = call("match", "venv/bin/python searcher.py", "random", "--rules", rules, "--games", 2, "--json")
        assert (result.exit_code, result.stderr) == (0, "")
        assert '"forfeits":0' in result.stdout
    assert not finds("arbiter.tournament")
