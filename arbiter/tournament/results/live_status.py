"""What is under way while a tournament is played, in a file beside its results, for whoever asks from another shell.

It is worth no more than the lock beside it: where nobody holds that, what the file says is over.
"""

import contextlib
import os
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from arbiter.tournament.events import Began, Closing, Event, Finished, Void
from arbiter.tournament.live_values import LiveStatus

SUFFIX: Final = ".running"


class LiveStatusFile:
    """Writes down what is under way; each write replaces the whole file, so that nobody reads half of one."""

    def __init__(self, results: Path) -> None:
        self._path = _file_of(results)
        self._draft = self._path.with_name(f"{self._path.name}.new")
        self._now = LiveStatus()

    def tell(self, event: Event) -> None:
        """Take note of what happened.  A file that cannot be written is no reason to stop playing."""
        self._now = _after(self._now, event)
        with contextlib.suppress(OSError):
            self._draft.write_bytes(msgspec.json.encode(self._now))
            os.replace(self._draft, self._path)  # noqa: PTH105 - as short as it gets

    def remove(self) -> None:
        """Take the file away: nothing is under way any more."""
        for path in (self._draft, self._path):
            with contextlib.suppress(OSError):
                path.unlink()


def read_running(results: Path) -> LiveStatus:
    """Read what is under way; nothing where there is no such file."""
    try:
        return msgspec.json.decode(_file_of(results).read_bytes(), type=LiveStatus)
    except (OSError, ValueError):
        return LiveStatus()


def _file_of(results: Path) -> Path:
    return results.with_name(results.name + SUFFIX)


def _after(now: LiveStatus, event: Event) -> LiveStatus:
    match event:
        case Began():
            return replace(now, games=(*_without(now, event.fixture.id), event))
        case Finished():
            return replace(now, games=_without(now, event.game.id))
        case Void():
            return replace(now, games=_without(now, event.fixture.id), voids=now.voids + 1)
        case Closing():
            return replace(now, closing=True)


def _without(now: LiveStatus, game_id: str) -> tuple[Began, ...]:
    return tuple(began for began in now.games if began.fixture.id != game_id)
