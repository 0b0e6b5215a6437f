"""Positions as text: one letter for each square, a1..j1 first, as in the public game archives.

Words may follow the letters: the seat that moves first, and the pieces whose rank both players know:
`aaaM... blue known=a4,b10`.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.board.geometry import Geometry
from arbiter.games.ranks import RANKS
from protocol.words import BLUE, RED, SEATS, RankId, Seat

_EMPTY: Final = "a"
_LAKE: Final = "_"
_KNOWN: Final = "known="


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
