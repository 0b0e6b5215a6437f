"""Observation planes: the knowledge of a seat as an array, from the facts that it received and from nothing else."""

from array import array
from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Final, TypedDict

from msgspec import UNSET

from arbiter.arrays import NDArray, np
from arbiter.errors import ConfigError
from arbiter.games.board.ruleset import BoardRules
from arbiter.learning.actions import Mask
from protocol.words import (
    BLUE,
    RED,
    AnyAction,
    AnyFact,
    Attacked,
    Deploy,
    Deployed,
    Moved,
    Phase,
    Place,
    Placed,
    RankId,
    Removed,
    Rescue,
    Revealed,
    Seat,
)

Planes = NDArray[np.int8]
QUIET_STEPS: Final = 20
"""The value of the plane `quiet` at the draw limit."""
FREE, LAKE, FIRST_KIND = 0, 1, 2
"""Codes of squares; then two codes for each kind of piece, the second if it has moved."""
MOVED: Final = 1


class Observation(TypedDict):
    """The input of an agent or a policy."""

    observation: Planes
    """Rows from the seat's own back row, files from its left, planes."""
    action_mask: Mask
    """1 for each legal action; all 0 if the seat is not to act."""


class Layout:
    """The planes of a rule set, by name, and their order.

    With `history`, planes show what happened in the last actions of both sides, this many of them.
    """

    def __init__(self, rules: BoardRules, *, deploys: bool = False, history: int = 0) -> None:
        if history < 0:
            raise ConfigError(f"history is {history}; write the number of actions to show, or 0 for none")
        ranks = [rank.id for rank in rules.ranks]
        phases = [follow_up.phase for follow_up in rules.follow_ups]
        if deploys:
            phases.insert(0, "setup")
        self.pieces = (*(f"own {rank}" for rank in ranks), *(f"enemy {rank}" for rank in ranks), "enemy hidden")
        """One plane for each kind of piece: 1 on the squares of such pieces."""
        earlier = range(2, history + 1)
        self.names: tuple[str, ...] = (
            *self.pieces,
            "moved",
            "last from",
            "last to",
            "lake",
            *(f"own lost {rank}" for rank in ranks),
            *(f"enemy lost {rank}" for rank in ranks),
            "enemy lost hidden",
            "quiet",
            *(f"phase {phase}" for phase in phases),
            *(f"from {number}" for number in earlier),
            *(f"to {number}" for number in earlier),
            *(f"seen {number}" for number in range(1, history + 1)),
        )
        """The name of each plane."""
        self.index = {name: number for number, name in enumerate(self.names)}
        self.phases: dict[Phase, int] = {phase: self.index[f"phase {phase}"] for phase in phases}
        index = self.index
        self.earlier = tuple((index[f"from {number}"], index[f"to {number}"]) for number in earlier)
        """The planes of the second last action, and of those before it."""
        self.seen = tuple(index[f"seen {number}"] for number in range(1, history + 1))
        """The planes of the ranks that the last actions revealed."""
        self.last_from, self.last_to, self.quiet = index["last from"], index["last to"], index["quiet"]
        self.board = rules.board
        self.shape = (rules.board.rows, rules.board.files, len(self.names))
        """Rows from the seat's own back row, files from its left, planes."""
        self.no_attack_plies = rules.no_attack_plies
        squares = rules.board.square
        last = rules.board.size - 1
        self.squares: dict[Seat, dict[Place, int]] = {
            RED: squares,
            BLUE: {name: last - square for name, square in squares.items()},
        }
        """For each seat, the number of each square as the seat sees the board."""
        places = [divmod(square, rules.board.files) for square in range(rules.board.size)]
        self.last_froms = [(*place, self.last_from) for place in places]
        """The indices of these squares in the plane `last from`."""
        self.last_tos = [(*place, self.last_to) for place in places]
        """The same in the plane `last to`."""
        codes = FIRST_KIND + 2 * len(self.pieces)
        self.table = np.zeros((codes, len(self.names)), np.int8)
        """The planes of a square, by its code: see `SeatPlanes`."""
        for kind in range(len(self.pieces)):
            for moved in (0, 1):
                self.table[FIRST_KIND + 2 * kind + moved, [kind, index["moved"]]] = 1, moved
        self.table[LAKE, index["lake"]] = 1


