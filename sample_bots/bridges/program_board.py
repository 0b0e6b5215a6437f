"""The board as a program of another arena sees it: columns and rows from the top left, move after move.

In those arenas the player who moves first sits at the top.  The board contains only ranks that our player knows.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from protocol.messages import Rules
from protocol.words import OPPONENT, RED, AnyFact, Attacked, Deployed, Moved, Place, Removed, Revealed, Seat

SIZE: Final = 10  # columns and rows of the boards of these arenas
# The ranks of these arenas, the highest first.
CLASSIC_RANKS: Final = (
    *("marshal", "general", "colonel", "major", "captain", "lieutenant", "sergeant", "miner", "scout", "spy"),
    *("bomb", "flag"),
)


class Point(Struct, frozen=True, rename="pascal"):
    """A square; in JSON the fields are X and Y."""

    x: int
    """Column from the left, from 0."""
    y: int
    """Row from the top, from 0."""


class ProgramPiece(Struct, eq=False):
    seat: Seat
    rank: str | None = None
    """None as long as our player does not know it."""


class PlayedMove(Struct, frozen=True):
    """A move and its outcome."""

    seat: Seat
    src: Point
    dst: Point
    attacker: ProgramPiece
    defender: ProgramPiece | None
    """None if the move was no attack."""
    fallen: tuple[ProgramPiece, ...]
    """The pieces that left the board."""


class ProgramBoard:
    """The board of one game."""

    def __init__(self, rules: Rules, seat: Seat) -> None:
        self.seat = seat
        self.first = rules.first
        self.points = {
            f"{chr(ord('a') + file)}{row + 1}": Point(file, row if rules.first == RED else SIZE - 1 - row)
            for row in range(SIZE)
            for file in range(SIZE)
        }
        """The point of each square."""
        self.places = {point: place for place, point in self.points.items()}
        """The square of each point."""
        self.lakes = frozenset(self.points[place] for place in rules.board.lakes)
        self.pieces: dict[Point, ProgramPiece] = {}
        self.fallen: list[ProgramPiece] = []
        """All pieces that have left the board."""
        self.plies = 0

    @property
    def to_move(self) -> Seat:
        """The seat that moves next."""
        return OPPONENT[self.first] if self.plies % 2 else self.first

    def set_up(self, news: Iterable[AnyFact], own: dict[Place, str]) -> None:
        """Place the pieces of the news, our own with their ranks."""
        for fact in news:
            if isinstance(fact, Deployed):
                known = own if fact.seat == self.seat else {}
                self.pieces |= {self.points[place]: ProgramPiece(fact.seat, known.get(place)) for place in fact.places}

    def play(self, news: Iterable[AnyFact]) -> Iterator[PlayedMove]:
        """Play the moves of the news; the board is up to date with each move when it is yielded."""
        for facts in _split_into_moves(news):
            src = self.points[facts[0].src]
            dst = self.points[facts[0].dst]
            attacker = self.pieces[src]
            defender = self.pieces.get(dst)
            before = len(self.fallen)
            for fact in facts:
                match fact:
                    case Revealed():
                        self.pieces[self.points[fact.place]].rank = fact.rank
                    case Removed():
                        self.fallen.append(self.pieces.pop(self.points[fact.place]))
                    case Moved():
                        self.pieces[self.points[fact.dst]] = self.pieces.pop(self.points[fact.src])
                    case _:
                        pass
            self.plies += 1
            yield PlayedMove(attacker.seat, src, dst, attacker, defender, tuple(self.fallen[before:]))


def _split_into_moves(news: Iterable[AnyFact]) -> Iterator[list[AnyFact]]:
    """Split facts into moves: each begins with an attack or a plain move, and an attack may end with a `moved`."""
    facts: list[AnyFact] = []
    for fact in news:
        is_winner = facts and isinstance(facts[0], Attacked) and facts[0].seat == fact.seat
        begins = isinstance(fact, Attacked) or (isinstance(fact, Moved) and not is_winner)
        if begins and facts:
            yield facts
            facts = []
        if begins or facts:
            facts.append(fact)
    if facts:
        yield facts
