"""SQLite connections to results: the format, open, identify, copy, and explain errors."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType
from typing import Final, get_args
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from arbiter.errors import ConfigError, write_command
from arbiter.tournament.events import Attempt
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.results.integrity import Link, read_chain, verify_chain
from arbiter.tournament.results.live_files import LOCK_SUFFIX
from arbiter.tournament.standings.stored_game import Ruling, StoredGame

APPLICATION: Final = 0x53415242  # "SARB", identifies results of this arbiter
FORMAT: Final = 1
# The fields of the Structs below are part of the format.  If it changes, FORMAT grows by one, and the statements that
# change results of the format before it belong here, in a table by the number of that format; `check_kind` then runs
# them in order instead of refusing such results.


def define_columns(shape: type[Struct], **others: str) -> str:
    """Define a column for each field of a Struct, and `others` that are defined otherwise or follow the fields."""
    columns = {}
    for field in fields(shape):
        kind = {int: "INTEGER", float: "REAL"}.get(field.type, "TEXT")
        columns[field.name] = kind if NoneType in get_args(field.type) else f"{kind} NOT NULL"
    return ", ".join(f'"{name}" {definition}' for name, definition in (columns | others).items())


SCHEMA: Final = (
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
    # A tournament has one series, a file of matches one for each match.
    "CREATE TABLE series (number INTEGER PRIMARY KEY, manifest TEXT NOT NULL)",
    f"""CREATE TABLE game (
        number INTEGER PRIMARY KEY, {define_columns(StoredGame, id="TEXT NOT NULL UNIQUE", conditions="TEXT NOT NULL")}
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
    "CREATE TABLE withdrawn (bot TEXT PRIMARY KEY, at TEXT NOT NULL)",
    "CREATE TABLE ruling ({})".format(
        define_columns(
            Ruling,
            number="INTEGER PRIMARY KEY",
            replacement="TEXT UNIQUE",
            undoes="INTEGER UNIQUE REFERENCES ruling",
        )
    ),
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
    f"CREATE TABLE chain ({define_columns(Link, number='INTEGER PRIMARY KEY')})",
)


# --- connections ----------------------------------------------------------------------------------


BUSY_S: Final = 10.0
LOG_SUFFIX: Final = "-wal"

_EXPLANATIONS: Final = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space and start again, the games stored so far are safe",
    sqlite3.SQLITE_READONLY: "cannot be written; give it and its folder write permission",
    sqlite3.SQLITE_IOERR: (
        "the disk cannot read or write it; check that it has free space, the games stored so far are safe"
    ),
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; its folder must exist and be readable",
    sqlite3.SQLITE_BUSY: f"another program has kept it locked for {BUSY_S:.0f} s; close that program",
    sqlite3.SQLITE_NOTADB: "is not a results file of this arbiter; name another file",
    sqlite3.SQLITE_CORRUPT: "is damaged; restore a copy, or save what is left with `sqlite3 FILE .recover`",
}


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn SQLite errors into a ConfigError with the fix."""
    try:
        yield
    except UnicodeDecodeError as error:  # in a text, or in SQLite's own message about a damaged schema
        raise ConfigError(f"{path}: {_EXPLANATIONS[sqlite3.SQLITE_CORRUPT]}") from error
    except (zlib.error, msgspec.MsgspecError, RecursionError) as error:  # the last for JSON that is nested too deep
        raise ConfigError(f"{path}: a game in it is damaged ({error}); restore a copy of the file") from error
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None)
        if isinstance(error, sqlite3.IntegrityError):
            raise
        if code is None:  # Python cannot read a text
            code = sqlite3.SQLITE_CORRUPT
        raise ConfigError(f"{path}: {_EXPLANATIONS.get(code & 0xFF, error)}") from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit all changes of a block, or none if it raises."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def connect(path: Path, parameters: str) -> sqlite3.Connection:
    """Connect to the file with URI parameters; the caller begins transactions."""
    address = f"file:{quote(str(path.absolute()))}?{parameters}"
    with translate_errors(path):
        return sqlite3.connect(address, timeout=BUSY_S, isolation_level=None, check_same_thread=False, uri=True)


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Connect so that nothing can be changed; if the folder cannot be written, read the file alone.

    That works only without a write-ahead log: games that are still in it would be missing.
    """
    with ExitStack() as undo:
        connection = undo.enter_context(closing(connect(path, "mode=rw")))
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            log = path.with_name(path.name + LOG_SUFFIX)
            if log.exists() and log.stat().st_size:
                raise ConfigError(
                    f"{path}: its folder cannot be written, and games are still in {log.name}; "
                    "copy both files to a folder of your own and read them there"
                ) from None
            return connect(path, "mode=ro&immutable=1")
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            pass  # check_kind reports what it is instead
        undo.pop_all()
    return connection


