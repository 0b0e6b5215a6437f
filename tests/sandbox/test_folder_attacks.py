"""Hostile folders: each tries to show its bot more than the operator named, and does not succeed.

A refused attack costs one line before the first game.  All others are played against an honest bot, and the attacker
reports which files it could open.
"""

import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from cli.command_line import call, call_ok, write_tournament
from referee.real_games import bot, play
from referee.sandboxed_games import attack_report, check_undisturbed, play_in_sandbox

from arbiter.sandbox.bwrap import Unprivileged
from arbiter.sandbox.files.toolchains import machine_toolchains
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.select import open_sandbox

BOTS = Path(__file__).parent.parent / "bots"
PYTHON = sys.executable
MARKS = """
pyvenv.cfg lib/python3.11/os.py include/node lib/modules jre/lib shared/Microsoft.NETCore.App
node_modules/package.json .nvm/versions/node/v20/bin/node .pyenv/versions/3.12/bin/python conda-meta/history
"""


def write(path, text="", mode=0o755):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


SHORT_GAME = {"rules": "original", "draws": {"no_attack_plies": 12}, "time": {"start_s": 60, "margin_ms": 5000}}


class Club:
    """A tournament of two unknown bots: `alice` attacks, `bob` is honest; and files that are no business of a bot."""

    def __init__(self, folder):
        folder.chmod(0o755)
        self.folder = folder
        self.alice = folder / "alice"
        for home in (self.alice, folder / "bob"):
            home.mkdir()
            for name in ("attacks_files.py", "attacker.py", "base.py"):
                shutil.copy(BOTS / name, home)
        self.home = folder / "operator"
        self.key = write(self.home / ".ssh/id_rsa", "secret", 0o600 if os.geteuid() else 0o644)
        write(self.home / "lib/python3.11/os.py")
        write(self.home / "bin/python", "secret")
        self.rival = folder / "bob/base.py"
        self.old = write(folder / "results/old.sqlite", "secret", 0o644)
        self.file = folder / "club.toml"
        self.prey = [self.key, self.rival, self.old, self.file, self.home / "bin/python", self.home / ".ssh"]

    def script(self, path, *first_line, modules=None):
        """Write the attacker as a program of its own, with another first line if one is given."""
        modules = modules or self.alice
        lines = [
            *(first_line or [f"#!{PYTHON} -ES"]),
            "import sys",
            f"sys.path.insert(0, {str(modules)!r})",
            f"sys.argv[1:] = ['reads', *{list(map(str, self.prey))!r}]",
            f"exec(open({str(modules / 'attacks_files.py')!r}).read())",
        ]
        return write(self.alice / path, "\n".join(lines) + "\n")

    def run(self, *command, **options):
        """Play the tournament."""
        alice = {"name": "alice", "command": list(command), **options}
        bob = {"name": "bob", "command": [PYTHON, "-ES", "./bob/base.py"]}
        write_tournament(self.folder, bots=(alice, bob), **SHORT_GAME)
        return call("run", self.file, "--sandbox", "full")

    def refuse(self, *command):
        """Check that the tournament is refused; return why."""
        done = self.run(*command)
        assert (done.exit_code, done.stdout) == (2, ""), done.stdout
        (line,) = done.stderr.splitlines()
        assert line.startswith("arbiter: bots.alice: ")
        assert line.isprintable()
        return line

    def survive(self, *command, **options):
        """Check that both games are played to the end, and that the attacker could open nothing."""
        done = self.run(*command, **options)
        assert (done.exit_code, done.stderr) == (0, "")
        games = [json.loads(line) for line in call_ok("games", self.file, "--json").splitlines()]
        assert [game["ending"] for game in games] == ["no_attack_limit"] * 2
        for game in games:
            assert '{"got": []}' in call_ok("games", self.file, "--id", game["id"], "--log")


def make_program(path, folder):
    return Program(name="alice", argv=(str(path),), folder=folder)


def launch_arguments(sandbox, program):
    """Return the arguments that start a program; nothing is started."""
    launch = sandbox.launch(program, "mark")
    launch.handle.release()
    return launch.argv


@pytest.fixture
def club(sandbox, tmp_path):
    return Club(tmp_path)


