"""The acts of a record with the plies played and the time left after each, as its facts and times show."""

from collections.abc import Iterator

from msgspec import UNSET, Struct

from arbiter.clock import Clock
from arbiter.games.base import FORFEITS, Addressed
from arbiter.record import ActEntry, Record
from protocol.words import OPPONENT, AcceptDraw, Deploy, Regroup, Removed, Resign, Seat

Banks = dict[Seat, float]


class PlayedAct(Struct, frozen=True):
    """An accepted act and its facts."""

    entry: ActEntry
    facts: tuple[Addressed, ...]
    ply: int
    """Plies played after this act."""
    banks: Banks
    """Milliseconds left on both clocks after this act; empty if the record does not contain all times."""

    @property
    def is_setup(self) -> bool:
        """True for a deployment before the first ply."""
        return isinstance(self.entry.action, Deploy) and not self.ply


def is_attack(act: PlayedAct) -> bool:
    """Return True for an attack, on a neighbour or from afar."""
    return any(one.fact.is_fight for one in act.facts)


def is_capture(act: PlayedAct) -> bool:
    """Return True if the act removed a piece."""
    return any(isinstance(one.fact, Removed) for one in act.facts)


def play_acts(record: Record) -> Iterator[PlayedAct]:
    """Yield the acts of a record up to the first one without facts, which the rules refused."""
    clock = None if record.header.time is None else Clock(record.header.time)
    ply, before = 0, None
    for number, entry in enumerate(record.acts):
        if entry.facts is UNSET:
            return
        # A turn is one ply: rage, rescue, refill and a new line after a regroup are further acts of the same seat.
        goes_on = before is not None and before.seat == entry.seat and not isinstance(before.action, Deploy)
        ply += "turn" in entry.action.phases and not isinstance(entry.action, Resign | AcceptDraw) and not goes_on
        before = entry
        if clock is not None and not (isinstance(entry.action, Deploy) and not ply):
            if entry.ms is None:
                clock = None
            else:
                clock.charge(entry.seat, "turn", entry.ms)
                if _ends_turn(record, number):
                    clock.finish_turn(entry.seat)
        yield PlayedAct(entry, entry.facts, ply, {} if clock is None else dict(clock.bank_ms))


def _ends_turn(record: Record, number: int) -> bool:
    """Return True if an act ended its seat's turn: then the seat did not act again, nor forfeit when asked again."""
    seat, result = record.acts[number].seat, record.result
    if number + 1 < len(record.acts):
        return record.acts[number + 1].seat != seat
    if isinstance(record.acts[number].action, Regroup):
        return False
    return result is None or result.winner != OPPONENT[seat] or result.ending not in FORFEITS
