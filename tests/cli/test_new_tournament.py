"""`new-tournament`: the next event keeps bots, rules, clocks and comments, and nothing that belongs to the last one."""

import json
import tomllib
from pathlib import Path

import pytest
from cli.command_line import call_ok, call_refused

from arbiter.tournament.config.next_event import count_up
from arbiter.tournament.config.tournament import load_tournament

LAST = """\
# The open of our club
name = "Club open 9"
rules = "duel"
format = "swiss"
seed = 17  # drawn at the prize-giving
games = 4

[event]
title = "Festival"
dates = "5 December 2026"
notes = '''
seed = 3
dates = "never"
'''

[time]
bank_s = 20

[[bots]]
name = "hunter"
absent = [2]

[[bots]]
name = "random"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in a folder with the file of the last event."""
    monkeypatch.chdir(tmp_path)
    Path("club-9.toml").write_text(LAST, "utf-8")
    return tmp_path


def test_the_next_event():
    out = call_ok("new-tournament", "--from", "club-9.toml")
    assert out.startswith("Wrote club-10.toml: Club open 10.\n")
    assert "Removed, because they belong to one event: seed, event.dates, bots.hunter.absent." in out
    assert "arbiter run club-10.toml" in out
    text = Path("club-10.toml").read_text("utf-8")
    removed = ('dates = "5 December 2026"\n', "seed = 17  # drawn at the prize-giving\n", "absent = [2]\n")
    expected = LAST.replace("open 9", "open 10")
    for line in removed:
        expected = expected.replace(line, "")
    assert text == expected
    assert load_tournament(Path("club-10.toml")).file.name == "Club open 10"
    assert Path("club-9.toml").read_text("utf-8") == LAST


def test_name_dates_and_file_can_be_given():
    words = ("--name", 'The "Big" one', "--dates", "1 May 2027", "--json")
    found = json.loads(call_ok("new-tournament", "--from", "club-9.toml", "big.toml", *words))
    assert found == {"file": "big.toml", "name": 'The "Big" one', "removed": ["seed", "bots.hunter.absent"], "kept": []}
    written = tomllib.loads(Path("big.toml").read_text("utf-8"))
    last = tomllib.loads(LAST)
    del last["seed"], last["bots"][0]["absent"]
    last["name"], last["event"]["dates"] = 'The "Big" one', "1 May 2027"
    assert written == last


DATES = [
    ('name = "A"\n[[bots]]\nname = "hunter"\n[[bots]]\nname = "random"\n', []),
    ('name = "A"\n[event]\ntitle = "B"\n[[bots]]\nname = "hunter"\n[[bots]]\nname = "random"\n', []),
    ('name = "A"\nseed = 4\nbots = [{ name = "hunter" }, { name = "random" }]\n', []),
    (
        'name = "A"\nformat = "swiss"\nbots = [{ name = "hunter", absent = [1] }, { name = "random" }]\n',
        ["bots.hunter.absent"],
    ),
]


@pytest.mark.parametrize(("text", "kept"), DATES)
def test_dates_are_added(text, kept):
    Path("a.toml").write_text(text, "utf-8")
    found = json.loads(call_ok("new-tournament", "--from", "a.toml", "--dates", "May", "--json"))
    assert (found["file"], found["kept"]) == ("a-2.toml", kept)
    file = load_tournament(Path("a-2.toml")).file
    assert (file.name, file.event.dates, file.seed) == ("A 2", "May", None)


def test_times_without_seconds_are_those_of_the_last_event():
    Path("a.toml").write_text(LAST.replace("[event]", "[event]\nstarts = 2026-12-05T19:00"), "utf-8")
    found = json.loads(call_ok("new-tournament", "--from", "a.toml", "--json"))
    assert "event.starts" in found["removed"]
    assert load_tournament(Path("a-2.toml")).file.event.starts is None


NUMBERS = [
    ("Club open 9", "Club open 10"),
    ("round-09", "round-10"),
    ("2026 open 3b", "2026 open 4b"),
    ("Open", "Open 2"),
]


@pytest.mark.parametrize(("text", "following"), NUMBERS)
def test_names_are_counted_up(text, following):
    assert count_up(text) == following


def test_refusals(folder):
    assert "already exists and is not overwritten" in call_refused(
        "new-tournament", "club-9.toml", "--from", "club-9.toml"
    )
    assert "must be in the folder of club-9.toml" in call_refused(
        "new-tournament", "sub/x.toml", "--from", "club-9.toml"
    )
    assert "x.tml: must end in .toml; name it x.toml" in call_refused(
        "new-tournament", "x.tml", "--from", "club-9.toml"
    )
    assert "--name: is" in call_refused("new-tournament", "--from", "club-9.toml", "--name", "")
    assert "gone.toml: there is no such file" in call_refused("new-tournament", "--from", "gone.toml")
    (folder / "results").mkdir()
    (folder / "results/club-10.sqlite").touch()
    assert "would continue the results of another event" in call_refused("new-tournament", "--from", "club-9.toml")
    Path("tight.toml").write_text('bots = [{ name = "hunter" }, { name = "random" }]\n"name" = "A"\n', "utf-8")
    assert "tight.toml: name: shares a line with other keys" in call_refused("new-tournament", "--from", "tight.toml")
