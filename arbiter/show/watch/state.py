"""Where a viewing stands: which frame, from which seat, which side up.  It knows no screen."""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from arbiter.record import Record
from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.replay.acts import PlayedAct
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import VIEWERS, Viewer
from arbiter.show.replay.replay import Replay
from arbiter.show.watch.ongoing import LiveGame
from protocol.words import OPPONENT, RED, Seat

SPEEDS: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)  # plies a second
USUAL_SPEED: Final = 2.0


class ViewSettings(Struct, frozen=True, kw_only=True):
    """How games are to be watched: from which seat, how many plies a second, the pieces named in which language."""

    viewer: Viewer = "arbiter"
    speed: float = USUAL_SPEED
    lang: str = DEFAULT_LANGUAGE


class ReplayState:
    """A game being watched, `live` while it is played: then at its newest act, whose end is open.

    Raises RecordError where its record cannot be shown, and ConfigError.
    """

    def __init__(self, record: Record, wishes: ViewSettings, live: LiveGame | None = None) -> None:
        self.live = live if live is not None and live.is_under_way else None
        self._lang = wishes.lang
        self.viewer: Viewer = wishes.viewer
        self.reel = self._wound(record)
        self.number = self.reel.last if self.is_under_way else 0
        self.speed = wishes.speed
        self.bottom: Seat = RED

    @property
    def is_under_way(self) -> bool:
        """Say whether the game is still being played."""
        return self.live is not None and self.live.is_under_way

    @property
    def is_broken_off(self) -> bool:
        """Say whether the game came to nothing while it was watched."""
        return self.live is not None and self.live.state == "broken off"

    @property
    def frame(self) -> Frame:
        """What is to be seen now."""
        return self.reel.frame(self.number, self.viewer)

    @property
    def is_at_end(self) -> bool:
        """Say whether the last frame is shown."""
        return self.number == self.reel.last

    def look(self) -> bool:
        """Take in what was played meanwhile, and stay at the end where that is shown; False where nothing has changed.

        Raises RecordError and ConfigError.
        """
        if self.live is None or not self.is_under_way:
            return False
        record, was_at_end = self.live.look(), self.is_at_end
        if record is None:
            self.reel.under_way = self.is_under_way
        elif self.is_under_way:
            self.reel.go_on(record)
        else:
            self.reel = self._wound(record)
        if was_at_end:
            self.number = self.reel.last
        return record is not None or not self.is_under_way

    def _wound(self, record: Record) -> Replay:
        reel = Replay(record, self._lang, under_way=self.is_under_way)
        if fault := reel.fault(self.viewer):
            raise fault
        return reel

    def go(self, number: int) -> None:
        """Show a frame, or the one nearest to it."""
        self.number = max(0, min(number, self.reel.last))

    def jump(self, wanted: Callable[[PlayedAct], bool], step: Literal[1, -1]) -> bool:
        """Show the nearest frame whose act is wanted; False where there is none."""
        found = self.reel.nearest(self.number, wanted, step)
        if found is not None:
            self.number = found
        return found is not None

    def switch_seat(self) -> None:
        """Take the next seat."""
        self.viewer = VIEWERS[(VIEWERS.index(self.viewer) + 1) % len(VIEWERS)]

    def flip(self) -> None:
        """Turn the board."""
        self.bottom = OPPONENT[self.bottom]

    def faster(self) -> None:
        """Take the next higher speed."""
        self.speed = next((speed for speed in SPEEDS if speed > self.speed), self.speed)

    def slower(self) -> None:
        """Take the next lower speed."""
        self.speed = next((speed for speed in reversed(SPEEDS) if speed < self.speed), self.speed)
