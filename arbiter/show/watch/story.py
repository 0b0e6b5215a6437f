"""The list of the turning points of a game on the screen."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import OptionList

from arbiter.show.text import plain


class StoryScreen(ModalScreen[int | None]):
    """Choose one of several frames by its text; the result is its number, or None."""

    CSS = """
    StoryScreen { align: center middle; }
    StoryScreen OptionList { width: 76; height: auto; max-height: 90%; border: round $secondary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,v", "dismiss", "cancel"),
        Binding("j", "cursor(1)", show=False),
        Binding("k", "cursor(-1)", show=False),
        Binding("ctrl+c,ctrl+q", "app.interrupt", show=False, priority=True),
    ]

    def __init__(self, title: str, frames: Sequence[tuple[int, str]], current: int) -> None:
        super().__init__()
        self._title = title
        self._numbers = [number for number, _ in frames]
        self._list = OptionList(*(Text(plain(text)) for _, text in frames))
        self._current = current

    def compose(self) -> ComposeResult:
        yield self._list

    def on_mount(self) -> None:
        """Begin at the last one before the current frame."""
        self._list.border_title = self._title
        self._list.highlighted = max(0, sum(number <= self._current for number in self._numbers) - 1)
        self._list.focus()

    def action_cursor(self, step: int) -> None:
        """Go down, or up by step -1."""
        (self._list.action_cursor_down if step > 0 else self._list.action_cursor_up)()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._numbers[event.option_index])
