"""Settings of a tournament file on the command line: the same in each command that plays without one."""

import json
import sys
from pathlib import Path

import pytest
from cli.command_line import call, call_ok, call_refused, write_program

import sample_bots
from arbiter.tournament.results.store import Store

MATCH = ("match", "random", "hunter", "--rules", "barrage", "--games", "2")
SETTINGS = {
    "two_squares=0": ("two_squares", 0),
    "rules.more_squares=off": ("more_squares", "off"),
    "draws.max_plies=8": ("max_plies", 8),
}

FAILS_AS_FIRST_BLUE = """\
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "x", "wants": ["legal"]}), flush=True)
    elif message["type"] == "start":
        rules, seat = message["rules"], message["seat"]
    elif message["type"] == "ask":
        if message["phase"] == "setup":
            army = [rank for rank, count in rules["army"].items() for _ in range(count)]
            action = {"type": "deploy", "pieces": dict(zip(rules["deploy"][seat], army))}
        elif seat == "blue" and not {"moved", "attacked"} & {fact["type"] for fact in message["news"]}:
            sys.exit(3)
        else:
            action = message["legal"][0]
        print(json.dumps({"type": "act", "ask": message["ask"], "action": action}), flush=True)
    elif message["type"] == "bye":
        break
"""


def read_first_game(tmp_path, *words):
    """Play a match; return the header of its first record."""
    results = tmp_path / "match.sqlite"
    call_ok(*MATCH, *words, "--results", results)
    call("games", results, "--export", tmp_path / "records")
    record = min((tmp_path / "records").iterdir())
    return json.loads(record.read_text().splitlines()[0])


def test_a_match_is_played_with_all_settings(tmp_path):
    words = [word for setting in SETTINGS for word in ("--set", setting)]
    words += [
        "--set",
        "first=blue",
        "--set",
        "army.scout=1",
        "--time",
        "5+0.5/2",
        "--start",
        "7",
        "--set",
        "setup_s=3",
        "--set",
        "clock=cpu",
    ]
    header = read_first_game(tmp_path, *words)
    assert header["overrides"] == dict(SETTINGS.values()) | {"army": {"scout": 1}}
    assert header["first"] == "blue"
    time = header["time"]
    chosen = {"start_s": 7, "setup_s": 3, "bank_s": 5, "increment_s": 0.5, "move_s": 2, "clock": "cpu"}
    assert {name: time[name] for name in chosen} == chosen


def test_variables_and_files_are_those_of_all_bots_or_of_one(tmp_path, monkeypatch):
    """The bot ends if it does not get its variables."""
    monkeypatch.chdir(tmp_path)
    source = (Path(sample_bots.__path__[0]) / "stdlib_player.py").read_text()
    check = "import os\nassert os.environ['DEPTH'] == os.environ.get('OWN', '3'), 'wrong depth'\n"
    program = write_program(tmp_path / "deep.py", check + source)
    words = ("--env", "DEPTH=3", "--env", "deep:DEPTH=5", "--env", "deep:OWN=5", "--read", tmp_path, "--read", "deep:.")
    results = tmp_path / "match.sqlite"
    match = ("match", program, f"flat={program}", *MATCH[3:], "--set", "max_plies=6", "--results", results)
    assert "forfeit" not in call_ok(*match, *words).partition("Standings")[0]
    deep, flat = Store.read(results).manifest.tournament.bots
    assert (deep.env, deep.read) == ({"DEPTH": "5", "OWN": "5"}, [str(tmp_path), "."])
    assert (flat.env, flat.read) == ({"DEPTH": "3"}, [str(tmp_path)])


@pytest.mark.parametrize("command", [("match", "random", "hunter"), ("play", "random"), ("check", "random")])
@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--set", "twosquares=0"), "--set twosquares=0: unknown setting 'twosquares': did you mean 'two_squares'?"),
        (("--set", "two_squares"), "--set two_squares: must be KEY=VALUE, such as two_squares=0"),
        (("--set", "two_squares=no"), '--set two_squares: is "no", must be a whole number from 0 to 1000000'),
        (("--set", "time.clock=sun"), '--set clock: is "sun", must be "cpu" or "wall"'),
        (("--set", "army.dragon=1"), "original has no rank 'dragon'"),
        (("--position", "abc"), "position: 3 letters; a position has 100"),
        (("--memory", "3"), "3 is not in the range"),
        (("--start", "0"), "0.0 is not in the range"),
        (("--env", "DEPTH"), "--env DEPTH: must be NAME=VALUE for all bots, or BOT:NAME=VALUE"),
        (("--env", "deep:DEPTH=3"), "--env deep:DEPTH=3: must be NAME=VALUE for all bots, or BOT:NAME=VALUE"),
        (("--read", "no-such"), "--read no-such: there is no 'no-such'; name files and folders"),
        (("--time", "soon"), "--time soon: must be seconds as BANK+INCREMENT/MOVE"),
    ],
)
def test_a_wrong_setting_is_explained_in_one_line(command, words, fault):
    assert fault in call_refused(*command, "--rules", "original", *words)


def test_a_check_tests_what_is_played(tmp_path):
    """The bot needs more memory than the match allows."""
    source = (Path(sample_bots.__path__[0]) / "stdlib_player.py").read_text()
    program = write_program(tmp_path / "greedy.py", f"block = b'x' * 90_000_000\n{source}")
    check = ("check", program, "--rules", "barrage", "--games", "1", "--set", "max_plies=20")
    failed = call(*check, "--stop", "--memory", "64")
    assert failed.exit_code == 1
    text = call("match", program, "random", "--rules", "barrage", "--memory", "64", "--games", "2").stdout
    assert "more than memory_mb = 64" in text
    assert "memory_mb = 64" in failed.stdout
    assert "`--memory MIB`" in failed.stdout
    done = call(*check, "--memory", "400")
    assert done.exit_code == 0, done.stdout


def test_settings_of_rules_need_the_rule_set_in_a_check():
    for words in (("--set", "two_squares=0"), ("--option", "rescue"), ("--position", "x")):
        assert "name the rule set that it belongs to" in call_refused("check", "random", *words)
    assert "changes nothing that is tested" in call_refused("check", "random", "--set", "on_illegal=forfeit")


def test_a_check_lets_the_bot_move_first_with_both_colours(tmp_path):
    """A bot that cannot play blue if blue moves first fails only then."""
    bot = tmp_path / "bot.py"
    bot.write_text(FAILS_AS_FIRST_BLUE, encoding="utf-8")
    check = ("check", f"{sys.executable} {bot}", "--rules", "duel", "--stop", "--sandbox", "process")
    assert "as blue: " not in call(*check).stdout
    assert "as blue: blue's program exited" in call(*check, "--set", "first=lot").stdout
    assert "as blue: blue's program exited" in call(*check, "--set", "first=blue").stdout


def test_a_book_is_asked_for_under_the_same_settings():
    text = call_ok("setups", "random", "--count", "2", "--rules", "barrage", "--set", "army.scout=1", "--memory", "300")
    assert text.partition("\n\n")[2].count("2") == 2
    assert "no bot deploys" in call_refused("setups", "random", "--count", "2", "--position", "x")
