"""Verification of results: every row fits a hash chain over all rows, its record and the schedule.

The links are in the order in which the rows were written.  Each names a row, or a whole table that may change, with
its digest.  Its value is the SHA-256 of the value before it and of its own columns, so the last value identifies
everything: a row that was edited, removed, inserted or moved by another program no longer fits.  Links at the end can
be removed without a trace; compare the last value with a copy that was published.  The first link, that of the schema,
covers the names of all columns.
"""

import hashlib
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeGuard

import msgspec
from msgspec import Struct

from arbiter.errors import write_count
from arbiter.games.base import Ending
from arbiter.packing import unpack
from arbiter.record import Record, RecordError, compute_fingerprint, read_record
from arbiter.tournament.deals import Deal
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.results.records import find_record
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import find_base
from arbiter.tournament.standings.stored_game import UNRATED_SERIES, Points, StoredGame, score
from arbiter.verify import NO_ACT, verify_record
from protocol.words import BLUE, RED, SEATS

# Tables that grow, with the tables that hold the large parts of their rows: a link for each row that is written.
GROWING: Final[dict[str, tuple[str, ...]]] = {
    "game": ("record", "stderr", "wire"),
    "ruling": (),
    "attempt": (),
    "program": (),
}
# Tables with few rows that may change: a link for the whole table after each change.
CHANGING: Final = ("series", "condensed")
MOST_LOGS: Final = 10
"""Logs of voided attempts that are kept for one fixture; a second link says that an older attempt has lost its log."""
DROPPED: Final = b"\0dropped"
"""Stands before the digest of a part of a log that was dropped; no compressed part begins like this."""
_DIGEST: Final = 32  # bytes
SCHEMA: Final = "schema"
"""Name of the link of the names and types of all columns; the mark of a run, `playing`, is in no link."""

FOREIGN: Final = "foreign change of "
"""Marks a link of a table that another program had changed before it."""

_LAST: Final = "SELECT number, value FROM chain ORDER BY number DESC LIMIT 1"
_LAST_OF: Final = "SELECT digest FROM chain WHERE part IN (?, ?) ORDER BY number DESC LIMIT 1"
_END: Final = "SELECT count(*), max(number), value FROM chain"  # the value is that of the last link
_HAS: Final = "SELECT 1 FROM chain WHERE value = ?"
_LAST_OF_EACH: Final = """SELECT row, digest, count(*), max(number) FROM chain WHERE part = ?
    GROUP BY row ORDER BY row"""  # the digest is that of the last link
_NEWER_LOGS: Final = """SELECT count(newer.number) FROM attempt AS old JOIN attempt AS newer ON newer.id = old.id
    WHERE old.number = ? AND old.log IS NULL AND newer.number > old.number AND newer.log IS NOT NULL"""
_ADD: Final = "INSERT INTO chain VALUES (?, ?, ?, ?, ?)"
_WORD: Final = re.compile(r'"([a-z_]+)"|"[^"]*"|\w+|\S')


class ChainLink(Struct, frozen=True):
    """A link of the chain."""

    number: int
    part: str
    """Table, or FOREIGN and the table."""
    row: int
    """Number of the row; 0 for the whole table."""
    digest: str
    value: str


def follow(value: str, part: str, row: int, digest: str) -> str:
    """Return the value of the link that follows the link with a value."""
    return hashlib.sha256(msgspec.msgpack.encode((value, part, row, digest))).hexdigest()


