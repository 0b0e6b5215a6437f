"""What happens while a tournament is played, as objects for programs that follow it: a line of JSON each."""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from arbiter.show.tables.standings import game_object, standings_sheet
from arbiter.show.text import json_line
from arbiter.tournament.events import Began, Closing, Event, Finished, Void
from arbiter.tournament.standings.table import Standing

_EVERY_S: Final = 1.0
_SHARE: Final = 100  # counting takes a hundredth of the time at the most

Rank = Callable[[], Sequence[Standing]]


class EventStream:
    """Writes each event as a line, and now and then, at the latest at the end, how the bots stand."""

    def __init__(self, write: Callable[[str], object], rank: Rank, clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._rank = rank
        self._clock = clock
        self._rank_next = clock() + _EVERY_S

    def tell(self, event: Event) -> None:
        """Write an event down, and the standings where it is time."""
        self._write(json_line(event_object(event)))
        if isinstance(event, Finished) and self._clock() >= self._rank_next:
            self.tell_standings()

    def tell_standings(self) -> None:
        """Write down how the bots stand."""
        begun = self._clock()
        table = [dict(row) for row in standings_sheet(self._rank()).objects]
        self._write(json_line({"event": "standings", "standings": table}))
        now = self._clock()
        self._rank_next = now + max(_EVERY_S, (now - begun) * _SHARE)


def event_object(event: Event) -> dict[str, Any]:
    """Write an event as an object: `event` names its kind, a game is as `arbiter games --json` has it."""
    match event:
        case Began(fixture, at):
            names = {"id": fixture.id, "round": fixture.round, "red": fixture.red, "blue": fixture.blue}
            return {"event": "started", **names, "at": at}
        case Finished(game):
            return {"event": "finished", **game_object(game)}
        case Void(fixture, trace, stalled):
            return {"event": "void", "id": fixture.id, "stalled": stalled, "why": trace.strip().splitlines()[-1]}
        case Closing():
            return {"event": "closing"}
