"""What the pages of the bots keep of a record: who played, how long it thought, how it set up."""

from collections.abc import Mapping

from msgspec import UNSET

from arbiter.record import ActEntry, PlayerName, Record
from arbiter.show.report.values import Answers, Entries, Entry
from protocol.messages import BoardShape
from protocol.words import RED, SEATS, Deploy, Place, RankId, Seat


def entries_of(record: Record) -> Entries:
    """Gather what is remembered of both players of a record.  Raises ConfigError where its rules do not exist."""
    header = record.header
    shape = header.game().describe(RED).board
    return {
        seat: Entry(
            player=header.seats.get(seat, PlayerName(seat)),
            rules=" ".join([header.rules, *header.options]),
            answers=_answers(record, seat),
            setup={} if shape is UNSET or header.position else _setup(record, seat, shape),
        )
        for seat in SEATS
    }


def _answers(record: Record, seat: Seat) -> Answers:
    charged = [act.ms for act in record.acts if act.seat == seat and act.ms is not None]
    return Answers(len(charged), sum(charged), max(charged, default=0.0))


def _setup(record: Record, seat: Seat, shape: BoardShape) -> dict[Place, RankId]:
    chosen = next((pieces for act in record.acts if act.seat == seat if (pieces := _deployed(act))), {})
    return {place if seat == RED else turned(place, shape): rank for place, rank in chosen.items()}


def _deployed(act: ActEntry) -> Mapping[Place, RankId]:
    if isinstance(act.action, Deploy) and act.action.pieces is not UNSET:
        return act.action.pieces  # type: ignore[return-value]
    return {}


def turned(place: Place, shape: BoardShape) -> Place:
    """Name the square that has this place when the board is seen from the other side."""
    file, row = ord(place[0]) - ord("a"), int(place[1:])
    return f"{chr(ord('a') + shape.files - 1 - file)}{shape.rows + 1 - row}"
