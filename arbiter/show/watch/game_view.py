"""The screen of a game as a widget: it paints, and takes the mouse.  Knows no keys."""

from typing import Final, Literal

from textual.events import Click, MouseEvent, MouseScrollDown, MouseScrollUp
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from arbiter.show.screen.canvas import LOOKS, MONO
from arbiter.show.screen.screen import Screen, ScreenPainter
from arbiter.show.watch.state import ReplayState

_LINES_OF_WHEEL: Final = 3


class GameView(Widget):
    """The state of a replay on the screen."""

    DEFAULT_CSS = "GameView { width: 1fr; height: 1fr; }"

    def __init__(self, state: ReplayState) -> None:
        super().__init__()
        self._state = state
        self._painter = ScreenPainter(state.replay)
        self._screen: Screen | None = None
        self._is_stale = False

    def on_mount(self) -> None:
        self.watch(self.app, "theme", self.show, init=False)

    def on_resize(self) -> None:
        self._paint()

    def show(self) -> None:
        """Show the current frame: once, even if several keys were pressed."""
        if not self._is_stale:
            self._is_stale = True
            self.call_later(self._paint)

    def _paint(self) -> None:
        self._is_stale = False
        if self._painter.replay is not self._state.replay:
            self._painter = ScreenPainter(self._state.replay)
        look = MONO if self.app.no_color else LOOKS[self.app.theme]
        before = self._screen.lines if self._screen is not None else ()
        self._screen = self._painter.paint(self._state.moment(look), *self.size)
        self._state.text_scrolled = self._screen.text_scrolled
        lines = self._screen.lines
        if len(before) != len(lines):
            self.refresh()
        else:
            changed = (y for y, (old, new) in enumerate(zip(before, lines, strict=True)) if old != new)
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def render_line(self, y: int) -> Strip:
        """Render a line of the screen."""
        if self._screen is None or y >= len(self._screen.lines):
            return Strip.blank(self.size.width)
        return Strip(self._screen.lines[y])

    async def on_click(self, event: Click) -> None:
        """Select a square, or go to a move or to a place in a graph."""
        if self._screen is None:
            return
        square = self._screen.square_at(event.x, event.y)
        ply = self._screen.ply_at(event.x, event.y)
        number = self._screen.frame_at(event.x, event.y) if ply is None else self._state.replay.find_ply(ply)
        if square is not None:
            self._state.select(square)
            self.show()
        elif number is not None:
            await self.run_action(f"screen.go_to({number})")

    async def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        await self._turn_wheel(event, 1)

    async def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        await self._turn_wheel(event, -1)

    async def _turn_wheel(self, event: MouseEvent, step: Literal[1, -1]) -> None:
        """Scroll the list of moves or the text; elsewhere, go one step forward or back."""
        event.stop()
        layout = self._screen.layout if self._screen else None
        moves = self._screen.moves if self._screen else None
        if layout is not None and moves is not None and layout.moves.contains(event.x, event.y):
            self._state.first_turn = max(0, moves.first + step * _LINES_OF_WHEEL)
            self.show()
        elif layout is not None and layout.text.contains(event.x, event.y):
            await self.run_action(f"screen.scroll({step})")
        else:
            await self.run_action(f"screen.step({step})")
