"""`arbiter check FILE.toml`: all entrants of a tournament in one table."""

import json
import sys

import pytest
from cli.command_line import BOTS, bot, call, call_refused, write_program, write_tournament

SHORT = {"draws": {"max_plies": 12}}


def novice(name, mistake):
    return bot("novice", mistake, name=name)


@pytest.mark.heavy
def test_one_row_for_each_bot_and_details_of_failures(tmp_path):
    file = write_tournament(tmp_path, bots=("random", novice("bad", "MovesBomb")), **SHORT)
    result = call("check", file, "--games", 1)
    assert result.exit_code == 1
    table = result.stdout[result.stdout.index("Entrants") :]
    rows = {line.split()[0]: line.split()[1:3] for line in table.splitlines()[4:]}
    assert rows["random"][0] == "ok"
    assert rows["bad"] == ["failed", "opening"]
    assert "\nbad:\n" in result.stdout
    assert "refused by the rule immovable" in result.stdout
    assert "\nrandom:\n" not in result.stdout


def test_objects_for_programs_and_the_rules_of_the_file_apply(tmp_path):
    rules = {"base": "duel", "army": {"bomb": 0}}
    bots = ("random", novice("bad", "UnknownField"), novice("bomber", "MovesBomb"))
    result = call("check", write_tournament(tmp_path, bots=bots, rules=rules, **SHORT), "--games", 1, "--json")
    good, bad, bomber = map(json.loads, result.stdout.splitlines())
    assert (result.exit_code, good["bot"], good["ok"], bad["bot"], bad["ok"]) == (1, "random", True, "bad", False)
    assert good["median_ms"] >= 0
    assert {step["status"] for step in bad["steps"]} >= {"ok", "failed", "skipped"}
    # Without bombs the novice cannot move one.
    assert "immovable_moved" not in {step.get("mistake") for step in bomber["steps"]}


WAITS = f"""
import sys, time
sys.path.insert(0, {str(BOTS)!r})
from base import Bot
class Waits(Bot):
    def choose_action(self, ask):
        time.sleep(60)
        return super().choose_action(ask)
Waits().run()
"""


@pytest.mark.slow
def test_the_clock_of_the_file_applies(tmp_path):
    write_program(tmp_path / "waits.py", WAITS)
    bots = ("random", {"name": "waits", "command": [sys.executable, "-ES", "./waits.py"]})
    terms = {"rules": "original", "bots": bots, "draws": {"max_plies": 4}}
    file = write_tournament(tmp_path, time={"move_s": 0.1, "margin_ms": 2000}, **terms)
    result = call("check", file, "--games", 1, "--stop")
    assert result.exit_code == 1
    assert "waits" in result.stdout
    assert "failed" in result.stdout


@pytest.mark.parametrize("option", ["rules", "option", "time", "start"])
def test_options_that_the_file_sets(tmp_path, option):
    file = write_tournament(tmp_path)
    value = {"rules": "duel", "option": "x", "time": "60", "start": "5"}[option]
    told = call_refused("check", file, f"--{option}", value)
    assert told == f"arbiter: --{option}: {file} sets it; leave it out"


def test_a_missing_file(tmp_path):
    assert "there is no such file" in call_refused("check", tmp_path / "none.toml")
