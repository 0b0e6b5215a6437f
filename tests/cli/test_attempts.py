"""Voided attempts at the command line, and bots that try to void games at will."""

import json
import os
import signal
import sys

import pytest
from cli.command_line import BOTS, StartedArbiter, bot, call, call_ok, call_refused, write_program, write_tournament
from msgspec import UNSET
from tournament.stored_games import attempt

from arbiter import __version__
from arbiter.record import read_record
from arbiter.tournament.new_results import NewAttempt
from arbiter.tournament.results.store import Store
from arbiter.transcript import GameLog, LogLine, Transcript
from protocol.reasons import ArbiterFailed, ProgramEnded, Signalled

TIME = {"start_s": 20, "setup_s": 20, "bank_s": 20, "margin_ms": 50}
# Thinks about its first move until a test lets it exit.
SLEEPER = f"""#!{sys.executable} -ES
import sys, time
from pathlib import Path
sys.path.insert(0, {str(BOTS)!r})
from base import Bot
class Sleeper(Bot):
    def choose_action(self, ask):
        while not Path(__file__).with_name("awake.log").exists():
            time.sleep(0.02)
        sys.exit(1)
Sleeper().run()
"""


def play_attacker(folder, attacker, **limits):
    """Let an attacker play an honest bot, two games at a time; return the games and the voided attempts."""
    file = write_tournament(
        folder,
        rules="original",
        bots=(attacker, bot("base", name="honest")),
        games=2,
        time=TIME | limits,
        draws={"no_attack_plies": 0, "max_plies": 12},
        suspend_after=0,
    )
    with StartedArbiter("run", file, "--jobs", "2") as arbiter:
        code, _ = arbiter.finish()
    assert code == 0
    table = [line for line in call_ok("standings", file).splitlines() if line.startswith("voided attempts")]
    assert [line for line in arbiter.lines if line.startswith("voided attempts")] == table
    with Store.read(folder / "results" / "club.sqlite") as store:
        return store.games(), list(store.attempts().values())


def winner(game):
    return getattr(game, game.winner)


@pytest.mark.heavy
def test_a_bot_that_stops_the_arbiter_and_is_silent_loses_every_game_on_time(tmp_path):
    games, attempts = play_attacker(tmp_path, bot("stops_the_arbiter", name="attacker"), move_s=1)
    assert [(winner(game), game.ending) for game in games] == [("honest", "timeout")] * 2
    assert attempts == []


def test_a_bot_that_kills_itself_gains_one_replay_and_loses_every_game(tmp_path):
    suicide = bot("kills_itself", signal.SIGKILL.value, name="attacker")
    games, attempts = play_attacker(tmp_path, suicide)
    assert [(winner(game), game.ending) for game in games] == [("honest", "killed")] * 2
    assert [(one.bot, one.cause) for one in attempts] == [("attacker", "killed")]
    shown = call_ok("standings", tmp_path / "club.toml")
    assert "voided attempts, and the bots on turn: 1 bot killed by an unknown sender (attacker 1)" in shown
    rows = [json.loads(line) for line in call_ok("standings", tmp_path / "club.toml", "--json").splitlines()]
    assert {row["bot"]: row["voided"] for row in rows} == {"honest": {}, "attacker": {"killed": 1}}
    again = call("run", tmp_path / "club.toml")
    assert "2 of them played before" in again.stdout


def test_a_voided_attempt_is_stored_before_it_is_announced_and_a_game_cut_off_is_noted(tmp_path):
    suicide = bot("kills_itself", signal.SIGKILL.value, name="attacker")
    sleeper = {"name": "sleeper", "command": [str(write_program(tmp_path / "sleeper.py", SLEEPER))]}
    file = write_tournament(tmp_path, rules="original", bots=(suicide, sleeper), time={"start_s": 20}, games=2)
    with StartedArbiter("run", file, "--events", "-", "--jobs", "1") as arbiter:
        arbiter.read_until('"event":"void"')
        arbiter.popen.kill()
    (event,) = [found for line in arbiter.lines if (found := json.loads(line))["event"] == "void"]
    assert (event["cause"], event["seat"], event["bot"], event["plies"]) == ("killed", "red", "attacker", 0)
    assert event["lag_ms"] >= 0
    with Store.read(tmp_path / "results" / "club.sqlite") as store:
        (attempt,) = store.attempts().values()
        assert (attempt.cause, attempt.bot) == ("killed", "attacker")
        assert store.attempt_log(1).wire["red"].lines
    with StartedArbiter("run", file, "--events", "-", "--jobs", "1") as arbiter:
        arbiter.read_until('"event":"finished"')
        arbiter.read_until('"event":"started"')
        arbiter.popen.kill()
    (tmp_path / "awake.log").touch()
    call("run", file)
    attempts = rows("games", file, "--show", "void")
    assert attempts[0]["cause"] == "killed"
    assert {row["cause"] for row in attempts[1:]} == {"stopped"}
    assert attempts[-1]["why"].startswith("the arbiter was killed")
    assert attempts[-1]["conditions"] is None
    assert [row["ending"] for row in rows("games", file)] == ["killed", "crash"]
    count = len(attempts)
    call("run", file)
    assert len(rows("games", file, "--show", "void")) == count
    assert "Voided attempts" in call_ok("games", file, "--show", "void")


