"""A cluster of two machines: two host names and two folders for temporary files on this machine."""

import json
import signal
import socket
import subprocess
import time
from collections import Counter

import pytest
from cli.command_line import ARBITER, PATIENCE_S, call, call_ok, write_tournament
from cli.sleeping_bot import SAMPLE
from cluster.dask_processes import read_results
from cluster.machines import needs_names, two_machines

pytestmark = needs_names
HERE = socket.gethostname()

# Plays everywhere but in the attic.
PICKY = "import socket, sys\nif socket.gethostname() == 'attic':\n    sys.exit('there is no cellar here')\n"


@pytest.fixture
def event(tmp_path):
    """Return the folder of a tournament with a bot for all machines and a picky one."""
    event = tmp_path / "event"
    for name in ("plain", "picky"):
        (event / name).mkdir(parents=True)
        text = SAMPLE.read_text()
        (event / name / "bot.py").write_text(PICKY + text if name == "picky" else text)
    return event


def bot(name, folder="plain"):
    return {"name": name, "command": [f"./{folder}/bot.py"]}


def bot_folders(*places):
    """Return what is in the folders of unpacked bots."""
    return [path for place in places for path in place.glob("arbiter-unpacked-*")]


def wait_until_removed(*places):
    """Wait until the workers have removed the folders of unpacked bots, which they do after the run."""
    limit = time.monotonic() + PATIENCE_S
    while bot_folders(*places):
        assert time.monotonic() < limit, bot_folders(*places)
        time.sleep(0.1)


def test_bots_are_sent_to_the_machines_that_can_start_them_and_pairs_stay_together(event, machines):
    file = write_tournament(event, bots=(bot("one"), bot("picky", "picky"), "random"), games=4)
    with machines.behaving(pattern="^ends .*one~random"):
        doctor = call("doctor", "--cluster", machines.file, "--json")  # machines without a sandbox are faults
        rows = [json.loads(line) for line in doctor.stdout.splitlines()]
        rows = [row for row in rows if "port" not in row]
        assert {row["host"] for row in rows} == {"attic", HERE}
        assert all(row["speed"] > 0 and row["slots"] >= 1 and row["workers"] == 1 for row in rows)
        result = call("run", file, "--cluster", machines.file)
        assert result.exit_code == 0, result.stderr
        logs = call_ok("doctor", "--cluster", machines.file, "--logs", "attic", "--json").splitlines()
        logs = [json.loads(one) for one in logs]
        wait_until_removed(*machines.places)
    assert len({one["worker"] for one in logs}) == 1
    assert any("one~random~" in one["line"] for one in logs)
    assert "bots.picky: does not play on attic: picky's program exited with status 1" in result.stderr
    assert "there is no cellar here" in result.stderr
    assert f"picky: does not play on {HERE}" not in result.stderr
    games, attempts = read_results(file)
    assert len(games) == 12
    assert attempts == []
    assert {game.ending for game in games} & {"no_start", "crash"} == set()
    hosts = {game.id: game.conditions.host for game in games}
    assert {host for id_, host in hosts.items() if "picky" in id_} == {HERE}
    assert set(hosts.values()) == {"attic", HERE}
    pairs = {(frozenset((game.red, game.blue)), game.pair): set() for game in games}
    for game in games:
        pairs[frozenset((game.red, game.blue)), game.pair].add(hosts[game.id])
    assert Counter(map(len, pairs.values())) == {1: 6}
    assert all(game.conditions.speed for game in games)


@pytest.mark.slow
def test_the_files_of_bots_are_removed_after_the_coordinator_was_killed(event, tmp_path):
    (event / "plain" / "bot.py").write_text(f"import time\ntime.sleep(0.05)\n{SAMPLE.read_text()}")
    file = write_tournament(event, bots=(bot("one"), bot("two")), games=200)
    with two_machines(tmp_path) as (cluster, places):
        command = [ARBITER, "run", file, "--cluster", cluster.file, "--sandbox", "process", "--force-jobs"]
        coordinator = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True)
        try:
            while not coordinator.stdout.readline().startswith("game 3/"):
                assert coordinator.poll() is None
            assert bot_folders(*places)
        finally:
            coordinator.send_signal(signal.SIGKILL)
            coordinator.wait()
            coordinator.stdout.close()
        wait_until_removed(*places)


@pytest.mark.slow
def test_a_folder_that_cannot_be_sent_is_reported_before_the_first_game(event, tmp_path):
    (event / "plain" / "all").symlink_to("/etc")
    file = write_tournament(event, bots=(bot("one"), bot("two")))
    with two_machines(tmp_path) as (cluster, places):
        result = call("run", file, "--cluster", cluster.file)
        wait_until_removed(*places)
    assert result.exit_code == 2
    assert result.stderr == (
        "arbiter: bots.one: 'all' is a link out of the folder, to '/etc'; replace it by a file, or set shared = true in "
        "[cluster] if all machines have it at the same path\n"
    )
    assert not (event / "results" / f"{file.stem}.sqlite").exists()


@pytest.mark.slow
def test_a_bot_that_starts_on_no_machine_is_to_blame(event, tmp_path):
    (event / "picky" / "bot.py").write_text("import nothing_that_exists\n")
    file = write_tournament(event, bots=(bot("one"), bot("picky", "picky")), games=4)
    with two_machines(tmp_path, first=0) as (cluster, places):
        result = call("run", file, "--cluster", cluster.file)
        wait_until_removed(*places)
    assert result.exit_code == 0
    assert "bots.picky: does not start on any machine: " in result.stderr
    games, _ = read_results(file)
    assert {(game.ending, {"red": game.red, "blue": game.blue}[game.winner]) for game in games} == {("no_start", "one")}
