"""Audits with real workers: equal games, a machine that replaces a bot, and options that do not fit."""

import json

import pytest
from cli.command_line import call, call_ok, write_tournament
from cluster.dask_processes import read_results
from cluster.machines import needs_names, two_machines

# The attic lets another bot play for `hunter`, if that is red.  The records of its games break no rule.
LIE = """
from msgspec.structs import replace
from arbiter.cluster import games
from arbiter.tournament.execution.executor import make_game_spec as honest
def lie(header, game, time, retries, programs):
    spec = honest(header, game, time, retries, programs)
    if header.seats["red"].name == "hunter":
        spec = replace(spec, programs=spec.programs | {"red": replace(programs["random"], name="hunter")})
    return spec
games.make_game_spec = lie
"""


@pytest.mark.slow
def test_other_workers_of_one_machine_play_the_same_games(tmp_path):
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=4)
    output = call_ok("run", file, "--workers", 2, "--audit", 1)
    assert "\naudit: 4 games played again, 4 the same, 0 different\n" in output
    games, attempts = read_results(file)
    assert (len(games), attempts) == (4, [])


@pytest.mark.slow
@needs_names
def test_a_machine_that_replaces_a_bot_is_found(tmp_path):
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=8)
    events = tmp_path / "events.jsonl"
    with two_machines(tmp_path, preload=LIE) as (cluster, _):
        first = call("run", file, "--cluster", cluster.file)
        before, _ = read_results(file)
        cluster.let_first(0)  # a machine that waits would hold up the audits of the other one
        result = call("run", file, "--cluster", cluster.file, "--audit", 1, "--events", events)
        again = call("run", file, "--cluster", cluster.file, "--audit", 1)
    assert {one.exit_code for one in (first, result, again)} == {0}
    assert "audit" not in first.stdout + first.stderr
    assert "\naudit: 8 games played again, 4 the same, 4 different\n" in result.stdout
    games, attempts = read_results(file)
    assert games == before
    hosts = {game.id: game.conditions.host for game in games}
    assert set(hosts.values()) == {"attic", "cellar"}
    assert {attempt.id for attempt in attempts} == {game.id for game in games if game.red == "hunter"}
    for attempt in attempts:
        assert attempt.cause == "audit"
        assert {hosts[attempt.id], attempt.conditions.host} == {"attic", "cellar"}
        assert attempt.why.startswith(f"played by {hosts[attempt.id]}, then by {attempt.conditions.host} (tcp://")
        assert f"arbiter: audit: {attempt.id} differs: {attempt.why}\n" in result.stderr
    audited = [event for event in map(json.loads, events.read_text().splitlines()) if event["event"] == "audited"]
    assert {event["id"] for event in audited if not event["same"]} == {attempt.id for attempt in attempts}
    assert len(audited) == 8
    # The games that differ are known, so only the others are played again.
    assert "\naudit: 4 games played again, 4 the same, 0 different\n" in again.stdout


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--audit", 0.5), "--audit: another worker plays the games again"),
        (("--audit", 0.5, "--workers", 1), "--audit: another worker plays the games again"),
        (("--audit", 0, "--workers", 2), "Invalid value for '--audit': 0.0 is not in the range 0<x<=1"),
        (("--audit", 2, "--workers", 2), "Invalid value for '--audit': 2.0 is not in the range 0<x<=1"),
    ],
)
def test_audits_that_are_not_possible_are_refused(tmp_path, options, fault):
    result = call("run", write_tournament(tmp_path, bots=("hunter", "random"), games=2), *options)
    assert result.exit_code == 2
    assert fault in result.stderr
    assert "Traceback" not in result.stderr
