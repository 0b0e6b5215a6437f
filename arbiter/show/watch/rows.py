"""A list of any length of which only the lines on the screen are written."""

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

_CURSOR: Final = Style(reverse=True)
_CONTEXT: Final = 2  # lines to be seen above and below the cursor
Write = Callable[[int], str]


class Rows(ScrollView, can_focus=False):
    """Lines that are written when they come into sight; one of them, reversed, is where the cursor is."""

    DEFAULT_CSS = "Rows { scrollbar-size: 1 1; overflow-x: hidden; overflow-y: scroll; }"

    class Chosen(Message):
        """A line was clicked."""

        def __init__(self, rows: "Rows", number: int) -> None:
            super().__init__()
            self.rows = rows
            self.number = number

        @property
        def control(self) -> "Rows":
            """The list it is a line of."""
            return self.rows

    def __init__(self, *, id: str) -> None:  # noqa: A002 - textual's word
        super().__init__(id=id)
        self.count = 0
        self.cursor = 0
        self._write: Write = str

    def fill(self, count: int, write: Write, cursor: int = 0) -> None:
        """Show so many lines, each written by number when it is needed.

        The cursor stays in sight, unless one has scrolled to see other lines.
        """
        was_in_sight = self._is_in_sight()
        self.count, self._write = count, write
        self.virtual_size = Size(self.size.width, count)
        self.refresh()
        self._put_cursor(cursor)
        if was_in_sight:
            self._bring_into_sight()

    def move_to(self, number: int) -> None:
        """Put the cursor on a line, or the one nearest to it, and bring it into sight."""
        self._put_cursor(number)
        self._bring_into_sight()

    def point_at(self, number: int) -> None:
        """Put the cursor on a line if it is not there already."""
        if number != self.cursor:
            self.move_to(number)

    def on_resize(self) -> None:
        """Bring the cursor into sight."""
        self._bring_into_sight()

    def _put_cursor(self, number: int) -> None:
        before, self.cursor = self.cursor, max(0, min(number, self.count - 1))
        for line in (before, self.cursor):
            self.refresh_line(line)

    def _is_in_sight(self) -> bool:
        return not self.size.height or 0 <= self.cursor - self.scroll_offset.y < self.size.height

    def _bring_into_sight(self) -> None:
        around = Region(0, max(0, self.cursor - _CONTEXT), 1, 2 * _CONTEXT + 1)
        self.scroll_to_region(around, animate=False, force=True, immediate=True)

    def refresh_line(self, number: int) -> None:
        """Write a line anew if it is in sight."""
        self.refresh(Region(0, number - self.scroll_offset.y, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        """Write the line that stands so far below the upper edge."""
        number, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if number >= self.count:
            return Strip.blank(width, self.rich_style)
        style = self.rich_style + _CURSOR if number == self.cursor else self.rich_style
        return Strip([Segment(set_cell_size(self._write(number), width), style)], width)

    def on_click(self, event: Click) -> None:
        """Tell which line was clicked."""
        number = event.y + self.scroll_offset.y
        if number < self.count:
            self.post_message(self.Chosen(self, number))
