import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.errors import ConfigError
from arbiter.games.base import IllegalAction
from arbiter.games.board.deployments import draw, letters_of, position_of, read_book
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import RULE_SETS, find_game

DUEL = find_game("duel")
DRAWN = """\
9.3.....S.
....2.....
......3...
.F.2B.BM..
"""
OTHER = """\
M.........
..........
F23S2.3B9B
..........
"""
BOARD_GAMES = [find_game(one.name) for one in RULE_SETS if isinstance(find_game(one.name), BoardRules)]


def test_a_deployment_is_read_and_drawn():
    (letters,) = read_book(DRAWN, DUEL)
    assert letters == "aMaDBaBLaa" + "aaaaaaEaaa" + "aaaaDaaaaa" + "KaEaaaaaCa"
    assert draw(letters, DUEL) + "\n" == DRAWN


def test_comments_and_blanks_do_not_count():
    text = f"# two of them\n\n{DRAWN.replace('9.', '9 . ').replace('..S.', '..S.  # the spy')}# no end\n\n\n{OTHER}"
    assert read_book(text, DUEL) == read_book(f"{DRAWN}\n{OTHER}", DUEL)


def test_a_comment_between_rows_does_not_separate_deployments():
    assert len(read_book(DRAWN.replace("....2", "# here\n....2"), DUEL)) == 1


def test_facing_deployments_are_the_same_from_both_sides():
    one, other = read_book(f"{DRAWN}\n{OTHER}", DUEL)
    position = position_of(one, other, DUEL)
    assert position[:40] == one
    assert position[40:60] == "aa__aa__aa" * 2
    assert position[60:] == "aaaaaaaaaX" + "aaaaaaaaaa" + "NWNQaPOQPY" + "aaaaaaaaaa"
    turned = position_of(other, one, DUEL)
    swap = str.maketrans("BCDEFGHIJKLMNOPQRSTUVWXY", "NOPQRSTUVWXYBCDEFGHIJKLM")
    assert turned == position[::-1].translate(swap)


@pytest.mark.parametrize("ruleset", BOARD_GAMES, ids=lambda ruleset: ruleset.name)
@settings(max_examples=15)
@given(st.randoms(use_true_random=False))
def test_every_game_accepts_deployments_from_a_file(ruleset, chance):
    pieces = [rank for rank, count in ruleset.army.items() for _ in range(count)]
    places = [ruleset.board.names[square] for square in chance.sample(ruleset.deployment("red"), len(pieces))]
    letters = letters_of(dict(zip(places, pieces, strict=True)), "red", ruleset)
    assert read_book(draw(letters, ruleset), ruleset) == (letters,)
    position = position_of(letters, letters, ruleset)
    game = find_game(ruleset.name, position=position)
    standing = {(one.seat, game.board.names[one.square]): one.rank for one in game.position.pieces}
    assert {place: rank for (seat, place), rank in standing.items() if seat == "red"} == dict(
        zip(places, pieces, strict=True)
    )
    blue = {place: rank for (seat, place), rank in standing.items() if seat == "blue"}
    assert letters_of(blue, "blue", ruleset) == letters


MISTAKES = {
    DRAWN.replace("9.3", "9.X"): "line 1: 'X' stands for no piece of duel; there is M marshal, 9 general,",
    DRAWN.replace("9.3", "9.7"): "line 1: 1 pieces of rank major instead of 0",
    DRAWN.replace("....2.....", "....2...."): "line 2: 9 squares; a row has 10",
    f"# c\n\n{DRAWN}..........\n": "line 3: a deployment has 4 rows and ends with an empty line; this one has 5 rows or more",
    DRAWN.replace(
        "....2.....\n", ""
    ): "line 1: a deployment has 4 rows and ends with an empty line; this one has 3 rows",
    f"{DRAWN}\n{OTHER}\n# again\n{DRAWN}": "line 12: the same deployment as on line 1; remove one of them",
    DRAWN.replace("M", "."): "line 1: 0 pieces of rank marshal instead of 1",
}


@pytest.mark.parametrize(("text", "complaint"), MISTAKES.items(), ids=MISTAKES.values())
def test_an_error_names_the_line(text, complaint):
    with pytest.raises(ConfigError) as caught:
        read_book(text, DUEL)
    assert str(caught.value).startswith(complaint)


def book_or_complaint(text):
    try:
        return read_book(text, DUEL), "line "
    except ConfigError as error:
        return (), str(error)


@given(st.text(alphabet="FBS23459M.#\n x", max_size=120))
def test_any_text_is_a_deployment_file_or_a_config_error(text):
    book, complaint = book_or_complaint(text)
    assert len(set(book)) == len(book)
    assert complaint.startswith("line ")


def test_an_illegal_deployment_has_no_letters():
    with pytest.raises(IllegalAction):
        letters_of({"a1": "flag"}, "red", DUEL)
