"""The widgets of screens: a game, the help, the question for a ply, notices of failures; and keys as bindings."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, Final, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import Click, MouseEvent, MouseScrollDown, MouseScrollUp
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.validation import Integer
from textual.widget import Widget
from textual.widgets import Input, Static

from arbiter.errors import ConfigError
from arbiter.record import RecordError
from arbiter.show.boards import write_rank
from arbiter.show.keys import Key, select_keys
from arbiter.show.language import ENGLISH, SentenceWriter
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.board import LEGEND
from arbiter.show.screen.canvas import LOOKS, MONO
from arbiter.show.screen.screen import Screen, ScreenPainter
from arbiter.show.text import plain
from arbiter.show.watch.state import ReplayState
from protocol.words import RED, SEATS


def make_bindings(keys: Iterable[Key], sentences: SentenceWriter = ENGLISH) -> list[BindingType]:
    """Bind the keys of the terminal to their actions, with the words of the footer."""
    return [
        Binding(
            key.keys,
            key.action,
            sentences.write_key(f"footer_{key.text}") if key.has_footer else "",
            key_display=key.written.split()[0],
            show=key.has_footer,
        )
        for key in select_keys(keys, "terminal")
    ]


class Help(ModalScreen[None]):
    """All keys, the signs on the board, and the names of the pieces."""

    CSS = """
    Help { align: center middle; }
    Help VerticalScroll { width: 78; height: 90%; border: round $secondary; padding: 0 1; }
    Help Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "close"),
        Binding("ctrl+c,ctrl+q", "app.interrupt", show=False),
    ]

    def __init__(self, keys: Sequence[Key], sentences: SentenceWriter, replay: Replay | None = None) -> None:
        super().__init__()
        lines = [f"{key.written:<9}{sentences.write_key(key.text)}" for key in select_keys(keys, "terminal")]
        if replay is not None:
            lines += ["", *(f"{sign:<9}{sentences.write(f'legend_{key}')}" for key, sign in LEGEND.items()), ""]
            for rank in filter(replay.rules.army.get, replay.labels[RED]):
                red, blue = (replay.labels[seat][rank] for seat in SEATS)
                lines.append(f"{write_rank(rank):<9}{red}" + ("" if red == blue else f" / {blue}"))
        self._text = Text("\n".join([*lines, "", sentences.write("closes")]))

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self._text)


class AskPly(ModalScreen[int | None]):
    """Ask for a ply; the result is its number, or None."""

    CSS = """
    AskPly { align: center middle; }
    AskPly Vertical { width: 40; height: 5; border: round $secondary; padding: 0 1; }
    AskPly Input { border: none; height: 1; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "cancel"),
        Binding("ctrl+c,ctrl+q", "app.interrupt", show=False, priority=True),
    ]

    def __init__(self, last: int, sentences: SentenceWriter, typed: str = "") -> None:
        super().__init__()
        self._last = last
        self._sentences = sentences
        self._typed = typed

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._sentences.write("ask_ply", last=str(self._last)), markup=False)
            yield Input(self._typed, restrict="[0-9]{0,9}", validators=[Integer()], select_on_focus=False)
            yield Static(self._sentences.write("ask_keys"), markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(int(event.value) if event.value else None)


class FailureNotice:
    """Notices of failures on a screen; a failure that repeats is shown once."""

    def __init__(self, screen: Widget) -> None:
        self._screen = screen
        self._last = ""

    @contextmanager
    def show_once(self) -> Iterator[None]:
        """Show a ConfigError or RecordError, unless it was shown before, and continue after the block."""
        try:
            yield
        except (ConfigError, RecordError) as error:
            if str(error) != self._last:
                self._screen.notify(plain(str(error)), severity="error", markup=False)
            self._last = str(error)

    def forget(self) -> None:
        """Show the next failure even if it was shown before."""
        self._last = ""


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
