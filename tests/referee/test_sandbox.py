"""The sandbox: each attack that a plain process gets through with, tried from inside, and seen to fail."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace
from referee.guarded import got, play_guarded, running
from referee.rig import SHORT, bot, play

from arbiter.referee.program import Program

WALK = [f"{src}-{dst}" for src, dst in (("j7", "j6"), ("i7", "i6"), ("j6", "j7"), ("i6", "i7"))]
ON_PROCESSES = ["environ", "maps", "memory", "forges", "stops", "kills", "limits"]
SYSTEM = "/usr/bin/true"


def undisturbed(played):
    """Check that the opponent played its own game to the end, in its own time."""
    assert played.verdict == ("no_attack_limit", None), played.result
    moves = [act.action for act in played.acts if act.seat == "blue"][1:]
    assert [f"{move.src}-{move.dst}" for move in moves] == (WALK * 2)[: len(moves)]
    return played


def attack_on(name):
    """Return an attacker, and an opponent that it knows by a word."""
    word = secrets.token_hex(8)
    return bot("attacks_processes", name, word, str(os.getpid())), bot("base", word)


@pytest.mark.parametrize("name", [*ON_PROCESSES, "sees", "referee", "first"])
def test_nobody_else_s_process_can_be_reached(sandbox, name):
    assert got(undisturbed(play_guarded(sandbox, *attack_on(name)))) == []


@pytest.mark.parametrize("name", ["environ", "maps", "memory", "limits"])
def test_as_a_plain_process_the_same_attack_gets_through(name):
    """Otherwise the test above would prove nothing."""
    assert len(got(play(*attack_on(name)))) == 1


def test_as_a_plain_process_a_line_can_be_forged_and_the_opponent_loses_by_it():
    assert play(*attack_on("forges")).verdict == ("protocol", "red")


@pytest.fixture
def prey(tmp_path):
    """Return files that are none of a bot's business: results, an opponent's program, a secret."""
    files = [tmp_path / "results" / "club.sqlite", tmp_path / "opponent" / "bot.py", tmp_path / ".ssh" / "id_rsa"]
    for file in files:
        file.parent.mkdir()
        file.write_text("as it was")
        file.chmod(0o666)
        file.parent.chmod(0o777)
    return files


@pytest.mark.parametrize("name", ["reads", "lists", "overwrites", "removes", "renames", "makes", "opens_up"])
def test_no_file_of_others_can_be_reached(sandbox, prey, name):
    wanted = [file.parent for file in prey] if name == "lists" else prey
    red = bot("attacks_files", name, *map(str, wanted), "/etc/passwd", "/etc/shadow", "/root/.profile", "/home")
    assert got(undisturbed(play_guarded(sandbox, red, bot()))) == []
    assert [file.read_text() for file in prey] == ["as it was"] * 3
    assert all(len(list(file.parent.iterdir())) == 1 for file in prey)


@pytest.mark.parametrize("name", ["overwrites", "removes", "renames", "makes", "opens_up"])
def test_what_can_be_read_cannot_be_changed(sandbox, name):
    files = [SYSTEM, sys.executable, bot().argv[2]]
    assert got(undisturbed(play_guarded(sandbox, bot("attacks_files", name, *files), bot()))) == []


def test_as_a_plain_process_files_of_others_lie_open(prey):
    red = bot("attacks_files", "overwrites", *map(str, prey))
    assert got(play(red, bot())) == list(map(str, prey))


def test_scratch_is_bounded_and_nothing_else_is_writable(sandbox):
    places = [
        "/",
        "/dev",
        "/proc",
        "/proc/1",
        "/sys",
        "/usr",
        "/etc",
        "/root",
        "/home",
        "/run",
        "/var",
        "/dev/shm",
        "/tmp",
    ]
    filled = got(undisturbed(play_guarded(sandbox, bot("attacks_files", "fills", *places), bot())))
    assert filled.pop("/tmp") == 64
    assert filled.pop("/dev/shm") == 1
    assert set(filled.values()) == {0}


def test_nothing_is_left_for_the_next_game(sandbox, tmp_path):
    places = ["/tmp", "/dev/shm", "/dev", "/", str(Path(bot().argv[2]).parent), str(Path.home()), str(tmp_path)]
    for _ in range(2):
        assert got(undisturbed(play_guarded(sandbox, bot("attacks_files", "leaves", *places), bot()))) == []


@pytest.fixture
def listeners(tmp_path):
    """Return sockets that listen on this machine, and the words by which an attacker finds them."""
    with ExitStack() as closing:
        kinds = [(socket.AF_INET, 1), (socket.AF_INET, 2), (socket.AF_UNIX, 1), (socket.AF_UNIX, 1)]
        sockets = [closing.enter_context(socket.socket(family, kind)) for family, kind in kinds]
        name = secrets.token_hex(8)
        for one, address in zip(
            sockets, [("127.0.0.1", 0), ("127.0.0.1", 0), f"{tmp_path}/s", f"\0{name}"], strict=True
        ):
            one.bind(address)
            one.settimeout(0)
        for one in (sockets[0], *sockets[2:]):
            one.listen()
        ports = [str(one.getsockname()[1]) for one in sockets[:2]]
        yield sockets, [*ports, f"{tmp_path}/s", name]


def test_there_is_no_network(sandbox, listeners):
    sockets, words = listeners
    sent = got(undisturbed(play_guarded(sandbox, bot("attacks_network", *words), bot())))
    assert sent == ["udp"]  # into its own network, where nobody hears it
    for one in sockets:
        with pytest.raises(BlockingIOError):
            one.recv(1) if one.type == socket.SOCK_DGRAM else one.accept()


def test_as_a_plain_process_the_network_is_there(listeners):
    assert got(play(bot("attacks_network", *listeners[1]), bot())) == ["tcp", "udp", "path", "abstract"]


def test_the_kernel_refuses_what_no_player_needs(sandbox):
    assert got(undisturbed(play_guarded(sandbox, bot("attacks_kernel", SYSTEM), bot()))) == []


def test_as_a_plain_process_files_can_be_whispered_through():
    assert {"flock", "read lock", "ask for a lock"} <= set(got(play(bot("attacks_kernel", SYSTEM), bot())))


@pytest.mark.parametrize("name", ["leaves_a_daemon", "forks_children", "never_leaves"])
def test_who_leaves_others_behind_leaves_nobody(sandbox, name):
    word = secrets.token_hex(8)
    undisturbed(play_guarded(sandbox, bot(name, word), bot()))
    assert running(word) == []


MISBEHAVIOUR = [
    ("exits_at_once", "no_start", "exited with status 1"),
    ("fails_to_start", "no_start", "exited with status"),
    ("crashes", "crash", "KeyError"),
    ("kills_its_group", "crash", "exited with status 137, as SIGKILL makes it"),
    ("child_holds_the_pipes", "crash", "exited with status 7"),
    ("closes_stdout", "timeout", "did not answer"),
    ("floods_bytes", "protocol", "more than 4096 bytes"),
    ("stops_itself", "timeout", "did not answer"),
]


@pytest.mark.parametrize(("name", "ending", "words"), MISBEHAVIOUR)
def test_who_misbehaves_in_a_sandbox_loses_as_anywhere(sandbox, name, ending, words):
    played = play_guarded(sandbox, bot(name), bot(), time=SHORT)
    assert played.verdict == (ending, "blue")
    assert words in played.result.why


def tried(sandbox, program):
    """Run a program in the sandbox to its end; return what it wrote on stderr."""
    trial = sandbox.try_out(program, program.argv)
    assert (trial.status, trial.out) == (0, "armed\n"), trial
    return trial.err


def test_what_a_program_is_given(sandbox):
    told = json.loads(tried(sandbox, replace(bot("tells_its_limits"), memory_mb=300)))
    assert (told["core"], told["files"], told["memory"], told["written"]) == (0, 256, 300 << 20, 32 << 20)
    assert told["open"] == [0, 1, 2]
    assert told["folder"] == str(bot().folder)
    assert (told["environment"]["HOME"], told["environment"]["TMPDIR"]) == ("/tmp", "/tmp")
    assert set(told["environment"]) <= {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "LC_CTYPE", "OLDPWD"}


def test_descriptors_of_the_referee_are_not_inherited(sandbox):
    with Path("/dev/null").open() as stray:
        os.set_inheritable(stray.fileno(), True)  # noqa: FBT003
        assert json.loads(tried(sandbox, bot("tells_its_limits")))["open"] == [0, 1, 2]


def test_processes_are_counted_for_each_sandbox_alone(sandbox):
    assert 50 < int(tried(sandbox, bot("counts_children"))) < 64


@pytest.mark.parametrize("tool", ["python3", "node", "java"])
def test_toolchains_work_in_it(sandbox, tool):
    found = shutil.which(tool, path="/usr/local/bin:/usr/bin")
    if found is None:
        pytest.skip(f"allowed: no {tool} here")
    program = Program(name="tool", argv=(found, "--version"), folder=bot().folder, memory_mb=8192)
    assert sandbox.try_out(program, program.argv).status == 0


def test_a_sandbox_that_cannot_be_built_is_nobodys_foul(sandbox, tmp_path):
    lost = Program(name="lost", argv=("/bin/true",), folder=tmp_path / "nowhere")
    with pytest.raises(ExceptionGroup) as caught:
        play_guarded(sandbox, lost, bot())
    assert caught.group_contains(OSError)


def test_a_missing_program_is_no_start(sandbox):
    lost = Program(name="lost", argv=("/no/such/program",), folder=bot().folder)
    assert play_guarded(sandbox, lost, bot()).verdict == ("no_start", "blue")


KILLED = """
import json, os, random, select, signal, sys
sys.path[:0] = {path!r}
import trio
from referee.guarded import running
from referee.rig import bot, children, order
from arbiter.referee.match import play_game
from arbiter.referee.choice import choose_tier
from arbiter.referee.orphans import adopt_orphans, end_leftovers

