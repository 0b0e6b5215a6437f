"""Workers that send damaged or false results: their machines play no more games."""

import json

import pytest
from cli.command_line import call, call_ok, write_tournament
from cluster.dask_processes import read_results
from cluster.machines import Machines, needs_names, two_machines

pytestmark = needs_names

# Loaded into a worker before it plays.
LIES = {
    "the winner": """
from msgspec.structs import replace
from arbiter.cluster import worker_games as games
from arbiter.cluster.messages import report_played as honest
def lie(key, played, log, restarts):
    report = honest(key, played, log, restarts)
    winner = {"red": "blue", "blue": "red", None: "red"}[report.result.winner]
    return replace(report, result=replace(report.result, winner=winner))
games.report_played = lie
""",
    "damage": """
from arbiter.cluster import worker_games as games
from arbiter.cluster.messages import encode as honest
games.encode = lambda reports: honest(reports)[::-1]
""",
}
FAULTS = {"the winner": "its record breaks the rules: the result is ", "damage": "it cannot be read: "}


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES)
def test_a_machine_that_lies_plays_no_more_games(tmp_path, lie):
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=8)
    with two_machines(tmp_path, preload=LIES[lie]) as (cluster, _):
        result = call("run", file, "--cluster", cluster.file)
    assert result.exit_code == 0, result.stderr
    (line,) = [line for line in result.stderr.splitlines() if "plays no more games" in line]
    assert line.startswith("arbiter: attic plays no more games, because the result that it sent of ")
    assert f" was refused: {FAULTS[lie]}" in line
    games, attempts = read_results(file)
    assert len(games) == 8
    assert {game.conditions.host for game in games} == {"cellar"}
    assert {attempt.reason for attempt in attempts} == {"refused"}
    assert {attempt.conditions.host for attempt in attempts} == {"attic"}


# Sends all reports twice, and once more with a key of its own.
REPEATING = """
from msgspec.structs import replace
from arbiter.cluster import worker_games as games
from arbiter.cluster.messages import encode as honest
def repeat(reports):
    return honest([*reports, *reports, *(replace(report, key="own") for report in reports)])
games.encode = repeat
"""


@pytest.mark.slow
def test_results_that_a_worker_sends_twice_are_stored_once(tmp_path):
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=8)
    events = tmp_path / "events.jsonl"
    with Machines(tmp_path) as cluster:
        cluster.add("attic", preload=REPEATING)
        cluster.wait_for_workers()
        call_ok("run", file, "--cluster", cluster.file, "--events", events)
    games, attempts = read_results(file)
    assert (len(games), attempts) == (8, [])
    finished = [
        event["id"] for event in map(json.loads, events.read_text().splitlines()) if event["event"] == "finished"
    ]
    assert sorted(finished) == sorted(game.id for game in games)
    call_ok("verify", file)


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
    assert {attempt.reason for attempt in attempts} == {"refused"}
