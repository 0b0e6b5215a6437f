"""Files next to the results: the lock, and those that let other processes follow a running tournament.

The lock frees itself however the arbiter ends.  `.running` holds a `LiveStatus`, the folder `.live` one growing record
for each game in progress.  They are valid only while an arbiter holds the lock on the results: an arbiter that is
killed leaves them behind, and the next one removes them and notes the games that were cut off.
"""

import contextlib
import fcntl
import os
import shutil
import socket
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Final, Self

import msgspec

from arbiter.errors import ConfigError
from arbiter.sandbox.files.untrusted import open_to_read, open_to_write, read_file
from arbiter.tournament.events import (
    Acted,
    Attempt,
    Began,
    Closing,
    Event,
    Finished,
    LiveStatus,
    LockOwner,
    Presence,
    Void,
    make_attempt,
)
from protocol.reasons import ArbiterKilled

# --- the lock -------------------------------------------------------------------------------------


LOCK_SUFFIX: Final = ".lock"
_RETRY_S: Final = 0.3  # how long another process that only reads the owner may have the lock


Look = tuple[int, int, int, int]
"""Device, inode, size and time of the last change of a file."""
_MOST_OWNER: Final = 4096  # bytes


class Lock:
    """An flock on a file next to the results; child processes do not inherit it.

    The file stays when the lock is released: if it were deleted, two arbiters could each lock a file of that name.
    Raises ConfigError if another arbiter holds the lock.
    """

    def __init__(self, path: Path, what: str = "this tournament") -> None:
        """Take the lock for playing; `what` names for an error what is played."""
        try:
            self._file = open_to_write(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise ConfigError(
                f"{path}: cannot be opened: {error.strerror}; results need a folder that can be written"
            ) from None
        if not _try_lock(self._file):
            owner = _read_owner(self._file)
            os.close(self._file)
            other = (
                "another arbiter that has just started"
                if owner is None
                else f"another arbiter (pid {owner.pid} on {owner.host}, since {owner.since})"
            )
            raise ConfigError(f"{path}: {other} is playing {what}; wait for it or stop it") from None
        owner = LockOwner(os.getpid(), socket.gethostname(), datetime.now(UTC).isoformat(timespec="seconds"))
        try:
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, msgspec.json.encode(owner), 0)
        except OSError as error:
            os.close(self._file)
            raise ConfigError(f"{path}: cannot be written: {error.strerror}; free some disk space") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.release()

    def release(self, look: Look | None = None) -> None:
        """Release the lock, and note the `look` of the results that this process leaves; a second call does nothing."""
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            if look is not None:
                with contextlib.suppress(OSError):  # the disk may be full
                    os.pwrite(self._file, msgspec.json.encode(look), 0)
            os.close(self._file)
            self._file = -1


def read_last_look(path: Path) -> Look | None:
    """Return the look of results that an arbiter of this user closed, from their lock; None if it is not known."""
    try:
        file = open_to_read(path)
    except OSError:
        return None
    try:
        is_own = os.fstat(file).st_uid == os.geteuid()  # others may write what they want
        return msgspec.json.decode(os.pread(file, _MOST_OWNER, 0), type=Look) if is_own else None
    except (msgspec.DecodeError, UnicodeDecodeError, OSError):
        return None
    finally:
        os.close(file)


def _try_lock(file: int) -> bool:
    """Lock the file; return False if another process keeps it locked."""
    until = monotonic() + _RETRY_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() > until:
                return False
            sleep(_RETRY_S / 30)
        else:
            return True


def read_lock_owner(path: Path) -> LockOwner | None:
    """Return the owner of a lock; None if it is free, or if the owner has not yet written its name."""
    try:
        file = open_to_read(path)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read_owner(file)
    finally:
        os.close(file)
    return None


def _read_owner(file: int) -> LockOwner | None:
    try:
        return msgspec.json.decode(os.pread(file, _MOST_OWNER, 0), type=LockOwner)
    except msgspec.DecodeError:
        return None


# --- the state of a run ---------------------------------------------------------------------------


STATUS_SUFFIX: Final = ".running"
GAMES_SUFFIX: Final = ".live"
_PAUSE_S: Final = 0.1  # before the end of a game is written: a write costs as much as some plies
_MOST_AT_ONCE: Final = 100  # games in progress with which each beginning is written at once
_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND
_REPLACE: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


