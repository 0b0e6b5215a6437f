"""Deployments as text: rows drawn with a sign a square, one's own side at the bottom.

A deployment is kept as its letters in the notation of positions, as red's: a1..j1 first, then row 2 ..
"""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from arbiter.errors import ConfigError, IllegalAction
from arbiter.games.board.diagram import PlacedPiece, read_position, write_position
from arbiter.games.board.ruleset import DEPLOYMENT_ROWS, Ruleset
from arbiter.games.board.setup import check_deployment
from protocol.words import BLUE, RED, Deploy, RankId, Seat

SIGNS: Final[dict[str, RankId]] = {
    "F": "flag",
    "B": "bomb",
    "S": "spy",
    "2": "scout",
    "3": "miner",
    "4": "sergeant",
    "5": "lieutenant",
    "6": "captain",
    "7": "major",
    "8": "colonel",
    "9": "general",
    "M": "marshal",
    "I": "infiltrator",
    "R": "marksman",
    "Z": "berserker",
}
EMPTY: Final = "."
COMMENT: Final = "#"
_SIGN_OF: Final = {rank: sign for sign, rank in SIGNS.items()}


class _Row(Struct, frozen=True):
    """A drawn row and the line where it stands."""

    line: int
    signs: str


def read_book(text: str, ruleset: Ruleset) -> tuple[str, ...]:
    """Read deployments, parted by empty lines; what follows a # is a comment, blanks in a row do not count.

    Raises ConfigError: one line that names the line, what is wrong and what would be right.
    """
    seen: dict[str, int] = {}
    for rows in _blocks(text):
        letters = _deployment(rows, ruleset)
        if letters in seen:
            raise ConfigError(
                f"line {rows[0].line}: the deployment of line {seen[letters]} again; leave one of them out"
            )
        seen[letters] = rows[0].line
    return tuple(seen)


def _blocks(text: str) -> Iterator[list[_Row]]:
    rows: list[_Row] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        drawn, _, comment = line.partition(COMMENT)
        if signs := "".join(drawn.split()):
            rows.append(_Row(number, signs))
        elif rows and not comment:
            yield rows
            rows = []


def _deployment(rows: list[_Row], ruleset: Ruleset) -> str:
    if len(rows) != DEPLOYMENT_ROWS:
        raise ConfigError(
            f"line {rows[0].line}: a deployment is drawn in {DEPLOYMENT_ROWS} rows and ends with an empty line, "
            f"this one has {len(rows)}"
        )
    board = ruleset.board
    pieces = {
        board.names[number * board.files + file]: rank
        for number, row in enumerate(reversed(rows))
        for file, rank in _squares(row, ruleset)
    }
    return _checked(pieces, ruleset, rows[0].line)


def _squares(row: _Row, ruleset: Ruleset) -> Iterator[tuple[int, RankId]]:
    if len(row.signs) != ruleset.board.files:
        raise ConfigError(f"line {row.line}: {len(row.signs)} squares; a row has {ruleset.board.files}")
    known = {_SIGN_OF[rank.id]: rank.id for rank in ruleset.ranks}
    for file, sign in enumerate(row.signs):
        if sign not in known and sign != EMPTY:
            signs = ", ".join(f"{one} {rank}" for one, rank in known.items() if ruleset.army.get(rank))
            raise ConfigError(f"line {row.line}: {sign!r} stands for no piece of {ruleset.name}; there is {signs}")
        if sign != EMPTY:
            yield file, known[sign]


def _checked(pieces: Mapping[str, RankId], ruleset: Ruleset, line: int) -> str:
    try:
        return letters_of(pieces, RED, ruleset)
    except IllegalAction as refusal:
        raise ConfigError(f"line {line}: {str(refusal).removeprefix('the deployment is not allowed: ')}") from None


def letters_of(pieces: Mapping[str, str], seat: Seat, ruleset: Ruleset) -> str:
    """Write a seat's deployment as letters, turned round where it is blue's.  Raises IllegalAction."""
    board = ruleset.board
    standings = check_deployment(ruleset, seat, Deploy(pieces=dict(pieces)))
    if seat == BLUE:
        standings = tuple(PlacedPiece(board.size - 1 - one.square, RED, one.rank) for one in standings)
    return write_position(standings, board)[: DEPLOYMENT_ROWS * board.files]


def draw(letters: str, ruleset: Ruleset) -> str:
    """Draw a deployment as the rows that a book has."""
    files = ruleset.board.files
    signs = [EMPTY] * len(letters)
    for standing in _standings(letters, ruleset):
        signs[standing.square] = _SIGN_OF[standing.rank]
    return "\n".join("".join(signs[start : start + files]) for start in reversed(range(0, len(signs), files)))


def position_of(red: str, blue: str, ruleset: Ruleset) -> str:
    """Write the position of two deployments that face each other, each drawn from its own side."""
    last = ruleset.board.size - 1
    turned = [PlacedPiece(last - one.square, BLUE, one.rank) for one in _standings(blue, ruleset)]
    return write_position([*_standings(red, ruleset), *turned], ruleset.board)


def _standings(letters: str, ruleset: Ruleset) -> tuple[PlacedPiece, ...]:
    rest = write_position((), ruleset.board)[len(letters) :]
    return read_position(letters + rest, ruleset.board, [rank.id for rank in ruleset.ranks])
