"""Workers whose arbiter fails, or sends damaged or false results: other machines play on, and no bot is blamed."""

import socket

import pytest
from cli.command_line import call, write_tournament
from cluster.dask_processes import check_complete, read_results
from cluster.machines import Machines, needs_names, two_machines

from arbiter.cluster import coordinator

pytestmark = needs_names

# Run in the attic: the first two before each task, with the names of `preload.py`, the others when it starts.
BUGS = {
    "a recursion without end in the preparation": """
def fail(*bot, **settings):
    fail(*bot, **settings)
games.find_program = fail
""",
    "an exception that cannot be sent": """
class Odd(Exception):
    def __init__(self, *, lock):
        self.lock = lock
def fail(*bot, **settings):
    raise Odd(lock=TURN)
games.find_program = fail
""",
    "the isolation of a run": """
from arbiter.cluster import games
def fail(*settings):
    raise RuntimeError("no isolation")
games.select_isolation = fail
""",
    "a run with games in progress": """
from arbiter.cluster import games
async def fail(run):
    raise RuntimeError("no news")
games.RunGames._send_soon = fail
""",
    "the loop of the games": """
from arbiter.cluster import games
async def fail(*task):
    raise SystemError("no loop")
async def serve(worker, started):
    started.set_result(games.trio.lowlevel.current_trio_token())
    await games.trio.sleep(1)
    raise RuntimeError("no loop")
games.WorkerGames.serve = serve
games.WorkerGames.play = lambda *task: games.trio.sleep_forever()
""",
}
FAULTS = {
    "a recursion without end in the preparation": "its arbiter failed, see the log of the worker: RecursionError: maximum recursion depth exceeded",
    "an exception that cannot be sent": "Odd: ",
    "the isolation of a run": "RuntimeError: no isolation",
    "a run with games in progress": "",  # depends on the moment
    "the loop of the games": "RunFinishedError: ",
}


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
REFUSALS = {
    "the winner": "its record breaks the rules: the result is ",
    "its duration": "its games took ",
    "the time of a bot": "red used 60000 ms, but the game took ",
    "its speed": "it describes its machine otherwise than its worker when it joined",
    "the name of its worker": "it describes its machine otherwise than its worker when it joined",
    "damage": "it cannot be read: ",
}


def play_elsewhere(file, cluster, other):
    """Check that another machine plays all games; return why the attic plays no more, and the voided attempts."""
    result = call("run", file, "--cluster", cluster.file)
    assert result.exit_code == 0, result.stderr
    (line,) = [line for line in result.stderr.splitlines() if "plays no more games" in line]
    games, _ = read_results(file)
    assert {game.conditions.host for game in games} == {other}
    return line, check_complete(file)


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("bug", [*BUGS][:2])
def test_a_machine_on_which_the_arbiter_fails_plays_no_more_games(tmp_path, machines, monkeypatch, bug):
    monkeypatch.setattr(coordinator, "_PAUSE_S", 0.1)
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=10)
    with machines.behaving(BUGS[bug], first=3):
        check_bug(bug, *play_elsewhere(file, machines, socket.gethostname()))


@pytest.mark.slow
@pytest.mark.parametrize("bug", [*BUGS][2:])
def test_bugs_that_end_a_run_or_its_loop_there(tmp_path, bug):
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=24)
    with two_machines(tmp_path, first=3, preload=BUGS[bug]) as (cluster, _):
        check_bug(bug, *play_elsewhere(file, cluster, "cellar"))


def check_bug(bug, line, attempts):
    assert line.startswith("arbiter: attic plays no more games, because ")
    assert FAULTS[bug] in line
    assert {attempt.cause for attempt in attempts} <= {"lost"}


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("lie", LIES)
def test_a_machine_that_lies_plays_no_more_games(tmp_path, machines, monkeypatch, lie):
    monkeypatch.setattr(coordinator, "_PAUSE_S", 0.1)
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=6)
    with machines.behaving(LIES[lie], pattern="^." if "TaskReport" in LIES[lie] else "^ends"):
        line, attempts = play_elsewhere(file, machines, socket.gethostname())
    assert line.startswith("arbiter: attic plays no more games, because the result that it sent of ")
    assert f" was refused: {REFUSALS[lie]}" in line
    assert {attempt.cause for attempt in attempts} <= {"refused", "lost"}  # others were in progress
    assert {attempt.conditions.host for attempt in attempts if attempt.cause == "refused"} == {"attic"}


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
    assert "refused" in {attempt.cause for attempt in attempts} <= {"refused", "stopped"}
