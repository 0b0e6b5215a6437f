"""What lies over the screen for a moment: the help, and the question which ply to go to."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.validation import Integer
from textual.widgets import Input, Static

from arbiter.show.boards import LEGEND, sign
from arbiter.show.replay.replay import Replay
from arbiter.show.watch.keys import Key
from protocol.words import RED, SEATS


class Help(ModalScreen[None]):
    """All keys, the signs on the board, the names of the pieces."""

    CSS = """
    Help { align: center middle; }
    Help VerticalScroll { width: 78; height: 90%; border: round; padding: 0 1; }
    Help Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "close"),
        Binding("ctrl+c,ctrl+q", "app.interrupt", show=False),
    ]

    def __init__(self, keys: Sequence[Key], reel: Replay | None = None) -> None:
        super().__init__()
        self._text = Text("\n".join([*_keys(keys), *(_signs(reel) if reel else ()), "", "Esc closes this."]))

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with VerticalScroll():
            yield Static(self._text)


def _keys(keys: Sequence[Key]) -> list[str]:
    return [f"{key.written:<9}{key.does}" for key in keys]


def _signs(reel: Replay) -> list[str]:
    ranks = (rank for rank in reel.labels[RED] if reel.rules.army.get(rank))
    named = [(sign(rank), *(reel.labels[seat][rank] for seat in SEATS)) for rank in ranks]
    return ["", *LEGEND.split(", "), "", *(_named(*names) for names in named)]


def _named(written: str, red: str, blue: str) -> str:
    return f"{written:<9}{red}" if red == blue else f"{written:<9}{red} / {blue}"


class AskPly(ModalScreen[int | None]):
    """Ask for a ply; gives its number, or None."""

    CSS = """
    AskPly { align: center middle; }
    AskPly Vertical { width: 40; height: 5; border: round; padding: 0 1; }
    AskPly Input { border: none; height: 1; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "cancel"),
        Binding("ctrl+c,ctrl+q", "app.interrupt", show=False, priority=True),
    ]

    def __init__(self, last: int, begun: str = "") -> None:
        super().__init__()
        self._last = last
        self._begun = begun

    def compose(self) -> ComposeResult:
        """Lay it out."""
        with Vertical():
            yield Static(f"Go to ply, 0 to {self._last}:", markup=False)
            yield Input(self._begun, restrict="[0-9]{0,9}", validators=[Integer()], select_on_focus=False)
            yield Static("Enter goes there, Esc does not.", markup=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give the ply, if one was typed."""
        self.dismiss(int(event.value) if event.value else None)
