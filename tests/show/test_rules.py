import json

import pytest
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.board.geometry import Geometry
from arbiter.games.board.rulesets.us import rescue
from arbiter.games.catalogue import RULE_SETS, find_ruleset
from arbiter.games.fights import CLASSIC_FIGHTS, attacker_prevails, keep_defender_secret
from arbiter.show.rules_page import rules_page
from arbiter.show.tables.rules import rules_object, rules_sheet
from arbiter.show.tables.sheet import write_sheets


def read_page(ruleset, lang="en"):
    """Return the sections of a page: title -> lines, unfolded."""
    sections = {}
    for part in rules_page(ruleset, lang).split("\n\n"):
        title, *lines = part.splitlines()
        texts = []
        for line in lines:
            assert len(line) <= 80
            if line.startswith("    "):
                texts[-1] += f" {line.strip()}"
            else:
                texts.append(line.removeprefix("  "))
        sections[title] = texts
    return sections


def test_the_page_of_a_rule_set():
    ruled = replace(find_ruleset("duel"), rulings=("This is a ruling.", "So is this."))
    page = read_page(ruled, "de")
    assert list(page) == [
        "Stratego Duel (duel)",
        "Source",
        "Army: 10 pieces on each side",
        "Board: 10x10",
        "Aim",
        "Deployment",
        "Turn",
        "Attack",
        "What each player learns",
        "Powers",
        "Repetition",
        "Endings",
        "Options",
        "Rulings on what the book leaves open",
    ]
    assert page["Army: 10 pieces on each side"] == [
        "1 M Feldmarschall",
        "1 9 General",
        "2 3 Mineur",
        "2 2 Aufklärer",
        "1 S Spionin",
        "2 B Bombe",
        "1 F Fahne",
    ]
    assert page["Attack"] == [
        "the piece with the higher number wins, the other one leaves the game",
        "equal numbers: both leave the game",
        "spy (number 1): wins if it attacks the marshal; if the marshal attacks it, the spy loses",
        "bomb: every attacker but the miner is lost, and the bomb stays",
        "miner (3): wins if it attacks a bomb, which leaves the game",
        "flag: any piece that can attack takes it",
        "an attacker that wins moves to the square of the defender; a defender that wins stays",
    ]
    assert page["Endings"] == [
        "the flag is taken: the player that took it wins",
        "a side has only bomb and flag left: it loses; if both sides have nothing else, the game is a draw",
        "a player has no legal move on its turn, for example because all its pieces are blocked: it loses",
        "a player resigns, or a draw is offered and accepted",
        "200 plies without an attack: a draw (the arbiter's own limit)",
        "4000 plies in all (a ply is one turn of one player): a draw (the arbiter's own limit)",
    ]
    assert page["Rulings on what the book leaves open"] == ["This is a ruling.", "So is this."]


@pytest.mark.parametrize(
    ("rules", "title", "parts"),
    [
        ("original", "Turn", ["scout: any number of empty squares in a straight line"]),
        (
            "original",
            "What each player learns",
            ["an attack shows both ranks", "more than one square", "no bomb and no flag"],
        ),
        ("infiltrator", "Attack", ["infiltrator: loses every fight"]),
        ("infiltrator", "Powers", ["one or two squares away, not diagonally, with no piece and no lake between"]),
        ("clone-wars", "Endings", ["the base is taken"]),
        ("clone-wars-powers", "Turn", ["colonel and scout: any number"]),
        ("clone-wars-powers", "What each player learns", ["is a colonel or a scout"]),
        ("clone-wars-powers", "Powers", ["vision: ", "remote attack: ", "rage: "]),
        ("us", "Options", ["rescue: ", "A piece rescues only once, a player at most twice.", "A scout cannot rescue."]),
        ("card-game", "Attack", ["the card with the higher number wins", "miner (3): wins if it attacks a bomb"]),
        (
            "card-game",
            "Turn",
            ["1. the hand is filled to 3 cards", "look with a scout: show it", "3. fill as many gaps"],
        ),
    ],
)
def test_a_page_explains_what_a_new_player_needs(rules, title, parts):
    text = " | ".join(read_page(find_ruleset(rules))[title])
    assert all(part in text for part in parts), text


def test_names_that_no_book_has_are_marked():
    (army,) = (
        lines for title, lines in read_page(find_ruleset("clone-wars-powers")).items() if title.startswith("Army")
    )
    assert "1 R Marksman (Cad Bane / Kit Fisto)" in army
    assert "no book names the marksman; this name is ours" in army
    assert "1 F Base" in army


@pytest.mark.parametrize("ruleset", RULE_SETS, ids=lambda ruleset: ruleset.name)
def test_every_rule_set_lists_its_rulings(ruleset):
    assert ruleset.rulings
    assert all(ruling.endswith(".") for ruling in ruleset.rulings)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"two_squares": 0}, "two squares: no limit"),
        ({"more_squares": "off"}, "more squares: no limit"),
        (
            {"more_squares": "game"},
            (
                "more squares: in a chase, a move may not bring back any earlier position of the game, except by a move "
                "straight back to the square that the piece left on its side's last turn"
            ),
        ),
        (
            {"more_squares": "book"},
            (
                "more squares: in a chase, a move may not bring back any earlier position of the game, not even by a move "
                "straight back to the square that the piece left on its side's last turn"
            ),
        ),
        ({"immovable_loses": False}, "bomb and flag never move; a player that moves one makes an illegal move"),
        ({"first": None}, "the first player is drawn at random"),
        ({"offers": {"rescue": rescue}}, f"rescue: {' '.join(rescue.__doc__.split())}"),
        (
            {"fights": (*CLASSIC_FIGHTS[:-1], attacker_prevails, CLASSIC_FIGHTS[-1])},
            "equal numbers: the attacker wins",
        ),
        (
            {"disclosure": keep_defender_secret},
            "an attack shows the attacker's rank; the defender's rank only if a scout attacks",
        ),
        ({"rulings": ("the army is a reconstruction",)}, "the army is a reconstruction"),
        ({"board": Geometry(10, 10, ())}, "no lakes"),
    ],
)
def test_a_page_shows_what_a_rule_set_changes(changes, line):
    page = read_page(replace(find_ruleset("duel"), **changes))
    assert line in [text for texts in page.values() for text in texts]


def test_limits_that_are_off_are_no_endings():
    assert "the arbiter's own limit" not in rules_page(replace(find_ruleset("duel"), no_attack_plies=0, max_plies=0))


def test_the_list_of_rule_sets():
    lines = write_sheets([rules_sheet(RULE_SETS)], "table").splitlines()[4:]
    assert [line.split()[0] for line in lines] == [ruleset.name for ruleset in RULE_SETS]


def test_the_json_of_a_rule_set_is_complete():
    (line,) = write_sheets([rules_sheet([find_ruleset("duel")], "fr")], "json").splitlines()
    described = json.loads(line)
    assert (described["name"], described["pieces"], described["army"]["miner"]) == ("duel", 10, 2)
    assert described["names"]["miner"] == "Démineur"
    assert described["deploy"]["red"][-1] == "j4"


def test_every_rule_set_has_a_page_in_every_language():
    for ruleset in RULE_SETS:
        assert rules_page(ruleset, "it").startswith(f"{ruleset.title} ({ruleset.name})\n")
    with pytest.raises(ConfigError, match="unknown language 'xx'"):
        rules_object(RULE_SETS[0], "xx")