def test_the_attacker_reads_everything_without_a_sandbox(club):
    """Otherwise the tests below would prove nothing."""
    club.script("bot")
    alice = {"name": "alice", "command": ["./alice/bot"]}
    bob = {"name": "bob", "command": [PYTHON, "-ES", "./bob/base.py"]}
    write_tournament(club.folder, bots=(alice, bob), **SHORT_GAME)
    call("run", club.file, "--sandbox", "process")
    expected = json.dumps({"got": list(map(str, club.prey))})
    assert expected in call_ok("games", club.file, "--id", "alice~bob~1", "--log")


# --- first lines ----------------------------------------------------------------------------------


@pytest.mark.parametrize("blank", ["\v", "\f", "\x1c", "\x85", "\x1b[2J", "\x7f"], ids=repr)
def test_a_first_line_with_a_control_character_shows_no_file(club, blank):
    """The kernel runs the interpreter in the folder of that odd name; Python splits the line at the character."""
    own = Path(f"{club.alice}/{blank}{club.key}")
    own.parent.mkdir(parents=True)
    own.symlink_to(PYTHON)
    club.script("bot", f"#!{blank}{club.key}")
    assert "its first line names" in club.refuse("./alice/bot")


FIRST_LINES = {
    "private": ("#!{key}", "neither in the bot's folder nor a toolchain of this machine"),
    "private with blanks": ("#! \t {key} \t x", "neither in the bot's folder"),
    "private up to a NUL": ("#!{key}\0", "neither in the bot's folder"),
    "rival": ("#!{rival}", "neither in the bot's folder"),
    "dots": ("#!/usr/../{key}", "neither in the bot's folder"),
    "process": ("#!/proc/self/cwd/{key}", "neither in the bot's folder"),
    "relative": ("#!python", "'python', which is not an absolute path; write one, such as #!/usr/bin/env python"),
    "relative with dots": ("#!../operator/.ssh/id_rsa", "not an absolute path"),
    "Windows": ("#!/usr/bin/python3\r", "carriage return, as on Windows; convert the file: sed"),
    "own link": ("#!{alice}/link", "is a symbolic link to"),
}


@pytest.mark.parametrize(("line", "why"), FIRST_LINES.values(), ids=FIRST_LINES)
def test_a_first_line_that_leads_elsewhere_is_refused(club, line, why):
    (club.alice / "link").symlink_to(club.key)
    club.script("bot", line.format(key=club.key, rival=club.rival, alice=club.alice))
    assert why in club.refuse("./alice/bot")


@pytest.mark.heavy
@pytest.mark.parametrize("line", ["#!{python} -ES", "#! \t{python}\t-ES  "])
def test_an_interpreter_of_the_machine_is_shown(club, line):
    club.script("bot", line.format(python=PYTHON))
    club.survive("./alice/bot")


# --- links ----------------------------------------------------------------------------------------

LINKS = ["{key}", "../operator/.ssh/id_rsa", "../bob/base.py", "/proc/self/root/{key}", "/usr/../{key}", "one"]


@pytest.mark.parametrize("target", LINKS)
def test_a_program_that_is_a_link_out_of_its_folder_is_refused(club, target):
    (club.alice / "one").symlink_to("two")
    (club.alice / "two").symlink_to(club.key)
    (club.alice / "bot").symlink_to(target.format(key=club.key))
    club.key.chmod(0o755)
    club.rival.chmod(0o755)
    assert "is a symbolic link to" in club.refuse("./alice/bot")


@pytest.mark.parametrize("target", ["../bob", "{bob}", "../alice/../bob", "/proc/self/root/{bob}", "one"])
def test_a_folder_that_is_a_link_to_a_rival_is_refused(club, target):
    (club.alice / "one").symlink_to("../bob")
    (club.alice / "src").symlink_to(target.format(bob=club.rival.parent))
    line = club.refuse(PYTHON, "./alice/src/base.py")
    assert f"{club.alice}/src is a symbolic link out of its folder, to {club.rival.parent}; " in line


