"""A cluster of machines that differ: in speed, sandbox and programs, and in how many games they void."""

import json
import re
import shutil
import socket
import subprocess
import sys

import pytest
from cli.command_line import ARBITER, call, call_ok, write_tournament
from cli.sleeping_bot import SAMPLE
from cluster.dask_processes import read_results
from cluster.machines import needs_names, two_machines

from arbiter.record import read_record
from arbiter.sandbox.select import ASKED_FOR
from arbiter.tournament.results.store import Store

pytestmark = needs_names
PERL = shutil.which("perl")

HERE = socket.gethostname()

# Needs 0.2 s of processor time for its deployment in the attic.
BURNER = """
import runpy, socket, sys, time
from pathlib import Path
class Input:
    def __init__(self, lines):
        self._lines = lines
    def __iter__(self):
        for line in self._lines:
            if '"setup"' in line and socket.gethostname() == "attic":
                begun = time.process_time()
                while time.process_time() < begun + 0.2:
                    pass
            yield line
sys.stdin = Input(sys.stdin)
runpy.run_path(str(Path(__file__).parent / "player.py"), run_name="__main__")
"""
TIME = {"clock": "cpu", "setup_s": 0.1, "wall_factor": 1000, "start_s": 60}


def write_burners(folder, *, scale_time):
    """Write a tournament of two bots that need long for their deployments in the attic."""
    folder.mkdir()
    shutil.copy(SAMPLE, folder / "player.py")
    (folder / "burner.py").write_text(BURNER)
    bots = [{"name": name, "command": ["./burner.py"]} for name in ("one", "two")]
    return write_tournament(folder, bots=bots, games=4, time=TIME, cluster={"scale_time": scale_time})


def run(file, cluster, *options):
    """Run a tournament with the isolation that the machines have; return the lines of stdout and stderr as printed."""
    command = [*map(str, [ARBITER, "run", file, "--cluster", cluster.file, *options])]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout.splitlines()


def read_headers(file):
    """Return the games of a tournament by the hosts that played them, each with the header of its record."""
    by_host = {}
    with Store.read(file.parent / "results" / f"{file.stem}.sqlite") as store:
        for game in store.games():
            by_host.setdefault(game.conditions.host, []).append((game, read_record(store.record(game.id)).header))
    return by_host


@pytest.mark.heavy
def test_the_clocks_of_a_slow_machine_are_scaled(tmp_path, machines):
    scaled = write_burners(tmp_path / "scaled", scale_time=True)
    unscaled = write_burners(tmp_path / "unscaled", scale_time=False)
    with machines.behaving(first=1):
        for file in (scaled, unscaled):
            call_ok("run", file, "--cluster", machines.file)
    for file in (scaled, unscaled):
        games = read_headers(file)
        assert games.keys() == {"attic", HERE}
        for host, played in games.items():
            for game, header in played:
                speed = game.conditions.speed
                assert speed == 0.1 if host == "attic" else speed > 0.1
                assert header.time.setup_s == (round(0.1 / speed, 3) if file == scaled else 0.1)
                assert game.conditions.lag_ms >= 0
                assert game.conditions.load is None or game.conditions.load >= 0
                assert (game.ending == "timeout") == (file == unscaled and host == "attic")
        call_ok("verify", file)
    game, header = read_headers(scaled)["attic"][0]
    (shown,) = [one for one in map(json.loads, call_ok("games", scaled, "--json").splitlines()) if one["id"] == game.id]
    assert (shown["conditions"]["host"], shown["conditions"]["speed"]) == ("attic", 0.1)
    assert call_ok("replay", scaled, game.id, "--plain")
    event = call_ok("standings", scaled, "--show", "event")
    assert "all divided by the speed of a core" in event
    assert "0.1 to " in event


# --- sandboxes ------------------------------------------------------------------------------------


