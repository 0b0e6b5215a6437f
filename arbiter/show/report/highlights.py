"""Highlights of a tournament: the shortest game, the longest chase, the biggest comeback and the boldest bluff."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, Literal, get_args

from msgspec import UNSET, Struct

from arbiter.games.base import WON_ON_BOARD, Addressed
from arbiter.record import Record
from arbiter.show.replay.knowledge import PlayedAct, play_acts
from arbiter.show.theme import find_value
from arbiter.tournament.standings.stored_game import StoredGame
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

HighlightKind = Literal["shortest", "chase", "comeback", "bluff"]
_SHORTEST_CHASE: Final = 3  # escapes; two in a row are nothing special
_SIGN: Final[Mapping[Seat, int]] = {RED: 1, BLUE: -1}


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


class _Piece(Struct):
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
    finder = _Finder(record.header.facts or ())
    for act in play_acts(record):
        finder.add(act)
    return Moments(finder.longest, finder.behind, finder.boldest)


class _Finder:
    """Follows the true ranks of all pieces through a game."""

    def __init__(self, opening: Iterable[Addressed]) -> None:
        self.longest: Moment | None = None
        self.boldest: Moment | None = None
        self.behind: dict[Seat, Moment] = {}
        self._pieces: dict[Place, _Piece] = {}
        self._deployments: dict[Seat, Mapping[Place, str]] = {}  # a secret one becomes a fact only after the other
        self._balance = 0  # points of the pieces that red has lost, less those that blue has lost
        self._chases: dict[Seat, _Chase] = {}
        self._before: _QuietMove | None = None
        for one in opening:
            self._apply(one, None)

    def add(self, act: PlayedAct) -> None:
        """Add the next act; facts that do not fit the game are left out, because records may be forged."""
        action = act.entry.action
        move = None
        if type(action) is Move and not any(type(one.fact) is Attacked for one in act.facts):
            move = _QuietMove(act.entry.seat, action.src, action.dst, act.ply)
            if self._before is not None and self._before.seat != move.seat and self._before.ply == move.ply - 1:
                self._note_escape(self._before, move)
        if type(action) is Deploy and action.pieces is not UNSET:
            self._deployments[act.entry.seat] = action.pieces
        rescued = action.rank if type(action) is Rescue else None
        for one in act.facts:
            self._apply(one, rescued)
        seat: Seat = RED if self._balance > 0 else BLUE
        points = abs(self._balance)
        if points > (self.behind[seat].value if seat in self.behind else 0):
            self.behind[seat] = Moment(seat, points, act.ply)
        self._before = move

    def _apply(self, one: Addressed, rescued: str | None) -> None:
        fact = one.fact
        match fact:
            case Moved():
                if piece := self._pieces.pop(fact.src, None):
                    self._pieces[fact.dst] = piece
            case Revealed():
                if piece := self._pieces.get(fact.place):
                    piece.rank = fact.rank
                    piece.is_known = piece.is_known or OPPONENT[piece.seat] in one.to
            case Removed():
                if piece := self._pieces.pop(fact.place, None):
                    self._balance += _SIGN[piece.seat] * find_value(piece.rank)
            case Deployed():
                deployment = self._deployments.get(fact.seat, {})
                for place in fact.places:
                    self._pieces[place] = _Piece(fact.seat, deployment.get(place))  # type: ignore[arg-type]
            case Placed():
                self._pieces[fact.place] = _Piece(fact.seat, rescued)  # type: ignore[arg-type]
                self._balance -= _SIGN[fact.seat] * find_value(rescued)
            case _:
                pass

    def _note_escape(self, threat: _QuietMove, escape: _QuietMove) -> None:
        """Note the escape of a piece from one that has just moved next to it, if it is one."""
        if not _are_neighbours(threat.dst, escape.src):
            return
        first, length = escape.ply, 1
        chase = self._chases.get(threat.seat)
        if chase and (chase.hunter, chase.prey, chase.latest) == (threat.src, escape.src, escape.ply - 2):
            first, length = chase.first, chase.length + 1
        self._chases[threat.seat] = _Chase(threat.dst, escape.dst, escape.ply, first, length)
        if self.longest is None or length > self.longest.value:
            self.longest = Moment(threat.seat, length, first)
        hunter, prey = self._pieces.get(threat.dst), self._pieces.get(escape.src)
        if hunter is None or prey is None or hunter.is_known or not prey.is_known or not hunter.rank or not prey.rank:
            return
        ranks = (hunter.rank, prey.rank)
        value = find_value(prey.rank) - find_value(hunter.rank)
        if value > (self.boldest.value if self.boldest else 0) and ranks != ("spy", "marshal"):
            self.boldest = Moment(threat.seat, value, threat.ply, ranks)


@cache
def _are_neighbours(one: Place, other: Place) -> bool:
    """Return True if two squares have a side in common."""
    try:
        return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:])) == 1
    except (ValueError, IndexError):  # a forged record
        return False


class Highlight(Struct, frozen=True):
    """The game of a tournament that is the most remarkable of a kind."""

    kind: HighlightKind
    game: StoredGame
    moment: Moment

    @property
    def bot(self) -> str:
        """The bot on the seat."""
        return str(getattr(self.game, self.moment.seat))

    @property
    def opponent(self) -> str:
        return str(getattr(self.game, OPPONENT[self.moment.seat]))

    @property
    def sort_key(self) -> tuple[int, str, str]:
        """The smallest is the most remarkable."""
        value = self.moment.value
        return value if self.kind == "shortest" else -value, self.game.started, self.game.id


class HighlightFinder:
    """Finds the highlights of a tournament while its games are added, in any order.

    - `shortest`: the game with the fewest plies that was won on the board: by taking the flag, or because the opponent
      had no piece or no move left.  Draws, forfeits and resignations are not.
    - `chase`: the longest chase of at least three escapes (see `find_moments`).
    - `comeback`: the game won on the board whose winner had been behind by the most points of material.
    - `bluff`: the bluff with the largest difference between both ranks.

    Of several equal ones, the game that started first counts.  Games whose result is that of a ruling, and annulled
    ones, are left out.
    """

    def __init__(self) -> None:
        self._best: dict[HighlightKind, Highlight] = {}

    @property
    def found(self) -> tuple[Highlight, ...]:
        """The highlights found so far."""
        return tuple(self._best[kind] for kind in get_args(HighlightKind) if kind in self._best)

    def add(self, game: StoredGame, moments: Moments) -> None:
        """Add a game."""
        if not game.was_played or game.ending in {"ruling", "double_loss"}:
            return
        chase = moments.chase
        found: dict[HighlightKind, Moment | None] = {
            "chase": chase if chase and chase.value >= _SHORTEST_CHASE else None,
            "bluff": moments.bluff,
        }
        if game.winner and game.ending in WON_ON_BOARD:
            found["shortest"] = Moment(game.winner, game.plies, game.plies)
            found["comeback"] = moments.behind.get(game.winner)
        for kind, moment in found.items():
            if moment is not None:
                new = Highlight(kind, game, moment)
                self._best[kind] = min(self._best.get(kind, new), new, key=lambda one: one.sort_key)
