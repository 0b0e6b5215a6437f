"""The films of games under way, as far as spectators may see them; each is made once for all who watch."""

from typing import Any, Final

import trio
from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.record import RecordError, read_record
from arbiter.serve.rate_limit import RateLimit
from arbiter.serve.source import ServedTournament, SpectatorSettings
from arbiter.show.replay.replay import Replay
from arbiter.show.report.viewer_data import ViewerDataWriter

Film = dict[str, Any]
LOOK_EVERY_S: Final = 0.5
_LOOK_SHARE: Final = 10  # making a film takes a tenth of the time at the most
_PARTS: Final = ("frames", "seats", "plies", "ms")  # what holds something for each frame


class LiveGameData:
    """The film of a game whose record grows, as many plies behind as the terms say; None where that is too early."""

    def __init__(self, terms: SpectatorSettings) -> None:
        self.film: Film | None = None
        self._terms = terms
        self._written = b""
        self._filmed: tuple[Replay, ViewerDataWriter] | None = None

    def take(self, written: bytes) -> None:
        """Take the record as far as it has come; one that does not go on from the last is another game's."""
        if self._filmed is not None and written == self._written:
            return
        try:
            self._go_on(written)
        except (RecordError, ConfigError):  # nothing of it is there yet, or any more
            self.film = self._filmed = None
        self._written = written

    def _go_on(self, written: bytes) -> None:
        record = read_record(written)
        if self._filmed is None or not written.startswith(self._written):
            reel = Replay(record, self._terms.lang, in_progress=True)
            self._filmed, self.film = (reel, ViewerDataWriter(reel, self._terms.viewers)), None
        else:
            self._filmed[0].extend(record)
        reel, filming = self._filmed
        if reel.is_set_up and (shown := reel.ply(reel.last) - self._terms.delay) >= 0:
            filming.shoot(reel.find_ply(shown + 1) - 1 if self._terms.delay else reel.last)
            self.film = filming.so_far()


class _Seen(Struct):
    """A game's film, and when it is to be looked at again."""

    live: LiveGameData
    pace: RateLimit


class LiveGamePages:
    """Holds the films of the games that somebody watches."""

    def __init__(self, source: ServedTournament, terms: SpectatorSettings) -> None:
        self._source = source
        self._terms = terms
        self._seen: dict[str, _Seen] = {}
        self._making = trio.Lock()

    async def film(self, game_id: str) -> Film | None:
        """Return the film of a game under way; None where there is nothing to be shown of it yet."""
        async with self._making:
            seen = self._seen.setdefault(
                game_id, _Seen(LiveGameData(self._terms), RateLimit(LOOK_EVERY_S, _LOOK_SHARE))
            )
            if seen.pace.is_time:
                with seen.pace.looking():
                    await trio.to_thread.run_sync(self._look, game_id, seen)
            return seen.live.film

    def forget_all_but(self, games: set[str]) -> None:
        """Let go of games that are over."""
        for game_id in self._seen.keys() - games:
            del self._seen[game_id]

    def _look(self, game_id: str, seen: _Seen) -> None:
        seen.live.take(self._source.live(game_id))


def rest(whole: Film, shown: int) -> Film:
    """Cut from a film what comes after so many frames."""
    return {part: whole[part][shown:] for part in _PARTS} | {"from": shown}