def read_schema(connection: sqlite3.Connection, most: int = -1) -> tuple[tuple[str, ...], ...]:
    """Return the definitions of tables and indexes, at most so many, in one way of writing spaces and quotes."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid LIMIT ?", (most,))
    # Only words in small letters lose their quotes: in the known tables they are names, and stay names without.
    return tuple(
        (str(kind), str(name), str(table), " ".join(found[1] or found[0] for found in _WORD.finditer(str(sql))))
        for kind, name, table, sql in rows
    )


def digest_schema(schema: Sequence[Sequence[str]]) -> str:
    """Return the digest of the definitions of tables and indexes."""
    return _digest(schema)


def link_schema(connection: sqlite3.Connection) -> None:
    """Add the link of the names of all columns."""
    _add(connection, SCHEMA, 0, digest_schema(read_schema(connection)))


def link_row(connection: sqlite3.Connection, table: str, row: int) -> None:
    """Add the link of a row of a growing table; call this in the transaction that inserts or changes it."""
    _add(connection, table, row, digest_row(connection, table, row))


@contextmanager
def changing(connection: sqlite3.Connection, *tables: str) -> Iterator[None]:
    """Add the links of tables that the block changes; use this inside the transaction of the change."""
    for table in tables:
        if not is_linked(connection, table):
            _add(connection, FOREIGN + table, 0, digest_table(connection, table))
    yield
    for table in tables:
        if not is_linked(connection, table):
            _add(connection, table, 0, digest_table(connection, table))


def is_linked(connection: sqlite3.Connection, table: str) -> bool:
    """Return True if a changing table is as it was at its last link; before its first link it is empty."""
    found: tuple[str] | None = connection.execute(_LAST_OF, (table, FOREIGN + table)).fetchone()
    if found is None:
        return connection.execute(f"SELECT 1 FROM {table}").fetchone() is None  # noqa: S608 - our own names
    return found[0] == digest_table(connection, table)


def read_row(connection: sqlite3.Connection, table: str, row: int) -> tuple[list[Any], list[list[list[Any]]]]:
    """Return the values of a row, [] if there is none, and the rows of the tables with its large parts."""
    select = f"SELECT * FROM {table} WHERE rowid = ?"  # noqa: S608 - our own names
    (values,) = connection.execute(select, (row,)).fetchall() or ((),)
    parts = []
    for part in GROWING[table]:
        select = f"SELECT * FROM {part} WHERE number = ? ORDER BY rowid"  # noqa: S608 - our own names
        parts.append(list(map(list, connection.execute(select, (row,)))))
    if table == "game":
        parts[0] = [[number, find_record(connection, number, stored)] for number, stored in parts[0]]
    return list(values), parts


def digest_values(values: Sequence[object], parts: Iterable[Iterable[Iterable[object]]]) -> str:
    """Return the digest of the values of a row and of its large parts: the record of a game first, then its logs.

    Raises zlib.error if a record is damaged.
    """
    content: list[object] = [[_shorten(value) for value in values]]
    for shorten, rows in zip((_shorten_record, _shorten_log, _shorten_log), parts, strict=False):
        content.append([[shorten(value) for value in one] for one in rows])
    return _digest(content)


def has_digest(values: Sequence[object], parts: Iterable[Iterable[Iterable[object]]], digest: str) -> bool:
    """Return True if this is the digest of the values of a row and of its large parts."""
    try:
        return digest_values(values, parts) == digest
    except zlib.error:  # a record that is damaged
        return False


def digest_row(connection: sqlite3.Connection, table: str, row: int) -> str:
    """Return the digest of a row with its large parts."""
    return digest_values(*read_row(connection, table, row))


def digest_table(connection: sqlite3.Connection, table: str) -> str:
    """Return the digest of all rows of a table."""
    return _digest(connection.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall())  # noqa: S608 - our own names


def read_chain(connection: sqlite3.Connection) -> list[ChainLink]:
    """Read all links."""
    return list(_iterate_chain(connection))


def _iterate_chain(connection: sqlite3.Connection) -> Iterator[ChainLink]:
    for row in connection.execute("SELECT number, part, row, digest, value FROM chain ORDER BY number"):
        yield msgspec.convert(dict(zip(ChainLink.__struct_fields__, row, strict=True)), ChainLink)


def _add(connection: sqlite3.Connection, part: str, row: int, digest: str) -> None:
    number, value = connection.execute(_LAST).fetchone() or (0, "")
    connection.execute(_ADD, (number + 1, part, row, digest, follow(value, part, row, digest)))


def drop_part(part: bytes) -> bytes:
    """Return what is stored instead of a part of a log that is dropped: its digest, so that the chain still fits."""
    return DROPPED + hashlib.sha256(part).digest()


def is_dropped(part: object) -> TypeGuard[bytes]:
    """Return True if a part of a log was dropped."""
    return isinstance(part, bytes) and part.startswith(DROPPED) and len(part) == len(DROPPED) + _DIGEST


def _shorten(value: object) -> object:
    return hashlib.sha256(value).digest() if isinstance(value, bytes) else value


def _shorten_record(value: object) -> object:
    return _shorten(unpack(value) if isinstance(value, bytes) else value)


def _shorten_log(value: object) -> object:
    return value[len(DROPPED) :] if is_dropped(value) else _shorten(value)


def _digest(content: object) -> str:
    return hashlib.sha256(msgspec.msgpack.encode(content)).hexdigest()


# --- verification ---------------------------------------------------------------------------------


_NAMES: Final = {"game": "game", "ruling": "ruling", "attempt": "voided attempt", "program": "program"}
_PARTS: Final = {part: table for table, parts in GROWING.items() for part in parts}


class ChainCheck(Struct, frozen=True):
    """The state of the hash chain."""

    links: int
    digest: str
    """The value that identifies all rows; empty without links."""
    faults: tuple[str, ...]
    unknown: tuple[str, ...]
    """Published digests that no link has as its value."""


class GameCheck(Struct, frozen=True):
    """A game to compare with its record."""

    game: StoredGame
    record: bytes
    points: Points | None
    """Points system; None if it is not known."""
    draw_limits: bool = True
    deals: Sequence[Collection[Deal]] = ()
    """The possible deals of each attempt to play it.  Default: not known."""


# --- the chain ------------------------------------------------------------------------------------


def verify_chain(connection: sqlite3.Connection, published: Collection[str] = ()) -> ChainCheck:
    """Compare all rows with the chain, and the chain with digests that were published; holds few rows in memory."""
    damage = [text for (text,) in connection.execute("PRAGMA integrity_check(3)") if text != "ok"]
    faults = [f"the database is damaged: {text}" for text in damage]
    faults += _check_values(connection)
    faults += _check_rows(connection)
    faults += _check_owners(connection)
    faults += _check_tables(connection)
    count, _, digest = connection.execute(_END).fetchone()
    unknown = [one for one in published if connection.execute(_HAS, (one,)).fetchone() is None]
    return ChainCheck(count, digest or "", tuple(faults), tuple(unknown))


def _check_values(connection: sqlite3.Connection) -> Iterator[str]:
    value = ""
    for place, link in enumerate(_iterate_chain(connection), start=1):
        if link.number != place:
            yield f"link {place} of the chain is missing"
            return
        value = follow(value, link.part, link.row, link.digest)
        if link.value != value:
            yield f"link {place} of the chain ({link.part} {link.row or ''}) does not follow the one before it"
            return


def _check_rows(connection: sqlite3.Connection) -> Iterator[str]:
    """Compare each row of the growing tables with its last link."""
    for table in GROWING:
        rows = connection.execute(f"SELECT rowid FROM {table} ORDER BY rowid")  # noqa: S608 - our own names
        stored = next(rows, (None,))[0]
        for found in connection.execute(_LAST_OF_EACH, (table,)):
            row, digest, times, _ = msgspec.convert(found, tuple[int, str, int, int])
            while stored is not None and stored < row:
                yield f"{_name_row(connection, table, stored)} was inserted by another program"
                stored = next(rows, (None,))[0]
            if stored != row:
                yield f"{_NAMES[table]} {row} was removed"
                continue
            stored = next(rows, (None,))[0]
            if not has_digest(*read_row(connection, table, row), digest):
                yield f"{_name_row(connection, table, row)} was changed by another program"
            elif times > 1 and not (table == "attempt" and _has_lost_log(connection, row, times)):
                yield f"{_name_row(connection, table, row)} was stored twice"
        while stored is not None:
            yield f"{_name_row(connection, table, stored)} was inserted by another program"
            stored = next(rows, (None,))[0]


def _check_owners(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield parts of rows that do not exist, and games of series that do not exist."""
    for part, table in _PARTS.items():
        orphans = f"SELECT DISTINCT number FROM {part} WHERE number NOT IN (SELECT number FROM {table})"  # noqa: S608
        for (row,) in connection.execute(orphans):
            yield f"a {part} belongs to no {_NAMES[table]} ({row})"
    lost = "SELECT rowid FROM game WHERE series != ? AND series NOT IN (SELECT number FROM series)"
    for (row,) in connection.execute(lost, (UNRATED_SERIES,)):
        yield f"{_name_row(connection, 'game', row)} belongs to no series"


