"""Folders of unknown people with pipes, devices and links in the places of files: no command waits or writes elsewhere."""

import os
import subprocess
from pathlib import Path

import pytest
from cli.command_line import ARBITER, write_program, write_tournament

LIMIT_S = 60


def run(*words, **environment):
    """Run a command as a user does; return its exit code and its last line.  A command that waits fails the test."""
    done = subprocess.run(
        [ARBITER, *map(str, words)],
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    return done.returncode, (done.stderr.strip() or done.stdout.strip()).rpartition("\n")[2]


NEXT_TO_RESULTS = [
    ("status", [".lock"], 0, ""),
    ("run", [".lock"], 2, "club.sqlite.lock: cannot be opened: it is a named pipe"),
    ("run", [".live", ".running", ".running.new"], 0, ""),
    ("standings", ["-journal"], 2, "club.sqlite-journal: is not a file of this arbiter"),
    ("standings", [""], 2, "club.sqlite: there is no such file"),
]


@pytest.mark.parametrize(("command", "suffixes", "code", "line"), NEXT_TO_RESULTS)
def test_pipes_next_to_results_stop_no_command(club, command, suffixes, code, line):
    for suffix in suffixes:
        pipe = club.parent / f"results/club.sqlite{suffix}"
        pipe.unlink(missing_ok=True)
        os.mkfifo(pipe)
    done = run(command, club)
    assert (done[0], line in done[1]) == (code, True), done


@pytest.mark.parametrize("suffix", [".lock", ".running", ".running.new", ".live", "-wal", "-journal"])
@pytest.mark.slow(keep=2)
def test_a_link_next_to_results_leads_no_output_elsewhere(club, suffix):
    precious = club.parent / "precious"
    precious.write_text("precious")
    link = club.parent / f"results/club.sqlite{suffix}"
    link.unlink(missing_ok=True)
    link.symlink_to(precious)
    run("run", club)
    assert precious.read_text() == "precious"


INPUTS = [
    ("verify", "trap"),
    ("position", "trap"),
    ("schedule", "trap.toml"),
    ("suite", "trap", "random"),
    ("match", "hunter", "random", "--setups", "trap"),
    ("tune", "random", "--param", "a=1..2", "--results", "trap.jsonl", "--sandbox", "process"),
]


@pytest.mark.parametrize("words", INPUTS, ids=lambda words: words[0])
@pytest.mark.slow(keep=3)
def test_a_pipe_is_no_input(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    for name in ("trap", "trap.toml", "trap.jsonl"):
        os.mkfifo(name)
    code, line = run(*words)
    assert (code, "cannot be read: it is a named pipe" in line) == (2, True), line


def test_completion_does_not_wait_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "club.toml")
    words = f"arbiter withdraw {tmp_path}/club.toml x"
    assert run(_ARBITER_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD="3") == (0, "")


def test_a_first_line_that_names_a_pipe_stops_no_tournament(tmp_path):
    """The arbiter looks for the interpreter, to name its version with the program; the kernel then does not run it."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    pipe.chmod(0o755)
    for name, interpreter in (("alice", f"/usr/..{pipe}"), ("bob", f"/usr/bin/env /usr/..{pipe}")):
        (tmp_path / name).mkdir()
        write_program(tmp_path / name / "bot", f"#!{interpreter}\n")
    bots = [{"name": name, "command": [f"./{name}/bot"]} for name in ("alice", "bob")]
    file = write_tournament(tmp_path, bots=bots, rules="duel", games=2)
    assert run("run", file, "--sandbox", "process")[0] == 0


RECORD = Path(__file__).parent.parent / "games" / "golden" / "original.jsonl"
BOOK = "check club.toml --sandbox process"
LONG = {
    "key": ("schedule club.toml", lambda: "a." * 500_000 + "b = 1", "nested too deeply"),
    "brackets": ("schedule club.toml", lambda: "a = " + "[" * 500_000, "nested too deeply"),
    "size": ("schedule club.toml", lambda: "#" * 3_000_000, "has more than 1,024 KiB"),
    "keys": ("schedule club.toml", lambda: "\n".join(f"k{n} = 1" for n in range(20_000)), "k49: unknown key"),
    "position of rows": ("position input", lambda: "\n".join([". " * 10] * 2_000_000), "41999999 letters"),
    "position of words": ("position input", lambda: "a" * 100 + " red" * 10_000_000, "40000100 letters"),
    "rules of a record": (
        "verify input",
        lambda: RECORD.read_text().replace('"rules":"original"', f'"rules":"{"x" * 5_000_000}"'),
        f"unknown rule set '{'x' * 100}...'",
    ),
    "acts of a record": ("verify input", lambda: "[" * 3_000_000, "is cut off or not part of a record"),
    "one deployment": (BOOK, lambda: ("." * 10 + "\n") * 300_000, "5 rows or more"),
    "large book": (BOOK, lambda: "#" * 5 * 2**20, "4,096 KiB"),
}


@pytest.mark.parametrize(("words", "write", "why"), LONG.values(), ids=LONG)
def test_no_input_takes_long_to_refuse_or_fills_the_terminal(tmp_path, monkeypatch, words, write, why):
    monkeypatch.chdir(tmp_path)
    write_tournament(tmp_path, rules="original", setups="input")
    Path("club.toml" if words.startswith("schedule") else "input").write_text(write())
    code, line = run(*words.split())
    codes = (1, 2) if words == "verify input" else (2,)
    assert (code in codes, why in line, len(line) < 2000) == (True, True, True), line[:2000]