WORD, LONGEST_S, KILLS = "{word}", 0.12, 60

async def games():
    async with trio.open_nursery() as nursery:
        for name in ("never_leaves", "sleeps_for_ever", "leaves_a_daemon"):
            nursery.start_soon(play_game, order(bot(name, WORD), bot("forks_children", WORD)), sandbox)

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
    begun = len(running(WORD))
    os.kill(referee, signal.SIGKILL)
    os.waitpid(referee, 0)
    stuck = set()
    while waiting := set(children()) - stuck:
        for pid in waiting:
            if is_dead(pid):
                os.waitpid(pid, 0)
            else:
                stuck.add(pid)
    left = [open(f"/proc/{{pid}}/cmdline").read().split("\\0")[0] for pid in running(WORD)]
    end_leftovers()
    for pid in stuck:
        assert is_dead(pid)
        os.waitpid(pid, 0)
    return begun, left, running(WORD)

adopt_orphans()
sandbox = choose_tier("full", [bot()]).tier
chance = random.Random(17)
print(json.dumps([killed_after(chance.random() * LONGEST_S) for _ in range(KILLS)]))
"""


@pytest.mark.slow
def test_a_referee_killed_at_any_moment_leaves_no_bot_running(sandbox):
    script = KILLED.format(path=sys.path, word=secrets.token_hex(8))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    trials = json.loads(done.stdout)
    assert len(trials) == 60
    assert sum(begun > 0 for begun, _, _ in trials) > 40
    # Before a bot is in it, a sandbox may be left that waits for its bwrap; the next referee ends it.
    assert {name for _, left, _ in trials for name in left} <= {shutil.which("bwrap")}
    assert [pid for _, _, later in trials for pid in later] == []


@pytest.mark.slow
def test_a_bot_in_a_sandbox_may_think_longer_than_idle_threads_live(sandbox):
    undisturbed(play_guarded(sandbox, bot("long_liver"), bot()))
