"""The acts of a record refereed again, each with what came of it: what every replay is made from."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.games.base import Outcome, Told
from arbiter.games.table import Table
from arbiter.record import ActEntry, Record
from arbiter.time_control import TimeSettings
from arbiter.verify import Disagreement, begin
from arbiter.verify import replay as played_again
from protocol.messages import Rules
from protocol.words import SEATS, Attacked, Deploy, Removed, Seat, Struck

Banks = dict[Seat, float]
_MS: Final = 1000.0


class Played(Struct, frozen=True):
    """An act that the rules allow and what came of it; by then `ply` plies were played.

    `banks` are the milliseconds left on the clocks, empty where the record does not tell.
    """

    entry: ActEntry
    told: tuple[Told, ...]
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


class Refereed(Struct, frozen=True, kw_only=True):
    """A record refereed again as far as it keeps to the rules; `fault` is where it departs from them.

    `banks` are the clocks before the first act.
    """

    rules: Rules
    opening: tuple[Told, ...]
    banks: Banks
    acts: tuple[Played, ...]
    outcome: Outcome | None
    fault: Disagreement | None


def referee_again(record: Record) -> Refereed:
    """Referee a record again.  Raises ConfigError where it names rules that do not exist, and RecordError."""
    # Draw limits are for whoever referees; here the record itself says when the game was over.
    table, luck = begin(record, draw_limits=False)
    rules = record.header.game().terms(table.play.first)
    time = record.header.time
    banks = {} if time is None else dict.fromkeys(SEATS, time.bank_s * _MS)
    fault = None
    acts: list[Played] = []
    try:
        acts.extend(_timed(played_again(table, luck, record), table, time, banks))
    except Disagreement as error:
        fault = error
    opening, outcome = table.play.opening, table.outcome
    return Refereed(rules=rules, opening=opening, banks=banks, acts=tuple(acts), outcome=outcome, fault=fault)


def _timed(
    told: Iterator[tuple[ActEntry, tuple[Told, ...]]], table: Table, time: TimeSettings | None, banks: Banks
) -> Iterator[Played]:
    for entry, facts in told:
        played = Played(entry, facts, table.play.plies)
        if time is not None and not played.sets_up:
            banks = _charged(banks, entry, time, turn_ends=entry.seat not in table.to_act)
        yield replace(played, banks=banks)


def _charged(banks: Banks, entry: ActEntry, time: TimeSettings, *, turn_ends: bool) -> Banks:
    """Charge an act as the referee's clock does; once a time is missing nothing more can be told."""
    if entry.ms is None or not banks:
        return {}
    credit = time.increment_s * _MS if turn_ends else 0.0
    return banks | {entry.seat: max(0.0, banks[entry.seat] - entry.ms) + credit}
