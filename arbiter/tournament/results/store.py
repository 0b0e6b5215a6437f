"""Where a tournament's games are kept: one SQLite database, one transaction a game."""

import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path
from typing import Final, Self

import msgspec
from msgspec import structs

from arbiter.errors import ConfigError, unknown_name
from arbiter.tournament.live_values import LockOwner
from arbiter.tournament.results.database import (
    check_kind,
    connect,
    connect_to_read,
    format_of,
    is_blank,
    transaction,
    translate_errors,
    upgrade,
)
from arbiter.tournament.results.lock import Lock, holder_of
from arbiter.tournament.results.manifest import Manifest, resume_manifest
from arbiter.tournament.results.schema import (
    FILTERS,
    FORMAT_WITH_WITHDRAWALS,
    HAS,
    INSERT,
    LOGS,
    ORDER,
    RECORD,
    SCHEMA,
    TAKE_BACK,
    WIRE,
    WITHDRAW,
    WITHDRAWN,
    select,
)
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog, Transcript
from protocol.words import Seat

LOCK: Final = ".lock"
_NO_LOG: Final = GameLog()


class Store:
    """The results of one tournament; may be used from several threads, which take turns."""

    def __init__(self, path: Path, connection: sqlite3.Connection, manifest: Manifest, lock: Lock | None) -> None:
        self.path = path
        self.manifest = manifest
        self._connection = connection
        self._lock = lock
        self._turn = threading.Lock()

    @classmethod
    def create_or_resume(cls, path: Path, manifest: Manifest) -> Self:
        """Open a tournament's results for writing, new or to go on, alone.

        Raises ConfigError: another arbiter has it open, it is something else or a newer arbiter's, or the
        manifest does not fit the games in it.
        """
        if path.exists() and path.stat().st_size:
            _check_ours(path)
        with ExitStack() as undo:
            lock = undo.enter_context(Lock(_beside(path, LOCK)))
            connection = undo.enter_context(closing(connect(path, "mode=rwc")))
            with translate_errors(path):
                manifest = _begin(path, connection, manifest)
            undo.pop_all()
        return cls(path, connection, manifest, lock)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open results for reading only, while they are written too.  Raises ConfigError."""
        if not path.is_file():
            raise ConfigError(
                f"{path}: {'is a folder, not a results file' if path.is_dir() else 'there is no such file'}"
            )
        with ExitStack() as undo:
            connection = undo.enter_context(closing(connect_to_read(path)))
            with translate_errors(path):
                check_kind(path, connection)
                manifest = _read_manifest(path, connection)
            undo.pop_all()
        return cls(path, connection, manifest, None)

    def add(self, game: StoredGame, record: bytes, log: GameLog = _NO_LOG) -> bool:
        """Keep a finished game with its record and its log.

        It is safe on the disk when this returns.  False where a game of that id is there already: the first one stays.  Raises ConfigError.
        """
        packed, errors, wire = zlib.compress(record), *_packed(log)
        with self._speaking() as connection, transaction(connection):
            kept = connection.execute(INSERT, structs.astuple(game))
            if kept.rowcount:
                connection.execute("INSERT INTO record VALUES (?, ?)", (kept.lastrowid, packed))
                for table, parts in (("log", errors), ("wire", wire)):
                    for seat, part in parts.items():
                        connection.execute(f"INSERT INTO {table} VALUES (?, ?, ?)", (kept.lastrowid, seat, part))  # noqa: S608 - our own names
        return bool(kept.rowcount)

    def games(
        self,
        bot: str | None = None,
        opponent: str | None = None,
        ending: str | None = None,
        round: int | None = None,  # noqa: A002 - the field's word
    ) -> list[StoredGame]:
        """List the games in the order of the schedule: all, or those that fit what is asked for."""
        asked = {"bot": bot, "opponent": opponent, "ending": ending, "round": round}
        wanted = [FILTERS[name] for name, value in asked.items() if value is not None]
        where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
        with self._speaking() as connection:
            return list(
                starmap(StoredGame, connection.execute(f"{select(format_of(connection))} {where} {ORDER}", asked))
            )

    def ids(self) -> set[str]:
        """List the ids of the games that are there."""
        with self._speaking() as connection:
            return {game_id for (game_id,) in connection.execute("SELECT id FROM game")}

    def has(self, game_id: str) -> bool:
        """Say whether a game is there."""
        with self._speaking() as connection:
            return connection.execute(HAS, (game_id,)).fetchone() is not None

    def version(self) -> int:
        """Return a number that is another one when another program has written since."""
        with self._speaking() as connection:
            (version,) = connection.execute("PRAGMA data_version").fetchone()
        return int(version)

    def record(self, game_id: str) -> bytes:
        """Fetch a game's record.  Raises ConfigError where there is no such game."""
        with self._speaking() as connection:
            row = connection.execute(RECORD, (game_id,)).fetchone()
        if row is None:
            raise ConfigError(f"{self.path}: there is no game {game_id!r}; `arbiter games {self.path}` lists them")
        with translate_errors(self.path):
            return zlib.decompress(row[0])

    def withdrawn(self) -> frozenset[str]:
        """Name the bots that have left the tournament."""
        with self._speaking() as connection:
            if format_of(connection) < FORMAT_WITH_WITHDRAWALS:
                return frozenset()
            return frozenset(bot for (bot,) in connection.execute(WITHDRAWN))

    def log(self, game_id: str) -> GameLog:
        """Fetch a game's log: what is kept of its wire, and what the bots wrote on stderr, if they wrote anything."""
        with self._speaking() as connection:
            errors = connection.execute(LOGS, (game_id,)).fetchall()
            wire = connection.execute(WIRE, (game_id,)).fetchall() if format_of(connection) > 1 else []
        with translate_errors(self.path):
            return GameLog(
                wire={seat: msgspec.msgpack.decode(zlib.decompress(part), type=Transcript) for seat, part in wire},
                stderr={seat: zlib.decompress(part).decode() for seat, part in errors},
            )

    def holder(self) -> LockOwner | None:
        """Tell which arbiter has the results open for writing; None where none has."""
        return holder_of(self.path.with_name(self.path.name + LOCK))

    def close(self) -> None:
        """Close the database, and free the lock."""
        with self._turn:
            self._connection.close()
            if self._lock is not None:
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.close()

    @contextmanager
    def _speaking(self) -> Iterator[sqlite3.Connection]:
        with self._turn, translate_errors(self.path):
            yield self._connection


