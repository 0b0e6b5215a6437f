"""People at the terminal: a game against a bot, and a tournament with a person."""

import json
import os
import pty
import re
import signal
import subprocess

import pytest
from cli.command_line import ARBITER, PATIENCE_S, call_ok, write_tournament
from cli.terminal import Terminal

from arbiter.games.catalogue import RULE_SETS
from arbiter.record import read_record

HUMAN = {"name": "anna", "kind": "terminal"}
SIZES = [(80, 24), (100, 50)]
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class AtTheTerminal:
    """`arbiter WORDS` on a terminal at which the test types."""

    def __init__(self, *words, folder):
        self._ours, theirs = pty.openpty()
        self.popen = subprocess.Popen(
            [ARBITER, *map(str, words), "--sandbox", "process"],
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            text=True,
            start_new_session=True,
        )
        os.close(theirs)

    def types(self, *lines):
        os.write(self._ours, "".join(f"{line}\n" for line in lines).encode())

    def finish(self):
        out, err = self.popen.communicate(timeout=PATIENCE_S)
        os.close(self._ours)
        return self.popen.returncode, out, err

    def wait_for(self, text):
        shown = ""
        while text not in shown:
            character = self.popen.stdout.read(1)
            assert character, f"the end of {shown!r}"
            shown += character
        return shown


def test_a_person_plays_a_bot_and_the_game_is_recorded(tmp_path):
    terminal = AtTheTerminal(
        "play", "random", "--rules", "duel", "--as", "blue", "--record", "mine.jsonl", "--seed", "1", folder=tmp_path
    )
    terminal.types("", "", "moves", "1", "moves", "2", "resign")
    code, out, _ = terminal.finish()
    assert code == 0
    assert "your next game: random (red) against you (blue), round 1" in out
    assert out.endswith("record: mine.jsonl\nwatch it: arbiter replay mine.jsonl\n")
    record = read_record((tmp_path / "mine.jsonl").read_bytes())
    assert record.header.seats["blue"].name == "you"
    assert (record.result.ending, record.result.winner) == ("resigned", "red")
    assert sum(act.seat == "blue" for act in record.acts) == 4  # a deployment, two moves, the end
    assert "ok" in call_ok("verify", tmp_path / "mine.jsonl")


def test_the_default_name_of_the_record_contains_the_time(tmp_path):
    terminal = AtTheTerminal("play", "random", "--rules", "card-game", "--seed", "1", folder=tmp_path)
    terminal.types("", "", "resign")
    assert terminal.finish()[0] == 0
    (record,) = tmp_path.glob("played-*.jsonl")
    assert "ok" in call_ok("verify", record)


def test_a_game_can_be_postponed(tmp_path):
    terminal = AtTheTerminal("play", "random", folder=tmp_path)
    terminal.types("later")
    assert terminal.finish()[0] == 1
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_twice_ends_a_game_that_waits_for_a_key(tmp_path):
    terminal = AtTheTerminal("play", "random", folder=tmp_path)
    terminal.types("", "")
    terminal.wait_for("your move: ")
    for _ in range(2):
        terminal.popen.send_signal(signal.SIGINT)
        terminal.popen.poll()
    terminal.popen.send_signal(signal.SIGTERM)
    code, _, err = terminal.finish()
    assert (code, "Traceback" in err, "Fatal" in err) == (130, False, False)
    assert list(tmp_path.iterdir()) == []


def test_a_postponed_game_of_a_tournament_is_played_in_another_run(tmp_path):
    file = write_tournament(tmp_path, bots=(HUMAN, "random", "hunter"), games=2)
    terminal = AtTheTerminal("run", file, folder=tmp_path)
    terminal.types("", "", "resign", *["later"] * 3)
    code, out, err = terminal.finish()
    assert code == 0
    assert out.count("your next game: ") == 4
    assert "arbiter: 3 games postponed; run again at a terminal to play\n" in err
    games = [json.loads(line) for line in call_ok("games", file, "--json").splitlines()]
    assert sorted("anna" in game["id"] for game in games) == [False, False, True]
    terminal = AtTheTerminal("run", file, folder=tmp_path)
    terminal.types(*["", "", "resign"] * 3)
    assert terminal.finish()[0] == 0
    assert len(call_ok("games", file, "--json").splitlines()) == 6


def test_without_a_terminal_games_are_postponed_and_not_resigned(tmp_path):
    file = write_tournament(tmp_path, bots=(HUMAN, "random"), games=2)
    done = subprocess.run(
        [ARBITER, "run", file, "--sandbox", "process"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "arbiter: 2 games postponed; run again at a terminal to play" in done.stderr
    assert call_ok("games", file, "--json") == ""


@pytest.mark.parametrize(
    ("rules", "size"),
    [
        ("clone-wars-powers", 0),
        *(pytest.param(one.name, number % 2, marks=pytest.mark.heavy) for number, one in enumerate(RULE_SETS)),
        *(pytest.param(one.name, 1 - number % 2, marks=pytest.mark.slow) for number, one in enumerate(RULE_SETS)),
    ],
)
def test_a_person_plays_whole_games_at_a_terminal(tmp_path, rules, size):
    """On a terminal a run has a live display, but not if it asks a person: nothing may overwrite the dialogue."""
    width, height = SIZES[size]
    file = write_tournament(tmp_path, bots=(HUMAN, "random"), rules=rules, games=2, draws={"max_plies": 8})
    with Terminal("run", file, "--sandbox", "process", width=width, height=height) as terminal:
        terminal.read_until("Enter to begin, `later` to postpone it: ")
        terminal.press("\r")
        terminal.read_until("Enter")
        terminal.press("help\r")
        terminal.read_until("Enter     ")
        terminal.press("\r")
        terminal.read_until("your move: ")
        terminal.press("help\r")
        terminal.read_until("resign the game")
        terminal.press("resign\r")
        terminal.read_until("you lose: ")
        terminal.read_until("your next game: ")
        terminal.answer({r"your \w+: $": "1\r", r": $": "\r"})
        assert terminal.finish() == 0
        shown = terminal.written
    assert re.findall("you (?:win|lose)|draw:", shown)[-1]
    assert [code for code in CODES.findall(shown) if not code.endswith("m")] == []
    assert len(call_ok("games", file, "--json").splitlines()) == 2
