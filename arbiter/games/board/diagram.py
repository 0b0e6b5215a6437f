"""Positions as text: letters and rows.

As letters, a position has one letter for each square, a1..j1 first, as in the public game archives.
Words may follow the letters: the seat that moves first, and the pieces whose rank both players know:
`aaaM... blue known=a4,b10`.

Rows are drawn like the boards that the arbiter prints, so that people can read and write them.

    10  .    .    bM   .   ...
     9  bB   .    .    R3! ...
    ...
        a    b    c    d   ...
    blue to move

`R3` is a red miner, `b3` a blue one, `.` an empty square, `~` a lake. `!` marks a rank that the opponent knows, `'` a
piece that has moved. Row numbers and the row of letters may be left out. Comments begin with #. The marks around
squares of a printed board are ignored.
"""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.board.geometry import Geometry
from arbiter.games.ranks import RANKS, read_sign
from protocol.words import BLUE, RED, SEATS, RankId, Seat

_EMPTY: Final = "a"
_LAKE: Final = "_"
_KNOWN: Final = "known="
_SEAT_OF: Final[dict[str, Seat]] = {"R": RED, "b": BLUE}
_LETTER_OF: Final = {seat: letter for letter, seat in _SEAT_OF.items()}
_PIECE: Final = re.compile(r"(?P<seat>[Rb])(?P<sign>\w+|\?)(?P<marks>['!]*)")
_TO_MOVE: Final = re.compile(r"(red|blue) to move")
_MARKS_AROUND: Final = str.maketrans("[]*", "   ")
_COMMENT: Final = "#"
EMPTY: Final = "."
LAKE: Final = "~"
HAS_MOVED: Final = "'"
IS_KNOWN: Final = "!"


class PlacedPiece(Struct, frozen=True):
    """A piece on a square."""

    square: int
    seat: Seat
    rank: RankId
    is_known: bool = False
    """True if the opponent knows the rank."""


class Diagram(Struct, frozen=True):
    """A position from which games start."""

    pieces: tuple[PlacedPiece, ...]
    """In board order."""
    first: Seat | None = None
    """The seat that moves first, if the text names it."""

    def write(self, board: Geometry) -> str:
        """Write the position as letters and words."""
        known = [board.names[piece.square] for piece in self.pieces if piece.is_known]
        words = (self.first or "", f"{_KNOWN}{','.join(known)}" if known else "")
        return " ".join([write_position(self.pieces, board), *filter(None, words)])


def read_letters(text: str, board: Geometry, ranks: Iterable[RankId]) -> Diagram:
    """Read a position as letters and words.  Raises ConfigError."""
    letters, *words = text.split() or [""]
    pieces = {piece.square: piece for piece in read_position(letters, board, ranks)}
    first: Seat | None = None
    for word in words:
        if word in SEATS:
            first = RED if word == RED else BLUE
        elif word.startswith(_KNOWN):
            for place in word.removeprefix(_KNOWN).split(","):
                square = board.names.index(place) if place in board.names else -1
                if square not in pieces:
                    raise ConfigError(f"position: {place[:20]!r} after {_KNOWN!r} is not the square of a piece")
                pieces[square] = replace(pieces[square], is_known=True)
        else:
            raise ConfigError(
                f"position: {word[:20]!r} after the letters; only red or blue (which moves first) and "
                f"{_KNOWN}SQUARE,SQUARE,... can follow"
            )
    return Diagram(tuple(pieces.values()), first)


def read_position(text: str, board: Geometry, ranks: Iterable[RankId]) -> tuple[PlacedPiece, ...]:
    """Read a position of `board.size` letters.  Raises ConfigError."""
    if len(text) != board.size:
        raise ConfigError(f"position: {len(text)} letters; a position has {board.size}")
    allowed = set(ranks)
    pieces = {
        letter: (seat, rank.id) for rank in RANKS.values() for seat, letter in zip(SEATS, rank.letters, strict=True)
    }
    placed = []
    for square, letter in enumerate(text):
        is_lake = square in board.lake_squares
        if is_lake != (letter == _LAKE):
            wanted = "a lake (_)" if is_lake else "no lake"
            raise ConfigError(f"position: {board.names[square]} is {letter!r}, but there is {wanted} on this square")
        if letter in (_EMPTY, _LAKE):
            continue
        if letter not in pieces:
            raise ConfigError(f"position: letter {letter!r} at place {square + 1} stands for no piece")
        seat, rank = pieces[letter]
        if rank not in allowed:
            raise ConfigError(f"position: letter {letter!r} stands for {rank}, which this rule set does not have")
        placed.append(PlacedPiece(square, seat, rank))
    return tuple(placed)


def write_position(placed: Iterable[PlacedPiece], board: Geometry) -> str:
    """Write a position as text."""
    letters = [_LAKE if square in board.lake_squares else _EMPTY for square in range(board.size)]
    for piece in placed:
        letters[piece.square] = RANKS[piece.rank].letters[piece.seat == BLUE]
    return "".join(letters)


