"""A submitted program reaches no file outside its entry, wherever its command is looked up and it plays."""

import json
import os
import pty
import subprocess
import sys
import tarfile
from pathlib import Path

import msgspec
import pytest
import trio
from cli.command_line import ARBITER, PATIENCE_S, SECRET, call, call_ok, call_refused, write_program, write_tournament

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError
from arbiter.record import read_record
from arbiter.sandbox.files.archive import unpack
from arbiter.sandbox.files.toolchains import is_on_path
from arbiter.sandbox.files.visible import HiddenFiles, find_visible
from arbiter.submissions.examine import find_submitted
from arbiter.submissions.store import ENTRIES, Submissions
from arbiter.submissions.versions import load_versions, make_version
from arbiter.tournament.config.bot_config import BotConfig, SubmittedFiles, find_program
from arbiter.tournament.config.tournament import find_programs, load_tournament, resolve
from arbiter.tournament.entries import EntryStore
from arbiter.tournament.execution.portable import localize, make_portable, start_once
from arbiter.tournament.programs import ProgramDigests

RIVAL = "# the secret of the rival"
OWN, OTHER = "1" * 64, "2" * 64
SHELL = ["sh", "-c", "exec python3 mybot.py"]
# Each command, and the word that a refusal names; None for a command that may play, but finds nothing.
COMMANDS = {
    "a path": ([*SHELL, "rival/bot.py"], None),
    "a path from here": ([*SHELL, "./l.toml"], None),
    "a folder": ([*SHELL, "./rival"], None),
    "a path before the bot": (["sh", "rival/bot.py", "./mybot.py"], None),
    "the own folder": (["sh", ".", "rival/bot.py"], None),
    "another author's entry": ([*SHELL, f"results/l.submissions/entries/{OTHER}/bot/bot.py"], None),
    "a wheel": ([*SHELL, "wheels/rival.whl"], None),
    "a module": (["python3", "-m", "bot"], None),
    "a module in a folder": (["python3", "-m", "rival.bot"], None),
    "an option of an interpreter": (["python3", "-Xpycache_prefix=rival/bot.py", "mybot.py"], None),
    "a class path": (["python3", "-c", "print()", "-cp", "rival/bot.py"], None),
    "a variable of env": (["env", "PYTHONPATH=rival", "python3", "-m", "bot", "rival/bot.py"], None),
    "a word after a bridge": (["ucc-bridge", *SHELL, "rival/bot.py"], None),
    "a script of env": (["./env.sh", "rival/bot.py"], None),
    "a name that appears later": ([*SHELL, "later.txt"], None),
    "the program": (["rival/bot.py"], "rival/bot.py"),
    "the program of a bridge": (["ucc-bridge", "rival/bot.py"], "rival/bot.py"),
    "an absolute path": ([*SHELL, "/etc/passwd"], "/etc/passwd"),
    "a path upwards": ([*SHELL, "../bot.py"], "../bot.py"),
    "a path upwards in the middle": ([*SHELL, "./lib/../../bot.py"], "./lib/../../bot.py"),
    "the home of the organiser": ([*SHELL, "~/secret"], "~/secret"),
    "a link": (["python3", "./out.py"], "./out.py"),
    "a file below a link": (["python3", "./out/bot.py"], "out/bot.py"),
    "a first line": (["./first"], "first"),
    "a first line with a relative path": (["./relative"], "relative"),
}


@pytest.fixture
def club(tmp_path, monkeypatch):
    """Make the folder of an organiser with a rival, and the entries of two authors."""
    monkeypatch.chdir(tmp_path)
    club = tmp_path / "club"
    for folder in ("rival", "wheels"):
        (club / folder).mkdir(parents=True)
    for name in ("rival/bot.py", "bot.py", "wheels/rival.whl", "later.txt"):
        write_program(club / name, f"#!/usr/bin/env python3\n{RIVAL}\n")
    for digest in (OWN, OTHER):
        folder = club / "results" / "l.submissions" / ENTRIES / digest / "bot"
        (folder / "lib").mkdir(parents=True)
        write_program(folder / "mybot.py", "#!/usr/bin/env python3\n")
        write_program(folder / "first", f"#!{club}/rival/bot.py\n")
        write_program(folder / "relative", "#!rival/bot.py\n")
        write_program(folder / "env.sh", f"#!/usr/bin/env -S python3 {club}/rival/bot.py\n")
        (folder / "out.py").symlink_to(club / "rival" / "bot.py")
        (folder / "out").symlink_to(club / "rival")
    write_tournament(club, name="l", format="ladder", submissions={"open": True})
    return Club(club)