@pytest.mark.parametrize("target", [".", "../submissions", "{here}"])
def test_a_submission_that_is_a_link_to_all_submissions_is_refused(club, target):
    here = club.folder / "submissions"
    here.mkdir()
    shutil.move(club.script("bot"), here / "bot")
    (here / "alice").symlink_to(target.format(here=here))
    assert f"{here}/alice is a symbolic link out of its folder, to {here}; " in club.refuse("./submissions/alice/bot")


def test_a_declared_path_through_a_link_of_the_bot_is_refused(club):
    (club.alice / "books").symlink_to(club.home)
    club.script("bot")
    done = club.run("./alice/bot", read=["alice/books/.ssh"])
    assert done.exit_code == 2
    assert f"{club.alice}/books is a symbolic link out of its folder" in done.stderr


def test_links_inside_the_folder_lead_nowhere(club):
    club.script("bot")
    for number, path in enumerate(club.prey):
        (club.alice / f"link{number}").symlink_to(path)
    (club.alice / "up").symlink_to("..")
    club.prey = [*club.alice.glob("link*"), *(club.alice / "up" / path.relative_to(club.folder) for path in club.prey)]
    club.survive("./alice/bot")


def test_the_operator_may_use_links(club):
    real = club.folder.parent / f"{club.folder.name}-elsewhere"
    club.script("v2/bot")
    shutil.move(club.alice, real)
    (real / "current").symlink_to("v2")
    club.alice.symlink_to(real)
    club.survive("./alice/current/bot", read=["alice/attacker.py", "alice/attacks_files.py", "alice/base.py"])


# --- marks of toolchains --------------------------------------------------------------------------


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("place", ["src", ""])
def test_marks_of_a_toolchain_show_nothing(club, place):
    """A submission is unpacked next to the others, or in a folder of its own."""
    for mark in MARKS.split():
        for folder in (club.alice, club.alice / place, club.alice / place / "bin"):
            if not (folder / mark).exists():
                write(folder / mark)
    club.prey.append(write(club.alice / "elsewhere/notes", mode=0o644))
    folder = club.alice / place / "bin"
    for name in ("attacks_files.py", "attacker.py", "base.py"):
        shutil.move(club.alice / name, folder)
    script = club.script(folder / "bot", modules=folder)
    club.survive(f"./{script.relative_to(club.folder)}")


def test_the_folder_of_a_program_with_the_name_of_an_interpreter_is_its_own(club):
    for mark in MARKS.split():
        write(club.alice / mark)
    club.script("bin/python").rename(club.alice / "bin/python")
    (club.alice / "bin/attacks_files.py").symlink_to("../attacks_files.py")
    club.survive("./alice/bin/python", read=["alice/attacks_files.py", "alice/attacker.py", "alice/base.py"])


def make_environment(club, home):
    """Write a virtual environment in the folder of the attacker that claims another base."""
    write(club.alice / "venv/pyvenv.cfg", f"home = {home}\n")
    (club.alice / "venv/bin").mkdir()
    (club.alice / "venv/bin/python").symlink_to(PYTHON)


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("words", [["./alice/venv/bin/python", "-S", "./alice/bot"], ["./alice/bot"]])
def test_an_environment_is_based_only_on_a_toolchain_of_the_machine(club, words):
    club.script("bot", f"#!{club.alice}/venv/bin/python -S")
    make_environment(club, club.home / "bin")
    club.survive(*words)


def test_an_environment_whose_interpreter_is_elsewhere_is_refused(club):
    make_environment(club, club.home / "bin")
    (club.alice / "venv/bin/python").unlink()
    (club.alice / "venv/bin/python").symlink_to(club.home / "bin/python")
    club.script("bot")
    assert f"venv/bin/python is a symbolic link to {club.home}/bin/python" in club.refuse(
        "./alice/venv/bin/python", "./alice/bot"
    )


@pytest.fixture
def fresh_toolchains():
    """Let the arbiter find the toolchains of this machine again, during the test and after it."""
    machine_toolchains.cache_clear()
    yield
    machine_toolchains.cache_clear()


