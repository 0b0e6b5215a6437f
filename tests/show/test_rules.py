import json
import re

import pytest
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.board.geometry import Geometry
from arbiter.games.catalogue import RULE_SETS, find_ruleset
from arbiter.games.fights import CLASSIC_FIGHTS, attacker_prevails, keep_defender_secret
from arbiter.games.ruleset import Overrides
from arbiter.languages.catalogue import LANGUAGES
from arbiter.show.rules_page import list_rulings, list_sources, rules_page
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


TITLES = "Stratego Duel (duel) | Source | Army: 10 pieces on each side | Board: 10x10 | Aim | Setup | Turn | Attack | What each player learns | Powers | Repetition | End of the game | Options | Rulings on what the book leaves open"


def test_the_page_of_a_rule_set():
    page = read_page(find_ruleset("duel"))
    assert " | ".join(page) == TITLES
    assert page["Attack"] == [
        "The piece with the higher number wins; the other one leaves the game.",
        "If both numbers are equal, both pieces leave the game.",
        "Spy (1): wins if it attacks the marshal (10); if the marshal (10) attacks, it wins.",
        "Bomb: every attacker is lost, and the bomb stays. Only a miner (3) removes the bomb that it attacks.",
        "Flag: every piece that can move takes it and wins the game.",
        "An attacker that wins moves to the square of the defender; a defender that wins stays.",
    ]
    assert page["End of the game"] == [
        "The flag is taken: the player that took it wins.",
        "A player has lost all pieces that can move: it loses. If neither player has any left, the game is a draw.",
        "A player has no legal move on its turn, for example because all its pieces are blocked: it loses.",
        "A player has no legal move on its turn, and the pieces of both players are blocked: the game is a draw.",
        "A player resigns, or accepts a draw that the opponent offers.",
        "200 plies without an attack: a draw. This limit is the arbiter's own.",
        "4000 plies in all (a ply is one turn of one player): a draw. This limit is the arbiter's own.",
    ]


def test_the_page_of_a_rule_set_in_german():
    page = read_page(find_ruleset("duel"), "de")
    army = "1 M Feldmarschall, 1 9 General, 2 3 Mineur, 2 2 Aufklärer, 1 S Spionin, 2 B Bombe, 1 F Fahne"
    assert page["Armee: 10 Figuren auf jeder Seite"] == army.split(", ")
    assert next(iter(page)) == "Stratego Duell (duel)"
    assert page["Angreifen"][2:4] == [
        "Spionin (1): schlägt beim eigenen Angriff den Feldmarschall (10). Greift der Feldmarschall (10) an, gewinnt er.",
        "Bombe: Wer sie angreift, ist geschlagen, und die Bombe bleibt stehen. Nur ein Mineur (3) entschärft die Bombe, die er angreift.",
    ]


# Rule set, language, title, parts of the text.
EXPLAINED = """
original | en | Turn | Scout (2): any number of empty squares in a straight line
original | en | What each player learns | An attack shows both ranks | more than one square | never move (bomb, flag)
infiltrator | en | Attack | Infiltrator: loses every fight
infiltrator | en | Powers | one or two squares away, not diagonally, with no piece and no lake between
clone-wars | en | End of the game | The base is taken
clone-wars | en | Powers | None.
clone-wars-powers | en | Turn | Scout (2): any number
clone-wars-powers | en | What each player learns | what the piece is: colonel (8) or scout (2)
clone-wars-powers | en | Powers | Vision: marshal (10), general (9). | Remote attack: marksman (7). | Rage: berserker (6). | Teleport: colonel (8).
clone-wars-powers | de | Sonderfähigkeiten | Entfernter Angriff: | Zorn: | Teleportieren: Oberst (8)
us | en | Options | rescue: | A piece rescues only once, a player at most twice | A scout (2) cannot
us | de | Spielende | Die Flagge wird geschlagen
card-game | en | Attack | The card with the higher number wins | Only a miner (3) removes the bomb
card-game | en | Turn | 1. The hand is filled to 3 cards | - look with a scout (2): show it | 3. The player fills as many gaps
original | fr | But du jeu | S'emparer du drapeau de l'adversaire.
clone-wars | fr | But du jeu | S'emparer de la base de l'adversaire.
original | nl | Herhaling van zetten | 2 velden regel:
clone-wars-powers | de | Spielbrett: 10x10 | Planeten: c5
card-game | de | Aufbau | 8 Karten
original | it | Ripetizione di mosse | Regola delle 2 caselle:
"""


@pytest.mark.parametrize("row", EXPLAINED.strip().splitlines())
def test_a_page_explains_what_a_new_player_needs(row):
    rules, lang, title, *parts = row.split(" | ")
    text = " | ".join(read_page(find_ruleset(rules), lang)[title])
    assert [part for part in parts if part not in text] == [], text


def test_the_army_marks_names_of_one_side_and_names_that_no_book_has():
    (army,) = (
        lines for title, lines in read_page(find_ruleset("clone-wars-powers")).items() if title.startswith("Army")
    )
    assert "1 R Marksman (Red: Cad Bane / Blue: Kit Fisto)" in army
    assert "2 5 Lieutenant (Red: MagnaGuard)" in army
    assert "6 B Bomb (Thermal Detonator)" in army
    assert "1 F Base" in army
    assert "No book names these pieces, the names are ours: marksman (7), berserker (6)." in army