class Club:
    """Ways to the program of an author with a command, each as the arbiter goes it."""

    def __init__(self, folder):
        self.folder = folder
        self.file = folder / "l.toml"
        self.results = folder / "results" / "l.sqlite"
        self.submissions = Submissions(self.results.with_suffix(".submissions"))
        self.entry = self.submissions.folder / ENTRIES / OWN / "bot"

    def examine(self, command):
        return find_submitted("spy", command, self.entry)

    def make_version(self, command):
        made = self.submissions.create("spy", command, "id")
        self.submissions.change(made, "passed", digest=OWN)
        return make_version(self.submissions, self.submissions.find(made.number), self.folder)

    def try_out(self, command):
        file = load_tournament(self.file).file
        own = self.make_version(command)
        return resolve(file.with_bots("a trial", [own, file.bots[0]], 2), self.folder).programs[0]

    def load(self, command):
        self.make_version(command)
        with self.submissions.deciding("spy", "promoted") as decisions:
            decisions.parents[1] = ""
            decisions.lines["spy"] = [1]
        return load_versions(self.file, self.results)

    def play_ladder(self, command):
        return self.load(command).programs[-1]

    def play_guest(self, command):
        event = self.load(command)
        you = BotConfig(name="you", kind="person")
        file = event.file.with_bots("a table", [you, event.file.bots[-1]], 2)
        return resolve(file, event.folder).programs[0]

    def rerun(self, command):
        stored = msgspec.json.encode(self.make_version(command))
        return find_programs([msgspec.json.decode(stored, type=BotConfig)], self.folder)[0]

    def work(self, command):
        program = msgspec.structs.replace(self.play_ladder(command), examined=None)  # no file has the digest OWN
        for link in ("out", "out.py"):  # no archive has them
            (self.entry / link).unlink()
        digests = ProgramDigests([program], has_environments=False)
        bot = make_portable(program, digests, EntryStore(self.folder.parent / "entries", digests))
        self.entry = self.folder.parent / "worker" / "bot"
        self.entry.parent.mkdir()
        unpack(bot.archive, self.entry.parent)
        return localize(bot, self.entry.parent)


WAYS = {"examination": Club.examine, "ladder": Club.play_ladder, "worker": Club.work}
OTHER_WAYS = {"trial": Club.try_out, "guest": Club.play_guest, "rerun": Club.rerun}