def list_sandboxes(file):
    """Return the hosts that played games, each with the sandbox in the records and conditions of its games."""
    games = read_headers(file)
    assert all(game.conditions.sandbox == header.sandbox for played in games.values() for game, header in played)
    return {(host, header.sandbox) for host, played in games.items() for _, header in played}


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_machines_with_and_without_a_sandbox_are_mixed_only_if_the_tournament_allows_it(tmp_path):
    bots = ("hunter", "random")
    apart = write_tournament(tmp_path, name="apart", bots=bots, games=8)
    mixed = write_tournament(tmp_path, name="mixed", bots=bots, games=8, cluster={"mix_sandboxes": True})
    with two_machines(tmp_path, first=0, missing=[shutil.which("bwrap")]) as (cluster, _):
        doctor = call("doctor", "--cluster", cluster.file, "--json")
        printed = {apart: run(apart, cluster)}
        cluster.let_first(1)
        printed[mixed] = run(mixed, cluster)
    notices = {file: [line for line in lines if line.startswith("arbiter: ")] for file, lines in printed.items()}
    machines = {row["host"]: row for row in map(json.loads, doctor.stdout.splitlines()) if "port" not in row}
    assert doctor.exit_code == 1
    assert {host: row["sandbox"] for host, row in machines.items()} == {"attic": "process", "cellar": "full"}
    (missing,) = machines["attic"]["missing"]
    assert missing.startswith("sandbox: bubblewrap is not installed")
    advice = f"{missing}, or set mix_sandboxes = true in [cluster]"
    refusal = f"arbiter: attic does not play, because it has no sandbox and others have one: {advice}"
    assert notices[apart] == [refusal]
    assert list_sandboxes(apart) == {("cellar", "full")}
    assert notices[mixed] == ["arbiter: bots run without a sandbox on attic, and in one on the other machines"]
    assert list_sandboxes(mixed) == {("cellar", "full"), ("attic", "process")}
    assert re.search(
        r"Sandbox +(full|process) \(\d games?\); (full|process) \(\d games?\)",
        call_ok("standings", mixed, "--show", "event"),
    )
    call_ok("verify", mixed)


# --- programs -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(PERL is None, reason="allowed: there is no perl")
def test_a_bot_whose_interpreter_is_missing_on_one_machine_plays_on_the_others(tmp_path):
    shutil.copy(SAMPLE, tmp_path / "player.py")
    (tmp_path / "player.pl").write_text(f"exec '{sys.executable}', 'player.py';\n")
    bots = ({"name": "foreign", "command": ["perl", "./player.pl"]}, "hunter", "random")
    file = write_tournament(tmp_path, bots=bots, games=4)
    with two_machines(tmp_path, missing=[PERL]) as (cluster, _):
        cluster.let_first(1, "^ends .*hunter~random")
        lines = run(file, cluster, "--sandbox", "process")
    assert [line for line in lines if line.startswith("arbiter: ")] == [
        f"arbiter: {ASKED_FOR}",
        "arbiter: bots.foreign: does not play on attic: there is no perl on this machine; install it",
    ]
    games, attempts = read_results(file)
    assert (len(games), attempts) == (12, [])
    assert {game.conditions.host for game in games if "foreign" in game.id} == {"cellar"}
    assert {game.conditions.host for game in games} == {"attic", "cellar"}
    assert {game.ending for game in games} & {"no_start", "crash"} == set()


# --- voided games ---------------------------------------------------------------------------------

FAILING = """
from arbiter.tournament.execution import local
async def play_game(*_arguments, **_options):
    raise OSError(28, "No space left on device")
local.play_game = play_game
"""


@pytest.mark.slow
def test_a_machine_that_voids_its_games_is_excluded_and_the_others_play_them(tmp_path):
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=24)
    with two_machines(tmp_path, first=5, preload=FAILING) as (cluster, _):
        result = call("run", file, "--cluster", cluster.file)
    assert result.exit_code == 0, result.stderr
    named, excluded = result.stderr.splitlines()
    assert named.startswith("arbiter: attic voids more games than the other machines: ")
    assert excluded.startswith("arbiter: attic plays no more games, because ")
    assert excluded.endswith(" games were voided, more than four times as many as on the other machines")
    games, attempts = read_results(file)
    assert len(games) == 24
    assert {game.conditions.host for game in games} == {"cellar"}
    assert {(attempt.cause, attempt.conditions.host) for attempt in attempts} == {("error", "attic")}
    assert all("No space left on device" in attempt.why for attempt in attempts)
    call_ok("verify", file)


ENDING = """
import os
from arbiter.cluster import worker
worker.ArbiterPlugin.play = lambda *_arguments: os._exit(1)
"""


@pytest.mark.slow
def test_a_machine_whose_workers_end_before_each_game_does_not_hold_up_the_others(tmp_path):
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=4)
    with two_machines(tmp_path, first=0, preload=ENDING) as (cluster, _):
        call_ok("run", file, "--cluster", cluster.file)  # reports nothing: workers come and go
    games, attempts = read_results(file)
    assert {game.conditions.host for game in games} == {"cellar"}
    assert (len(games), attempts) == (4, [])
