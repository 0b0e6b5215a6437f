"""Processes that play several games: which commands use them, what they print, and that none is left behind."""

import json
import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from cli.command_line import StartedArbiter, bot, call, call_ok, write_tournament
from cli.sleeping_bot import linux_only
from cli.waiting_bot import BOTS

WAIT_S = 60
MATCH = ("--rules", "duel", "--games", "4", "--seed", "1", "--jobs", "1")


@pytest.mark.parametrize(("words", "expected"), [((), "reused"), (("--fresh",), "fresh")])
def test_a_match_uses_processes_for_all_games_unless_it_is_asked_not_to(tmp_path, words, expected, quick_words):
    results = tmp_path / "match.sqlite"
    text = call_ok("match", *quick_words[:2], *MATCH, *words, "--results", results, "--keep-logs")
    assert f"; processes: {expected}; " in text.splitlines()[0]
    objects = [json.loads(line) for line in call_ok("games", results, "--json").splitlines()]
    logs = [call_ok("games", results, "--id", one["id"], "--log") for one in objects]
    greeted = ['"type":"hello"' in log for log in logs]
    assert greeted.count(True) == (1 if expected == "reused" else 4)


def test_a_tournament_starts_new_processes_by_default(tmp_path, quick):
    path = write_tournament(tmp_path, bots=quick[:2], draws={"max_plies": 4})
    assert "; processes: fresh; " in call_ok("run", path)


def test_games_from_one_position_get_new_processes(tmp_path):
    """Each game shows the pieces of the next one."""
    walkers = [bot("base") | {"name": name} for name in ("one", "two")]
    position = "MaaBBBBBBB" + "a" * 20 + "EaaaaaaaaE" + "aa__aa__aa" * 2 + "QaaaaaaaaQ" + "a" * 20 + "YaaNNNNNNN"
    army = {"bomb": 7, "miner": 2, "flag": 1}
    army |= dict.fromkeys(
        ("spy", "scout", "sergeant", "lieutenant", "captain", "major", "colonel", "general", "marshal"), 0
    )
    path = write_tournament(
        tmp_path,
        rules={"base": "original", "army": army},
        bots=walkers,
        processes="reused",
        position=position,
        draws={"max_plies": 4},
    )
    first = call_ok("run", path).splitlines()[0]
    assert "; processes: fresh, because all games begin from one position; " in first


def test_another_value_is_refused(tmp_path):
    result = call("run", write_tournament(tmp_path, processes="both"))
    assert result.exit_code == 2
    assert 'processes: is "both", must be "fresh" or "reused"' in result.stderr


@pytest.mark.parametrize("words", [(), pytest.param(("--workers", "1"), marks=pytest.mark.slow)])
def test_a_bot_that_exits_after_each_game_is_named(tmp_path, words):
    program = bot("second_game")["command"] + ["exits"]
    path = write_tournament(
        tmp_path,
        rules="original",
        bots=[{"name": "one", "command": program}, bot("base")],
        processes="reused",
        draws={"max_plies": 4},
        games=4,
        jobs=1,
    )
    result = call("run", path, *words)
    assert result.exit_code == 0
    assert "one was started again 3 times, because its process ended or failed after a game" in result.stderr
    assert result.stdout.count("after 4 plies: limit of 4 plies reached") == 4


# --- nothing is left ------------------------------------------------------------------------------


def processes_of(folder):
    """List the processes that name a file in a folder, such as bots and the first processes of their sandboxes."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if os.fsencode(folder) in read_command(pid)]


def read_command(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def four_bots(folder):
    """Write a tournament whose second bot thinks for a minute in its first game, while two others wait."""
    folder.chmod(0o755)  # bots of root run as other users
    for name in ("thinks.py", "base.py"):
        shutil.copy(BOTS / name, folder)
    bots = [{"name": name, "command": [sys.executable, "-ES", "./base.py"]} for name in ("one", "three", "four")]
    bots.insert(1, {"name": "two", "command": [sys.executable, "-ES", "./thinks.py", "60"]})
    return write_tournament(folder, rules="original", bots=bots, processes="reused", draws={"max_plies": 4}, jobs=1)


@linux_only
@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("isolation", ["full", "process"])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_is_left_when_the_arbiter_ends(tmp_path, request, isolation, end):
    if isolation == "full":
        request.getfixturevalue("sandbox")
    with StartedArbiter("run", four_bots(tmp_path), "--sandbox", isolation) as running:
        running.read_until("game 2/12")
        wait_for(lambda: len(processes_of(tmp_path)) > 4)  # the arbiter, two bots that play, two that wait
        time.sleep(0.2)
        running.popen.send_signal(end)
        running.popen.wait(WAIT_S)
        wait_for(lambda: bots_of(tmp_path, isolation) == [])


def bots_of(folder, isolation):
    """List the processes of bots; without a sandbox, one that computes reads the end of its input only later."""
    return [pid for pid in processes_of(folder) if isolation == "full" or b"thinks" not in read_command(pid)]


def wait_for(condition):
    limit = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.02)


@linux_only
@pytest.mark.slow
def test_worker_processes_keep_the_processes_of_bots_too(tmp_path):
    for name in ("base.py", "second_game.py"):
        shutil.copy(BOTS / name, tmp_path)
    bots = [
        {"name": name, "command": [sys.executable, "-ES", f"./{file}.py"]}
        for name, file in (("one", "base"), ("two", "second_game"))
    ]
    settings = {"rules": "original", "processes": "reused", "games": 12, "draws": {"max_plies": 4}}
    path = write_tournament(tmp_path, bots=bots, **settings)
    with StartedArbiter("run", path, "--workers", "2") as running:
        assert running.finish() == (0, "")
    games = [json.loads(line) for line in call_ok("games", path, "--json").splitlines()]
    earlier = [one["conditions"]["earlier_games"].get("red", 0) for one in games]
    assert (len(earlier), earlier.count(0)) == (12, 2)
    wait_for(lambda: processes_of(tmp_path) == [])
