"""SQLite connections to results: open them without trust in the file, copy them, and explain errors."""

import os
import sqlite3
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec
from msgspec import Struct

from arbiter.errors import ConfigError, write_command
from arbiter.sandbox.files import untrusted
from arbiter.tournament.results.integrity import verify_chain
from arbiter.tournament.results.live_files import LOCK_SUFFIX, Look, read_last_look, read_lock_owner
from arbiter.tournament.results.schema import check_schema, is_blank

# --- connections ----------------------------------------------------------------------------------


NOTICE_S: Final = 10.0
"""Wait of a program for another one that writes, after which it prints a notice."""
_BUSY_S: Final = 10.0  # wait of a program that only reads
_MOST_BUSY_S: Final = 120.0  # wait of a program that writes
_LOOK_MS: Final = 200
LOG_SUFFIX: Final = "-wal"
_INDEX_SUFFIX: Final = "-shm"
_JOURNAL_SUFFIX: Final = "-journal"

_LIMITS: Final = {
    sqlite3.SQLITE_LIMIT_LENGTH: 64 * 2**20,  # bytes of a row
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 20_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 100,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 2,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 100,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_SETTINGS: Final = (
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "mmap_size = 0",
    f"hard_heap_limit = {512 * 2**20}",  # bytes, of all connections of this process
)
_ACTIONS: Final = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_INSERT,
    sqlite3.SQLITE_UPDATE,
    sqlite3.SQLITE_DELETE,
    sqlite3.SQLITE_CREATE_TABLE,
    sqlite3.SQLITE_CREATE_INDEX,
}
_PRAGMAS: Final = {
    "application_id",
    "user_version",
    "data_version",
    "busy_timeout",
    "integrity_check",
    "journal_mode",
    "synchronous",
    "wal_checkpoint",
}
_STEPS: Final = 1000  # of SQLite's virtual machine; the limit is tested after so many
_LEAST_STEPS: Final = 5_000_000
_STEPS_PER_BYTE: Final = 20  # to read all rows and check the structure takes less than one

_EXPLANATIONS: Final = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space and start again, the games stored so far are safe",
    sqlite3.SQLITE_READONLY: "cannot be written; give it and its folder write permission",
    sqlite3.SQLITE_IOERR: (
        "the disk cannot read or write it; check that it has free space, the games stored so far are safe"
    ),
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; its folder must exist and be readable",
    sqlite3.SQLITE_BUSY: "another program keeps it locked; close that program, and try again",
    sqlite3.SQLITE_NOTADB: "is not a results file of this arbiter; name another file",
    sqlite3.SQLITE_CORRUPT: "is damaged; restore a copy, or save what is left with `sqlite3 FILE .recover`",
    sqlite3.SQLITE_ERROR: "is damaged: its tables cannot be read; restore a copy of the file",
    sqlite3.SQLITE_AUTH: "was changed by another program, to do more than store results; restore a copy of the file",
    sqlite3.SQLITE_INTERRUPT: "is damaged: its tables do not end; restore a copy of the file",
    sqlite3.SQLITE_TOOBIG: "is damaged: it has a row of more than 64 MiB; restore a copy of the file",
    sqlite3.SQLITE_NOMEM: "is damaged: it needs too much memory; restore a copy of the file",
}


