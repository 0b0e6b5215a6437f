"""One alphabet of ranks: boards, positions and books of deployments write and read it."""

from pathlib import Path

import pytest

from arbiter.games.board.deployments import draw, letters_of, read_book
from arbiter.games.board.diagram import Diagram, PlacedPiece, read_rows, write_piece, write_rows
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import RULE_SETS, find_ruleset
from arbiter.games.ranks import RANKS, Rank, add_ranks, read_sign
from arbiter.show.boards import write_rank
from arbiter.tournament.config.deployment_book import write_book
from protocol.words import SEATS

ROOT = Path(__file__).parents[2]
BOARD_GAMES = [one for one in RULE_SETS if isinstance(one, BoardRules)]
GAMES = pytest.mark.parametrize("rules", BOARD_GAMES, ids=lambda rules: rules.name)


def pieces_of(rules):
    """Place the army of a rule set, square to rank."""
    ranks = [rank for rank, count in rules.army.items() for _ in range(count)]
    return dict(zip((rules.board.names[square] for square in rules.deployment("red")), ranks, strict=False))


def test_each_rank_has_one_character():
    assert {len(rank.sign) for rank in RANKS.values()} == {1}
    assert len({rank.sign for rank in RANKS.values()}) == len(RANKS)
    assert "".join(rank.sign for rank in RANKS.values() if rank.sign in "M987R6Z5432SIBF") == "M987R6Z5432SIBF"
    assert not {rank.sign for rank in RANKS.values()} & set(".~?'!#")


@pytest.mark.parametrize("rank", RANKS)
def test_boards_and_books_have_the_same_signs(rank):
    assert write_piece("red", rank) == f"R{RANKS[rank].sign}" == f"R{write_rank(rank)}"
    assert read_sign(RANKS[rank].sign) == rank


@GAMES
def test_a_position_is_read_as_it_is_written(rules):
    ranks = pieces_of(rules)
    pieces = [PlacedPiece(rules.board.square[place], "red", rank, is_known=True) for place, rank in ranks.items()]
    signs = {place: write_piece("red", rank, known=True) for place, rank in ranks.items()}
    drawn = write_rows(signs, rules.board, "blue")
    read = read_rows(drawn, rules.board, [rank.id for rank in rules.ranks])
    assert read == Diagram(tuple(sorted(pieces, key=lambda piece: piece.square)), "blue")


@GAMES
def test_a_book_is_read_as_it_is_written(rules):
    letters = letters_of(pieces_of(rules), "red", rules)
    drawn = draw(letters, rules)
    assert {len(row) for row in drawn.splitlines()} == {rules.board.files}
    assert read_book("\n".join(map(" ".join, drawn.splitlines())), rules) == read_book(drawn, rules) == (letters,)
    assert drawn in write_book((letters,), rules)


@pytest.mark.parametrize("path", ["tournaments/duel-setups.txt", "sample_bots/setups.txt"])
def test_shipped_books_are_written_with_it(path):
    text = (ROOT / path).read_text("utf-8")
    rules = find_ruleset("duel" if "duel" in path else "original")
    drawn = [draw(letters, rules) for letters in read_book(text, rules)]
    bare = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    assert all(one in bare for one in drawn)


def test_a_sign_and_a_letter_belong_to_one_rank():
    for other in (Rank("digger", 4, "4", "78"), Rank("digger", 4, "D", "7B")):
        with pytest.raises(ValueError, match="have the same sign or letter"):
            add_ranks([other])
    assert "digger" not in RANKS
    assert {len(rank.letters) for rank in RANKS.values()} == {len(SEATS)}
