"""Deployments: the check of a `deploy` action, and deployments as text.

In a book, each deployment is drawn as rows with the sign of a rank on each square, the player's own side at the bottom.
Elsewhere it is a string of letters in the notation of positions, as red's: a1..j1 first, then row 2 and so on.
"""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from msgspec import UNSET, Struct

from arbiter.errors import ConfigError
from arbiter.games.base import IllegalAction
from arbiter.games.board.diagram import PlacedPiece, read_position, write_position
from arbiter.games.ranks import RANKS, read_sign
from protocol.reasons import NoPiecesGiven, NoSuchRank, NotOwnSquare, Refusal, WrongCount
from protocol.words import BLUE, RED, Deploy, RankId, Seat

if TYPE_CHECKING:
    from arbiter.games.board.ruleset import BoardRules

DEPLOYMENT_ROWS: Final = 4
EMPTY: Final = "."
COMMENT: Final = "#"


class _Row(Struct, frozen=True):
    """The signs of a drawn row and its line in the file."""

    line: int
    signs: str


def check_deployment(ruleset: "BoardRules", seat: Seat, action: Deploy) -> tuple[PlacedPiece, ...]:
    """Return the deployed pieces, in board order.

    Raises IllegalAction (J2011-D "Die Spielfiguren und die Aufstellung": the whole army on the player's own four rows).
    """
    if action.pieces is UNSET or action.line is not UNSET:
        raise _refuse(NoPiecesGiven())
    squares = {ruleset.board.names[square]: square for square in ruleset.deployment(seat)}
    ranks = {str(rank.id): rank.id for rank in ruleset.ranks}
    placed = []
    for place, rank in action.pieces.items():
        if place not in squares:
            raise _refuse(NotOwnSquare(seat, place[:20]))
        if rank not in ranks:
            raise _refuse(NoSuchRank(ruleset.name, rank[:20]))
        placed.append(PlacedPiece(squares[place], seat, ranks[rank]))
    counts = Counter(piece.rank for piece in placed)
    for rank in ranks.values():
        wanted = ruleset.army.get(rank, 0)
        if counts[rank] != wanted:
            raise _refuse(WrongCount(rank, counts[rank], wanted))
    return tuple(sorted(placed, key=lambda piece: piece.square))


def _refuse(reason: Refusal) -> IllegalAction:
    return IllegalAction("deployment", reason, ending="illegal_setup")


# --- deployments as text ------------------------------------------------------------------------------


def read_book(text: str, ruleset: "BoardRules") -> tuple[str, ...]:
    """Read the deployments of a file, which are separated by empty lines.  Comments begin with #; spaces do not count.

    Raises ConfigError with one line: the line number, what is wrong and what would be right.
    """
    seen: dict[str, int] = {}
    rows: list[_Row] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        drawn, _, comment = line.partition(COMMENT)
        if signs := drawn.split():
            rows.append(_Row(number, "".join(signs)))
        if len(rows) > DEPLOYMENT_ROWS or (rows and not signs and not comment):
            first = rows[0].line
            letters = _read_deployment(rows, ruleset)
            if letters in seen:
                raise ConfigError(f"line {first}: the same deployment as on line {seen[letters]}; remove one of them")
            seen[letters] = first
            rows = []
    return tuple(seen)


def _read_deployment(rows: list[_Row], ruleset: "BoardRules") -> str:
    if len(rows) != DEPLOYMENT_ROWS:
        raise ConfigError(
            f"line {rows[0].line}: a deployment has {DEPLOYMENT_ROWS} rows and ends with an empty line; "
            f"this one has {len(rows)} rows{' or more' if len(rows) > DEPLOYMENT_ROWS else ''}"
        )
    board = ruleset.board
    ranks = {rank.id: rank.sign for rank in ruleset.ranks}
    pieces: dict[str, RankId] = {}
    for number, row in enumerate(reversed(rows)):
        if len(row.signs) != board.files:
            raise ConfigError(f"line {row.line}: {len(row.signs)} squares; a row has {board.files}")
        for file, sign in enumerate(row.signs):
            if sign == EMPTY:
                continue
            rank = read_sign(sign)
            if rank not in ranks:
                signs = ", ".join(f"{known} {one}" for one, known in ranks.items() if ruleset.army.get(one))
                raise ConfigError(f"line {row.line}: {sign!r} stands for no piece of {ruleset.name}; there is {signs}")
            pieces[board.names[number * board.files + file]] = rank
    try:
        return letters_of(pieces, RED, ruleset)
    except IllegalAction as refusal:
        raise ConfigError(f"line {rows[0].line}: {refusal}") from None


def letters_of(pieces: Mapping[str, str], seat: Seat, ruleset: "BoardRules") -> str:
    """Write a seat's deployment as letters; blue's is rotated to red's side.  Raises IllegalAction."""
    board = ruleset.board
    placed = check_deployment(ruleset, seat, Deploy(pieces=dict(pieces)))
    if seat == BLUE:
        placed = tuple(PlacedPiece(board.size - 1 - piece.square, RED, piece.rank) for piece in placed)
    return write_position(placed, board)[: DEPLOYMENT_ROWS * board.files]


def draw(letters: str, ruleset: "BoardRules") -> str:
    """Draw a deployment as the rows of a deployment file."""
    files = ruleset.board.files
    signs = [EMPTY] * len(letters)
    for piece in _read_letters(letters, ruleset):
        signs[piece.square] = RANKS[piece.rank].sign
    return "\n".join("".join(signs[start : start + files]) for start in reversed(range(0, len(signs), files)))


def position_of(red: str, blue: str, ruleset: "BoardRules") -> str:
    """Write the position in which two deployments face each other, each given as letters."""
    last = ruleset.board.size - 1
    rotated = [PlacedPiece(last - piece.square, BLUE, piece.rank) for piece in _read_letters(blue, ruleset)]
    return write_position([*_read_letters(red, ruleset), *rotated], ruleset.board)


def _read_letters(letters: str, ruleset: "BoardRules") -> tuple[PlacedPiece, ...]:
    rest = write_position((), ruleset.board)[len(letters) :]
    return read_position(letters + rest, ruleset.board, [rank.id for rank in ruleset.ranks])
