"""What went wrong in a tournament under way: how often, and the last few times in words."""

from collections import Counter, deque
from typing import Final

from arbiter.games.base import FORFEITS
from arbiter.show.text import plain
from arbiter.tournament.events import Event, Finished, Void
from arbiter.tournament.standings.stored_game import StoredGame, find_forfeiters
from protocol.words import RED

_LATEST: Final = 3


class Anomalies:
    """Counts forfeits, walkovers and void games since the arbiter was started."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._latest: deque[str] = deque(maxlen=_LATEST)

    def tell(self, event: Event) -> None:
        """Take note of what went wrong, if anything did."""
        if isinstance(event, Finished) and event.game.ending in FORFEITS:
            self._note("walkovers" if event.game.ending == "walkover" else "forfeits", _forfeit(event.game))
        elif isinstance(event, Void):
            self._note("void", void(event))

    def _note(self, kind: str, sentence: str) -> None:
        self._counts[kind] += 1
        self._latest.append(sentence)

    def lines(self) -> list[str]:
        """Tell how often what went wrong, and the latest in words; nothing where nothing did."""
        if not self._counts:
            return []
        return [", ".join(f"{kind}: {count}" for kind, count in self._counts.items()), *self._latest]


def void(event: Void) -> str:
    """Tell that a game came to nothing."""
    why = "the arbiter stood still" if event.stalled else "a fault of the arbiter"
    return f"{event.fixture.id} came to nothing: {why}"


def _forfeit(game: StoredGame) -> str:
    losers = [game.red if seat == RED else game.blue for seat in find_forfeiters(game.winner, game.ending)]
    return f"{game.id}: {' and '.join(map(plain, losers))} forfeits ({game.ending}): {plain(game.why)}"
