"""The latest games of a series, read from the end of their table: pages and lists of a long ladder read no others."""

import sqlite3
from collections.abc import Mapping
from typing import Final

from arbiter.tournament.results.rows import GAME, read_game_row, write_where
from arbiter.tournament.standings.stored_game import StoredGame

LATEST: Final = 1000
"""Games of a long ladder that its pages read."""
MOST_READ: Final = 100_000
"""Games among which those of some bots are looked for."""
_END: Final = 2**62


def select_latest(
    connection: sqlite3.Connection, filters: Mapping[str, object], *, before: int | None = None, most: int = LATEST
) -> tuple[dict[int, StoredGame], int | None]:
    """Select the latest games that pass filters, whatever was ruled, by their numbers; the last one is the first.

    Only games that were stored before the game with the number `before` are selected, at most `most`.  If more may
    follow, also returns the number before which they were stored, otherwise None.
    """
    where = write_where(filters)
    (last,) = connection.execute("SELECT max(number) FROM game").fetchone()
    end = min(_END if before is None else before, (last or 0) + 1)
    first = max(0, end - MOST_READ)
    columns = ", ".join(GAME)
    statement = (
        f"SELECT number, {columns} FROM game WHERE number < :end AND number >= :first AND {where} "  # noqa: S608
        "ORDER BY number DESC LIMIT :most"
    )
    values = {**filters, "end": end, "first": first, "most": most}
    found = {row[0]: read_game_row(row[1:]) for row in connection.execute(statement, values).fetchall()}
    following = min(found, default=first) if len(found) == most else first
    return found, following if following > 1 else None


def select_next(
    connection: sqlite3.Connection, filters: Mapping[str, object], *, after: int, most: int
) -> dict[int, StoredGame]:
    """Select the first games after a number that pass filters, whatever was ruled, by their numbers, at most `most`."""
    where = f"number > :after AND {write_where(filters)} ORDER BY number LIMIT :most"
    statement = f"SELECT number, {', '.join(GAME)} FROM game WHERE {where}"  # noqa: S608 - our own names
    rows = connection.execute(statement, {**filters, "after": after, "most": most}).fetchall()
    return {row[0]: read_game_row(row[1:]) for row in rows}


def select_game(connection: sqlite3.Connection, game_id: str) -> tuple[int, StoredGame] | None:
    """Select a game by its id, whatever was ruled, with its number; None if it is not stored."""
    statement = f"SELECT number, {', '.join(GAME)} FROM game WHERE id = ?"  # noqa: S608 - our own names
    row = connection.execute(statement, (game_id,)).fetchone()
    return None if row is None else (int(row[0]), read_game_row(row[1:]))
