"""The board as a program of another arena sees it: columns and rows from the top left, move after move.

There, who begins sits at the top.  Of the ranks it knows what our player was told.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from protocol.messages import Rules
from protocol.words import OPPONENT, RED, AnyFact, Attacked, Deployed, Moved, Place, Removed, Revealed, Seat

SIDE: Final = 10  # columns, and rows, of the boards that they know
# The ranks that they know, the highest first.
CLASSIC: Final = (
    *("marshal", "general", "colonel", "major", "captain", "lieutenant", "sergeant", "miner", "scout", "spy"),
    *("bomb", "flag"),
)


class Point(Struct, frozen=True, rename="pascal"):
    """A square: its column from the left and its row from the top, from 0; in JSON they are X and Y."""

    x: int
    y: int


class Piece(Struct, eq=False):
    """A piece; `rank` is None until our player is told."""

    seat: Seat
    rank: str | None = None


class Ply(Struct, frozen=True):
    """A move as it turned out; `defender` is None where nobody was attacked, `fallen` are those who left."""

    seat: Seat
    src: Point
    dst: Point
    attacker: Piece
    defender: Piece | None
    fallen: tuple[Piece, ...]


class Table:
    """The board of one game, and what was lost."""

    def __init__(self, rules: Rules, seat: Seat) -> None:
        self.seat = seat
        self.first = rules.first
        self.points = {place: _point(place, turned=rules.first != RED) for place in _squares()}
        self.places = {point: place for place, point in self.points.items()}
        self.lakes = frozenset(self.points[place] for place in rules.board.lakes)
        self.pieces: dict[Point, Piece] = {}
        self.fallen: list[Piece] = []
        self.plies = 0

    @property
    def to_move(self) -> Seat:
        """Whose turn it is."""
        return OPPONENT[self.first] if self.plies % 2 else self.first

    def set_up(self, news: Iterable[AnyFact], own: dict[Place, str]) -> None:
        """Put the pieces where they are said to stand, one's own with their ranks."""
        for fact in news:
            if isinstance(fact, Deployed):
                known = own if fact.seat == self.seat else {}
                self.pieces |= {self.points[place]: Piece(fact.seat, known.get(place)) for place in fact.places}

    def play(self, news: Iterable[AnyFact]) -> Iterator[Ply]:
        """Make the moves that are told, and stop after each."""
        for facts in _moves(news):
            yield self._made(facts)

    def _made(self, facts: list[AnyFact]) -> Ply:
        src, dst = self.points[facts[0].src], self.points[facts[0].dst]
        attacker, defender = self.pieces[src], self.pieces.get(dst)
        before = len(self.fallen)
        for fact in facts:
            self._hear(fact)
        self.plies += 1
        return Ply(attacker.seat, src, dst, attacker, defender, tuple(self.fallen[before:]))

    def _hear(self, fact: AnyFact) -> None:
        match fact:
            case Revealed():
                self.pieces[self.points[fact.place]].rank = fact.rank
            case Removed():
                self.fallen.append(self.pieces.pop(self.points[fact.place]))
            case Moved():
                self.pieces[self.points[fact.dst]] = self.pieces.pop(self.points[fact.src])
            case _:
                pass


def _moves(news: Iterable[AnyFact]) -> Iterator[list[AnyFact]]:
    """Cut facts into moves: each begins with an attack or a plain move, and an attack may end with a `moved`."""
    facts: list[AnyFact] = []
    for fact in news:
        begins = isinstance(fact, Attacked) or (isinstance(fact, Moved) and not _ends(facts, fact))
        if begins and facts:
            yield facts
            facts = []
        if begins or facts:
            facts.append(fact)
    if facts:
        yield facts


def _ends(facts: list[AnyFact], moved: Moved) -> bool:
    """Tell whether a piece that moved is the winner of the attack before."""
    return bool(facts) and isinstance(facts[0], Attacked) and facts[0].seat == moved.seat


def _squares() -> list[Place]:
    return [f"{chr(ord('a') + file)}{row + 1}" for row in range(SIDE) for file in range(SIDE)]


def _point(place: Place, *, turned: bool) -> Point:
    row = int(place[1:])
    return Point(ord(place[0]) - ord("a"), SIDE - row if turned else row - 1)
