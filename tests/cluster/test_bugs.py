"""Bugs of the arbiter in a worker: whatever it raises, the run continues on other machines, and no bot is blamed."""

import socket

import pytest
from cli.command_line import call, write_tournament
from cluster.dask_processes import check_complete, read_results
from cluster.machines import needs_names, two_machines

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


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("bug", [*BUGS][:2])
def test_a_machine_on_which_the_arbiter_fails_plays_no_more_games(tmp_path, machines, monkeypatch, bug):
    monkeypatch.setattr(coordinator, "_PAUSE_S", 0.1)
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=10)
    with machines.behaving(BUGS[bug], first=3):
        check(bug, file, call("run", file, "--cluster", machines.file), socket.gethostname())


@pytest.mark.slow
@pytest.mark.parametrize("bug", [*BUGS][2:])
def test_bugs_that_end_a_run_or_its_loop_there(tmp_path, bug):
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=24)
    with two_machines(tmp_path, first=3, preload=BUGS[bug]) as (cluster, _):
        check(bug, file, call("run", file, "--cluster", cluster.file), "cellar")


def check(bug, file, result, other):
    """Check that the attic was excluded, and another machine has played all games."""
    assert result.exit_code == 0, result.stderr
    (line,) = [line for line in result.stderr.splitlines() if "plays no more games" in line]
    assert line.startswith("arbiter: attic plays no more games, because ")
    assert FAULTS[bug] in line
    assert {attempt.reason for attempt in check_complete(file)} <= {"lost"}
    games, _ = read_results(file)
    assert {game.conditions.host for game in games} == {other}
