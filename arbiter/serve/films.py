"""The films of games under way, as far as spectators may see them; each is made once for all who watch."""

from typing import Any, Final

import trio
from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.record import RecordError, read_record
from arbiter.serve.source import Source, Terms
from arbiter.show.reel import Reel
from arbiter.show.report.film import film

Film = dict[str, Any]
_LOOK_EVERY_S: Final = 0.5
_LOOK_SHARE: Final = 10  # making a film takes a tenth of the time at the most
_PARTS: Final = ("frames", "seats", "plies", "ms")  # what holds something for each frame


class _Seen(Struct):
    """What was made of a game's record when it had so many bytes, and when it is to be looked at again."""

    size: int = -1
    film: Film | None = None
    next: float = 0.0


class Films:
    """Holds the films of the games that somebody watches."""

    def __init__(self, source: Source, terms: Terms) -> None:
        self._source = source
        self._terms = terms
        self._seen: dict[str, _Seen] = {}
        self._making = trio.Lock()

    async def film(self, game_id: str) -> Film | None:
        """Return the film of a game under way; None where there is nothing to be shown of it yet."""
        async with self._making:
            seen = self._seen.setdefault(game_id, _Seen())
            if trio.current_time() >= seen.next:
                begun = trio.current_time()
                await trio.to_thread.run_sync(self._look, game_id, seen)
                spent = trio.current_time() - begun
                seen.next = trio.current_time() + max(_LOOK_EVERY_S, spent * _LOOK_SHARE)
            return seen.film

    def forget_all_but(self, games: set[str]) -> None:
        """Let go of games that are over."""
        for game_id in self._seen.keys() - games:
            del self._seen[game_id]

    def _look(self, game_id: str, seen: _Seen) -> None:
        data = self._source.live(game_id)
        if len(data) != seen.size:
            seen.size, seen.film = len(data), live_film(data, self._terms)


def live_film(data: bytes, terms: Terms) -> Film | None:
    """Make the film of a record that goes on, as many plies behind as the terms say; None where that is too early."""
    try:
        reel = Reel(read_record(data), terms.lang, under_way=True)
    except (RecordError, ConfigError):  # no more than half its header is there
        return None
    shown = reel.ply(reel.last) - terms.delay
    if shown < 0:
        return None
    return film(reel, terms.viewers, reel.of_ply(shown + 1) - 1 if terms.delay else None)


def rest(whole: Film, shown: int) -> Film:
    """Cut from a film what comes after so many frames."""
    return {part: whole[part][shown:] for part in _PARTS} | {"from": shown}
