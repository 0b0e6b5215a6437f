"""One arbiter a tournament: a lock that frees itself however its holder ends."""

import fcntl
import os
import socket
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Final, Self

import msgspec

from arbiter.errors import ConfigError
from arbiter.tournament.live_values import LockOwner

_LOOKED_AT_S: Final = 0.3  # how long somebody who only asks who holds the lock may have it


class Lock:
    """An flock on a file beside the results; programs started later do not inherit it.

    The file stays when the lock is freed: to delete it would let two arbiters each lock a file of that name.
    Raises ConfigError where another holds it.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be opened: {error.strerror}; results need a writable folder") from None
        if not _taken(self._file):
            told = _told(self._file)
            os.close(self._file)
            raise ConfigError(f"{path}: {told} is playing this tournament; wait for it or stop it") from None
        holder = LockOwner(os.getpid(), socket.gethostname(), datetime.now(UTC).isoformat(timespec="seconds"))
        try:
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, msgspec.json.encode(holder), 0)
        except OSError as error:
            os.close(self._file)
            raise ConfigError(f"{path}: cannot be written: {error.strerror}; results need room on the disk") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.release()

    def release(self) -> None:
        """Free the lock; once is enough, twice does no harm."""
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = -1


def _taken(file: int) -> bool:
    """Take the lock; False where another keeps it."""
    until = monotonic() + _LOOKED_AT_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() > until:
                return False
            sleep(_LOOKED_AT_S / 30)
        else:
            return True


def holder_of(path: Path) -> LockOwner | None:
    """Tell who holds a lock; None where nobody does, or where the holder has not signed yet."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _signed(file)
    finally:
        os.close(file)
    return None


def _signed(file: int) -> LockOwner | None:
    try:
        return msgspec.json.decode(os.pread(file, 4096, 0), type=LockOwner)
    except msgspec.DecodeError:
        return None


def _told(file: int) -> str:
    holder = _signed(file)
    if holder is None:
        return "another arbiter, started this moment,"
    return f"another arbiter (pid {holder.pid} on {holder.host}, since {holder.since})"
