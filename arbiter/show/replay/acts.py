"""The acts of a record refereed again, each with what came of it: what every replay is made from."""

from msgspec import Struct
from msgspec.structs import replace

from arbiter.clock import Clock
from arbiter.games.base import Addressed, Outcome
from arbiter.record import ActEntry, Record
from arbiter.verify import Disagreement, begin, replay
from protocol.messages import Rules
from protocol.words import Attacked, Deploy, Removed, Seat, Struck

Banks = dict[Seat, float]


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
        self.rules: Rules = record.header.game().describe(self._table.play.first)
        self.opening: tuple[Addressed, ...] = self._table.play.opening
        self._clock = None if record.header.time is None else Clock(record.header.time)
        self.banks = self._current_banks()
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
        seat, ms = played.entry.seat, played.entry.ms
        if self._clock is not None and not played.sets_up:
            if ms is None:
                self._clock = None  # the banks are unknown from here on
            else:
                self._clock.charge(seat, "turn", ms)
                if seat not in self._table.to_act:
                    self._clock.finish_turn(seat)
        return replace(played, banks=self._current_banks())

    def _current_banks(self) -> Banks:
        return {} if self._clock is None else dict(self._clock.bank_ms)