class SeatPlanes:
    """The observation of one seat, kept up to date fact by fact.

    Each square has a code: free, a lake, or a kind of piece with one bit for `moved`.  An observation looks up the
    planes of each code; those that have one value on the whole board are part of the table.
    """

    __slots__ = (
        "_action",
        "_at",
        "_attack",
        "_board",
        "_deployment",
        "_has_history",
        "_history",
        "_layout",
        "_placed",
        "_quiet",
        "_rescuing",
        "_seat",
        "_steps",
        "_table",
        "codes",
    )

    def __init__(self, layout: Layout, seat: Seat) -> None:
        self._layout = layout
        self._seat = seat
        self._at = layout.squares[seat]
        self.codes = array("q", bytes(8 * layout.board.size))  # as numpy's indices
        """The code of each square as the seat sees the board."""
        self._board = np.frombuffer(self.codes, np.int64).reshape(layout.shape[:2])
        for lake in layout.board.lakes:
            self.codes[self._at[lake]] = LAKE
        self._table = layout.table.copy()
        self._deployment: dict[Place, str] = {}
        self._rescuing = ""
        self._placed: Place | None = None  # square of a rescue that was the last fact
        self._attack: tuple[int, int] | None = None  # the last attack, if no piece has moved since
        self._action: tuple[int, int] | None = None  # the last action
        self._history: deque[tuple[tuple[int, int], list[int]]] = deque(maxlen=len(layout.seen))
        """The last actions, newest first, with the squares on which they showed ranks; empty without history."""
        self._has_history = bool(layout.seen)
        self._quiet = 0
        self._steps = 0  # the value of the plane `quiet` in the table

    def note_action(self, action: AnyAction) -> None:
        """Note an action of this seat before its facts are noted."""
        if type(action) is Deploy and action.pieces is not UNSET:
            self._deployment = action.pieces
        elif type(action) is Rescue:
            self._rescuing = action.rank

    def note_placement(self, place: Place, rank: RankId) -> None:
        """Show an own piece on a square before the deployment is complete."""
        self._show(self._seat, place, rank)

    def note_facts(self, facts: Iterable[AnyFact]) -> None:
        """Note facts that this seat received."""
        for fact in facts:
            if type(fact) is Moved:
                self.note_move((self._at[fact.src], self._at[fact.dst]))
            else:
                self._note_other(fact)

    def note_move(self, ends: tuple[int, int]) -> None:
        """Note the fact that a piece moved from one square to another, as the seat sees the board."""
        if self._attack != ends:
            self.note_quiet_move(ends)
            return
        src, dst = ends
        self.codes[dst] = self.codes[src] | MOVED
        self.codes[src] = FREE
        self._placed = self._attack = None

    def note_quiet_move(self, ends: tuple[int, int]) -> None:
        """Note the same for a move that is no attack."""
        # Nearly all facts are such moves: this is the inner loop of training.
        src, dst = ends
        codes = self.codes
        codes[dst] = codes[src] | MOVED
        codes[src] = FREE
        self._placed = self._attack = None
        self._quiet += 1
        self._action = ends
        if self._has_history:
            self._history.appendleft((ends, []))

    def _note_other(self, fact: AnyFact) -> None:
        placed, self._placed = self._placed, None
        match fact:
            case Attacked(_, src, dst):
                self._attack = self._begin_action(src, dst)
                self._quiet = 0
            case Revealed(seat, place, rank):
                if placed == place:  # a rescued piece of known rank
                    self._count(seat, "hidden", 1)
                    self._count(seat, rank, -1)
                self._show(seat, place, rank)
                if self._history and seat != self._seat:
                    self._history[0][1].append(self._at[place])
            case Removed(seat, place):
                kind = (self.codes[self._at[place]] - FIRST_KIND) // 2
                self._count(seat, self._layout.pieces[kind].split()[1], 1)
                self.codes[self._at[place]] = FREE
            case Placed(seat, place):
                self._placed = place
                returned = self._rescuing if seat == self._seat else "hidden"
                self._count(seat, returned, -1)
                self._show(seat, place, returned)
            case Deployed(seat, places):
                for place in places:
                    self._show(seat, place, self._deployment.get(place, "hidden"))
            case _ if src := getattr(fact, "src", ""):  # a power
                self._quiet = 0 if fact.is_attack else self._quiet + 1
                self._begin_action(src, getattr(fact, "dst", src))

    def _begin_action(self, src: Place, dst: Place) -> tuple[int, int]:
        action = self._action = (self._at[src], self._at[dst])
        if self._has_history:
            self._history.appendleft((action, []))
        return action

    def _show(self, seat: Seat, place: Place, rank: str) -> None:
        """Show a piece on a square, free while the rank of an own piece is still to follow."""
        square = self._at[place]
        kind = self._layout.index.get(f"{'own' if seat == self._seat else 'enemy'} {rank}")
        if kind is None:
            self.codes[square] = FREE
        else:
            self.codes[square] = FIRST_KIND + 2 * kind | self.codes[square] & MOVED

    def _count(self, seat: Seat, rank: str, change: int) -> None:
        plane = self._layout.index[f"{'own' if seat == self._seat else 'enemy'} lost {rank}"]
        self._table[:, plane] += change

    def observe(self, phase: Phase) -> Planes:
        """Return the planes as a new array; `phase` is that of the seat's open question, `turn` if there is none."""
        layout = self._layout
        limit = layout.no_attack_plies
        if limit:
            steps = QUIET_STEPS * self._quiet // limit
            if steps != self._steps:
                self._steps = self._table[:, layout.quiet] = steps
        out = self._table.take(self._board, 0, None, "clip")
        if self._action is not None:
            src, dst = self._action
            out[layout.last_froms[src]] = out[layout.last_tos[dst]] = 1
        if phase in layout.phases:
            out[:, :, layout.phases[phase]] = 1
        if self._history:
            self._write_history(out.reshape(len(self.codes), -1))
        return out

    def _write_history(self, out: Planes) -> None:
        """Write the planes of earlier actions to an array of squares and planes."""
        layout = self._layout
        for plane, (_, squares) in zip(layout.seen, self._history, strict=False):
            out[squares, plane] = 1
        earlier = islice(self._history, 1, None)
        for (src_plane, dst_plane), ((src, dst), _) in zip(layout.earlier, earlier, strict=False):
            out[src, src_plane] = 1
            out[dst, dst_plane] = 1
