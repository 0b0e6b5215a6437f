"""The state of a replay on the screen: the frame, the viewer, the orientation.  Knows no screen."""

from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from arbiter.record import Record
from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.replay.acts import PlayedAct
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import VIEWERS, Viewer
from arbiter.show.replay.replay import NO_LOG, Replay
from arbiter.show.watch.source import LiveGame
from arbiter.transcript import GameLog
from protocol.words import OPPONENT, RED, Seat

SPEEDS: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)  # plies a second
USUAL_SPEED: Final = 2.0


class ViewSettings(Struct, frozen=True, kw_only=True):
    """Settings for showing games."""

    viewer: Viewer = "arbiter"
    speed: float = USUAL_SPEED
    """Plies a second."""
    lang: str = DEFAULT_LANGUAGE
    """Language of the names of the pieces."""


class ReplayState:
    """A game on the screen.  A game in progress (`live`) opens at its newest act, others at the setup.

    Raises RecordError if the record cannot be shown, and ConfigError.
    """

    def __init__(
        self, record: Record, settings: ViewSettings, live: LiveGame | None = None, log: GameLog = NO_LOG
    ) -> None:
        self._log = log
        self.live = live if live is not None and live.in_progress else None
        self._lang = settings.lang
        self.viewer: Viewer = settings.viewer
        self.replay = self._make_replay(record)
        self.number = self.replay.last if self.in_progress else 0
        self.speed = settings.speed
        self.bottom: Seat = RED

    @property
    def in_progress(self) -> bool:
        """True while the game is still being played."""
        return self.live is not None and self.live.in_progress

    @property
    def is_broken_off(self) -> bool:
        """True if the game was voided while it was watched."""
        return self.live is not None and self.live.state == "broken off"

    @property
    def frame(self) -> Frame:
        """The frame on the screen."""
        return self.replay.frame(self.number, self.viewer)

    @property
    def is_at_end(self) -> bool:
        """True if the last frame is on the screen."""
        return self.number == self.replay.last

    def update(self) -> bool:
        """Add the acts played since the last call and return True if anything has changed.

        If the last frame is on the screen, the new last frame takes its place.
        Raises RecordError and ConfigError.
        """
        if self.live is None or not self.in_progress:
            return False
        was_at_end = self.is_at_end
        record = self.live.read()
        if record is None:
            self.replay.in_progress = self.in_progress
        elif self.in_progress:
            self.replay.extend(record)
        else:
            self.replay = self._make_replay(record)
        if was_at_end:
            self.number = self.replay.last
        return record is not None or not self.in_progress

    def _make_replay(self, record: Record) -> Replay:
        replay = Replay(record, self._lang, self._log, in_progress=self.in_progress)
        if fault := replay.fault(self.viewer):
            raise fault
        return replay

    def go_to(self, number: int) -> None:
        """Show a frame, or the nearest one."""
        self.number = max(0, min(number, self.replay.last))

    def jump(self, matches: Callable[[PlayedAct], bool], step: Literal[1, -1]) -> bool:
        """Show the nearest frame whose act matches; return False if there is none."""
        found = self.replay.find_nearest(self.number, matches, step)
        if found is not None:
            self.number = found
        return found is not None

    def next_viewer(self) -> None:
        """Switch to the next viewer."""
        self.viewer = VIEWERS[(VIEWERS.index(self.viewer) + 1) % len(VIEWERS)]

    def flip(self) -> None:
        """Turn the board round."""
        self.bottom = OPPONENT[self.bottom]

    def play_faster(self) -> None:
        """Set the next higher speed."""
        self.speed = next((speed for speed in SPEEDS if speed > self.speed), self.speed)

    def play_slower(self) -> None:
        """Set the next lower speed."""
        self.speed = next((speed for speed in reversed(SPEEDS) if speed < self.speed), self.speed)
