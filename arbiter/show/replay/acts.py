"""The acts of a record refereed again, each with what came of it: what every replay is made from."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.games.base import Addressed, Outcome
from arbiter.record import ActEntry, Record
from arbiter.time_control import TimeSettings
from arbiter.verify import Disagreement, begin, replay
from protocol.messages import Rules
from protocol.words import SEATS, Attacked, Deploy, Removed, Seat, Struck

Banks = dict[Seat, float]
_MS: Final = 1000.0


class Played(Struct, frozen=True):
    """An act that the rules allow and what came of it; by then `ply` plies were played.

    `banks` are the milliseconds left on the clocks, empty where the record does not tell.
    """

    entry: ActEntry
    told: tuple[Addressed, ...]
    ply: int
    banks: Banks = {}

    @property
    def sets_up(self) -> bool:
        """Say whether it is a deployment before the game, on the setup's own clock."""
        return isinstance(self.entry.action, Deploy) and not self.ply


def is_attack(played: Played) -> bool:
    """Say whether an act was an attack, from beside or from afar."""
    return any(isinstance(one.fact, Attacked | Struck) for one in played.told)


def is_capture(played: Played) -> bool:
    """Say whether a piece fell by an act."""
    return any(isinstance(one.fact, Removed) for one in played.told)


class Refereed:
    """A record refereed again as far as it keeps to the rules; `fault` is where it departs from them.

    `banks` are the clocks before the first act.
    Raises ConfigError where the record names rules that do not exist, and RecordError.
    """

    def __init__(self, record: Record) -> None:
        # Draw limits are for whoever referees; here the record itself says when the game was over.
        self._table, self._luck = begin(record, draw_limits=False)
        self.rules: Rules = record.header.game().terms(self._table.play.first)
        self.opening: tuple[Addressed, ...] = self._table.play.opening
        self._time = record.header.time
        self.banks: Banks = {} if self._time is None else dict.fromkeys(SEATS, self._time.bank_s * _MS)
        self.acts: list[Played] = []
        self.fault: Disagreement | None = None
        self.go_on(record)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended by the rules, if it did."""
        return self._table.outcome

    @property
    def is_set_up(self) -> bool:
        """Say whether the game has begun: both deployments are there; it may be set up anew later."""
        return self.plies > 0 or self._table.phase != "setup"

    @property
    def plies(self) -> int:
        """How many plies were played."""
        return self._table.play.plies

    def go_on(self, record: Record) -> None:
        """Referee the acts that have joined the record since it was refereed last."""
        self.fault = None
        try:
            for entry, told in replay(self._table, self._luck, record, after=len(self.acts)):
                self.acts.append(self._timed(Played(entry, told, self.plies)))
        except Disagreement as error:
            self.fault = error

    def _timed(self, played: Played) -> Played:
        banks = self.acts[-1].banks if self.acts else self.banks
        if self._time is not None and not played.sets_up:
            turn_ends = played.entry.seat not in self._table.to_act
            banks = _charged(banks, played.entry, self._time, turn_ends=turn_ends)
        return replace(played, banks=banks)


def _charged(banks: Banks, entry: ActEntry, time: TimeSettings, *, turn_ends: bool) -> Banks:
    """Charge an act as the referee's clock does; once a time is missing nothing more can be told."""
    if entry.ms is None or not banks:
        return {}
    credit = time.increment_s * _MS if turn_ends else 0.0
    return banks | {entry.seat: max(0.0, banks[entry.seat] - entry.ms) + credit}
