"""One tournament in one process, in worker processes and on a cluster, even if a worker dies: the games are the same."""

import json
import shutil

import pytest
from cli.command_line import call_ok, write_program, write_tournament
from cli.sleeping_bot import SAMPLE
from cluster.dask_processes import read_results
from cluster.machines import can_rename

BOTS = ("hunter", "random", "stdlib")

# The worker of the attic is killed at the end of its first game; its nanny starts it again.
DIES = """
import signal
def die(*_):
    (PLACE / "died").touch()
    os.kill(os.getpid(), signal.SIGKILL)
if not (PLACE / "died").exists():
    games.report_played = die
"""


def play(folder, *options):
    """Play a tournament; return what must be the same of each game."""
    folder.mkdir()
    file = write_tournament(folder, bots=BOTS, games=2)
    call_ok("run", file, *options)
    games, _ = read_results(file)
    assert all(game.fingerprint and game.red_program and game.conditions.host for game in games)
    return [(game.id, game.round, game.winner, game.ending, game.plies, game.fingerprint) for game in games]


def test_the_games_are_the_same_in_one_process_in_workers_and_on_a_cluster(tmp_path, machines):
    here = play(tmp_path / "here")
    local = play(tmp_path / "local", "--workers", 2)
    with machines.behaving(DIES):
        remote = play(tmp_path / "remote", "--cluster", machines.file)
    assert len(here) == 6
    assert here == local == remote
    games, attempts = read_results(tmp_path / "remote" / "club.toml")
    assert len({game.conditions.host for game in games}) == (2 if can_rename() else 1)
    assert {attempt.cause for attempt in attempts} == {"lost"}


READS = """
import runpy, sys
from pathlib import Path
assert Path(sys.argv[1]).read_text() in "123"
runpy.run_path(str(Path(__file__).parent / "player.py"), run_name="__main__")
"""


@pytest.mark.heavy
def test_tunings_and_suites_are_played_on_a_cluster(tmp_path, machines, monkeypatch):
    """The bots find files that are named by a value and come with them, or are on each machine."""
    monkeypatch.chdir(tmp_path)
    for name in ("bot", "weights"):
        (tmp_path / name).mkdir()
        for number in "123":
            (tmp_path / name / f"w{number}").write_text(number)
    shutil.copy(SAMPLE, tmp_path / "bot" / "player.py")
    write_program(tmp_path / "bot" / "bot.py", READS)
    words = ("--param", "N=1..3", "--rules", "duel", "--games", 2, "--pairs", 1, "--secret", "0" * 32, "--json")
    suite = ("suite", "first", "hunter", "--only", "defence", "--only", "ending-1", "--json")
    tuned = {}
    cluster, read = ("--cluster", machines.file), ("--read", "weights")
    for path, options in (("bot/w{N}", ()), ("bot/w{N}", cluster), ("weights/w{N}", (*read, *cluster))):
        file = tmp_path / f"{len(tuned)}.jsonl"
        tuned[file] = call_ok("tune", f"bot/bot.py {path}", *words, *options, "--results", file)
    here, there = (call_ok(*suite, *place) for place in ((), cluster))
    assert len(set(tuned.values())) == 1
    answers = [[json.loads(line) | {"ms": 0} for line in text.splitlines()] for text in (here, there)]
    assert answers[0] == answers[1]
    assert answers[0][-1]["positions"] == 8
