"""Voided attempts in the results."""

import sqlite3
from typing import Final

import msgspec

from arbiter.errors import ConfigError
from arbiter.packing import pack, unpack
from arbiter.tournament.attempt import Attempt
from arbiter.tournament.conditions import PlayingConditions
from arbiter.tournament.new_results import NewAttempt
from arbiter.tournament.results.chain import link_row
from arbiter.tournament.results.rows import Insert
from arbiter.tournament.results.schema import FILTERS
from arbiter.transcript import GameLog

MOST_LOGS: Final = 10
"""Logs that are kept for one fixture; of older attempts only the row is kept."""
_LONGEST_WHY: Final = 20_000  # characters
_COLUMNS: Final = Attempt.__struct_fields__
_INSERT: Final = f"""INSERT INTO attempt ({", ".join(_COLUMNS)}, log)
    VALUES ({", ".join("?" * len(_COLUMNS))}, ?)"""  # noqa: S608 - our own names
_DROP_LOGS: Final = """UPDATE attempt SET log = NULL WHERE id = :id AND log IS NOT NULL AND number NOT IN
    (SELECT number FROM attempt WHERE id = :id AND log IS NOT NULL ORDER BY number DESC LIMIT :most)
    RETURNING number"""
_SELECT: Final = f"SELECT number, {', '.join(_COLUMNS)} FROM attempt"  # noqa: S608 - our own names


def prepare_attempt(new: NewAttempt) -> Insert:
    """Pack an attempt with its log, and return what inserts it; the oldest log of a fixture with many is dropped."""
    attempt, log = new.attempt, new.log
    values = msgspec.structs.asdict(attempt)
    values["why"] = attempt.why[-_LONGEST_WHY:]
    values["conditions"] = "" if attempt.conditions is None else msgspec.json.encode(attempt.conditions).decode()
    packed = pack(msgspec.msgpack.encode(log)) if log.wire or log.stderr else None
    row = (*values.values(), packed)

    def insert(connection: sqlite3.Connection) -> bool:
        inserted = connection.execute(_INSERT, row)
        link_row(connection, "attempt", inserted.lastrowid or 0)
        for (number,) in connection.execute(_DROP_LOGS, {"id": attempt.id, "most": MOST_LOGS}).fetchall():
            link_row(connection, "attempt", number)
        return True

    return insert


def select_attempts(connection: sqlite3.Connection, values: dict[str, object]) -> dict[int, Attempt]:
    """Select the attempts that pass filters by name, in the order in which they were made, by their number."""
    wanted = [FILTERS[name] for name in values]
    where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
    rows = connection.execute(f"{_SELECT} {where} ORDER BY number", values)
    return {number: _read_row(row) for number, *row in rows}


def select_log(connection: sqlite3.Connection, number: int) -> GameLog:
    """Select the log of an attempt; empty if it was not kept.  Raises ConfigError if there is no such attempt."""
    row = connection.execute("SELECT log FROM attempt WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise ConfigError(f"there is no attempt {number}")
    return GameLog() if row[0] is None else msgspec.msgpack.decode(unpack(row[0]), type=GameLog)


def _read_row(row: list[object]) -> Attempt:
    values = dict(zip(_COLUMNS, row, strict=True))
    text = str(values["conditions"])
    values["conditions"] = msgspec.json.decode(text, type=PlayingConditions) if text else None
    return Attempt(**values)  # type: ignore[arg-type]
