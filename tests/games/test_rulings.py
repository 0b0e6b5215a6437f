"""Every disputed ruling has a section with its sources and a test; cited headings exist in the books."""

import re
import tomllib
from pathlib import Path

import pytest
from bot_games import BOARD_GAMES
from drawing import play_on, probe, start
from games.power_text import act_on

from protocol.view import BoardKnowledge

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "arbiter/games/RULINGS.md").read_text(encoding="utf-8")
every_board_game = pytest.mark.parametrize("rules", BOARD_GAMES)

SECTIONS_OF_BOOKS = tomllib.loads((ROOT / "tests/data/book_sections.toml").read_text(encoding="utf-8"))
# If no language is named, the German one is meant.
HEADINGS = SECTIONS_OF_BOOKS | {"J2011": SECTIONS_OF_BOOKS["J2011-D"]}
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


README = (ROOT / "arbiter/games/README.md").read_text(encoding="utf-8")
LINKED = re.compile(r"\(RULINGS\.md#([\w-]+)\)")
ISF = re.compile(r"\bISF \d+(?:\.\d)?")


def read_rows():
    """Return the rulings of README.md: question, ruling and reason."""
    tables = [part for part in README.split("\n## ") if part.startswith("Rulings for ")]
    lines = [line for part in tables for line in part.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return [row for row in rows if row != ["question", "ruling", "reason"]]


def name_anchor(title):
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def plain(text):
    """Return a text without the addresses of its links, in small letters."""
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).casefold()


WEIGHED = {name_anchor(section): text for section, text in SECTIONS.items()}
LINKED_ROWS = [(row, anchor) for row in read_rows() for anchor in LINKED.findall(row[2])]


@pytest.mark.parametrize(("row", "anchor"), LINKED_ROWS, ids=[row[0] for row, _ in LINKED_ROWS])
def test_a_row_has_the_ruling_and_the_sources_of_its_section(row, anchor):
    _, ruling, reason = row
    (weighed,) = re.findall(r"^- Ruling: (.*)$", WEIGHED[anchor], re.MULTILINE)
    text = plain(weighed)
    assert text.startswith(plain(ruling).rstrip("."))
    assert text[len(plain(ruling).rstrip(".")) :][:1] in ".,;: "
    assert set(CITED.findall(reason)) <= set(CITED.findall(WEIGHED[anchor]))
    assert set(ISF.findall(reason)) <= set(ISF.findall(WEIGHED[anchor]))


def test_each_section_has_a_row():
    assert {anchor for _, anchor in LINKED_ROWS} == set(WEIGHED)


@pytest.mark.parametrize("row", read_rows(), ids=lambda row: row[0])
def test_a_row_cites_sections_that_state_a_rule(row):
    for book, heading in CITED.findall(" ".join(row)):
        assert HEADINGS[book][heading] > 0


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


@every_board_game
def test_a_game_in_which_both_players_are_blocked_is_a_draw_in_every_rule_set(rules):
    play = start(
        """
        10 b5 bB .. .. .. .. .. .. .. bF
         9 bB .. .. .. .. .. .. .. .. ..
         5 .. .. ~~ ~~ b4 .. ~~ ~~ .. ..
         4 .. .. .. .. r4 .. .. .. .. ..
         2 rB .. .. .. .. .. .. .. .. rF
         1 r5 rB .. .. .. .. .. .. .. ..
        """,
        rules,
    )
    play_on(play, "e4xe5")
    assert (play.outcome.winner, play.outcome.ending) == (None, "both_immobile")


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
