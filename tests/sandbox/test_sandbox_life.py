"""Games in the sandbox: results, limits, clocks and toolchains, and an end that leaves no process."""

import json
import os
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from referee.real_games import AMPLE, SHORT, bot
from referee.sandboxed_games import check_undisturbed, play_in_sandbox

from arbiter.clock import TimeSettings
from arbiter.games.ruleset import Overrides
from arbiter.sandbox.files.temporary import GROUP
from arbiter.sandbox.full import PROCESSES
from arbiter.sandbox.isolation import Program

MISBEHAVIOUR = [
    ("fails_to_start", "no_start", "exited with status"),
    ("kills_its_group", "killed", "exited with status 137 (SIGKILL)"),
    ("child_holds_the_pipes", "crash", "exited with status 7"),
    ("stops_itself", "timeout", "did not answer"),
    ("exits_at_once", "no_start", "exited with status 1"),
    ("crashes", "crash", "KeyError"),
    ("closes_stdout", "timeout", "did not answer"),
    ("floods_bytes", "protocol", "more than 4096 bytes"),
]


@pytest.mark.heavy(keep=4)
@pytest.mark.parametrize(("name", "ending", "words"), MISBEHAVIOUR)
def test_a_bot_that_fails_in_a_sandbox_loses(sandbox, name, ending, words):
    played = play_in_sandbox(sandbox, bot(name), bot(), time=SHORT if ending == "timeout" else AMPLE)
    assert played.outcome == (ending, "blue")
    assert words in played.result.why


def run_in_sandbox(sandbox, program):
    """Run a program in the sandbox to its end; return what it wrote on stderr."""
    trial = sandbox.try_out(program, program.argv)
    assert (trial.status, trial.out) == (0, "armed\n"), trial
    return trial.err


def test_limits_and_environment_of_a_program(sandbox):
    report = json.loads(run_in_sandbox(sandbox, bot("reports_its_limits")))
    assert (report["core"], report["files"], report["written"]) == (0, 256, 32 << 20)
    assert report["open"] == [0, 1, 2]
    assert report["folder"] == str(bot().folder)
    assert (report["environment"]["HOME"], report["environment"]["TMPDIR"]) == ("/tmp", "/tmp")
    assert set(report["environment"]) <= {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "LC_CTYPE", "OLDPWD"}


