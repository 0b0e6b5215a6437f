"""Viewer data of games in progress, as far as spectators may see it; made once for all spectators."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import trio
from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.languages.catalogue import DEFAULT_LANGUAGE
from arbiter.record import RecordError, read_record
from arbiter.show.rate_limit import RateLimit
from arbiter.show.replay.knowledge import SPECTATOR, VIEWERS, Viewer
from arbiter.show.replay.replay import Replay
from arbiter.show.report.packed_data import join_moves
from arbiter.show.report.viewer_data import ViewerDataWriter

ViewerData = dict[str, Any]
UNAVAILABLE: Final = (ConfigError, OSError)  # errors of reading results, which a later reading may not meet
UPDATE_EVERY_S: Final = 0.5
_REST: Final = 10  # times the processor time of an update: a game takes at most a tenth of a core
_PARTS: Final = ("frames", "seats", "plies", "ms", "moves", "clocks")  # the parts with one entry for each frame
_LISTS: Final = ("story", "disagreements")  # the parts that grow, and are sent as a whole


class SpectatorSettings(Struct, frozen=True):
    """The view of spectators on games in progress."""

    viewers: tuple[Viewer, ...] = (SPECTATOR,)
    """Viewers that spectators may choose from."""

    delay: int = 0
    """Number of plies that spectators are behind."""

    lang: str = DEFAULT_LANGUAGE

    guests_play: bool = False
    """Spectators may play against the bots."""


def make_spectator_settings(*, show_all: bool, delay: int, lang: str, guests_play: bool = False) -> SpectatorSettings:
    """Make settings that show all pieces, or only what neither player hides from the other."""
    return SpectatorSettings(VIEWERS if show_all else (SPECTATOR,), delay, lang, guests_play)


class LiveGameData:
    """Viewer data of a game whose record grows."""

    def __init__(self, settings: SpectatorSettings) -> None:
        self.data: ViewerData | None = None  # None as long as spectators may see nothing
        self.board: ViewerData | None = None  # the latest position alone, for a small board
        self.as_of = 0.0  # Unix time at which the record was last read
        self._settings = settings
        self._written = b""
        self._writer: ViewerDataWriter | None = None

    def update(self, written: bytes) -> None:
        """Read the record as far as it is written; one that does not begin like the last belongs to another game."""
        if self._writer is not None and written == self._written:
            return
        try:
            record = read_record(written)
            if self._writer is None or not written.startswith(self._written):
                self._forget()
                self._writer = ViewerDataWriter(
                    Replay(record, self._settings.lang, in_progress=True), self._settings.viewers
                )
            else:
                self._writer.replay.extend(record)
            replay = self._writer.replay
            ply = replay.ply(replay.last) - self._settings.delay
            if replay.is_set_up and ply >= 0:
                self._writer.add_frames(replay.find_ply(ply + 1) - 1 if self._settings.delay else replay.last)
                self.data = data = self._writer.data()
                self.board = {part: value for part, value in data.items() if part not in (*_PARTS, *_LISTS)} | {
                    "viewer": data["viewers"][0],
                    "seat": data["seats"][-1],
                    "ply": sum(map(int, data["plies"])),
                    "table": self._writer.latest_table(),
                }
        except (RecordError, ConfigError):  # the record is not written yet, or was removed
            self._forget()
        self._written = written

    def _forget(self) -> None:
        self.data = self.board = self._writer = None


class LiveViewerData:
    """Viewer data of the games that somebody watches; `read_live_record` reads the record of one."""

    def __init__(self, read_live_record: Callable[[str], bytes], settings: SpectatorSettings) -> None:
        self._read_live_record = read_live_record
        self._settings = settings
        self._games: dict[str, tuple[LiveGameData, RateLimit]] = {}
        self._working = trio.Lock()

    async def read(self, game_id: str) -> LiveGameData:
        """Return what spectators may see of a game in progress; what they saw last if its record is not available."""
        async with self._working:
            game, limit = self._games.setdefault(
                game_id, (LiveGameData(self._settings), RateLimit(UPDATE_EVERY_S, _REST))
            )

            def update() -> None:
                with limit.measure():
                    began = time.time()
                    game.update(self._read_live_record(game_id))
                    game.as_of = began

            if limit.is_due:  # the game may be over and forgotten before the thread begins
                with suppress(*UNAVAILABLE):
                    await trio.to_thread.run_sync(update)
            return game

    def forget_all_but(self, games: set[str]) -> None:
        """Forget games that are over."""
        for game_id in self._games.keys() - games:
            del self._games[game_id]


def frames_after(data: ViewerData, shown: int) -> ViewerData:
    """Return the part of viewer data that follows after `shown` frames, with the lists of the whole game."""
    parts = {part: data[part][shown:] for part in _PARTS} | {part: data[part] for part in _LISTS}
    return join_moves(parts) | {"from": shown}
