"""Every disputed ruling has a section with its sources and a test; cited headings exist in the books."""

import re
from pathlib import Path

import pytest
from drawing import play_on, probe, start
from games.power_text import act_on

from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import RULE_SETS
from protocol.view import BoardKnowledge

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "arbiter/games/RULINGS.md").read_text(encoding="utf-8")
BOARD_GAMES = [ruleset.name for ruleset in RULE_SETS if isinstance(ruleset, BoardRules)]
every_board_game = pytest.mark.parametrize("rules", BOARD_GAMES)

# The headings of the books, as far as they are cited; bold first words of a paragraph count as headings.
HEADINGS = {
    "O2000": {
        "Vorbereitung",
        "Spielablauf",
        "Eigene Figuren ziehen",
        "Die Aufklärer (2)",
        "Eine gegnerische Figur angreifen",
        "Die Ränge",
        "Bomben",
        "Der Spion",
        "Die Fahne",
        "Spielende",
    },
    "US": {
        "Komponenten",
        "Spielverlauf",
        "Spielsteine bewegen",
        "Angreifende Figuren",
        "Rang",
        "Ende des Spiels",
        "Angreifer-Vorteil",
        "Schweigende Verteidigung",
        "Rettung",
    },
    "CW": {
        "Vor dem Spiel",
        "Spielverlauf",
        "Bewegen",
        "Angreifen",
        "Die Ränge",
        "Der Gewinner",
        "Clone Wars Spezialregeln",
        "Vision",
        "Teleportieren",
        "Entfernter Angriff",
        "Zorn",
        "Übersicht der Figuren",
    },
    "J2011": {"Die Spielfiguren und die Aufstellung", "Zwei-Feld-Regel", "Mehr-Feld-Regel", "Der Infiltrant"},
    "J2011-D": {
        "Die Spielfiguren und die Aufstellung",
        "Spielverlauf",
        "Bewegen",
        "Zwei-Feld-Regel",
        "Mehr-Feld-Regel",
        "Angreifen",
        "Die Ränge",
        "Der Infiltrant",
        "Der Gewinner",
    },
    "J2011-NL": {"De infiltrant"},
    "J2011-F": {"Déplacement des pièces", "L'agent infiltré"},
    "J2011-GB": {"The Infiltrator"},
    "CARD": {
        "Aufbau",
        "Wie man spielt",
        "Eine gegnerische Karte angreifen",
        "Spion (1)",
        "Aufklärer (2)",
        "Bomben",
        "Fahne",
        "Der Sieger",
    },
}
CITED = re.compile(r'\b(O2000|US|CW|CARD|J2011(?:-[A-Z]+)?) "([^"]+)"')
SECTIONS = {
    part.partition("\n")[0]: part
    for part in PAGE.split("\n## ")[1:]
    if not part.startswith("Contradictions and misprints")
}


