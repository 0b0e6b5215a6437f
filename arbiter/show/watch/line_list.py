"""A list of any length."""

from collections.abc import Callable
from typing import Final

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

WriteLine = Callable[[int], str]
_CURSOR: Final = Style(reverse=True)
_CONTEXT: Final = 2  # lines that stay visible above and below the cursor


class LineList(ScrollView, can_focus=False):
    """A list with a cursor; a line is written only when it becomes visible."""

    DEFAULT_CSS = "LineList { scrollbar-size: 1 1; overflow-x: hidden; overflow-y: scroll; }"

    class Chosen(Message):
        """A click on a line."""

        def __init__(self, lines: "LineList", number: int) -> None:
            super().__init__()
            self.lines = lines
            self.number = number

        @property
        def control(self) -> "LineList":
            """The list that contains the line."""
            return self.lines

    def __init__(self, *, id: str) -> None:  # noqa: A002 - the name that textual uses
        super().__init__(id=id)
        self.count = 0
        self.cursor = 0
        self._write: WriteLine = str

    def fill(self, count: int, write: WriteLine, cursor: int = 0) -> None:
        """Show `count` lines; `write` returns the text of a line by its number.

        The cursor stays visible, unless the user has scrolled away from it.
        """
        # Before the first layout the list has no height.
        was_visible = not self.size.height or 0 <= self.cursor - self.scroll_offset.y < self.size.height
        self.count = count
        self._write = write
        self.virtual_size = Size(self.size.width, count)
        self.refresh()
        self._set_cursor(cursor)
        if was_visible:
            self._scroll_to_cursor()

    def move_to(self, number: int) -> None:
        """Move the cursor to a line, or to the nearest one, and make it visible."""
        self._set_cursor(number)
        self._scroll_to_cursor()

    def on_resize(self) -> None:
        self._scroll_to_cursor()

    def _set_cursor(self, number: int) -> None:
        before = self.cursor
        self.cursor = max(0, min(number, self.count - 1))
        for line in (before, self.cursor):
            self.refresh(Region(0, line - self.scroll_offset.y, self.size.width, 1))

    def _scroll_to_cursor(self) -> None:
        around = Region(0, max(0, self.cursor - _CONTEXT), 1, 2 * _CONTEXT + 1)
        self.scroll_to_region(around, animate=False, force=True, immediate=True)

    def render_line(self, y: int) -> Strip:
        """Render the line at a height below the upper edge."""
        number = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if number >= self.count:
            return Strip.blank(width, self.rich_style)
        style = self.rich_style + _CURSOR if number == self.cursor else self.rich_style
        return Strip([Segment(set_cell_size(self._write(number), width), style)], width)

    def on_click(self, event: Click) -> None:
        number = event.y + self.scroll_offset.y
        if number < self.count:
            self.post_message(self.Chosen(self, number))