def is_blank(connection: sqlite3.Connection) -> bool:
    """Return True if nothing was ever written to a database, as after a crash while it was made."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return (tables, application) == (0, 0)


def check_kind(path: Path, connection: sqlite3.Connection) -> None:
    """Raise ConfigError if the database is not one of this arbiter, or has another format."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        raise ConfigError(f"{path}: {_EXPLANATIONS[sqlite3.SQLITE_NOTADB]}")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != FORMAT:
        raise ConfigError(
            f"{path}: was written by another version of arbiter: its format is {version}, this version reads {FORMAT}; "
            "use that version"
        )


# --- copies ---------------------------------------------------------------------------------------


_WAL_MODE: Final = b"\x02\x02"  # bytes 18 and 19 of the header
_PAGES: Final = 1000  # copied at a time, so that the arbiter can write between two parts


def begin_playing(connection: sqlite3.Connection) -> None:
    """Mark results as being played; a copy without the write-ahead log keeps the mark."""
    since = datetime.now(UTC).isoformat(timespec="seconds")
    connection.execute("REPLACE INTO playing VALUES (1, ?)", (since,))


def end_playing(connection: sqlite3.Connection) -> None:
    """Remove the mark: all games are in the file, or in the log that SQLite is about to write into it."""
    connection.execute("DELETE FROM playing")


def describe_incomplete(path: Path, connection: sqlite3.Connection, *, had_log: bool) -> str:
    """Describe why results may lack games; empty if they do not.

    `had_log` tells if the write-ahead log was there before the connection was opened.
    A results file that an arbiter plays, or that was left by one that was killed, has a lock file or a log next to it.
    """
    if had_log or path.with_name(path.name + LOCK_SUFFIX).exists():
        return ""
    if is_blank(connection):
        with path.open("rb") as file:
            was_played = file.read(20)[18:] == _WAL_MODE
        return _explain(path, "and contains no games") if was_played else ""
    check_kind(path, connection)
    row = connection.execute("SELECT since FROM playing").fetchone()
    return "" if row is None else _explain(path, f"during the run of {row[0]}, so its latest games may be missing")


def _explain(path: Path, what: str) -> str:
    log = path.name + LOG_SUFFIX
    return f"{path}: was copied without its {log} file {what}; copy both files, or use `arbiter backup` on the original"


def has_log(path: Path) -> bool:
    """Return True if there is a write-ahead log next to results."""
    return path.with_name(path.name + LOG_SUFFIX).exists()


def backup(path: Path, target: Path) -> tuple[int, str]:
    """Copy results into a new file, even while they are played; returns the number of games and the digest.

    The copy is compared with its hash chain.  Raises ConfigError if the target exists or the copy is not correct.
    """
    if target.exists() or target.is_symlink():
        raise ConfigError(f"{target}: already exists and is not overwritten; name another file")
    with closing(connect_to_read(path)) as source, translate_errors(path):
        check_kind(path, source)
        try:
            with closing(connect(target, "mode=rwc")) as copy, translate_errors(target):
                source.backup(copy, pages=_PAGES)
                copy.execute("PRAGMA journal_mode = DELETE")
                end_playing(copy)
                faults = verify_chain(copy).faults
                (games,) = copy.execute("SELECT count(*) FROM game").fetchone()
                chain = read_chain(copy)
        except BaseException:
            target.unlink(missing_ok=True)
            raise
    if faults:
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise ConfigError(
            f"{target}: the copy is complete, but not correct: {faults[0]}{more}; "
            f"see `{write_command('verify', target)}`"
        )
    return int(games), chain[-1].value if chain else ""
