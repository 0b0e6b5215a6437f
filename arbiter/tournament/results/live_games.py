"""The games under way as they are played, each a record in a folder beside the results that grows by a line an act.

Like all that is under way they are worth no more than the lock beside them: what an arbiter left that was killed is
swept away by the next one.  A record is there until its game is over and kept.
"""

import os
import shutil
from pathlib import Path
from typing import Final, Self

from arbiter.errors import ConfigError
from arbiter.tournament.events import Began, Closing, Event, Finished, Void

SUFFIX: Final = ".live"
_OPEN: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


class LiveGames:
    """Writes games down while they are played.  A file that cannot be written is no reason to stop playing."""

    def __init__(self, results: Path) -> None:
        """Make an empty folder for them.  Raises ConfigError."""
        self._folder = folder_of(results)
        self._files: dict[str, int] = {}
        self._lost: set[str] = set()
        sweep(results)
        try:
            self._folder.mkdir(mode=0o700)
        except OSError as error:
            raise ConfigError(
                f"{self._folder}: cannot be made: {error.strerror}; games under way are kept there"
            ) from None

    def follow(self, game_id: str, line: bytes) -> None:
        """Write a line of a game's record down: at once and whole, so that nobody reads half of one for long.

        Where a line is lost nothing more of its game is written: without it the rest would look like foul play.
        """
        if game_id in self._lost:
            return
        try:
            if game_id not in self._files:
                self._files[game_id] = os.open(_file_of(self._folder, game_id), _OPEN, 0o600)
            is_whole = os.write(self._files[game_id], line + b"\n") > len(line)
        except OSError:
            is_whole = False
        if not is_whole:
            self._lost.add(game_id)

    def tell(self, event: Event) -> None:
        """Take the record of a game away that is over."""
        match event:
            case Finished():
                self._let_go(event.game.id)
            case Void():
                self._let_go(event.fixture.id)
            case Began() | Closing():
                pass

    def _let_go(self, game_id: str) -> None:
        self._lost.discard(game_id)
        if game_id in self._files:
            os.close(self._files.pop(game_id))
            _file_of(self._folder, game_id).unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Take all of it away: nothing is under way any more."""
        for file in self._files.values():
            os.close(file)
        self._files.clear()
        shutil.rmtree(self._folder, ignore_errors=True)


def sweep(results: Path) -> None:
    """Take away what an arbiter left that was killed, so that it does not pass for games under way of another one."""
    shutil.rmtree(folder_of(results), ignore_errors=True)


def read_live(results: Path, game_id: str) -> bytes:
    """Read the record of a game under way as far as it has come, in whole lines; nothing where there is none."""
    try:
        written = _file_of(folder_of(results), game_id).read_bytes()
    except OSError:
        return b""
    return written[: written.rfind(b"\n") + 1]


def folder_of(results: Path) -> Path:
    """Name the folder in which the games under way of a results file are written down."""
    return results.with_name(results.name + SUFFIX)


def _file_of(folder: Path, game_id: str) -> Path:
    return folder / f"{game_id}.jsonl"