@pytest.mark.heavy
@pytest.mark.usefixtures("fresh_toolchains")
@pytest.mark.parametrize("is_arbiters", [True, False], ids=["the arbiter's", "on the PATH"])
def test_an_environment_that_is_the_folder_of_the_tournament_shows_nothing_else(club, monkeypatch, is_arbiters):
    """`python -m venv .` makes one."""
    python = Path(os.path.realpath(PYTHON))
    write(club.folder / "pyvenv.cfg", f"home = {python.parent}\n", 0o644)
    (club.folder / "bin").mkdir()
    (club.folder / "lib").mkdir()
    (club.folder / "bin/python").symlink_to(python)
    if is_arbiters:
        monkeypatch.setattr(sys, "prefix", str(club.folder))
    else:
        monkeypatch.setenv("PATH", f"{club.folder}/bin{os.pathsep}{os.environ['PATH']}")
    club.script("bot", f"#!{club.folder}/bin/python -ES")
    club.survive("./alice/bot")
    shutil.rmtree(club.folder / "results")
    club.old = write(club.folder / "results/old.sqlite", "secret", 0o644)
    club.survive(str(club.folder / "bin/python"), "-ES", "./alice/bot")
    (club.alice / "src").symlink_to("../bob")
    assert "is a symbolic link out of its folder" in club.refuse(PYTHON, "./alice/src/base.py")


# --- files of other kinds -------------------------------------------------------------------------