class Patience(Struct, frozen=True):
    """The way to wait for a program that keeps results locked."""

    notify: Callable[[str], object] = lambda _text: None
    """Receives what is waited for, after `NOTICE_S`."""
    most_s: float = _MOST_BUSY_S
    check: Callable[[], object] = lambda: None
    """Called a few times a second; it raises an exception to give up."""


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn SQLite errors into a ConfigError with the fix."""
    try:
        yield
    except MemoryError as error:
        raise ConfigError(f"{path}: {_EXPLANATIONS[sqlite3.SQLITE_NOMEM]}") from error
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


class Connection(sqlite3.Connection):
    """A connection that trusts nothing in the file: only known statements, and limits for time, memory and rows."""

    patience = Patience()
    _files: tuple[str, ...] = ()
    _size: int | None = None
    _steps_left = _LEAST_STEPS

    def protect(self, path: Path, *, read_only: bool, grows: bool) -> None:
        """Set the limits; call this before the first statement.  A file that `grows` gets another size later."""
        self._files = (str(path), f"{path}{LOG_SUFFIX}")
        self._size = None if grows else _find_size(self._files)
        for limit, value in _LIMITS.items():
            self.setlimit(limit, value)
        if sys.version_info >= (3, 12):
            self.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # noqa: FBT003 - positional only
            self.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, False)  # noqa: FBT003 - as above
            self.setconfig(sqlite3.SQLITE_DBCONFIG_ENABLE_VIEW, False)  # noqa: FBT003 - as above
        for setting in (*_SETTINGS, *(["query_only = ON"] if read_only else [])):
            self.execute(f"PRAGMA {setting}").close()
        self.set_authorizer(_authorize)
        self.set_progress_handler(self._count_steps, _STEPS)
        self.allow_steps()

    def allow_steps(self) -> None:
        """Let the following statements take as many steps as the size of the file allows."""
        size = _find_size(self._files) if self._size is None else self._size
        self._steps_left = _LEAST_STEPS + _STEPS_PER_BYTE * size

    def begin(self) -> None:
        """Begin to write, and wait with patience until no other program does."""
        begun = time.monotonic()
        has_noticed = False
        self._set_wait(_LOOK_MS)
        try:
            while True:
                try:
                    self.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as error:
                    waited = time.monotonic() - begun
                    if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or waited > self.patience.most_s:
                        raise
                else:
                    return
                self.patience.check()
                if waited > NOTICE_S and not has_noticed:
                    has_noticed = True
                    self.patience.notify(
                        f"{self._files[0]}: another program has kept it locked for {waited:.0f} s; waiting until that "
                        "program ends or is closed"
                    )
        finally:
            self._set_wait(round(_BUSY_S * 1000))

    def _set_wait(self, ms: int) -> None:
        self.execute(f"PRAGMA busy_timeout = {ms}").close()

    def _count_steps(self) -> bool:
        self._steps_left -= _STEPS
        return self._steps_left < 0


def _authorize(action: int, one: str | None, _other: str | None, _database: str | None, source: str | None) -> int:
    """Allow the statements that this package needs, and nothing that a trigger or a view asks for."""
    is_known = action in _ACTIONS if action != sqlite3.SQLITE_PRAGMA else one in _PRAGMAS
    return sqlite3.SQLITE_OK if is_known and source is None else sqlite3.SQLITE_DENY


def _find_size(files: Iterable[str]) -> int:
    """Return the size of files in bytes; one that is missing has none."""
    size = 0
    for file in files:
        with suppress(OSError):
            size += os.stat(file).st_size  # noqa: PTH116 - this runs at every read
    return size


@contextmanager
def transaction(connection: Connection) -> Iterator[Connection]:
    """Commit all changes of a block, or none if it raises."""
    connection.allow_steps()
    connection.begin()
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(connection: Connection) -> Iterator[Connection]:
    """Let a block read everything as it is now, whatever other programs write meanwhile."""
    connection.allow_steps()
    connection.execute("BEGIN")
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()  # the first read begins it
        yield connection
    finally:
        connection.execute("COMMIT")


def open_database(path: Path, parameters: str, *, read_only: bool = False) -> Connection:
    """Open the file with URI parameters, and refuse it unless it is blank or has the known tables and nothing else.

    The caller begins transactions.  Raises ConfigError.
    """
    _check_files(path)
    address = f"file:{quote(str(path.absolute()))}?{parameters}"
    with translate_errors(path), ExitStack() as undo:
        connection = undo.enter_context(
            closing(
                sqlite3.connect(
                    address,
                    timeout=_BUSY_S,
                    isolation_level=None,
                    check_same_thread=False,
                    uri=True,
                    factory=Connection,
                )
            )
        )
        connection.protect(path, read_only=read_only, grows="immutable" not in parameters)
        if not is_blank(connection):
            check_schema(path, connection)
        undo.pop_all()
    return connection


def _check_files(path: Path) -> None:
    """Raise ConfigError unless the files that SQLite opens are plain files."""
    for file in (path, *(path.with_name(path.name + suffix) for suffix in (LOG_SUFFIX, _INDEX_SUFFIX))):
        try:
            mode = file.stat().st_mode if file == path else file.lstat().st_mode
        except OSError:
            continue
        if not stat.S_ISREG(mode):
            raise ConfigError(f"{file}: is not a regular file; remove it, or name another results file")
    journal = path.with_name(path.name + _JOURNAL_SUFFIX)
    if os.path.lexists(journal):
        # SQLite would take it up, change the results, and even delete another file that it names.
        raise ConfigError(
            f"{journal}: is not a file of this arbiter, and SQLite would change the results by it; remove it, "
            "or restore a copy of the results"
        )


def look_at(path: Path) -> Look | None:
    """Return what identifies the content of results without a log; None if there is a log, or no file."""
    file = str(path)
    if os.path.lexists(file + LOG_SUFFIX):
        return None
    try:
        found = os.stat(file)  # noqa: PTH116 - this runs at every read
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def open_to_read(path: Path) -> tuple[Connection, Look | None]:
    """Open results so that nothing can be changed, neither in the file nor in its folder.

    Results that nobody plays are opened as they are now, after a check of their structure: no index shows other rows
    than its table, and no page is used twice.  The caller has to open them again when they look different.  Other
    results follow their writer.  Raises ConfigError.
    """
    look = look_at(path)
    is_played = read_lock_owner(path.with_name(path.name + LOCK_SUFFIX)) is not None
    if look is not None and not is_played:
        connection = open_database(path, "mode=ro&immutable=1", read_only=True)
    else:
        look = None
        try:
            # The last connection of a run in progress removes the log; games that a killed arbiter left stay in it.
            connection = open_database(path, "mode=rw" if is_played else "mode=ro", read_only=True)
        except ConfigError:
            if has_log(path) and not os.access(path.parent, os.W_OK):
                raise ConfigError(
                    f"{path}: its folder cannot be written, and games are still in {path.name}{LOG_SUFFIX}; "
                    "copy both files to a folder of your own and read them there"
                ) from None
            raise
    if not is_played:
        try:
            with translate_errors(path):
                _check_structure(path, connection, look)
        except BaseException:
            connection.close()
            raise
    return connection, look


_READ_AHEAD: Final = 2**20  # bytes
_checked: set[Look] = set()


def _check_structure(path: Path, connection: Connection, look: Look | None) -> None:
    # An arbiter on this machine that closed the file has noted how it left it: a file from elsewhere looks different.
    if look in _checked or is_blank(connection):
        return
    if look is not None and look == read_last_look(path.with_name(path.name + LOCK_SUFFIX)):
        _checked.add(look)
        return
    file = untrusted.open_to_read(path)
    try:
        while os.read(file, _READ_AHEAD):  # the check reads the pages in another order, which is slow on a disk
            pass
    finally:
        os.close(file)
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise ConfigError(f"{path}: {_EXPLANATIONS[sqlite3.SQLITE_CORRUPT]} ({' '.join(str(found).split())})")
    if look is not None:
        _checked.add(look)
    connection.allow_steps()


# --- copies ---------------------------------------------------------------------------------------


_WAL_MODE: Final = b"\x02\x02"  # bytes 18 and 19 of the header
_PAGES: Final = 1000  # copied at a time, so that Ctrl-C works


def begin_playing(connection: sqlite3.Connection) -> None:
    """Mark results as being played; a copy without the write-ahead log keeps the mark."""
    since = datetime.now(UTC).isoformat(timespec="seconds")
    connection.execute("REPLACE INTO playing VALUES (1, ?)", (since,))


def end_playing(connection: sqlite3.Connection) -> None:
    """Remove the mark: all games are in the file, or in the log that SQLite is about to write into it."""
    connection.execute("DELETE FROM playing")


def describe_incomplete(path: Path, connection: sqlite3.Connection) -> str:
    """Describe why results may lack games; empty if they do not.

    A results file that an arbiter plays, or that was left by one that was killed, has a lock file or a log next to it.
    """
    if has_log(path) or path.with_name(path.name + LOCK_SUFFIX).exists():
        return ""
    if is_blank(connection):
        was_played = untrusted.read_start(path, 20)[18:] == _WAL_MODE
        return _explain(path, "and contains no games") if was_played else ""
    row = connection.execute("SELECT since FROM playing").fetchone()
    return "" if row is None else _explain(path, f"during the run of {row[0]}, so its latest games may be missing")


def _explain(path: Path, what: str) -> str:
    log = path.name + LOG_SUFFIX
    return f"{path}: was copied without its {log} file {what}; copy both files, or use `arbiter backup` on the original"


def has_log(path: Path) -> bool:
    """Return True if there is a write-ahead log next to results."""
    return path.with_name(path.name + LOG_SUFFIX).exists()


def backup(path: Path, target: Path, *, compact: bool = False) -> tuple[int, str]:
    """Copy results into a new file, even while they are played; returns the number of games and the digest.

    A `compact` copy has no free space, such as that of dropped logs.  The copy is compared with its hash chain.
    Raises ConfigError if the target exists or the copy is not correct.
    """
    if target.exists() or target.is_symlink():
        raise ConfigError(f"{target}: already exists and is not overwritten; name another file")
    opened, _ = open_to_read(path)
    with closing(opened) as source, translate_errors(path):
        check_schema(path, source)
        try:
            with closing(open_database(target, "mode=rwc")) as copy, translate_errors(target):
                with snapshot(source):  # without it, the copy begins again after each game that is stored meanwhile
                    source.backup(copy, pages=_PAGES)
                copy.allow_steps()
                copy.execute("PRAGMA journal_mode = DELETE")
                end_playing(copy)
                if compact:
                    copy.set_authorizer(None)
                    copy.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)  # SQLite attaches the new database
                    copy.execute("VACUUM")
                    copy.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
                    copy.set_authorizer(_authorize)
                    copy.allow_steps()
                check = verify_chain(copy)
                (games,) = copy.execute("SELECT count(*) FROM game").fetchone()
        except BaseException:
            target.unlink(missing_ok=True)
            raise
    if faults := check.faults:
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise ConfigError(
            f"{target}: the copy is complete, but not correct: {faults[0]}{more}; "
            f"see `{write_command('verify', target)}`"
        )
    return int(games), check.digest