class LiveStatusFile:
    """Writer of the live status; each write replaces the whole file, so that a reader never sees half of it.

    A game that begins is written at once, so that it is known if the arbiter is killed.  Of a game that is over, the
    results know already: in a series of short games, its end is written with the beginning of the next one.  If very
    many games are in progress, all changes are written after a pause.
    """

    def __init__(self, results: Path, clock: Callable[[], float] = monotonic) -> None:
        self._results = results
        self._clock = clock
        self._path = _status_file(results)
        self._draft = self._path.with_name(f"{self._path.name}.new")
        self._since = clock()
        self._games: dict[str, Began] = {}
        self._begun: dict[str, float] = {}
        self._finished = 0
        self._is_closing = False
        self._present: dict[str, None] = {}
        self._gateway = self._pages = ""
        self._turn = threading.Lock()
        self._has_changed = False
        self._waiting: threading.Timer | None = None

    def receive(self, event: Event) -> None:
        """Add an event to the status and write it, maybe after a pause.

        The tournament goes on if the file cannot be written.
        """
        with self._turn:
            match event:
                case Began():
                    self._forget(event.fixture.id)  # it is the last one now
                    self._games[event.fixture.id] = event
                    self._begun[event.fixture.id] = self._clock()
                case Finished():
                    self._forget(event.game.id)
                    self._finished += 1
                case Void():
                    self._forget(event.fixture.id)
                case Closing():
                    self._is_closing = True
                case Presence(bot, True):
                    self._present[bot] = None
                case Presence(bot):
                    self._present.pop(bot, None)
                case _:
                    return
            self._has_changed = True
            if not isinstance(event, (Finished, Void)) and len(self._games) <= _MOST_AT_ONCE:
                self._write()
            elif self._waiting is None:
                self._waiting = threading.Timer(_PAUSE_S, self._write_waiting)
                self._waiting.daemon = True
                self._waiting.start()

    def note_addresses(self, gateway: str, pages: str) -> None:
        """Write the addresses of the gateway and of the pages."""
        with self._turn:
            self._gateway = gateway
            self._pages = pages
            self._write()

    def _forget(self, game_id: str) -> None:
        self._games.pop(game_id, None)
        self._begun.pop(game_id, None)

    def _write_waiting(self) -> None:
        with self._turn:
            if self._waiting is not None:  # else the file has been removed
                self._waiting = None
                if self._has_changed:
                    self._write()

    def _write(self) -> None:
        self._has_changed = False
        status = LiveStatus(
            games=tuple(self._games.values()),
            finished=self._finished,
            since=self._since,
            begun=self._begun,
            closing=self._is_closing,
            present=tuple(self._present),
            gateway=self._gateway,
            pages=self._pages,
        )
        with contextlib.suppress(OSError):
            with os.fdopen(open_to_write(self._draft, _REPLACE), "wb") as draft:
                draft.write(msgspec.json.encode(status))
            self._draft.replace(self._path)

    def take_cut_off(self) -> tuple[Attempt, ...]:
        """Return attempts for the games that an arbiter played when it was killed, and remove the file that it left."""
        left = read_live_status(self._results)
        self.remove()
        return tuple(make_attempt(began.fixture, "stopped", ArbiterKilled(), began.at) for began in left.games)

    def remove(self) -> None:
        """Remove the file when the tournament stops."""
        with self._turn:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None
            for path in (self._draft, self._path):
                with contextlib.suppress(OSError):
                    path.unlink()


def read_live_status(results: Path) -> LiveStatus:
    """Read the live status; an empty one if there is no file."""
    try:
        return msgspec.json.decode(read_file(_status_file(results)), type=LiveStatus)
    except (OSError, ValueError):
        return LiveStatus()


def _status_file(results: Path) -> Path:
    return results.with_name(results.name + STATUS_SUFFIX)


class LiveGames:
    """Writer of the records of games in progress. The tournament goes on if a file cannot be written."""

    def __init__(self, results: Path) -> None:
        """Make an empty folder for the records.  Raises ConfigError."""
        self._folder = live_games_folder(results)
        self._files: dict[str, int] = {}
        self._lost: set[str] = set()
        remove_live_games(results)
        try:
            self._folder.mkdir(mode=0o700)
        except OSError as error:
            raise ConfigError(
                f"{self._folder}: the folder for games in progress cannot be made: {error.strerror}"
            ) from None

    def _write(self, game_id: str, line: bytes) -> None:
        """Append a line to a game's record, in one write so that a reader sees whole lines.

        After a line that could not be written, nothing more of the game is written: with a line missing, the record
        would look like cheating.
        """
        if game_id in self._lost:
            return
        try:
            if game_id not in self._files:
                self._files[game_id] = open_to_write(_game_file(self._folder, game_id), _APPEND, mode=0o600)
            is_whole = os.write(self._files[game_id], line + b"\n") > len(line)
        except OSError:
            is_whole = False
        if not is_whole:
            self._lost.add(game_id)

    def receive(self, event: Event) -> None:
        """Continue the record of a game, or remove that of a game that is over."""
        match event:
            case Acted(game, line):
                self._write(game, line)
            case Finished():
                self._remove(event.game.id)
            case Void():
                self._remove(event.fixture.id)
            case _:
                pass

    def _remove(self, game_id: str) -> None:
        self._lost.discard(game_id)
        if game_id in self._files:
            os.close(self._files.pop(game_id))
            _game_file(self._folder, game_id).unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Remove all records: no game is in progress any more."""
        for file in self._files.values():
            os.close(file)
        self._files.clear()
        shutil.rmtree(self._folder, ignore_errors=True)


def remove_live_games(results: Path) -> None:
    """Remove records that a killed arbiter left, so that nobody takes them for games in progress."""
    folder = live_games_folder(results)
    with contextlib.suppress(OSError):  # rmtree would open a pipe, and wait
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def read_live_game(results: Path, game_id: str) -> bytes:
    """Read the record of a game in progress as far as it is written, in whole lines; b"" if there is none."""
    try:
        written = read_file(_game_file(live_games_folder(results), game_id))
    except OSError:
        return b""
    return written[: written.rfind(b"\n") + 1]


def live_games_folder(results: Path) -> Path:
    """Return the folder with the records of games in progress of a results file."""
    return results.with_name(results.name + GAMES_SUFFIX)


def _game_file(folder: Path, game_id: str) -> Path:
    return folder / f"{game_id}.jsonl"
