"""Hash chain over the rows of results, in the order in which they were written.

Each link names a row, or a whole table that may change, with its digest.  Its value is the SHA-256 of the value before
it and of its own columns, so the last value identifies everything: a row that was edited, removed, inserted or moved
by another program no longer fits.  Links at the end can be removed without a trace; compare the last value with a copy
that was published.
"""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
from msgspec import Struct

CHAIN: Final = """CREATE TABLE chain (
        number INTEGER PRIMARY KEY,
        part TEXT NOT NULL,
        row INTEGER NOT NULL,
        width INTEGER NOT NULL,
        digest TEXT NOT NULL,
        value TEXT NOT NULL
    )"""

# Tables that grow, with the tables that hold the large parts of their rows: a link for each row that is written.
GROWING: Final[dict[str, tuple[str, ...]]] = {
    "game": ("record", "stderr", "wire"),
    "ruling": (),
    "attempt": (),
    "program": (),
}
# Tables with few rows that may change: a link for the whole table after each change.
CHANGING: Final = ("series", "withdrawn")

FOREIGN: Final = "foreign change of "
"""Marks a link of a table that another program had changed before it."""

_LAST: Final = "SELECT number, value FROM chain ORDER BY number DESC LIMIT 1"
_LAST_OF: Final = "SELECT row, width, digest FROM chain WHERE part IN (?, ?) ORDER BY number DESC LIMIT 1"
_ADD: Final = "INSERT INTO chain VALUES (?, ?, ?, ?, ?, ?)"


class Link(Struct, frozen=True):
    """A link of the chain."""

    number: int
    part: str
    """Table, or FOREIGN and the table."""
    row: int
    """Number of the row; 0 for the whole table."""
    width: int
    """Number of columns that the table had; columns that a later format adds are not part of the digest."""
    digest: str
    value: str


def follow(value: str, part: str, row: int, width: int, digest: str) -> str:
    """Return the value of the link that follows the link with a value."""
    return hashlib.sha256(msgspec.msgpack.encode((value, part, row, width, digest))).hexdigest()


def link_row(connection: sqlite3.Connection, table: str, row: int) -> None:
    """Add the link of a row of a growing table; call this in the transaction that inserts or changes it."""
    _add(connection, table, row, *digest_row(connection, table, row))


@contextmanager
def changing(connection: sqlite3.Connection, *tables: str) -> Iterator[None]:
    """Add the links of tables that the block changes; use this inside the transaction of the change."""
    for table in tables:
        if not is_linked(connection, table):
            _add(connection, FOREIGN + table, 0, *digest_table(connection, table))
    yield
    for table in tables:
        if not is_linked(connection, table):
            _add(connection, table, 0, *digest_table(connection, table))


def is_linked(connection: sqlite3.Connection, table: str) -> bool:
    """Return True if a changing table is as it was at its last link; before its first link it is empty."""
    found = connection.execute(_LAST_OF, (table, FOREIGN + table)).fetchone()
    if found is None:
        return connection.execute(f"SELECT 1 FROM {table}").fetchone() is None  # noqa: S608 - our own names
    _, width, digest = found
    return digest_table(connection, table, width) == (width, digest)


def digest_row(connection: sqlite3.Connection, table: str, row: int, width: int | None = None) -> tuple[int, str]:
    """Return the number of columns and the digest of a row, with its large parts."""
    select = f"SELECT * FROM {table} WHERE rowid = ?"  # noqa: S608 - our own names
    (values,) = connection.execute(select, (row,)).fetchall() or ((),)
    width = len(values) if width is None else width
    content: list[object] = [[_shorten(value) for value in values[:width]]]
    for part in GROWING[table]:
        select = f"SELECT * FROM {part} WHERE number = ? ORDER BY rowid"  # noqa: S608 - our own names
        rows = connection.execute(select, (row,))
        content.append([[_shorten(value) for value in one] for one in rows])
    return width, _digest(content)


def digest_table(connection: sqlite3.Connection, table: str, width: int | None = None) -> tuple[int, str]:
    """Return the number of columns and the digest of all rows of a table."""
    rows = connection.execute(f"SELECT * FROM {table} ORDER BY rowid")  # noqa: S608 - our own names
    width = len(rows.description) if width is None else width
    return width, _digest([row[:width] for row in rows])


def read_chain(connection: sqlite3.Connection) -> list[Link]:
    """Read all links."""
    rows = connection.execute("SELECT number, part, row, width, digest, value FROM chain ORDER BY number")
    return msgspec.convert([dict(zip(Link.__struct_fields__, row, strict=True)) for row in rows], list[Link])


def _add(connection: sqlite3.Connection, part: str, row: int, width: int, digest: str) -> None:
    number, value = connection.execute(_LAST).fetchone() or (0, "")
    connection.execute(_ADD, (number + 1, part, row, width, digest, follow(value, part, row, width, digest)))


def _shorten(value: object) -> object:
    return hashlib.sha256(value).digest() if isinstance(value, bytes) else value


def _digest(content: object) -> str:
    return hashlib.sha256(msgspec.msgpack.encode(content)).hexdigest()