def test_a_run_that_is_killed_plays_the_same_attempts_as_another_one(tmp_path):
    """The replay has other decks and seeds, which follow from the stored attempts."""
    found = {}
    for kills in ((), ('"event":"void"', '"event":"started"')):
        folder = tmp_path / str(len(kills))
        folder.mkdir()
        bots = (bot("sees_and_dies", name="attacker"), bot("remembers_cards", name="honest"))
        file = write_tournament(folder, rules="card-game", bots=bots, time=TIME, deals="separate")
        words = ["run", file, "--events", "-", "--jobs", "1"]
        for event in kills:
            with StartedArbiter(*words) as arbiter:  # killed by signal 9 at the end of the block
                arbiter.read_until(event)
        call_ok(*words)
        assert "2 games" in call_ok("verify", file)
        with Store.read(folder / "results" / "club.sqlite") as store:
            headers = [read_record(store.record(game.id)).header for game in store.games()]
            assert [one.cause for one in store.attempts().values()][:1] == ["killed"]
        found[kills] = [(one.id, one.attempt, one.seed, one.bot_seeds, one.decks) for one in headers]
    uninterrupted, resumed = found.values()
    assert uninterrupted == resumed
    assert [attempt for _, attempt, *_ in resumed] == [1, UNSET]


def killed_by(signal):
    return ProgramEnded("blue", Signalled(signal), kill="killed")


@pytest.fixture
def voided(club):
    """Add voided attempts to a played tournament; return its file."""
    log = GameLog(wire={"red": Transcript((LogLine(1.5, sent=True, text=b'{"type":"hello"}'),))})
    path = club.parent / "results" / "club.sqlite"
    manifest = Store.read(path).manifest
    with Store.create_or_resume(path, manifest) as store:
        killed = attempt("hunter~random~1", "killed", "blue", reason=killed_by("\x1b[2J"))
        failed = attempt("stdlib~hunter~1", "error", "red", reason=ArbiterFailed("Traceback\nZeroDivisionError: 1/0"))
        stopped = attempt("hunter~random~1", "stopped")
        store.add([NewAttempt(killed, log), NewAttempt(failed), NewAttempt(stopped)])
    return club


def rows(*words):
    return [json.loads(line) for line in call_ok(*words, "--json").splitlines()]


def test_voided_attempts_are_listed_and_filtered_and_their_logs_printed(voided):
    words = ("games", voided, "--show", "void")
    everything = rows(*words)
    assert [(row["attempt"], row["id"], row["cause"], row["bot"]) for row in everything] == [
        (1, "hunter~random~1", "killed", "random"),
        (2, "stdlib~hunter~1", "error", "stdlib"),
        (3, "hunter~random~1", "stopped", None),
    ]
    assert everything[0]["conditions"]["lag_ms"] == 12.5
    assert everything[0]["why"] == "blue's program was ended by \x1b[2J; the arbiter did not send this signal"
    assert everything[0]["reason"]["end"] == {"code": "signalled", "signal": "\x1b[2J"}
    filters = ("--bot random", [1, 3]), ("--bot hunter --bot stdlib", [2]), ("--attempt 2", [2]), ("--round 9", [])
    for chosen, numbers in (*filters, ("--id hunter~random~1", [1, 3])):
        assert [row["attempt"] for row in rows(*words, *chosen.split())] == numbers
    table = call_ok(*words)
    assert "Voided attempts" in table
    assert "--show void --attempt NUMBER --log" in table
    shown = call_ok(*words, "--attempt", "1", "--log")
    assert r"blue's program was ended by \x1b[2J" in shown
    assert 'to red       {"type":"hello"}' in shown
    assert "ZeroDivisionError" in call_ok(*words, "--attempt", "2", "--log")
    (line,) = rows(*words, "--attempt", "1", "--log")
    assert line["line"] == '{"type":"hello"}'


