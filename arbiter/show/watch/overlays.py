"""The keys of a screen as bindings, and its overlays: the help, the question for a ply, notices of failures."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.validation import Integer
from textual.widgets import Input, Static

from arbiter.errors import ConfigError
from arbiter.record import RecordError
from arbiter.show.boards import write_rank
from arbiter.show.keys import Key, select_keys
from arbiter.show.replay.replay import Replay
from arbiter.show.screen.board import LEGEND
from arbiter.show.text import plain
from protocol.words import RED, SEATS


def make_bindings(keys: Iterable[Key]) -> list[BindingType]:
    """Bind the keys of the terminal to their actions."""
    return [
        Binding(key.keys, key.action, key.footer, key_display=key.written.split()[0], show=bool(key.footer))
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

    def __init__(self, keys: Sequence[Key], replay: Replay | None = None) -> None:
        super().__init__()
        self._text = Text("\n".join(_write_help(keys, replay)))

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self._text)


def _write_help(keys: Sequence[Key], replay: Replay | None) -> Iterator[str]:
    yield from (f"{key.written:<9}{key.does}" for key in select_keys(keys, "terminal"))
    if replay is not None:
        yield from ("", *LEGEND, "")
        for rank in replay.labels[RED]:
            if replay.rules.army.get(rank):
                red, blue = (replay.labels[seat][rank] for seat in SEATS)
                yield f"{write_rank(rank):<9}{red}" + ("" if red == blue else f" / {blue}")
    yield from ("", "Esc closes this.")


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

    def __init__(self, last: int, typed: str = "") -> None:
        super().__init__()
        self._last = last
        self._typed = typed

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(f"Go to ply, 0 to {self._last}:", markup=False)
            yield Input(self._typed, restrict="[0-9]{0,9}", validators=[Integer()], select_on_focus=False)
            yield Static("Enter goes to the ply, Esc cancels.", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(int(event.value) if event.value else None)


class FailureNotice:
    """Notices of failures on a screen; a failure that repeats is shown once."""

    def __init__(self, screen: Screen[None]) -> None:
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
