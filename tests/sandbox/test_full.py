"""The sandbox: each attack that a plain process gets through with, tried from inside, and seen to fail."""

import os
import secrets
import socket
import sys
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path

import pytest
from referee.real_games import bot, play
from referee.sandboxed_games import attack_report, check_undisturbed, play_in_sandbox, processes_with_argument

from arbiter.sandbox.bwrap import COPIES
from arbiter.sandbox.files.toolchains import LOCAL, LOCAL_PARTS
from arbiter.sandbox.isolation import Program

ON_PROCESSES = ["environ", "maps", "memory", "forges", "stops", "kills", "limits"]
SYSTEM = "/usr/bin/true"


def attack_on(name):
    """Return an attacker, and an opponent that it knows by a word."""
    word = secrets.token_hex(8)
    return bot("attacks_processes", name, word, str(os.getpid())), bot("base", word)


@pytest.mark.parametrize("name", ["referee", "sees", "first", *ON_PROCESSES])
@pytest.mark.heavy(keep=6)
def test_no_other_process_can_be_reached(sandbox, name):
    assert attack_report(check_undisturbed(play_in_sandbox(sandbox, *attack_on(name)))) == []


@pytest.mark.parametrize("name", ["environ", "maps", "memory", "limits"])
@pytest.mark.heavy(keep=3)
def test_the_same_attack_succeeds_without_a_sandbox(name):
    """Otherwise the test above would prove nothing."""
    assert len(attack_report(play(*attack_on(name)))) == 1


def test_a_line_of_the_opponent_can_be_forged_without_a_sandbox():
    assert play(*attack_on("forges")).outcome == ("protocol", "red")


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


@pytest.mark.parametrize("name", ["reads", "overwrites", "makes", "lists", "removes", "renames", "opens_up"])
@pytest.mark.heavy(keep=3)
def test_no_other_file_can_be_reached(sandbox, prey, name):
    wanted = [file.parent for file in prey] if name == "lists" else prey
    red = bot("attacks_files", name, *map(str, wanted), "/etc/passwd", "/etc/shadow", "/root/.profile", "/home")
    assert attack_report(check_undisturbed(play_in_sandbox(sandbox, red, bot()))) == []
    assert [file.read_text() for file in prey] == ["as it was"] * 3
    assert all(len(list(file.parent.iterdir())) == 1 for file in prey)


@pytest.mark.parametrize("name", ["overwrites", "renames", "removes", "makes", "opens_up"])
@pytest.mark.heavy(keep=2)
def test_files_that_can_be_read_cannot_be_changed(sandbox, name):
    files = [SYSTEM, sys.executable, bot().argv[2]]
    assert attack_report(check_undisturbed(play_in_sandbox(sandbox, bot("attacks_files", name, *files), bot()))) == []


def test_other_files_can_be_reached_without_a_sandbox(prey):
    red = bot("attacks_files", "overwrites", *map(str, prey))
    assert attack_report(play(red, bot())) == list(map(str, prey))


def test_scratch_is_limited_and_nothing_else_is_writable(sandbox):
    places = "/ /dev /proc /proc/1 /proc/sys /sys /usr /usr/local /etc /root /home /run /var /dev/shm /tmp"
    filled = attack_report(
        check_undisturbed(play_in_sandbox(sandbox, bot("attacks_files", "fills", *places.split()), bot()))
    )
    assert filled.pop("/tmp") == 64
    assert filled.pop("/dev/shm") == 1
    assert set(filled.values()) == {0}