# --- rows ---------------------------------------------------------------------------------------------


class _Row(Struct, frozen=True):
    """The squares of a row, and its line in the text."""

    line: int
    label: int | None
    squares: list[str]


def read_rows(text: str, board: Geometry, ranks: Iterable[RankId]) -> Diagram:
    """Read a position of several lines.  Raises ConfigError with the line, the square and the fix."""
    rows: list[_Row] = []
    first: Seat | None = None
    files = [chr(ord("a") + file) for file in range(board.files)]
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition(_COMMENT)[0].translate(_MARKS_AROUND).split()
        if not words or words in (files, files[::-1]):
            continue
        if found := _TO_MOVE.fullmatch(" ".join(words)):
            first = RED if found[1] == RED else BLUE
            continue
        label = int(words.pop(0)) if words[0].isdecimal() and len(words[0]) <= len(str(board.rows)) else None
        if len(words) != board.files:
            raise ConfigError(
                f"position: line {number}: {len(words)} squares; a row has {board.files}, separated by spaces"
            )
        rows.append(_Row(number, label, words))
    if len(rows) != board.rows:
        raise ConfigError(f"position: {len(rows)} rows; the board has {board.rows}")
    allowed = set(ranks)
    pieces = []
    for place, row, sign in _find_squares(rows, board):
        square = board.names.index(place)
        try:
            piece = _read_square(square, sign, allowed, is_lake=square in board.lake_squares)
        except ValueError as fault:
            raise ConfigError(f"position: line {row.line}, {place}: {fault}") from None
        if piece is not None:
            pieces.append(piece)
    return Diagram(tuple(sorted(pieces, key=lambda piece: piece.square)), first)


def _find_squares(rows: list[_Row], board: Geometry) -> list[tuple[str, _Row, str]]:
    """Return the name of each square, its row and its sign; a board may be drawn from either side."""
    downwards = list(range(board.rows, 0, -1))
    labels = [row.label for row in rows]
    numbers = downwards[::-1] if labels == downwards[::-1] else downwards
    for row, number in zip(rows, numbers, strict=True):
        if row.label not in (None, number):
            raise ConfigError(f"position: line {row.line}: row {row.label} comes where row {number} should be")
    files = range(board.files) if numbers == downwards else range(board.files)[::-1]
    return [
        (f"{chr(ord('a') + file)}{number}", row, sign)
        for row, number in zip(rows, numbers, strict=True)
        for file, sign in zip(files, row.squares, strict=True)
    ]


def _read_square(square: int, sign: str, ranks: set[RankId], *, is_lake: bool) -> PlacedPiece | None:
    """Read one square.  Raises ValueError with what is wrong and what would be right."""
    drawn_lake = not sign.strip(LAKE)
    if drawn_lake != is_lake:
        raise ValueError(f"{sign[:20]!r}, but this square is {f'a lake ({LAKE})' if is_lake else 'no lake'}")
    if drawn_lake or sign == EMPTY:
        return None
    signs = ", ".join(f"{rank.sign} {rank.id}" for rank in RANKS.values() if rank.id in ranks)
    found = _PIECE.fullmatch(sign)
    if found is None:
        raise ValueError(
            f"{sign[:20]!r} stands for no piece; write R or b and a rank ({signs}), {EMPTY} for an empty square"
        )
    if found["sign"] == "?":
        raise ValueError(f"the rank of {sign!r} is unknown; a game can start only if all ranks are given")
    rank = read_sign(found["sign"])
    if rank is None or rank not in ranks:
        raise ValueError(f"this rule set has no rank {found['sign'][:20]!r}; it has {signs}")
    return PlacedPiece(square, _SEAT_OF[found["seat"]], rank, IS_KNOWN in found["marks"])


def write_rows(signs: dict[str, str], board: Geometry, to_move: Seat | None) -> str:
    """Write a position as rows; `signs` are those of `write_piece`, by square."""
    width = 1 + max(map(len, signs.values()), default=1)
    files = [chr(ord("a") + file) for file in range(board.files)]
    lines = []
    for row in range(board.rows, 0, -1):
        places = [f"{file}{row}" for file in files]
        squares = [LAKE if place in board.lakes else signs.get(place, EMPTY) for place in places]
        lines.append(f"{row:2}  " + " ".join(sign.ljust(width) for sign in squares).rstrip())
    lines.append("    " + " ".join(file.ljust(width) for file in files).rstrip())
    if to_move is not None:
        lines.append(f"{to_move} to move")
    return "\n".join(lines)


def write_piece(seat: Seat, rank: RankId | None, *, moved: bool = False, known: bool = False) -> str:
    """Write a piece: `R3`, `b?`, `bM'!`."""
    return f"{_LETTER_OF[seat]}{RANKS[rank].sign if rank else '?'}{HAS_MOVED * moved}{IS_KNOWN * known}"
