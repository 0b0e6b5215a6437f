"""`replay` on a terminal: the application starts, reacts to keys, and restores the terminal."""

import os
import signal
import sqlite3
import subprocess
import sys

import pytest
from cli.command_line import call
from cli.terminal import ENTERED, Terminal

from arbiter.tournament.standings.stored_game import StoredGame

GAME = "hunter~random~1"


@pytest.fixture(scope="module")
def record(played, tmp_path_factory):
    folder = tmp_path_factory.mktemp("record")
    call("games", played, "--id", GAME, "--export", folder)
    return folder / f"{GAME}.jsonl"


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("\x03", 130)])
@pytest.mark.slow(keep=1)
def test_a_record_is_watched_and_closed(record, key, code):
    with Terminal("replay", record, "--as", "red") as terminal:
        terminal.read_until("view: red")
        terminal.press("\x1b[C")
        terminal.read_until("ply 1")
        terminal.press(key)
        assert (terminal.finish(), terminal.is_clean) == (code, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow(keep=1)
def test_a_signal_leaves_the_terminal_clean(record, number):
    with Terminal("replay", record) as terminal:
        terminal.read_until("ply 0 of")
        terminal.popen.send_signal(number)
        assert (terminal.finish(), terminal.is_clean) == (130, True)


@pytest.mark.parametrize(("on_hangup", "code"), [(signal.SIG_DFL, -signal.SIGHUP), (signal.SIG_IGN, 130)])
def test_replay_ends_with_its_terminal(record, on_hangup, code):
    before = signal.signal(signal.SIGHUP, on_hangup)  # `nohup arbiter` ignores it
    try:
        terminal = Terminal("replay", record)
    finally:
        signal.signal(signal.SIGHUP, before)
    with terminal:
        terminal.read_until("ply 0 of")
        assert terminal.hang_up() == code


def test_a_person_leaves_with_the_terminal(tmp_path):
    words = ("play", "random", "--rules", "duel", "--sandbox", "process", "--record", tmp_path / "game.jsonl")
    with Terminal(*words) as terminal:
        terminal.read_until("Enter to begin")
        terminal.press("\r")
        terminal.read_until("Enter to begin: ")
        assert terminal.hang_up() == 130
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_has_its_exit_code_even_if_the_terminal_takes_no_more_output():
    code = "import sys\nfrom arbiter.cli.failures import report_errors\nwith report_errors():\n"
    code += "    print('not flushed', end='')\n    sys.stdin.read()\n    raise KeyboardInterrupt"
    ours, theirs = os.openpty()
    arbiter = subprocess.Popen([sys.executable, "-E", "-c", code], stdin=subprocess.PIPE, stdout=theirs)
    os.close(theirs)
    os.close(ours)
    arbiter.stdin.close()
    assert arbiter.wait() == 130


def test_a_game_is_picked_from_results(played):
    with Terminal("replay", played) as terminal:
        terminal.read_until("Club night")
        terminal.press("\r")
        terminal.read_until("ply 0 of")
        terminal.press("\x1b")
        terminal.read_until("Games can be watched")
        terminal.press("q")
        assert (terminal.finish(), terminal.is_clean) == (0, True)


def test_games_stored_by_another_program_appear_in_the_list(club):
    results = club.parent / "results" / "club.sqlite"
    with Terminal("replay", club) as terminal:
        terminal.read_until("12 games")
        with sqlite3.connect(results) as connection:
            columns = ", ".join(StoredGame.__struct_fields__[1:])
            connection.execute(f"INSERT INTO game (id, {columns}) SELECT 'one more', {columns} FROM game LIMIT 1")
        connection.close()
        terminal.read_until("13")
        terminal.press("q")
        assert terminal.finish() == 0


def test_the_first_ply(played):
    with Terminal("replay", played, GAME, "--at", "end", "--lang", "de", height=40) as terminal:
        terminal.read_until("Punkte: ")
        terminal.press("q")
        assert terminal.finish() == 0


def test_without_colour(record):
    painted = []
    for environment in ({}, {"NO_COLOR": "1"}):
        with Terminal("replay", record, "--at", "3", **environment) as terminal:
            terminal.read_until("ply 3 of")
            terminal.press("?")
            terminal.read_until("one step forward")
            terminal.press("q")
            terminal.press("q")
            terminal.finish()
            painted.append(bool(terminal.colours))
    assert painted == [True, False]


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"TERM": ""}])
def test_a_dumb_terminal_gets_frames(record, environment):
    with Terminal("replay", record, "--at", "1", **environment) as terminal:
        assert terminal.finish() == 0
        assert ENTERED not in terminal.written
        assert "ply 1: " in terminal.written
        assert terminal.colours == []


@pytest.mark.parametrize("options", [("--plain",), ("--json",)])
def test_plain_frames(record, options):
    with Terminal("replay", record, "--at", "1", *options) as terminal:
        assert terminal.finish() == 0
        assert ENTERED not in terminal.written


# --- errors are reported before the application takes over the screen -----------------------------


def broken(record, folder):
    """Write a record that contains its last act twice."""
    lines = record.read_text().splitlines()
    path = folder / "broken.jsonl"
    path.write_text("\n".join([*lines[:5], lines[4]]))
    return path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("{broken}",), "act 5 cannot be shown"),
        (("{broken}", "--as", "red"), "act 5 cannot be shown: it is against the rules"),
        (("{cut}",), "is cut off or not part of a record"),
        (("{none}",), "No such file"),
        (("{results}", "nobody"), "there is no game 'nobody'"),
        (("{results}", "--at", "3"), "--at 3: name the game of"),
        (("{results}", GAME, "--at", "9999"), "ply 9999: the game has plies 0 to"),
        (("{record}", "--at", "9999"), "ply 9999: the game has plies 0 to"),
        (("{record}", GAME), "is not a results file"),
        (("{damaged}",), "is damaged"),
    ],
)
@pytest.mark.slow(keep=4)
def test_errors_are_one_line_without_the_screen(record, club, tmp_path, words, said):
    results = club.parent / "results" / "club.sqlite"
    cut, damaged = tmp_path / "cut.jsonl", tmp_path / "damaged.sqlite"
    cut.write_bytes(record.read_bytes()[:-20])
    data = bytearray(results.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    damaged.write_bytes(data)
    places = {
        "broken": broken(record, tmp_path),
        "cut": cut,
        "none": tmp_path / "none",
        "results": results,
        "record": record,
        "damaged": damaged,
    }
    with Terminal("replay", *(word.format(**places) for word in words)) as terminal:
        assert terminal.finish() == 2
        assert ENTERED not in terminal.written
        assert said in terminal.written.replace("\r\n", " ")
        assert terminal.written.startswith("arbiter: ")
        assert terminal.written.count("\n") == 1
