"""Moments of a game on a board, by the facts in its record: chases, bluffs, and how far each player was behind."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from msgspec import UNSET, Struct

from arbiter.games.base import Addressed
from arbiter.record import Record
from arbiter.show.replay.knowledge import PlayedAct, play_acts
from arbiter.show.theme import find_value
from protocol.words import (
    BLUE,
    OPPONENT,
    RED,
    Attacked,
    Deploy,
    Deployed,
    Move,
    Moved,
    Place,
    Placed,
    RankId,
    Removed,
    Rescue,
    Revealed,
    Seat,
)

SHORTEST_CHASE: Final = 3
"""Escapes of a chase that is worth a look; two in a row are nothing special."""
SIGN: Final[Mapping[Seat, int]] = {RED: 1, BLUE: -1}


class Moment(Struct, frozen=True):
    """A ply of a game, and how remarkable it is as a number."""

    seat: Seat
    """The winner, the chaser, or the player that bluffed."""
    value: int
    """Plies, escapes, points of material, or the difference between the values of two ranks."""
    ply: int
    ranks: tuple[RankId, ...] = ()
    """For a bluff: the rank of the hidden piece, and of the one that it drove away."""


class Moments(Struct, frozen=True):
    """The moments of one game."""

    chase: Moment | None = None
    """The longest chase; the value is the number of times that the piece moved away, the ply that of the first time."""
    behind: Mapping[Seat, Moment] = {}
    """For each player that was behind: by how many points of material at most, and at which ply first."""
    bluff: Moment | None = None
    """The boldest bluff."""


class Piece(Struct):
    """A piece on a board with its true rank; None if the record does not show it."""

    seat: Seat
    rank: RankId | None
    is_known: bool = False
    """Its rank was revealed to the opponent."""


class _Chase(Struct, frozen=True):
    """A chase in progress."""

    hunter: Place
    prey: Place
    latest: int
    """The latest time that the piece moved away."""
    first: int
    """The first time."""
    length: int


class _QuietMove(Struct, frozen=True):
    """A move without an attack."""

    seat: Seat
    src: Place
    dst: Place
    ply: int


def find_moments(record: Record) -> Moments:
    """Find the moments of a game on a board, by the facts in its record.

    *A chase*: a player moves a piece next to an enemy piece, which then moves away, and so on, always the same two
    pieces, turn after turn and without an attack.  Its length is the number of times that the piece moved away.

    *Behind*: the values of the pieces that a player has lost, less those that the opponent has lost, with the values
    of the graph of the material.

    *A bluff*: a piece whose rank the opponent does not know moves next to an enemy piece whose higher rank is known,
    and that piece moves away at once.  Its boldness is the difference between the values of both ranks.  A spy next to
    a marshal does not bluff: it would win.
    """
    finder = MomentFinder(record.header.facts or ())
    for act in play_acts(record):
        finder.add(act)
    return finder.moments


class MomentFinder:
    """Follows the true ranks of all pieces through a game."""

    def __init__(self, opening: Iterable[Addressed]) -> None:
        self.longest: Moment | None = None
        self.boldest: Moment | None = None
        self.behind: dict[Seat, Moment] = {}
        self.pieces: dict[Place, Piece] = {}
        self._deployments: dict[Seat, Mapping[Place, str]] = {}  # a secret one becomes a fact only after the other
        self.balance = 0
        """Points of the pieces that red has lost, less those that blue has lost."""
        self._chases: dict[Seat, _Chase] = {}
        self._before: _QuietMove | None = None
        for one in opening:
            self._apply(one, None)

    @property
    def moments(self) -> Moments:
        """The moments up to the last act."""
        return Moments(self.longest, self.behind, self.boldest)

    def add(self, act: PlayedAct) -> None:
        """Add the next act; facts that do not fit the game are left out, because records may be forged."""
        action = act.entry.action
        before, self._before = self._before, None
        kinds = [type(one.fact) for one in act.facts]
        if type(action) is Move and Attacked not in kinds:
            move = self._before = _QuietMove(act.entry.seat, action.src, action.dst, act.ply)
            if before is not None and before.seat != move.seat and before.ply == move.ply - 1:
                self._note_escape(before, move)
        if kinds == [Moved]:  # most acts
            self._apply(act.facts[0], None)
            return
        if type(action) is Deploy and action.pieces is not UNSET:
            self._deployments[act.entry.seat] = action.pieces
        rescued = action.rank if type(action) is Rescue else None
        for one in act.facts:
            self._apply(one, rescued)
        seat: Seat = RED if self.balance > 0 else BLUE
        points = abs(self.balance)
        if points > (self.behind[seat].value if seat in self.behind else 0):
            self.behind[seat] = Moment(seat, points, act.ply)

    def _apply(self, one: Addressed, rescued: str | None) -> None:
        fact = one.fact
        match fact:
            case Moved():
                if piece := self.pieces.pop(fact.src, None):
                    self.pieces[fact.dst] = piece
            case Revealed():
                if piece := self.pieces.get(fact.place):
                    piece.rank = fact.rank
                    piece.is_known = piece.is_known or OPPONENT[piece.seat] in one.to
            case Removed():
                if piece := self.pieces.pop(fact.place, None):
                    self.balance += SIGN[piece.seat] * find_value(piece.rank)
            case Deployed():
                deployment = self._deployments.get(fact.seat, {})
                for place in fact.places:
                    self.pieces[place] = Piece(fact.seat, deployment.get(place))  # type: ignore[arg-type]
            case Placed():
                self.pieces[fact.place] = Piece(fact.seat, rescued)  # type: ignore[arg-type]
                self.balance -= SIGN[fact.seat] * find_value(rescued)
            case _:
                pass

    def _note_escape(self, threat: _QuietMove, escape: _QuietMove) -> None:
        """Note the escape of a piece from one that has just moved next to it, if it is one."""
        if not are_neighbours(threat.dst, escape.src):
            return
        first, length = escape.ply, 1
        chase = self._chases.get(threat.seat)
        if chase and (chase.hunter, chase.prey, chase.latest) == (threat.src, escape.src, escape.ply - 2):
            first, length = chase.first, chase.length + 1
        self._chases[threat.seat] = _Chase(threat.dst, escape.dst, escape.ply, first, length)
        if self.longest is None or length > self.longest.value:
            self.longest = Moment(threat.seat, length, first)
        hunter, prey = self.pieces.get(threat.dst), self.pieces.get(escape.src)
        if hunter is None or prey is None or hunter.is_known or not prey.is_known or not hunter.rank or not prey.rank:
            return
        ranks = (hunter.rank, prey.rank)
        value = find_value(prey.rank) - find_value(hunter.rank)
        if value > (self.boldest.value if self.boldest else 0) and ranks != ("spy", "marshal"):
            self.boldest = Moment(threat.seat, value, threat.ply, ranks)


@cache
def are_neighbours(one: Place, other: Place) -> bool:
    """Return True if two squares have a side in common."""
    try:
        return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:])) == 1
    except (ValueError, IndexError):  # a forged record
        return False