@pytest.mark.parametrize("ruleset", RULE_SETS, ids=lambda ruleset: ruleset.name)
def test_every_rule_set_lists_its_rulings(ruleset):
    assert list_rulings(ruleset, "en")


CHASE = "More squares: in a chase, a move may not bring back any earlier position of the game"
ACROSS = "by a move straight back to the square that the piece left on its side's last turn."
DECIDES = "As long as the pieces that moved away have used only two squares in this chase, the rule refuses nothing: the two-squares rule decides."
SECRET = "An attack shows the attacker's rank, and the defender's rank only if a scout (2) attacks. A defender that is lost leaves the board without being shown."
PREVAILS = (*CLASSIC_FIGHTS[:-1], attacker_prevails, CLASSIC_FIGHTS[-1])


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"two_squares": 0}, "Two squares: no limit."),
        ({"more_squares": "off"}, "More squares: no limit."),
        ({"more_squares": "game"}, f"{CHASE}, except {ACROSS}"),
        ({"more_squares": "book"}, f"{CHASE}, not even {ACROSS}"),
        ({"more_squares": "book"}, DECIDES),
        ({"immovable_loses": False}, "Bomb, flag: never move. A move of such a piece is illegal."),
        ({"first": None}, "The player that moves first is drawn at random."),
        ({"fights": PREVAILS}, "If both numbers are equal, the attacker wins."),
        ({"disclosure": keep_defender_secret}, SECRET),
        ({"rulings": ("powers",)}, "A player that can use a power but cannot move any piece has lost."),
        ({"board": Geometry(10, 10, ())}, "There are no lakes."),
        ({"army": {"bomb": 1, "scout": 1}}, "Bomb: every attacker is lost, and the bomb stays."),
    ],
)
def test_a_page_shows_what_a_rule_set_changes(changes, line):
    page = read_page(replace(find_ruleset("duel"), **changes))
    assert line in [text for texts in page.values() for text in texts]


def test_a_page_describes_only_the_rules_in_force():
    text = rules_page(find_ruleset("original").with_overrides(Overrides(two_squares=0, more_squares="off")))
    assert not {word for word in ("chase", "crosses", "captures count", "Federation") if word in text}


@pytest.mark.parametrize(("rules", "count"), [("original", 2), ("isf", 1), ("barrage", 1), ("card-game", 1)])
def test_the_federation_is_named_once_as_a_source(rules, count):
    assert len(list_sources(find_ruleset(rules), "en")) == count


def test_a_selected_option_is_marked_and_described_as_played():
    page = read_page(find_ruleset("us").with_options(["silent-defence", "rescue"]))
    options = [line.partition(":")[0] for line in page["Options"]]
    assert options == ["printed-army", "aggressor-advantage", "silent-defence (selected)", "rescue (selected)"]
    assert page["What each player learns"][1].startswith("An attack shows the attacker's rank, and the defender's")
    assert page["Powers"][0].startswith("Rescue: ")
    assert page["Rulings on what the book leaves open"][-1].startswith("Rescue: ")


def test_limits_that_are_off_are_no_endings():
    assert "the arbiter's own" not in rules_page(replace(find_ruleset("duel"), no_attack_plies=0, max_plies=0))


def test_the_list_of_rule_sets():
    lines = write_sheets([rules_sheet(RULE_SETS)], "table").splitlines()[4:]
    assert [line.split()[0] for line in lines] == [ruleset.name for ruleset in RULE_SETS]


def test_the_titles_of_rule_sets_are_in_the_language():
    lines = write_sheets([rules_sheet(RULE_SETS, "de")], "csv").splitlines()
    assert [line.split(",")[1] for line in lines if line.startswith("duel,")] == ["Stratego Duell"]


def test_the_json_of_a_rule_set_is_complete():
    (line,) = write_sheets([rules_sheet([find_ruleset("duel")], "fr")], "json").splitlines()
    described = json.loads(line)
    assert (described["name"], described["pieces"], described["army"]["miner"]) == ("duel", 10, 2)
    assert described["names"]["miner"] == "Démineur"
    assert described["source"].startswith("Le livret de règles de 2011")
    assert described["deploy"]["red"][-1] == "j4"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("ruleset", RULE_SETS, ids=lambda ruleset: ruleset.name)
def test_a_page_has_every_sentence_in_its_language(ruleset, lang):
    """No line of a page is English, except names that are the same in both languages."""
    options = ruleset.with_options(ruleset.offers)
    english = read_page(options)
    translated = read_page(options, lang)
    assert [len(lines) for lines in translated.values()] == [len(lines) for lines in english.values()]
    if lang != "en":
        sections = zip(list(english.values())[2:], list(translated.values())[2:], strict=True)
        same = {line for ours, theirs in sections for line in ours if line in theirs}
        assert {line for line in same if not re.match(r"\d+ . ", line)} == set()


def test_a_rule_set_without_texts_is_an_error():
    with pytest.raises(ConfigError, match="new: the language 'de' has no text 'source_new'; add it"):
        rules_page(replace(find_ruleset("duel"), name="new"), "de")


def test_an_unknown_language_is_refused():
    with pytest.raises(ConfigError, match="unknown language 'xx'"):
        rules_object(RULE_SETS[0], "xx")
