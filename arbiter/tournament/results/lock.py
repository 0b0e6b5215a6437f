"""Lock on results: one arbiter at a time. It frees itself however the arbiter ends."""

import fcntl
import os
import socket
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Final, Self

import msgspec

from arbiter.errors import ConfigError
from arbiter.tournament.events import LockOwner

LOCK_SUFFIX: Final = ".lock"
_RETRY_S: Final = 0.3  # how long another process that only reads the owner may have the lock


class Lock:
    """An flock on a file next to the results; child processes do not inherit it.

    The file stays when the lock is released: if it were deleted, two arbiters could each lock a file of that name.
    Raises ConfigError if another arbiter holds the lock.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
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
            raise ConfigError(f"{path}: {other} is playing this tournament; wait for it or stop it") from None
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

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        if self._file >= 0:
            os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = -1


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
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
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
        return msgspec.json.decode(os.pread(file, 4096, 0), type=LockOwner)
    except msgspec.DecodeError:
        return None