def make_socket(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


def make_device(path):
    if os.geteuid() != 0:
        pytest.skip("allowed: only root makes devices")
    os.mknod(path, 0o666 | 0o020000, os.makedev(1, 5))


KINDS = {"pipe": (os.mkfifo, "a named pipe"), "socket": (make_socket, "a socket"), "device": (make_device, "a device")}


@pytest.mark.parametrize(("make", "what"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("name", ["deep/er/null", "bot", "pyvenv.cfg", "\x1b[2Jn\n\udcff"], ids=repr)
def test_pipes_sockets_and_devices_are_refused(club, make, what, name):
    club.script("other")
    path = club.alice / name
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    path.chmod(0o755)
    command = ["./alice/bot"] if name == "bot" and what != "a device" else ["./alice/other"]
    assert f"is {what}, which no bot may have; remove it" in club.refuse(*command)


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("name", ["results/club.sqlite", "club.toml"])
def test_another_name_of_a_secret_is_refused(club, name):
    club.script("bot")
    club.survive("./alice/bot")
    (club.alice / "deep/er").mkdir(parents=True)
    (club.alice / "deep/er/data").hardlink_to(club.folder / name)
    done = call("rerun", club.file, "alice~bob~1", "--sandbox", "full")
    assert done.exit_code == 2
    assert f"bots.alice: {club.alice}/deep/er/data is another name of {club.folder}/{name}; remove it" in done.stderr


def test_folders_that_are_nested_too_deep_are_refused(club):
    club.script("bot")
    folder = club.alice.joinpath(*"d" * 250)
    folder.mkdir(parents=True)
    assert "folders are nested more than 200 deep; leave them out" in club.refuse("./alice/bot")


NAMES = [b"new\nline", b"\x1b]0;title\x07", b"\xff\xfe", b"--ro-bind", b"{}", b"con", b"nul", b" ", b"a" * 255]


def test_a_folder_may_have_files_with_any_names(club):
    """They are next to the tournament file, so each of them is named in the arguments of the sandbox."""
    for name in NAMES:
        (Path(os.fsdecode(os.fsencode(club.alice) + b"/" + name))).touch()
        (Path(os.fsdecode(os.fsencode(club.alice) + b"/link " + name[:99]))).symlink_to(os.fsdecode(name))
    club.script("bot")
    club.folder = club.alice
    club.file = club.alice / "club.toml"
    (club.alice / "bob").mkdir()
    shutil.copy(BOTS / "base.py", club.alice / "bob")
    club.prey = [club.key, club.old, club.file, club.alice / "results/club.sqlite"]
    done = club.run("./bot")
    assert (done.exit_code, done.stderr.count("\n")) == (0, 1), done.stderr
    assert '{"got": []}' in call_ok("games", club.file, "--id", "alice~bob~1", "--log")


@pytest.mark.heavy
@pytest.mark.parametrize("files", [3_000, pytest.param(18_000, marks=pytest.mark.slow)])
def test_a_huge_folder_costs_nothing_at_the_start_of_a_game(sandbox, club, files):
    club.script("bot")
    program = make_program(club.alice / "bot", club.alice)
    small = launch_arguments(sandbox, program)
    for number in range(files):
        folder = club.alice / f"node_modules/{number // 500}"
        if number % 500 == 0:
            folder.mkdir(parents=True)
        os.close(os.open(folder / f"{number}.js", os.O_CREAT))
    assert len(launch_arguments(sandbox, program)) == len(small)
    club.survive("./alice/bot")


# --- changes during the run -----------------------------------------------------------------------


def test_a_program_that_changes_during_the_run_is_shown_no_more(sandbox, club):
    club.script("bot")
    program = make_program(club.alice / "bot", club.alice)
    assert attack_report(check_undisturbed(play_in_sandbox(sandbox, program, bot()))) == []
    club.script("next")
    club.script("bot", f"#!{club.home}/bin/python")
    played = play_in_sandbox(sandbox, program, bot())
    assert played.outcome == ("no_start", "blue")
    assert "exited with status 12" in played.result.why  # the interpreter of its first line is not there


@pytest.fixture
def unstaged(sandbox, monkeypatch):
    """Return a sandbox that shows the club's files where they are, as for an arbiter that is not root."""
    reach = Unprivileged.within_reach
    monkeypatch.setattr(Unprivileged, "within_reach", lambda *args: None if "club" in str(args[1]) else reach(*args))
    return sandbox


@pytest.fixture
def open_club(sandbox):
    """Return a club that other users reach."""
    with tempfile.TemporaryDirectory(prefix="club", dir="/tmp") as folder:
        yield Club(Path(folder))


def swap(club):
    """Put a link to all that the club has in the place of the attacker's folder, as its owner can at any time."""
    club.alice.rename(club.folder / "moved")
    club.alice.symlink_to(club.folder)


def test_a_folder_that_becomes_a_link_is_not_shown(unstaged, open_club):
    open_club.script("bot")
    program = make_program(open_club.alice / "bot", open_club.alice)
    unstaged.find_visible(program)
    swap(open_club)
    with pytest.raises(OSError, match="was replaced by a link during the run"):
        unstaged.launch(program, "mark")


def test_a_folder_that_becomes_a_link_before_it_is_mounted_is_noticed(unstaged, open_club):
    """The bot begins only after the arbiter has seen in its sandbox what it checked outside."""
    open_club.script("bot")

    class Swapping:
        name = "full"

        def launch(self, program, mark):
            launch = unstaged.launch(program, mark)
            if program.name == "alice":
                swap(open_club)
            return launch

    with pytest.raises(ExceptionGroup) as caught:
        play(make_program(open_club.alice / "bot", open_club.alice), bot(), isolation=Swapping())
    assert caught.group_contains(OSError, match="was replaced while its sandbox was built")


@pytest.mark.skipif(os.geteuid() != 0, reason="allowed: only root gives bots other paths")
def test_root_shows_the_folder_that_it_checked_even_if_a_link_replaces_it(sandbox, club):
    club.script("bot")
    program = make_program(club.alice / "bot", club.alice)
    launch_arguments(sandbox, program)
    swap(club)
    assert attack_report(check_undisturbed(play_in_sandbox(sandbox, program, bot()))) == []


def test_names_that_the_host_replaces_stay_hidden(sandbox, club):
    """An editor replaces the tournament file, and SQLite its journal, while the bot looks for them."""
    names = ["club.toml", "club.sqlite", "club.sqlite-wal", "club.sqlite.running"]
    club.prey = [club.alice / name for name in (*names, "club.toml~", "club.sqlite-journal")]
    club.script("bot")
    for name in names:
        write(club.alice / name)
    is_over = threading.Event()

    def replace_names():
        while not is_over.wait(0.002):
            for path in club.prey:
                write(club.folder / "new", mode=0o644).replace(path)

    secrets = HiddenFiles((club.alice / "club.toml", club.alice / "club.sqlite"), (club.alice,))
    host = threading.Thread(target=replace_names)
    host.start()
    try:
        played = play_in_sandbox(open_sandbox(secrets), make_program(club.alice / "bot", club.alice), bot())
    finally:
        is_over.set()
        host.join()
    assert attack_report(check_undisturbed(played)) == []