MISFITS = {
    "--show void --attempt 9": "--attempt 9: there is no such attempt; `arbiter games",
    "--show void --log": "--log: name the attempt with --attempt NUMBER",
    "--attempt 1": "--attempt 1: is a voided attempt; add --show void",
    "--show void --ending timeout": "--show void: an attempt has no result and no record",
    "--show void --export out": "--show void: an attempt has no result and no record",
    "--show void --bot nobody": "nobody",
}


def test_options_that_do_not_fit_voided_attempts(voided):
    for words, message in MISFITS.items():
        assert message in call_refused("games", voided, *words.split())


def test_an_attempt_is_explained_with_its_messages(voided):
    shown = call_ok("explain", voided, "hunter~random~1", "--attempt", "1")
    assert "hunter~random~1: attempt 1 was voided after 3 plies: random was killed, and the sender is not " in shown
    assert r"blue's program was ended by \x1b[2J" in shown
    assert 'to red       {"type":"hello"}' in shown
    assert "hunter~random~1 --attempt 1 --as blue | ./bot" in shown
    about, line = rows("explain", voided, "hunter~random~1", "--attempt", "1")
    assert (about["type"], about["attempt"], about["cause"]) == ("attempt", 1, "killed")
    assert line["line"] == '{"type":"hello"}'
    shown = call_ok("explain", voided, "stdlib~hunter~1", "--attempt", "2")
    assert "ZeroDivisionError: 1/0\nno log of this attempt is kept\n" in shown
    assert call_ok("feed", voided, "hunter~random~1", "--attempt", "1", "--as", "red") == '{"type":"hello"}\n'


def test_a_game_without_a_result_is_shown_by_its_last_attempt(voided):
    path = voided.parent / "results" / "club.sqlite"
    line = LogLine(1.5, sent=True, text=b'{"type":"bye"}')
    parts = {"red": Transcript((line,)), "blue": Transcript((line,), lines_left_out=2)}
    with Store.create_or_resume(path, Store.read(path).manifest) as store:
        one = attempt("hunter~random~99")
        store.add([NewAttempt(one), NewAttempt(one, GameLog(wire=parts))])
    assert "attempt 5 was voided" in call_ok("explain", voided, "hunter~random~99")
    assert call_ok("feed", voided, "hunter~random~99", "--as", "red") == '{"type":"bye"}\n'
    message = call_refused("feed", voided, "hunter~random~99", "--as", "blue")
    assert "only a part of the log is kept of attempt 5 of 'hunter~random~99', which was voided (internal" in message
    assert "--show void --attempt 5 --log` shows it" in message
    message = call_refused("feed", voided, "hunter~random~99", "--attempt", "4", "--as", "red")
    assert "no messages to red are kept of attempt 4" in message


def test_an_attempt_that_the_game_or_the_record_does_not_have_is_refused(voided, tmp_path):
    for command, *options in (("explain",), ("feed", "--as", "red")):
        message = call_refused(command, voided, "hunter~random~1", *options, "--attempt", "2")
        assert "--attempt 2: is not a voided attempt of 'hunter~random~1'; `arbiter games" in message
        assert "lists the voided attempts" in message
    call("games", voided, "--export", tmp_path / "records")
    (record, *_) = (tmp_path / "records").iterdir()
    message = call_refused("feed", record, "--attempt", "1", "--as", "red")
    assert "--attempt 1: name results and a game" in message


def test_the_standings_and_the_report_count_voided_attempts(voided, tmp_path):
    sentence = "oided attempts, and the bots on turn: 1 bot killed by an unknown sender (random 1), 1 internal error (stdlib 1), 1 run stopped"
    assert f"v{sentence}" in call_ok("standings", voided)
    counts = {row["bot"]: row["voided"] for row in rows("standings", voided)}
    assert counts == {"hunter": {}, "random": {"killed": 1}, "stdlib": {"error": 1}}
    call_ok("report", voided, "-o", tmp_path / "pages")
    assert f"V{sentence}." in (tmp_path / "pages" / "index.html").read_text()
    page = (tmp_path / "pages" / "games" / "hunter~random~1.html").read_text()
    assert "Conditions: 1 game at a time on" in page
    assert ", without a sandbox, load " in page


def test_each_game_has_its_conditions(played):
    for row in rows("games", played):
        conditions = row["conditions"]
        assert (conditions["cores"], conditions["jobs"]) >= (1, 1)
        assert conditions["lag_ms"] >= 0
        assert conditions["host"] == os.uname().nodename
        assert conditions["system"] == f"{os.uname().sysname} {os.uname().machine}"
        assert conditions["python"] == ".".join(map(str, sys.version_info[:3]))
        assert (conditions["arbiter"], conditions["sandbox"]) == (__version__, "process")
        assert conditions["processor"]
