"""Workers that send damaged or false results: their machines play no more games."""

import socket

import pytest
from cli.command_line import call, write_tournament
from cluster.dask_processes import read_results
from cluster.machines import Machines, needs_names

from arbiter.cluster import coordinator

pytestmark = needs_names

# Run in the attic before it plays, with the modules of `preload.py`.
LIES = {
    "the winner": """
def lie(played, log):
    report = arrival.report_played(played, log)
    winner = {"red": "blue", "blue": "red", None: "red"}[report.result.winner]
    return replace(report, result=replace(report.result, winner=winner))
games.report_played = lie
""",
    "its duration": """
games.report_played = lambda *game: replace(arrival.report_played(*game), seconds=3600.0)
""",
    "the time of a bot": """
games.report_played = lambda *game: replace(arrival.report_played(*game), used_ms={"red": 60_000.0, "blue": 60_000.0})
""",
    "its speed": """
games.TaskReport = lambda machine, **report: messages.TaskReport(machine=replace(machine, speed=0.05), **report)
""",
    "the name of its worker": """
def lie(machine, worker, **report):
    machine = replace(machine, id="none", host="nowhere")
    return messages.TaskReport(machine=machine, worker="tcp://127.0.0.1:1", **report)
games.TaskReport = lie
""",
    "damage": """
worker.encode = lambda report: messages.encode(report)[::-1]
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
    with machines.behaving(LIES[lie], pattern="^." if "TaskReport" in LIES[lie] else "^ends"):
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
        cluster.add("attic")
        cluster.patch(LIES["the winner"])
        cluster.wait_for_workers()
        result = call("run", file, "--cluster", cluster.file)
    assert result.exit_code == 2, result.stderr
    assert result.stderr.splitlines()[-1] == (
        f"arbiter: {cluster.file}: all machines are excluded; finished games are stored, run again to continue"
    )
    games, attempts = read_results(file)
    assert games == []
    assert "refused" in {attempt.reason for attempt in attempts} <= {"refused", "stopped"}
