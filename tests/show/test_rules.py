import json

import pytest
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.board.geometry import Geometry
from arbiter.games.board.rulesets.us import rescue
from arbiter.games.catalogue import RULE_SETS, find_ruleset
from arbiter.show.tables.rules import rules_object, rules_page, rules_sheet
from arbiter.show.tables.sheet import write_sheets

PAGE = """\
Stratego Duel (duel)

Source
  2011 booklet, chapter on the short game of ten pieces

Army: 10 pieces
  1 10 Feldmarschall
  1  9 General
  2  3 Mineur
  2  2 Aufklärer
  1  S Spionin
  2  B Bombe
  1  F Fahne

Board: 10x10
  lakes c5 d5 c6 d6 g5 h5 g6 h6

Deployment
  red on rows 1 to 4
  blue on rows 7 to 10

Play
  red moves first
  bomb and flag never move; moving one loses at once
  two squares: a piece may cross the same border in 3 turns in a row, but not in the next one
  more squares: a chase may not bring back a position of the chase

Options
  none

Powers
  none

Endings
  the flag is taken: the player that took it wins
  a side has no movable piece left: it loses; if neither side has one, the game is a draw
  a player has no legal move on its turn: it loses
  resignation, or a draw offered and accepted
  200 plies without an attack: a draw (the arbiter's own limit)
  4000 plies: a draw (the arbiter's own limit)"""


def test_the_page_of_a_rule_set():
    ruled = replace(find_ruleset("duel"), rulings=("As it is.", "And so on."))
    assert rules_page(ruled, "de") == f"{PAGE}\n\nRulings\n  As it is.\n  And so on."


@pytest.mark.parametrize("ruleset", RULE_SETS, ids=lambda ruleset: ruleset.name)
def test_every_rule_set_tells_its_rulings(ruleset):
    assert ruleset.rulings
    assert all(ruling.endswith(".") for ruling in ruleset.rulings)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"two_squares": 0}, "two squares: no limit"),
        ({"more_squares": "off"}, "more squares: no limit"),
        ({"more_squares": "game"}, "more squares: a chase may not bring back any earlier position of the game"),
        (
            {"more_squares": "book"},
            "more squares: a chase may not bring back any earlier position of the game, not even by a move straight back",
        ),
        ({"immovable_loses": False}, "bomb and flag never move; moving one is an illegal move"),
        ({"first": None}, "the first player is drawn at random"),
        (
            {"offers": {"rescue": rescue}},
            'rescue: Let a piece that reaches the opponent\'s back row bring back a captured one (US "Rettung")',
        ),
        ({"rulings": ("the army is a reconstruction",)}, "the army is a reconstruction"),
        ({"board": Geometry(10, 10, ())}, "no lakes"),
    ],
)
def test_what_a_rule_set_changes_stands_on_its_page(changes, line):
    assert f"  {line}" in rules_page(replace(find_ruleset("duel"), **changes)).splitlines()


def test_limits_that_are_off_are_no_endings():
    assert "the arbiter's own limit" not in rules_page(replace(find_ruleset("duel"), no_attack_plies=0, max_plies=0))


def test_the_list_of_rule_sets():
    lines = write_sheets([rules_sheet(RULE_SETS)], "table").splitlines()[4:]
    assert [line.split()[0] for line in lines] == [ruleset.name for ruleset in RULE_SETS]


def test_a_program_is_told_all_of_a_rule_set():
    (line,) = write_sheets([rules_sheet([find_ruleset("duel")], "fr")], "json").splitlines()
    told = json.loads(line)
    assert (told["name"], told["pieces"], told["army"]["miner"], told["names"]["miner"]) == ("duel", 10, 2, "Démineur")
    assert told["deploy"]["red"][-1] == "j4"


def test_every_rule_set_has_a_page_in_every_language():
    for ruleset in RULE_SETS:
        assert rules_page(ruleset, "it").startswith(f"{ruleset.title} ({ruleset.name})\n")
    with pytest.raises(ConfigError, match="unknown language 'xx'"):
        rules_object(RULE_SETS[0], "xx")
