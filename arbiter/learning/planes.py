"""Observation planes: the knowledge of a seat as an array, from the facts that it received and from nothing else."""

from collections.abc import Iterable
from typing import Final, TypedDict

from msgspec import UNSET

from arbiter.arrays import NDArray, np
from arbiter.games.board.ruleset import BoardRules
from arbiter.learning.actions import Mask
from protocol.words import (
    BLUE,
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
_ONE: Final = b"\x01"


class Observation(TypedDict):
    """The input of an agent or a policy."""

    observation: Planes
    """Rows from the seat's own back row, files from its left, planes."""
    action_mask: Mask
    """1 for each legal action; all 0 if the seat is not to act."""


class Layout:
    """The planes of a rule set, by name, and their order."""

    def __init__(self, rules: BoardRules, *, deploys: bool = False) -> None:
        ranks = [rank.id for rank in rules.ranks]
        phases = [follow_up.phase for follow_up in rules.follow_ups]
        if deploys:
            phases.insert(0, "setup")
        self.pieces = (*(f"own {rank}" for rank in ranks), *(f"enemy {rank}" for rank in ranks), "enemy hidden")
        """One plane for each kind of piece: 1 on the squares of such pieces."""
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
        )
        """The name of each plane."""
        self.index = {name: number for number, name in enumerate(self.names)}
        self.phases: dict[Phase, int] = {phase: self.index[f"phase {phase}"] for phase in phases}
        self.board = rules.board
        self.shape = (rules.board.rows, rules.board.files, len(self.names))
        """Rows from the seat's own back row, files from its left, planes."""
        self.no_attack_plies = rules.no_attack_plies


class SeatPlanes:
    """The observation of one seat, kept up to date fact by fact.

    The bytes of a square are next to each other, so that a piece moves by copying a slice.
    """

    def __init__(self, layout: Layout, seat: Seat) -> None:
        self._layout = layout
        self._seat = seat
        board = layout.board
        width = len(layout.names)
        self._width = width
        self._size = board.size
        self._data = bytearray(board.size * width)
        self._array = np.frombuffer(self._data, np.int8).reshape(layout.shape)
        last = board.size - 1
        self._at: dict[Place, int] = {
            name: (last - square if seat == BLUE else square) * width for name, square in board.square.items()
        }
        self._kinds = len(layout.pieces)
        self._piece_bytes = self._kinds + 1  # with `moved`
        self._no_piece = bytes(self._piece_bytes)
        self._moved, self._from, self._to, self._quiet_plane = (
            layout.index[name] for name in ("moved", "last from", "last to", "quiet")
        )
        for lake in board.lakes:
            self._data[self._at[lake] + layout.index["lake"]] = 1
        self._deployment: dict[Place, str] = {}
        self._rescuing = ""
        self._placed: Place | None = None  # square of a rescue that was the last fact
        self._attack: tuple[int, int] | None = None  # the last attack, if no piece has moved since
        self._action = (0, 0)  # the last action
        self._shown = self._action  # the action in the planes
        self._quiet = 0
        self._phase: int | None = None

    def note_action(self, action: AnyAction) -> None:
        """Note an action of this seat before its facts are noted."""
        if type(action) is Deploy and action.pieces is not UNSET:
            self._deployment = action.pieces
        elif type(action) is Rescue:
            self._rescuing = action.rank

    def note_placement(self, place: Place, rank: RankId) -> None:
        """Show an own piece on a square before the deployment is complete."""
        self._data[self._at[place] + self._layout.index[f"own {rank}"]] = 1

    def note_facts(self, facts: Iterable[AnyFact]) -> None:
        """Note facts that this seat received."""
        data = self._data
        at = self._at
        count = self._piece_bytes
        for fact in facts:
            if type(fact) is not Moved:
                self._note_other(fact)
                continue
            # Nearly all facts are moves: this is the inner loop of training.
            start, end = at[fact.src], at[fact.dst]
            data[end : end + count] = data[start : start + count]
            data[start : start + count] = self._no_piece
            data[end + self._moved] = 1
            self._placed = None
            action = (start, end)
            if self._attack != action:  # else the attack was noted
                self._quiet += 1
                self._action = action
            self._attack = None

    def _note_other(self, fact: AnyFact) -> None:
        placed, self._placed = self._placed, None
        match fact:
            case Attacked(_, src, dst):
                self._attack = self._action = (self._at[src], self._at[dst])
                self._quiet = 0
            case Revealed(seat, place, rank):
                if placed == place:  # a rescued piece of known rank
                    self._count(seat, "hidden", 1)
                    self._count(seat, rank, -1)
                self._show(place, self._kind_of(seat, rank))
            case Removed(seat, place):
                start = self._at[place]
                kind = self._data.find(_ONE, start, start + self._kinds) - start
                self._count(seat, self._layout.pieces[kind].split()[1], 1)
                self._data[start : start + self._piece_bytes] = self._no_piece
            case Placed(seat, place):
                self._placed = place
                returned = self._rescuing if seat == self._seat else "hidden"
                self._count(seat, returned, -1)
                self._show(place, self._kind_of(seat, returned))
            case Deployed(seat, places):
                for place in places:
                    self._show(place, self._kind_of(seat, self._deployment.get(place, "hidden")))
            case _ if src := getattr(fact, "src", ""):  # a power
                self._quiet = 0 if fact.is_attack else self._quiet + 1
                self._action = (self._at[src], self._at[getattr(fact, "dst", src)])

    def _kind_of(self, seat: Seat, rank: str) -> int | None:
        """Return the plane of a piece; None for an own piece whose rank follows."""
        return self._layout.index.get(f"{'own' if seat == self._seat else 'enemy'} {rank}")

    def _show(self, place: Place, kind: int | None) -> None:
        start = self._at[place]
        self._data[start : start + self._kinds] = bytes(self._kinds)
        if kind is not None:
            self._data[start + kind] = 1

    def _count(self, seat: Seat, rank: str, change: int) -> None:
        plane = self._layout.index[f"{'own' if seat == self._seat else 'enemy'} lost {rank}"]
        self._fill(plane, self._data[plane] + change)

    def _fill(self, plane: int, value: int) -> None:
        """Set a plane to one value on the whole board."""
        self._data[plane :: self._width] = bytes((value & 0xFF,)) * self._size

    def observe(self, phase: Phase) -> Planes:
        """Return the planes as a new array; `phase` is that of the seat's open question, `turn` if there is none."""
        if self._action is not self._shown:
            data = self._data
            (start, end), self._shown = self._shown, self._action
            data[start + self._from] = 0
            data[end + self._to] = 0
            start, end = self._action
            data[start + self._from] = 1
            data[end + self._to] = 1
        plane = self._layout.phases.get(phase)
        if plane != self._phase:
            if self._phase is not None:
                self._fill(self._phase, 0)
            if plane is not None:
                self._fill(plane, 1)
            self._phase = plane
        limit = self._layout.no_attack_plies
        if limit:
            quiet = QUIET_STEPS * self._quiet // limit
            if quiet != self._data[self._quiet_plane]:
                self._fill(self._quiet_plane, quiet)
        return self._array.copy()