@pytest.mark.parametrize(("command", "refused"), COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(
    "way",
    [*WAYS.values(), *(pytest.param(way, marks=pytest.mark.heavy) for way in OTHER_WAYS.values())],
    ids=[*WAYS, *OTHER_WAYS],
)
def test_a_command_names_nothing_outside_the_entry(club, command, refused, way):
    try:
        program = way(club, command)
        fault = find_visible(program, HiddenFiles()).fault
    except ConfigError as error:
        fault = str(error)
    if refused is not None:
        assert refused in fault
        return
    assert fault is None
    assert program.folder == club.entry
    named = {Path(word) for word in (*program.argv, *program.inner) if word.startswith("/")}
    shown = {real for real, _ in find_visible(program, HiddenFiles()).paths}
    strange = {path for path in named | shown if path.is_relative_to(club.folder.parent)}
    assert all(path.is_relative_to(club.entry) for path in strange)
    assert all(is_on_path(path) or path == Path(sys.executable) for path in named - strange)


def test_a_submitted_program_reads_only_its_entry(club):
    submitted = SubmittedFiles(folder=str(club.entry.relative_to(club.folder)), digest=OWN)
    bot = BotConfig(name="spy", command=["./mybot.py"], read=["rival"], submitted=submitted)
    with pytest.raises(ConfigError, match="leave out `read`"):
        find_program(bot, club.folder)
    table = {"name": "spy", "command": ["./mybot.py"], "submitted": {"folder": "rival", "digest": OWN}}
    write_tournament(club.folder, name="l", bots=(table, "random"))
    with pytest.raises(ConfigError, match=r"line \d+: bots\.spy\.submitted: only results contain it; leave it out"):
        load_tournament(club.file)


# --- real processes -------------------------------------------------------------------------------


# In the folder of the rival, it would show the program of the rival, and play it.
SPY = "ls >&2; cat bot.py >&2; test -f mybot.py && exec python3 mybot.py; exec python3 bot.py"


@pytest.fixture
def ladder(tmp_path, monkeypatch, sandbox):
    """Examine a program with a trial, and let it play a ladder; return its file."""
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for name in ("rival", "home"):
        (tmp_path / name).mkdir()
    call_ok("new-bot", "rival/bot.py")
    (tmp_path / "rival" / "bot.py").write_text(f"{(tmp_path / 'rival' / 'bot.py').read_text()}{RIVAL}\n")
    call_ok("new-bot", "home/mybot.py")
    (tmp_path / "home" / ".arbiterignore").write_text("!*.md\n")
    for name in ("notes.md", "more.md"):
        (tmp_path / "home" / name).write_text("of the author\n")
    bots = ({"name": "spy", "command": ["rival/bot.py"]}, "random")
    settings = {"open": True, "promote": "auto", "pairs": 1}
    file = write_tournament(tmp_path, bots=bots, format="ladder", max_games=2, submissions=settings)
    assert call("run", file, "--sandbox", "full").exit_code == 0
    submissions = Submissions(tmp_path / "results" / "club.submissions")
    made = submissions.create("spy", ["sh", "-c", SPY, "rival/bot.py", "notes.md"], "id")
    with tarfile.open(submissions.find_archive(made.number), "w") as archive:
        archive.add("home", "bot")
    command = [sys.executable, "-m", "arbiter.submissions.examine", str(made.number), "results/club.sqlite"]
    subprocess.run(command, check=True, timeout=PATIENCE_S)
    return file


def check_output(text):
    assert {"more.md", "mybot.py", "notes.md"} <= set(text.split())
    assert RIVAL not in text


@pytest.mark.heavy
def test_real_processes_read_nothing_outside_the_entry(ladder, sandbox):
    submissions = Submissions(ladder.parent / "results" / "club.submissions")
    found = submissions.find(1)
    steps = {step["name"]: step for step in submissions.list_steps(1)}
    assert (found.state, steps["parent"]["status"]) == ("passed", "ok"), steps
    for games, options in ((2, ["--jobs", "1"]), (4, ["--workers", "1"])):
        ladder.write_text(ladder.read_text().replace(f"max_games = {games}", f"max_games = {games + 2}"))
        result = call("run", ladder, "--sandbox", "full", *options)
        assert result.exit_code == 0, result.stderr
    games = [json.loads(line) for line in call_ok("games", ladder, "--bot", "spy-1", "--json").splitlines()]
    assert len(games) == 4
    assert not {game["ending"] for game in games} & {"crash", "no_start"}
    for game in games:
        check_output(call_ok("games", ladder, "--id", game["id"], "--log"))
    again = call("rerun", ladder, games[0]["id"], "--trust-commands", "--sandbox", "full", "--log")
    assert again.exit_code == 0, again.stderr
    check_output(again.stdout)
    assert ": ok: 6 games" in call_ok("verify", ladder)
    assert play_as_guest(ladder.parent) == "resigned"
    program = load_versions(ladder, ladder.parent / "results" / "club.sqlite").programs[-1]
    digests = ProgramDigests([program], has_environments=False)
    folder = ladder.parent / "worker"
    folder.mkdir()
    bot = make_portable(program, digests, EntryStore(ladder.parent / "sent", digests))
    unpack(bot.archive, folder)
    trio.run(start_once, localize(bot, folder), sandbox, TimeSettings())
    entry = submissions.folder / ENTRIES / found.digest / "bot" / "notes.md"
    entry.chmod(0o644)
    entry.write_text("changed\n")
    assert "number 1 is not as it was examined" in call_refused("submissions", ladder, 1, "--promote")
    refused = call("run", ladder, "--sandbox", "full")
    assert (refused.exit_code, "bots.spy-1: its files are not those that were examined" in refused.stderr) == (2, True)


def play_as_guest(folder):
    """Play and resign a game with the command that the web server starts for a guest; return how it ended."""
    ours, theirs = pty.openpty()
    words = ["play", "spy-1", "--in", "club.toml", "--as", "red", "--record", "game.jsonl", "--sandbox", "full"]
    words += ["--seed", "17", "--secret", SECRET]  # otherwise the first move may take the flag
    with subprocess.Popen([ARBITER, *words], stdin=theirs, stdout=subprocess.PIPE, cwd=folder) as playing:
        os.close(theirs)
        os.write(ours, b"\n\nmoves\n1\nresign\n")
        playing.communicate(timeout=PATIENCE_S)
    os.close(ours)
    return read_record((folder / "game.jsonl").read_bytes()).result.ending
