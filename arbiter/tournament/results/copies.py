"""Copies of results: make a complete one, and recognise one that lacks its write-ahead log."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from arbiter.errors import ConfigError, write_command
from arbiter.tournament.results.chain import read_chain
from arbiter.tournament.results.database import (
    check_kind,
    connect,
    connect_to_read,
    is_blank,
    translate_errors,
)
from arbiter.tournament.results.lock import LOCK_SUFFIX
from arbiter.tournament.results.verification import verify_chain

LOG_SUFFIX: Final = "-wal"
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
            f"{target}: the copy is complete, but not correct: {faults[0]}{more}; see `{write_command('verify', target)}`"
        )
    return int(games), chain[-1].value if chain else ""