def _has_lost_log(connection: sqlite3.Connection, row: int, times: int) -> bool:
    """Return True if the second link of a voided attempt may be there because its log was dropped."""
    (newer,) = connection.execute(_NEWER_LOGS, (row,)).fetchone()
    return times == 2 and newer >= MOST_LOGS  # noqa: PLR2004 - one link with the log, one without


def _name_row(connection: sqlite3.Connection, table: str, row: int) -> str:
    if table != "game":
        return f"{_NAMES[table]} {row}"
    (game_id,) = connection.execute("SELECT id FROM game WHERE rowid = ?", (row,)).fetchone()
    return f"game {row} ({game_id})"


def _check_tables(connection: sqlite3.Connection) -> Iterator[str]:
    known = (*GROWING, *CHANGING, SCHEMA)
    marks = ", ".join("?" * len(known))
    others = f"SELECT number, part FROM chain WHERE part NOT IN ({marks}) ORDER BY number"  # noqa: S608 - our own names
    for number, part in connection.execute(others, known):
        if str(part).startswith(FOREIGN):
            yield f"table {part.removeprefix(FOREIGN)} was changed by another program before link {number}"
        else:
            yield f"link {number} of the chain is of an unknown table ({part})"
    for table in CHANGING:
        if not is_linked(connection, table):
            yield f"table {table} was changed by another program"
    schema = connection.execute(_LAST_OF, (SCHEMA, SCHEMA)).fetchone()
    if schema is None or schema[0] != digest_schema(read_schema(connection)):
        yield "the names of its columns were changed by another program"