def list_citing_files():
    files = [*ROOT.glob("arbiter/**/*.py"), *ROOT.glob("arbiter/games/*.md"), *ROOT.glob("protocol/**/*.py")]
    return [file for file in files if CITED.search(file.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("file", list_citing_files(), ids=lambda file: str(file.relative_to(ROOT)))
def test_cited_headings_exist(file):
    cited = CITED.findall(" ".join(file.read_text(encoding="utf-8").split()))
    assert [f"{book} {heading!r}" for book, heading in cited if heading not in HEADINGS[book]] == []


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_has_its_five_parts_and_a_test(section):
    text = SECTIONS[section]
    parts = [
        line.partition(":")[0].removeprefix("- ").split()[0] for line in text.splitlines() if line.startswith("- ")
    ]
    assert parts == ["For", "Against", "Others", "Ruling", "To", "Test"]
    ((test, path),) = re.findall(r"^- Test: `(\w+)` in `([\w/.]+)`$", text, re.MULTILINE)
    assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")


@every_board_game
def test_two_spies_leave_in_every_rule_set(rules):
    play = start(
        """
        10 .. .. .. .. .. .. .. .. bM bF
         5 .. b1 ~~ ~~ .. .. ~~ ~~ .. ..
         4 .. r1 .. .. .. .. .. .. .. ..
         1 .. .. .. .. .. .. .. .. rM rF
        """,
        rules,
    )
    play_on(play, "b4xb5")
    assert sorted(piece.rank for piece in play.position.placed_pieces()) == ["flag", "flag", "marshal", "marshal"]


@every_board_game
def test_captures_count_for_two_squares_in_every_rule_set(rules):
    """The first crossing is a capture and counts; the one too many would be a capture and is refused."""
    play = start(
        """
        10 .. .. .. .. .. .. .. .. bF b2
         7 b9 b2 .. .. .. .. .. .. .. ..
         6 rM b3 ~~ ~~ .. .. ~~ ~~ .. ..
         1 .. .. .. .. .. .. .. .. .. rF
        """,
        rules,
        more_squares="off",
    )
    limit = play.tables.ruleset.two_squares
    play_on(play, "a6xb6")
    for crossing in range(1, limit):
        play_on(play, "j10-j9 b6-a6" if crossing % 2 else "j9-j10 a6-b6")
    enters, attack = ("a7-a6", "b6xa6") if limit % 2 else ("b7-b6", "a6xb6")
    play_on(play, enters)
    assert probe(play, attack) == "two_squares"


def test_a_us_scout_does_not_attack_around_a_corner():
    play = start(
        """
        10 .. .. .. .. .. .. .. .. b9 bF
         4 .. .. .. .. .. b5 .. .. .. ..
         1 .. .. .. .. r2 .. .. .. .. rF
        """,
        "us",
    )
    assert probe(play, "e1-f4") == "movement"
    assert probe(play, "e1-e4") is None


@every_board_game
def test_a_blocked_player_loses_in_every_rule_set(rules):
    play = start(
        """
        10 b9 bB .. .. .. .. .. .. .. bF
         9 bB .. .. .. .. .. .. .. .. ..
         1 .. .. .. .. .. .. .. .. r9 rF
        """,
        rules,
        army={"bomb": 2},
    )
    play_on(play, "i1-i2")
    assert (play.outcome.winner, play.outcome.ending) == ("red", "no_moves")


def test_the_view_remembers_what_a_player_has_seen():
    """After a fight the winner is hidden again for people; the view keeps its rank."""
    play = start(
        """
        10 .. .. .. .. .. .. .. .. b9 bF
         5 .. b7 ~~ ~~ .. .. ~~ ~~ .. ..
         4 .. r4 .. .. .. .. .. .. .. ..
         1 .. .. .. .. .. .. .. .. r9 rF
        """
    )
    known = BoardKnowledge("red")
    for facts in [play.opening, *play_on(play, "b4xb5 i10-i9 i1-i2 b5-b4 i2-i3 b4-b3")]:
        for addressed in facts:
            if "red" in addressed.to:
                known.note_fact(addressed.fact)
    (seen,) = [piece for piece in known.view().pieces if piece.place == "b3"]
    assert (seen.seat, seen.rank) == ("blue", "major")


@pytest.mark.parametrize(("lost_by", "rank"), [("b4xb5", "lieutenant"), ("d4xd5", "sergeant")])
def test_pieces_lost_in_a_tie_or_to_a_bomb_can_be_rescued(lost_by, rank):
    play = start(
        """
        10 bF .. .. .. .. .. .. .. .. ..
         9 .. .. .. .. r6 .. .. .. .. ..
         5 .. b5 ~~ ~~ .. bB ~~ ~~ .. b4
         4 .. r5 .. .. .. r4 .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. r3
        """,
        "us",
        options=("rescue",),
    )
    act_on(play, f"{lost_by.replace('d', 'f')} j5-j4 e9-e10 +{rank}@a2")
    assert play.phase == "turn"
