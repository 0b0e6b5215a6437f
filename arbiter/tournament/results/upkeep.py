"""Upkeep of results that grow for months: drop the logs of ordinary games that are old."""

import sqlite3
from datetime import datetime
from typing import Final

from arbiter.tournament.results.integrity import DROPPED, drop_part
from arbiter.transcript import LOGGED

MOST_AT_ONCE: Final = 500
"""Parts of logs that are dropped in one transaction."""
_KEPT: Final = ", ".join(f"'{ending}'" for ending in sorted(LOGGED))
"""Endings of games whose logs are not dropped."""
_PARTS: Final = {"wire": ("packed",), "stderr": ("packed", "marks")}


def drop_logs(connection: sqlite3.Connection, before: str, done: dict[str, int]) -> bool:
    """Drop logs of games that began before a time, ISO 8601 in UTC, in a transaction; True if there may be more.

    Those of games that a bot forfeited, and of games with a ruling, stay.  `done` are the numbers of the games up to
    which the logs of each table were dropped before; it is changed.
    """
    for table, parts in _PARTS.items():
        old = (
            f"SELECT number, seat, {', '.join(parts)} FROM {table} JOIN game USING (number) "  # noqa: S608 - our own
            f"WHERE number >= ? AND substr(packed, 1, ?) != ? AND started < ? AND ending NOT IN ({_KEPT}) "
            "AND id NOT IN (SELECT game FROM ruling WHERE game IS NOT NULL) ORDER BY number LIMIT ?"
        )
        values = (done.get(table, 0), len(DROPPED), DROPPED, before, MOST_AT_ONCE)
        found = connection.execute(old, values).fetchall()
        settings = ", ".join(f"{part} = ?" for part in parts)
        for number, seat, *contents in found:
            dropped = [None if content is None else drop_part(content) for content in contents]
            where = "WHERE number = ? AND seat = ?"
            connection.execute(f"UPDATE {table} SET {settings} {where}", (*dropped, number, seat))  # noqa: S608
            done[table] = number
        if len(found) == MOST_AT_ONCE:
            return True
    return False


_GONE: Final = f"""SELECT id, min(coalesce(
        packed_gone AND coalesce(marks_gone, 1) AND ending NOT IN ({_KEPT})
        AND datetime(started, :after) < datetime(coalesce((SELECT min(at) FROM ruling WHERE game = id), :now))
        AND datetime(started, :after) < datetime(:now), 0))
    FROM (SELECT number, substr(packed, 1, :width) = :dropped AS packed_gone,
            substr(marks, 1, :width) = :dropped AS marks_gone FROM stderr
        UNION ALL SELECT number, substr(packed, 1, :width) = :dropped, NULL FROM wire)
    JOIN game USING (number) WHERE packed_gone OR marks_gone GROUP BY number ORDER BY number"""  # noqa: S608 - our own


def find_dropped_logs(connection: sqlite3.Connection, days: int | None, now: datetime) -> dict[str, bool]:
    """Find the games that have lost a log; True if `drop_logs` could have dropped it until now.

    It could if the game was older than `days` and had no ruling yet; None if no log may be dropped.
    """
    values = {
        "after": None if days is None else f"+{days} days",
        "now": now.isoformat(timespec="seconds"),
        "dropped": DROPPED,
        "width": len(DROPPED),
    }
    return {str(game): bool(allowed) for game, allowed in connection.execute(_GONE, values)}