def test_of_usr_local_only_programs_and_libraries_are_shown(sandbox):
    program = Program(name="list", argv=("/bin/ls", "/usr/local"), folder=bot().folder)
    shown = sandbox.try_out(program, program.argv).out.removeprefix("armed\n").split()
    assert shown == [part for part in sorted(LOCAL_PARTS) if any((LOCAL / part).glob("*"))]


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        ("/dev", ["fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "urandom", "zero"]),
        ("/proc/1", []),
        ("/proc/sys", ["kernel", "vm"]),
        ("/proc/sys/kernel", ["cap_last_cap"]),
        ("/proc/sys/vm", ["max_map_count", "overcommit_memory"]),
    ],
)
def test_of_folders_of_the_kernel_only_what_programs_need_is_shown(sandbox, folder, names):
    listed = sandbox.try_out(bot(), ("/bin/ls", folder)).out.removeprefix("armed\n").split()
    assert listed == names


def test_copied_files_have_the_contents_of_the_machine(sandbox):
    copied = sandbox.try_out(bot(), ("/usr/bin/sha256sum", *COPIES)).out.removeprefix("armed\n")
    assert "/proc/sys/vm/overcommit_memory" in COPIES
    assert copied == "".join(f"{sha256(Path(path).read_bytes()).hexdigest()}  {path}\n" for path in COPIES)


def test_nothing_is_left_for_the_next_game(sandbox, tmp_path):
    places = ["/tmp", "/dev/shm", "/dev", "/", str(Path(bot().argv[2]).parent), str(Path.home()), str(tmp_path)]
    for _ in range(2):
        played = play_in_sandbox(sandbox, bot("attacks_files", "leaves", *places), bot())
        assert attack_report(check_undisturbed(played)) == []


@pytest.fixture
def listeners(tmp_path):
    """Return sockets that listen on this machine, and the arguments with which an attacker finds them."""
    with ExitStack() as closing:
        kinds = [(socket.AF_INET, 1), (socket.AF_INET, 2), (socket.AF_UNIX, 1), (socket.AF_UNIX, 1)]
        sockets = [closing.enter_context(socket.socket(family, kind)) for family, kind in kinds]
        name = secrets.token_hex(8)
        addresses = [("127.0.0.1", 0), ("127.0.0.1", 0), f"{tmp_path}/s", f"\0{name}"]
        for one, address in zip(sockets, addresses, strict=True):
            one.bind(address)
            one.settimeout(0)
        for one in (sockets[0], *sockets[2:]):
            one.listen()
        ports = [str(one.getsockname()[1]) for one in sockets[:2]]
        yield sockets, [*ports, f"{tmp_path}/s", name]


def test_there_is_no_network(sandbox, listeners):
    sockets, words = listeners
    sent = attack_report(check_undisturbed(play_in_sandbox(sandbox, bot("attacks_network", *words), bot())))
    assert sent == []
    for one in sockets:
        with pytest.raises(BlockingIOError):
            one.recv(1) if one.type == socket.SOCK_DGRAM else one.accept()


def test_there_is_a_network_without_a_sandbox(listeners):
    assert attack_report(play(bot("attacks_network", *listeners[1]), bot())) == ["tcp", "udp", "path", "abstract"]


def test_the_kernel_refuses_calls_that_no_player_needs(sandbox):
    harmless = {"new session", "new process group"} if sandbox.allows_sessions else set()
    got = attack_report(check_undisturbed(play_in_sandbox(sandbox, bot("attacks_kernel", SYSTEM), bot())))
    assert set(got) == harmless


def test_these_calls_succeed_without_a_sandbox():
    got = set(attack_report(play(bot("attacks_kernel", SYSTEM), bot())))
    assert {"flock", "read lock", "ask for a lock"} <= got
    assert {"new session", "new process group", "terminal", "timer_create"} <= got
    assert "other cores" in got or len(os.sched_getaffinity(0)) == 1
    assert {"signal of a descriptor", "signal at a parent's death", "signal at a child's end"} <= got


@pytest.mark.parametrize("name", ["leaves_a_daemon", "forks_children", "never_exits"])
@pytest.mark.heavy(keep=1)
def test_no_descendant_outlives_the_sandbox(sandbox, name):
    word = secrets.token_hex(8)
    check_undisturbed(play_in_sandbox(sandbox, bot(name, word), bot()))
    assert processes_with_argument(word) == []
