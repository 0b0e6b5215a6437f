"""SQLite connections to results: open, identify, and explain errors."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from arbiter.errors import ConfigError
from arbiter.tournament.results.schema import APPLICATION, FORMAT

BUSY_S: Final = 10.0

_EXPLANATIONS: Final = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space and start again, the games stored so far are safe",
    sqlite3.SQLITE_READONLY: "cannot be written; give it and its folder write permission",
    sqlite3.SQLITE_IOERR: "the disk cannot read or write it; check that it has free space, the games stored so far are safe",
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
            log = path.with_name(path.name + "-wal")
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


def read_format(connection: sqlite3.Connection) -> int:
    """Return the number of the format of results."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def check_kind(path: Path, connection: sqlite3.Connection) -> None:
    """Raise ConfigError if the database is not one of this arbiter, or has another format."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        raise ConfigError(f"{path}: {_EXPLANATIONS[sqlite3.SQLITE_NOTADB]}")
    version = read_format(connection)
    if version != FORMAT:
        raise ConfigError(
            f"{path}: was written by another version of arbiter: its format is {version}, this version reads {FORMAT}; "
            "use that version"
        )
