"""Workers that send damaged or false results: their machines play no more games."""

import socket

import pytest
from cli.command_line import call, write_tournament
from cluster.dask_processes import read_results
from cluster.machines import Machines, needs_names

from arbiter.cluster import coordinator

pytestmark = needs_names

# Loaded into a worker before it plays.
LIES = {
    "the winner": """
from msgspec.structs import replace
from arbiter.cluster import games
from arbiter.tournament.execution.arrival import report_played as honest
def lie(played, log):
    report = honest(played, log)
    winner = {"red": "blue", "blue": "red", None: "red"}[report.result.winner]
    return replace(report, result=replace(report.result, winner=winner))
games.report_played = lie
""",
    "its duration": """
from msgspec.structs import replace
from arbiter.cluster import games
from arbiter.tournament.execution.arrival import report_played as honest
games.report_played = lambda played, log: replace(honest(played, log), seconds=3600.0)
""",
    "the time of a bot": """
from msgspec.structs import replace
from arbiter.cluster import games
from arbiter.tournament.execution.arrival import report_played as honest
games.report_played = lambda played, log: replace(honest(played, log), used_ms={"red": 60_000.0, "blue": 60_000.0})
""",
    "its speed": """
from msgspec.structs import replace
from arbiter.cluster import games
from arbiter.cluster.messages import TaskReport
def lie(machine, **report):
    return TaskReport(machine=replace(machine, speed=machine.speed / 2), **report)
games.TaskReport = lie
""",
    "the name of its worker": """
from msgspec.structs import replace
from arbiter.cluster import games
from arbiter.cluster.messages import TaskReport
def lie(machine, worker, **report):
    return TaskReport(machine=replace(machine, id="none", host="nowhere"), worker="tcp://127.0.0.1:1", **report)
games.TaskReport = lie
""",
    "damage": """
from arbiter.cluster import worker
from arbiter.cluster.messages import encode as honest
worker.encode = lambda report: honest(report)[::-1]
""",
}
FAULTS = {
    "the winner": "its record breaks the rules: the result is ",
    "its duration": "its games took ",
    "the time of a bot": "red used 60000 ms, but the game took ",
    "its speed": "it describes its machine otherwise than its worker when it joined",
    "the name of its worker": "it describes its machine otherwise than its worker when it joined",
    "damage": "it cannot be read: ",
}


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("lie", LIES)
def test_a_machine_that_lies_plays_no_more_games(tmp_path, machines, monkeypatch, lie):
    monkeypatch.setattr(coordinator, "_PAUSE_S", 0.1)
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=6)
    with machines.behaving(LIES[lie], pattern="^"):
        result = call("run", file, "--cluster", machines.file)
    assert result.exit_code == 0, result.stderr
    (line,) = [line for line in result.stderr.splitlines() if "plays no more games" in line]
    assert line.startswith("arbiter: attic plays no more games, because the result that it sent of ")
    assert f" was refused: {FAULTS[lie]}" in line
    games, attempts = read_results(file)
    assert len(games) == 6
    assert {game.conditions.host for game in games} == {socket.gethostname()}
    assert {attempt.reason for attempt in attempts} <= {"refused", "lost"}  # others were in progress
    assert {attempt.conditions.host for attempt in attempts if attempt.reason == "refused"} == {"attic"}


@pytest.mark.slow
def test_a_run_ends_if_all_machines_are_excluded(tmp_path):
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=8)
    with Machines(tmp_path) as cluster:
        cluster.add("attic", preload=LIES["the winner"])
        cluster.wait_for_workers()
        result = call("run", file, "--cluster", cluster.file)
    assert result.exit_code == 2, result.stderr
    assert result.stderr.splitlines()[-1] == (
        f"arbiter: {cluster.file}: all machines are excluded; finished games are stored, run again to continue"
    )
    games, attempts = read_results(file)
    assert games == []
    assert "refused" in {attempt.reason for attempt in attempts} <= {"refused", "stopped"}