# --- games ----------------------------------------------------------------------------------------


def check_game(check: GameCheck) -> tuple[str, ...]:
    """Referee the record of a game and compare its row with it; returns the faults."""
    try:
        record = read_record(check.record)
    except RecordError as error:
        return (f"its record cannot be read: {error}",)
    found = verify_record(record, draw_limits=check.draw_limits, is_seeded=bool(check.deals))
    faults: list[str] = []
    if not found.ok:
        place = "" if found.act is None else f" in act {found.act}"
        faults.append(f"its record breaks the rules{place}: {found.why}")
    attempt = record.header.attempt or 0
    if attempt >= len(check.deals) > 0:
        attempts = write_count(attempt, "voided attempt")
        faults.append(f"its record is that after {attempts}, but {len(check.deals) - 1} are stored")
    elif check.deals and not any(deal.is_of(record.header) for deal in check.deals[attempt]):
        where = f" after {write_count(attempt, 'voided attempt')}" if attempt else ""
        faults.append(f"its seeds or its position are not those that follow from the secret{where}")
    return (*faults, *_compare(check.game, record, check.points))


def _compare(game: StoredGame, record: Record, points: Points | None) -> Iterator[str]:
    header = record.header
    result = record.result
    if result is None:
        yield "its record has no result"
        return
    recorded = result.points or {}
    due = recorded if points is None else score(points, result.winner, result.ending)
    pairs: Mapping[str, tuple[object, object]] = {
        "id": (game.id, header.id),
        "red": (game.red, header.seats[RED].name if RED in header.seats else None),
        "blue": (game.blue, header.seats[BLUE].name if BLUE in header.seats else None),
        "winner": (game.winner, result.winner),
        "ending": (game.ending, result.ending),
        "reason": (game.reason, result.reason),
        "plies": (game.plies, result.plies or 0),
        "started": (game.started, header.started or ""),
        "red_points": (game.red_points, due.get(RED, 0.0)),
        "blue_points": (game.blue_points, due.get(BLUE, 0.0)),
        "fingerprint": (game.fingerprint, compute_fingerprint(record) if game.fingerprint else ""),
    }
    for name, (stored, shown) in pairs.items():
        if stored != shown:
            yield f"{name} is {stored!r}, but {shown!r} by its record"
    if any(recorded.get(seat, 0.0) != due.get(seat, 0.0) for seat in SEATS):
        yield f"the points of its record are {recorded}, but {due} by the rules of the tournament"


def count_unchecked(games: Iterable[StoredGame]) -> Counter[Ending]:
    """Count the games whose endings no record can prove, by ending."""
    return Counter(game.ending for game in games if game.ending in NO_ACT)


def check_schedule(
    games: Iterable[StoredGame],
    plans: Iterable[Schedule],
    replays: Collection[str],
    known: Mapping[str, Fixture | StoredGame],
) -> Iterator[str]:
    """Yield games that are in no schedule, differ from their fixtures, or are replays that no ruling ordered.

    `plans` are the schedule now and, because a ruling may remove games from it, those before each ruling; `replays` are
    the ids of replays, and `known` are fixtures of earlier games and games that are played again.
    """
    left = {game.id: game for game in games}
    unordered = [game_id for game_id in left if find_base(game_id) != game_id and game_id not in replays]
    yield from (f"{game_id}: no ruling ordered this replay" for game_id in unordered)
    for plan in plans:
        if not left:
            return
        wanted = {find_base(game_id) for game_id in left}
        fixtures = {base: known[base] for base in wanted if base in known}
        fixtures |= {base: fixture for fixture in plan.fixtures if (base := find_base(fixture.id)) in wanted}
        for game in [game for game_id, game in left.items() if find_base(game_id) in fixtures]:
            del left[game.id]
            for name in ("red", "blue", "round", "pair"):
                stored = getattr(game, name)
                due = getattr(fixtures[find_base(game.id)], name)
                if stored != due:
                    yield f"{game.id}: {name} is {stored!r}, but {due!r} by the schedule"
    yield from (f"{game_id}: is not in the schedule" for game_id in left)
