"""KIT.md is correct and complete: its bots play, its tests pass, and it describes every public name."""

import re
import sys
from pathlib import Path

import pytest
from bot_games import play_every_game

import protocol
from protocol import bot as kit
from protocol.bot import Board, Choice, Game, Player, Turn, trial

PAGE = Path(protocol.__file__).with_name("KIT.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python (\w+)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
KINDS = {kind: [text for found, text in BLOCKS if found == kind] for kind in ("bot", "test")}
# Public members that only the kit itself calls.
INTERNAL = {"Turn.refuse"}


def test_each_code_block_is_tested():
    assert len(KINDS["bot"]) > 4
    assert KINDS["test"]
    assert sum(map(len, KINDS.values())) == PAGE.count("```python")


@pytest.mark.parametrize("number", range(len(KINDS["bot"])))
def test_a_bot_of_the_page_plays_every_rule_set(tmp_path, number):
    path = tmp_path / "mybot.py"
    path.write_text(KINDS["bot"][number], encoding="utf-8")
    play_every_game([sys.executable, path], max_plies=60)


@pytest.mark.parametrize("number", range(len(KINDS["test"])))
def test_the_tests_of_the_page_pass(number):
    names = {}
    exec(KINDS["test"][number], names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test()


def list_members(kind):
    """Return the public members of a class: attributes, fields, methods and properties."""
    members = set(getattr(kind, "__struct_fields__", ())) | set(vars(kind))
    members |= set(
        re.findall(r"self\.(\w+)(?:: [^=]+)? =", Path(sys.modules[kind.__module__].__file__).read_text("utf-8"))
    )
    return {name for name in members if not name.startswith("_")}


@pytest.mark.parametrize("kind", [Turn, Game, Board, Player, Choice, trial.Trial])
def test_every_member_is_on_the_page(kind):
    missing = [name for name in list_members(kind) if not re.search(rf"`{name}\b", PAGE)]
    assert {f"{kind.__name__}.{name}" for name in missing} <= INTERNAL


def test_the_members_of_a_class_are_found():
    assert {"legal", "seconds_left", "refused", "phase"} <= list_members(Turn)
    assert {"neighbours", "rows", "steps"} <= list_members(Board)
    assert "offer_draw" in list_members(Choice)


@pytest.mark.parametrize("name", [*kit.__all__, "trial.CLASSIC", "Trial", "position"])
def test_every_public_name_is_on_the_page(name):
    assert re.search(rf"`[^`]*\b{name}\b", PAGE)
