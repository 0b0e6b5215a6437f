"""The state of a replay on the screen: the frame, the viewer, the orientation.  Knows no screen."""

from typing import Final, Literal

from msgspec.structs import replace

from arbiter.record import Record
from arbiter.show.boards import Square
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.plain_text import make_grid
from arbiter.show.replay.replay import NO_LOG, Replay
from arbiter.show.screen.board import ScreenMoment
from arbiter.show.screen.canvas import ScreenLook
from arbiter.show.watch.source import LiveGame, ViewSettings
from arbiter.transcript import GameLog
from protocol.words import RED, Seat

SPEEDS: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)  # plies a second


class ReplayState:
    """A game on the screen.  A game in progress (`live`) opens at its newest act, others at the setup.

    Raises RecordError if the record cannot be shown, and ConfigError.
    """

    def __init__(
        self, record: Record, settings: ViewSettings, live: LiveGame | None = None, log: GameLog = NO_LOG
    ) -> None:
        self._log = log
        self._settings = settings
        self.live = live if live is not None and live.in_progress else None
        self.viewer: Viewer = settings.viewer
        self.replay = self._make_replay(record)
        self.number = self.replay.last if self.in_progress else 0
        self.speed = settings.speed
        self.animates = settings.animates
        self.is_playing = False
        self.bottom: Seat = RED
        self.selected: Square | None = None
        self.fight_step = 0
        self.first_turn: int | None = None
        self.text_scrolled = 0
        self.shows_reports = False

    @property
    def in_progress(self) -> bool:
        """True while the game is still being played."""
        return self.live is not None and self.live.in_progress

    @property
    def settings(self) -> ViewSettings:
        """The settings with which another game looks like this one."""
        return replace(self._settings, viewer=self.viewer, speed=self.speed, animates=self.animates)

    def moment(self, look: ScreenLook) -> ScreenMoment:
        """Return what the screen shows now."""
        progress = ""
        if self.in_progress:
            text = "now_playing" if self.is_at_end else "now_playing_behind"
            progress = f"{self.replay.sentences.write(text)} · "
        return ScreenMoment(
            number=self.number,
            viewer=self.viewer,
            bottom=self.bottom,
            look=look,
            state=progress,
            pace=f"▶ {self.speed:g}/s" if self.is_playing else "",
            selected=self.selected,
            fight_step=self.fight_step,
            first_turn=self.first_turn,
            shows_reports=self.shows_reports,
            text_scrolled=self.text_scrolled,
        )

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
            self.fight_step = 0
        return record is not None or not self.in_progress

    def _make_replay(self, record: Record) -> Replay:
        replay = Replay(record, self._settings.lang, self._log, in_progress=self.in_progress)
        if fault := replay.fault(self.viewer):
            raise fault
        return replay

    def go_to(self, number: int) -> None:
        """Show a frame, or the nearest one."""
        self.number = max(0, min(number, self.replay.last))
        self.fight_step = self.text_scrolled = 0
        self.first_turn = None

    def select(self, square: Square | None) -> None:
        """Select a square; select none if it was selected."""
        is_same = self.selected is not None and square is not None and self.selected.is_at(square)
        self.selected = None if is_same else square

    def move_selection(self, right: int, down: int) -> None:
        """Select the square so many columns and rows away; the first one is where the last act went."""
        grid = make_grid(self.replay.frame(self.number, self.viewer), self.bottom)
        at = None if self.selected is None else grid.position(self.selected)
        if at is None:
            self.selected = grid.marked() or grid.rows[len(grid.rows) // 2].squares[0]
        else:
            row = max(0, min(at[0] + down, len(grid.rows) - 1))
            squares = grid.rows[row].squares
            self.selected = squares[max(0, min(at[1] + right, len(squares) - 1))]

    def change_speed(self, step: Literal[1, -1]) -> None:
        """Set the next higher speed, or the next lower one by step -1."""
        self.speed = next((speed for speed in SPEEDS[::step] if speed * step > self.speed * step), self.speed)