def _packed(log: GameLog) -> tuple[dict[Seat, bytes], dict[Seat, bytes]]:
    """Pack what was written on stderr, and what passed on the wire."""
    errors = {seat: zlib.compress(text.encode()) for seat, text in log.stderr.items()}
    return errors, {seat: zlib.compress(msgspec.msgpack.encode(lines)) for seat, lines in log.wire.items()}


def withdraw(path: Path, bot: str, *, back: bool = False) -> None:
    """Note that a bot has left a tournament, or that it is `back`; also while another arbiter plays it.

    Raises ConfigError where it is none of the tournament's.
    """
    with Store.read(path) as store:
        names = [entry.name for entry in store.manifest.tournament.bots]
    if bot not in names:
        raise unknown_name("bot", bot, names)
    with closing(connect(path, "mode=rw")) as connection, translate_errors(path), transaction(connection):
        upgrade(connection)
        at = datetime.now(UTC).isoformat(timespec="seconds")
        connection.execute(TAKE_BACK if back else WITHDRAW, {"bot": bot, "at": at})


def holder(path: Path) -> LockOwner | None:
    """Tell which arbiter has results open for writing; None where none has.  Raises ConfigError."""
    with Store.read(path) as store:
        return store.holder()


def _beside(path: Path, ending: str) -> Path:
    """Name a file beside the results, in a folder that is there.  Raises ConfigError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{path.parent}: cannot be made: {error.strerror}; name another results folder") from None
    return path.with_name(path.name + ending)


def _check_ours(path: Path) -> None:
    """Refuse what is not ours before anything is written beside it, but not a database cut off at its birth."""
    with closing(connect_to_read(path)) as connection, translate_errors(path):
        if not is_blank(connection):
            check_kind(path, connection)
            _read_manifest(path, connection)


def _begin(path: Path, connection: sqlite3.Connection, manifest: Manifest) -> Manifest:
    """Lay the tables out, or look at what is there; then head them with the manifest."""
    fresh = is_blank(connection)
    if not fresh:
        check_kind(path, connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    with transaction(connection):
        if fresh:
            for statement in SCHEMA:
                connection.execute(statement)
        else:
            manifest = _resume(path, connection, manifest)
            upgrade(connection)
        connection.execute("REPLACE INTO tournament VALUES (1, ?)", (msgspec.json.encode(manifest).decode(),))
    return manifest


def _resume(path: Path, connection: sqlite3.Connection, manifest: Manifest) -> Manifest:
    old = _read_manifest(path, connection)
    stored = list(starmap(StoredGame, connection.execute(select(format_of(connection)))))
    try:
        return resume_manifest(old, manifest, stored)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def _read_manifest(path: Path, connection: sqlite3.Connection) -> Manifest:
    (text,) = connection.execute("SELECT manifest FROM tournament").fetchone() or ("",)
    try:
        return msgspec.json.decode(text, type=Manifest)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}: its head cannot be read ({error}); restore a copy of the file") from None
