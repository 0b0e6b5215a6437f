"""A database of results as SQLite has it: connected to, told from others, brought up to our format."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from arbiter.errors import ConfigError
from arbiter.tournament.results.schema import APPLICATION, FORMAT, UPGRADES

BUSY_S: Final = 10.0

_CURES: Final = {
    sqlite3.SQLITE_FULL: "the disk is full; make room and start again, the games stored so far are safe",
    sqlite3.SQLITE_READONLY: "cannot be written; give it and its folder write permission",
    sqlite3.SQLITE_IOERR: "the disk fails to read or write it, perhaps for want of room; the games stored so far are safe",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; its folder must exist and be readable",
    sqlite3.SQLITE_BUSY: f"another program has kept it locked for {BUSY_S:.0f} s; close what has it open",
    sqlite3.SQLITE_NOTADB: "is not a results file of this arbiter; name another",
    sqlite3.SQLITE_CORRUPT: "is damaged; restore a copy, or save what there is with `sqlite3 FILE .recover`",
}


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite complains of into a ConfigError that says what to do."""
    try:
        yield
    except zlib.error as error:
        raise ConfigError(f"{path}: a game in it is damaged ({error}); restore a copy of the file") from error
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is None or isinstance(error, sqlite3.IntegrityError):
            raise
        raise ConfigError(f"{path}: {_CURES.get(code & 0xFF, error)}") from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do all of what is done in a block, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def connect(path: Path, how: str) -> sqlite3.Connection:
    """Connect to the file; transactions are begun by hand."""
    address = f"file:{quote(str(path.absolute()))}?{how}"
    with translate_errors(path):
        return sqlite3.connect(address, timeout=BUSY_S, isolation_level=None, check_same_thread=False, uri=True)


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Connect so that nothing can be changed; where the folder cannot be written either, take the file as it is.

    The latter only without a write-ahead log: games that are still in it would go unseen.
    """
    with ExitStack() as undo:
        connection = undo.enter_context(closing(connect(path, "mode=rw")))
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            if not _is_still(path):
                raise ConfigError(
                    f"{path}: its folder cannot be written, and games are still in {path.name}-wal; "
                    "copy both to a folder of your own and read them there"
                ) from None
            return connect(path, "mode=ro&immutable=1")
        except sqlite3.DatabaseError:
            pass  # what it is instead is told when its kind is checked
        undo.pop_all()
    return connection


def _is_still(path: Path) -> bool:
    log = path.with_name(path.name + "-wal")
    return not log.exists() or log.stat().st_size == 0


def is_blank(connection: sqlite3.Connection) -> bool:
    """Tell whether nothing was ever written to a database, as where it was cut off at its birth."""
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return (tables, application) == (0, 0)


def upgrade(connection: sqlite3.Connection) -> None:
    """Bring results of a former format up to ours."""
    for version in range(format_of(connection), FORMAT):
        for statement in UPGRADES[version]:
            connection.execute(statement)


def format_of(connection: sqlite3.Connection) -> int:
    """Return the number of the format that results have."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def check_kind(path: Path, connection: sqlite3.Connection) -> None:
    """Raise ConfigError unless the database is one of ours, of this format."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    version = format_of(connection)
    if application != APPLICATION:
        raise ConfigError(f"{path}: {_CURES[sqlite3.SQLITE_NOTADB]}")
    if version > FORMAT:
        raise ConfigError(
            f"{path}: was written by a newer arbiter (format {version}, this one knows {FORMAT}); use that one"
        )
