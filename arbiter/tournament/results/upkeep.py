"""Upkeep of results that grow for months: drop the logs of ordinary games that are old."""

import sqlite3
from typing import Final

from arbiter.tournament.results.integrity import DROPPED, drop_part
from arbiter.transcript import LOGGED

MOST_AT_ONCE: Final = 500
"""Parts of logs that are dropped in one transaction."""
_PARTS: Final = {"wire": ("packed",), "stderr": ("packed", "marks")}


def drop_logs(connection: sqlite3.Connection, before: str, done: dict[str, int]) -> bool:
    """Drop logs of games that began before a time, ISO 8601 in UTC, in a transaction; True if there may be more.

    Those of games that a bot forfeited, and of games with a ruling, stay.  `done` are the numbers of the games up to
    which the logs of each table were dropped before; it is changed.
    """
    endings = ", ".join("?" * len(LOGGED))
    for table, parts in _PARTS.items():
        old = (
            f"SELECT number, seat, {', '.join(parts)} FROM {table} JOIN game USING (number) "  # noqa: S608 - our own
            f"WHERE number >= ? AND substr(packed, 1, ?) != ? AND started < ? AND ending NOT IN ({endings}) "
            "AND id NOT IN (SELECT game FROM ruling WHERE game IS NOT NULL) ORDER BY number LIMIT ?"
        )
        values = (done.get(table, 0), len(DROPPED), DROPPED, before, *sorted(LOGGED), MOST_AT_ONCE)
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