def test_a_program_has_no_rights_and_belongs_to_no_group_of_users(sandbox):
    program = Program(name="id", argv=("/bin/cat", "/proc/self/status"), folder=bot().folder)
    lines = sandbox.try_out(program, program.argv).out.removeprefix("armed\n").splitlines()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    assert status["NoNewPrivs"] == ["1"]
    rights = [status[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")]
    assert rights == [["0" * 16]] * len(rights)
    if sandbox.runs_as_others:
        (user,) = set(status["Uid"])
        assert int(user) >= 50_000
        assert (set(status["Gid"]), status["Groups"]) == ({str(GROUP)}, [])


def test_descriptors_of_the_referee_are_not_inherited(sandbox):
    with Path("/dev/null").open() as stray:
        os.set_inheritable(stray.fileno(), True)  # noqa: FBT003
        assert json.loads(run_in_sandbox(sandbox, bot("reports_its_limits")))["open"] == [0, 1, 2]


def test_processes_are_counted_for_each_sandbox_alone(sandbox):
    assert PROCESSES - 14 < int(run_in_sandbox(sandbox, bot("counts_children"))) < PROCESSES


@pytest.mark.parametrize("tool", ["node", "python3", "java"])
@pytest.mark.heavy(keep=1)
def test_toolchains_work_in_it(sandbox, tool):
    found = shutil.which(tool, path="/usr/local/bin:/usr/bin")
    if found is None:
        pytest.skip(f"allowed: no {tool} here")
    program = Program(name="tool", argv=(found, "--version"), folder=bot().folder)
    assert sandbox.try_out(program, program.argv).status == 0


RUNTIMES = Path(__file__).parent.parent / "bots" / "runtimes"
PARALLEL = {
    "python": (sys.executable, RUNTIMES / "pools.py"),
    "node": ("node", RUNTIMES / "pools.js"),
    "java": ("java", RUNTIMES / "Pools.java"),
    "cc": ("cc", RUNTIMES / "pools.c"),
}


@pytest.mark.parametrize("tool", PARALLEL)
@pytest.mark.heavy(keep=1)
def test_threads_and_child_processes_of_a_runtime_work_in_it(sandbox, tool, tmp_path):
    command, source = PARALLEL[tool]
    found = shutil.which(command, path=f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin")
    if found is None or (tool == "java" and not shutil.which("javac")):  # which compiles the program
        pytest.skip(f"allowed: no {tool} here")
    argv = (found, str(source))
    if tool == "cc":
        subprocess.run([found, "-pthread", "-o", tmp_path / "pools", source], check=True)
        tmp_path.chmod(0o755)
        argv = (str(tmp_path / "pools"),)
    program = Program(name="tool", argv=argv, folder=tmp_path if tool == "cc" else RUNTIMES)
    trial = sandbox.try_out(program, program.argv)
    assert (trial.status, trial.out) == (0, "armed\nok\n"), trial.err


# The elapsed time matters only if the processors do nothing for a bot for very long.
CPU = TimeSettings(start_s=20, bank_s=20, increment_s=0, move_s=0.25, margin_ms=50, clock="cpu", wall_factor=1000)


@pytest.mark.parametrize("where", ["unseen", "swarm", "itself", "child", "thread", "orphan", "chain", "zombie"])
@pytest.mark.heavy(keep=2)
def test_processor_time_is_charged_in_a_sandbox(sandbox, where):
    if where == "unseen" and sandbox.controllers is None:
        pytest.skip("allowed: no control groups here; then processor time that no parent learns of is not seen")
    played = play_in_sandbox(sandbox, bot("uses_cpu", "60,400", where), bot(), time=CPU)
    assert played.outcome == ("timeout", "blue")
    assert "of processor time" in played.result.why
    (honest,) = [act.ms for act in played.acts[2:] if act.seat == "red"]
    assert 40 <= honest < 250


@pytest.mark.parametrize("name", ["forks_children", "base", "leaves_a_daemon", "never_exits"])
@pytest.mark.heavy(keep=1)
def test_a_bot_without_pondering_plays_its_game_in_a_sandbox(sandbox, name):
    check_undisturbed(play_in_sandbox(sandbox, bot(name), bot(), time=replace(AMPLE, pondering=False)))


def pondered_s(sandbox, turn_s, *, pondering):
    """Return the seconds of processor time that a bot's child used during the turns of the opponent."""
    time = replace(AMPLE, pondering=pondering)
    brief = Overrides(max_plies=8)
    thinker = bot("thinks", str(turn_s))
    played = play_in_sandbox(sandbox, bot("uses_cpu_in_background"), thinker, time=time, overrides=brief)
    return float(played.game.log.stderr["red"])


def test_a_child_in_a_sandbox_ponders_only_if_that_is_allowed(sandbox, patient):
    # A pondering child has the lowest priority: on a busy machine, it gets a core only in longer turns.
    assert any(
        1.5 * pondered_s(sandbox, turn_s, pondering=False) < pondered_s(sandbox, turn_s, pondering=True)
        for turn_s in (0.05, 0.5, 3)
    )


def test_a_sandbox_that_cannot_be_built_is_no_foul(sandbox, tmp_path):
    lost = Program(name="lost", argv=("/bin/true",), folder=tmp_path / "nowhere")
    with pytest.raises(ExceptionGroup) as caught:
        play_in_sandbox(sandbox, lost, bot())
    assert caught.group_contains(OSError)


def test_a_missing_program_is_no_start(sandbox):
    lost = Program(name="lost", argv=("/no/such/program",), folder=bot().folder)
    assert play_in_sandbox(sandbox, lost, bot()).outcome == ("no_start", "blue")


KILLED = """
import json, os, random, select, signal, sys
sys.path[:0] = {path!r}
import trio
from referee.sandboxed_games import processes_with_argument
from referee.real_games import bot, children, make_spec
from arbiter.referee.game import play_game
from arbiter.sandbox.select import select_isolation
from arbiter.sandbox.process import adopt_orphans, end_leftovers

WORD, LONGEST_S, KILLS, MOST_KILLS = "{word}", 0.12, 60, 600

async def games():
    async with trio.open_nursery() as nursery:
        for name in ("never_exits", "sleeps_forever", "leaves_a_daemon"):
            nursery.start_soon(play_game, make_spec(bot(name, WORD), bot("forks_children", WORD)), sandbox)

def is_dead(pid):
    descriptor = os.pidfd_open(pid)
    ready, _, _ = select.select([descriptor], [], [], 1)
    os.close(descriptor)
    return bool(ready)

def killed_after(seconds):
    referee = os.fork()
    if not referee:
        trio.run(games)
        os._exit(0)
    select.select([], [], [], seconds)
    begun = len(processes_with_argument(WORD))
    os.kill(referee, signal.SIGKILL)
    os.waitpid(referee, 0)
    stuck = set()
    while waiting := set(children()) - stuck:
        for pid in waiting:
            if is_dead(pid):
                os.waitpid(pid, 0)
            else:
                stuck.add(pid)
    left = [open(f"/proc/{{pid}}/cmdline").read().split("\\0")[0] for pid in processes_with_argument(WORD)]
    end_leftovers()
    for pid in stuck:
        assert is_dead(pid)
        os.waitpid(pid, 0)
    return begun, left, processes_with_argument(WORD)

adopt_orphans()
sandbox = select_isolation("full", [bot()]).isolation
chance = random.Random(17)
trials = []
while len(trials) < KILLS or sum(begun > 0 for begun, _, _ in trials) <= 40 and len(trials) < MOST_KILLS:
    patience = max(1, len(trials) / KILLS)  # where many came too early, this machine needs more time
    trials.append(killed_after(chance.random() * LONGEST_S * patience))
print(json.dumps(trials))
"""


@pytest.mark.slow
def test_a_referee_killed_at_any_moment_leaves_no_bot_running(sandbox):
    script = KILLED.format(path=sys.path, word=secrets.token_hex(8))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stderr
    trials = json.loads(done.stdout)
    assert len(trials) >= 60
    assert sum(begun > 0 for begun, _, _ in trials) > 40
    # Before a bot is in it, a sandbox may be left that waits for its bwrap; the next referee ends it.
    assert {name for _, left, _ in trials for name in left} <= {shutil.which("bwrap")}
    assert [pid for _, _, later in trials for pid in later] == []


@pytest.mark.slow
def test_a_bot_in_a_sandbox_may_think_longer_than_an_idle_thread_lives(sandbox):
    played = play_in_sandbox(sandbox, bot("thinks", "13"), bot(), overrides=Overrides(max_plies=1))
    assert played.outcome == ("ply_limit", None)
