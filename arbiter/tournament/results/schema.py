"""The format of results: their tables, and the test that a file has these tables and nothing else."""

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Final, get_args

from msgspec import Struct
from msgspec.structs import fields

from arbiter.errors import ConfigError
from arbiter.formats import check_format
from arbiter.tournament.events import Attempt
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.results.integrity import ChainLink, read_schema
from arbiter.tournament.standings.stored_game import Ruling, StoredGame

APPLICATION: Final = 0x53415242  # "SARB", identifies results of this arbiter
FORMAT: Final = 1
"""The fields of the Structs below, and those of the JSON in columns, are part of the format."""


def define_columns(shape: type[Struct], **others: str) -> str:
    """Define a column for each field of a Struct, and `others` that are defined otherwise or follow the fields."""
    columns = {}
    for field in fields(shape):
        kind = {int: "INTEGER", float: "REAL"}.get(field.type, "TEXT")
        columns[field.name] = kind if NoneType in get_args(field.type) else f"{kind} NOT NULL"
    return ", ".join(f'"{name}" {definition}' for name, definition in (columns | others).items())


_RULING: Final = define_columns(
    Ruling,
    number="INTEGER PRIMARY KEY",
    replacement="TEXT UNIQUE",
    undoes="INTEGER UNIQUE REFERENCES ruling",
)
SCHEMA: Final = (
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
    # A tournament has one series, a file of matches one for each match.
    "CREATE TABLE series (number INTEGER PRIMARY KEY, manifest TEXT NOT NULL)",
    f"""CREATE TABLE game (
        number INTEGER PRIMARY KEY,
        {define_columns(StoredGame, id="TEXT NOT NULL UNIQUE", conditions="TEXT NOT NULL", reason="TEXT NOT NULL")}
    )""",
    "CREATE TABLE record (number INTEGER PRIMARY KEY REFERENCES game, packed BLOB NOT NULL)",
    """CREATE TABLE stderr (
        number INTEGER NOT NULL REFERENCES game,
        seat TEXT NOT NULL,
        packed BLOB NOT NULL,
        marks BLOB,
        PRIMARY KEY (number, seat)
    )""",
    """CREATE TABLE wire (
        number INTEGER NOT NULL REFERENCES game,
        seat TEXT NOT NULL,
        packed BLOB NOT NULL,
        PRIMARY KEY (number, seat)
    )""",
    f"CREATE TABLE ruling ({_RULING})",
    f"""CREATE TABLE attempt (
        number INTEGER PRIMARY KEY, {define_columns(Attempt, conditions="TEXT NOT NULL", log="BLOB")}
    )""",
    # What was found of each bot's program: a row when it is first seen, and one for each change.
    f"""CREATE TABLE program (
        number INTEGER PRIMARY KEY,
        series INTEGER NOT NULL,
        bot TEXT NOT NULL,
        {define_columns(ProgramDigest, listing="BLOB NOT NULL", seen="TEXT NOT NULL", how="TEXT NOT NULL")}
    )""",
    # A row while an arbiter plays: a copy with it and without a write-ahead log may lack games.
    "CREATE TABLE playing (one INTEGER PRIMARY KEY CHECK (one = 1), since TEXT NOT NULL)",
    f"CREATE TABLE chain ({define_columns(ChainLink, number='INTEGER PRIMARY KEY')})",
    # Summaries of the first games of ladders.
    """CREATE TABLE condensed (
        series INTEGER NOT NULL,
        block INTEGER NOT NULL,
        packed BLOB NOT NULL,
        PRIMARY KEY (series, block)
    )""",
    # Records of several games, by the number of the last one.
    "CREATE TABLE block (number INTEGER PRIMARY KEY, packed BLOB NOT NULL)",
)


# --- test of a file -------------------------------------------------------------------------------


_MOST_NAMES: Final = 80  # characters of a foreign name in a message


def is_blank(connection: sqlite3.Connection) -> bool:
    """Return True if nothing was ever written to a database, as after a crash while it was made."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return (tables, application) == (0, 0)


def check_schema(path: Path, connection: sqlite3.Connection) -> None:
    """Raise ConfigError if a database is not one of this arbiter, has another format, or has other tables.

    Call this before anything else is read: a view, a trigger or a column under another name could change what is read.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        raise ConfigError(f"{path}: is not a results file of this arbiter; name another file")
    (number,) = connection.execute("PRAGMA user_version").fetchone()
    check_format(number, FORMAT, path)
    known = make_schema()
    found = read_schema(connection, len(known) + 1)
    if found != known:
        name = next((row[1] for row in found if row not in known), "") or "a table that is missing"
        raise ConfigError(
            f"{path}: was changed by another program: its tables are not those of an arbiter "
            f"({name[:_MOST_NAMES]}); restore a copy of the file"
        )


@cache
def make_schema() -> tuple[tuple[str, ...], ...]:
    """Return the known definitions of tables and indexes."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in SCHEMA:
            connection.execute(statement)
        return read_schema(connection)
