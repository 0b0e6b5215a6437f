"""One vocabulary of options: help in two lengths, formats, play options and choices mean the same in all commands."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from cli.command_line import call, call_ok, call_refused, write_program

import sample_bots
from arbiter.cli import COMMAND_NAMES, arbiter
from arbiter.cli.commands.ladder import ladder
from arbiter.cli.commands.queue import queue

# Commands whose output is a file, a page, a game for a person or a program for a debugger, not facts.
HIDDEN = {"--socket", "--authors", "--guests", "--guest"}  # between processes of the arbiter
WITHOUT_FORMAT = {"queue", "ladder", "serve", "worker", "scheduler", "play", "setups", "feed"}
PLAY_OPTIONS = {"--rules", "--option", "--set", "--position", "--time", "--start", "--memory", "--sandbox"}
BOT = Path(sample_bots.__path__[0]) / "stdlib_player.py"
LONGEST_HELP = 24
WIDTH = 80
TEXT = "Short for --format json."


NAMES = [*COMMAND_NAMES, *(f"{group.name} {name}" for group in (queue, ladder) for name in group.commands)]


def find(name):
    group, *words = name.split()
    command = arbiter.get_command(click.Context(arbiter), group)
    return command.commands[words[0]] if words else command


def list_options(name):
    """List the options that the help shows."""
    shown = [param for param in find(name).params if not getattr(param, "hidden", False)]
    return {word for param in shown for word in param.opts if word.startswith("-")}


@pytest.mark.parametrize("name", NAMES)
def test_the_help_fits_a_terminal(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    lines = call_ok(*name.split(), "--help").splitlines()
    assert len(lines) <= LONGEST_HELP
    assert max(map(len, lines)) <= WIDTH
    whole = call_ok(*name.split(), "--help-all")
    assert all(re.search(rf"{word}\b", whole) for word in list_options(name) - HIDDEN)
    more = len(re.findall("^  -", whole, re.MULTILINE)) - len(re.findall("^  -", "\n".join(lines), re.MULTILINE))
    last = [f"arbiter {name} --help-all shows {more} more option{'s' * (more > 1)}."] if more else []
    assert [line for line in lines if "--help-all" in line] == last
    assert lines[-1:] == last or not last


def test_rare_options_are_grouped():
    whole = call_ok("match", "--help-all")
    headings = re.findall("^([A-Z][^:\n]*):$", whole, re.MULTILINE)
    assert headings == ["Options", "Game and bots", "Machine", "Sequential test", "Logs and events", "Output"]
    assert "--workers" not in call_ok("match", "--help")


@pytest.mark.parametrize("name", sorted({*NAMES} - WITHOUT_FORMAT))
def test_formats_are_the_same_everywhere(name):
    assert {"--format", "--json", "--wide"} <= list_options(name)
    assert TEXT in call_ok(*name.split(), "--help")
    arguments = [param for param in find(name).params if isinstance(param, click.Argument) and param.required]
    words = ["1" if isinstance(param.type, click.IntRange) else "x" for param in arguments]
    options = {
        "tune": ["--results", "x", "--param", "x"],
        "report": ["-o", "x"],
        "new-tournament": ["--from", "x"],
        "queue add": ["--baseline", "x"],
        "queue priority": ["--to", "1"],
    }
    needed = options.get(name, [])
    told = call_refused(*name.split(), *words, *needed, "--json", "--format", "csv")
    assert told.startswith("arbiter: --json: is short for --format json; leave out --format csv")


def test_commands_without_a_format_have_no_json():
    assert [name for name in WITHOUT_FORMAT if "--json" in list_options(name)] == []


@pytest.mark.parametrize("name", ["match", "play", "check", "suite", "tune", "setups", "queue add"])
def test_every_command_that_plays_a_bot_takes_the_same_options(name):
    refused = {"--position"} if name in ("suite", "setups") else set()
    assert list_options(name) & {*PLAY_OPTIONS, *refused} == PLAY_OPTIONS - refused


FACTS = {
    "status": ("status", "{file}"),
    "verify": ("verify", "{file}"),
    "explain": ("explain", "{file}", "hunter~random~1"),
    "games": ("games", "{file}"),
    "replay": ("replay", "{file}", "hunter~random~1", "--at", "1"),
    "position": ("position", "{file}", "hunter~random~1"),
    "report": ("report", "{file}", "-o", "{folder}/pages"),
    "export": ("export", "{file}", "hunter~random~1", "--svg", "{folder}/a.svg"),
    "kit": ("kit", "{folder}"),
    "new-bot": ("new-bot", "{folder}/mybot.py"),
    "certificates": ("certificates", "{folder}/tls"),
    "backup": ("backup", "{file}", "{folder}/copy.sqlite"),
    "stop": ("stop", "{file}"),
    "bots": ("bots",),
    "rules": ("rules", "duel"),
    "docs": ("docs",),
    "doctor": ("doctor",),
    "schedule": ("schedule", "{file}"),
}


@pytest.mark.parametrize(
    "words", [pytest.param(FACTS[name], id=name, marks=pytest.mark.heavy if name == "report" else ()) for name in FACTS]
)
def test_facts_are_printed_in_all_formats(played, tmp_path, words):
    def show(form):
        folder = tmp_path / form
        folder.mkdir()
        result = call(*(word.format(file=played, folder=folder) for word in words), "--format", form)
        assert result.exit_code in (0, 1)
        assert "Traceback" not in result.stderr
        return result.stdout.replace(str(folder), "")

    objects = [json.loads(line) for line in show("json").splitlines()]
    head, *rows = csv.reader(show("csv").splitlines())
    assert all(len(row) == len(head) for row in rows)
    assert bool(rows) == bool(objects)
    markdown = show("markdown")
    assert markdown == "" or markdown.startswith("## ")
    assert show("table") != markdown or markdown == ""


def test_one_table_of_the_standings(played):
    whole = call_ok("standings", played)
    assert "Ratings" in whole
    assert "Crosstable" in whole
    alone = call_ok("standings", played, "--show", "standings", "--wide")
    assert "Crosstable" not in alone
    assert call_ok("standings", played, "--show", "standings", "--json") == call_ok("standings", played, "--json")


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (("standings", "x", "--los"), "--show los"),
        (("ratings", "x", "--cycles"), "--show cycles"),
        (("games", "x", "--as-played"), "--show as-played"),
        (("rule", "x", "g", "--replay"), "--result replay"),
    ],
)
def test_an_option_that_is_a_value_of_another_is_suggested(words, cure):
    assert f"No such option '{words[-1]}'. Did you mean '{cure}'?" in call_refused(*words)


def test_the_garbage_collector_leaves_out_the_modules_of_a_command():
    code = "import gc\nfrom arbiter.cli import arbiter\narbiter.get_command(None, 'run')\n"
    code += "assert gc.isenabled()\nassert gc.get_freeze_count() > 10_000"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_results_of_a_match_as_a_table(quick_words):
    words = ("match", *quick_words[:2], "--rules", "duel", "--games", 2)
    (row, *_) = csv.DictReader(call_ok(*words, "--format", "csv").splitlines())
    assert row["bot"] in ("random", "hunter")
    assert call_ok(*words, "--format", "markdown").startswith("## ")
    told = call_refused(*words, "--format", "csv", "--events", "-")
    assert "--events -: and --format csv both write to stdout" in told


@pytest.mark.heavy
def test_a_suite_is_played_under_the_options(tmp_path):
    slow = write_program(tmp_path / "slow.py", f"import time\ntime.sleep(0.4)\n{BOT.read_text()}")
    words = ("suite", "first", slow, "--only", "ending-1", "--sandbox", "process", "--set", "clock=wall")
    assert "program did not start" in call_ok(*words, "--start", "0.1")
    assert "program did not start" not in call_ok(*words, "--start", "30", "--memory", "500")
    assert "first sets it; leave it out" in call_refused(*words, "--position", "x")
    assert "changes nothing that is tested" in call_refused(*words, "--set", "on_illegal=forfeit")
    assert "position.ending-1.rules: " in call(*words, "--rules", "nonsense").stderr
    record = tmp_path / "records"
    call_ok(*words, "--rules", "us", "--set", "two_squares=0", "--export", record)
    header = json.loads((record / "ending-1.jsonl").read_text().splitlines()[0])
    assert header["rules"] == "us"
    assert header["overrides"]["two_squares"] == 0
