"""Tables of text that fit the width of a terminal."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Final, Literal
from unicodedata import east_asian_width

from msgspec import Struct
from msgspec.structs import replace

FILLER: Final = "\0"  # is in no text, because it is escaped
_SPACE: Final = 2  # between columns
_NARROWEST: Final = 8  # width to which names are shortened
_NARROWEST_WORDS: Final = 16  # width to which sentences are wrapped
_NOTHING: Final = ("", "0")

Width = Literal["keep", "shrink", "drop", "spare"]
"""Rule for a column if there is little room.

keep: nothing, it is always shown in full; shrink: names are shortened, and sentences wrapped; drop: it stays as wide as
it is; spare: it is left out, because another column contains it.  Both `shrink` and `drop` columns are left out of a
narrow terminal if they contain nothing or only zeros, and of the cards that a phone shows instead of a table unless
they identify the row.
"""


def fill(text: str) -> str:
    """Add a filler to each character that takes two columns of a terminal, such as most of Chinese and Japanese."""
    if text.isascii():
        return text
    return "".join(f"{sign}{FILLER}" if east_asian_width(sign) in ("W", "F") else sign for sign in text)


def measure(text: str) -> int:
    """Return the width of a text on a terminal: that of its longest line."""
    return max(len(fill(line)) for line in text.split("\n"))


def count_keys(align: Sequence[str]) -> int:
    """Count the first columns that identify a row: up to the first one with text."""
    return align.index("left") + 1 if "left" in align[:3] else 1


class TextTable(Struct, frozen=True):
    """The cells of a table as text; each may have several lines."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: tuple[str, ...]
    """Alignment of each column: left or right."""
    rules: tuple[Width, ...]

    def columns(self) -> list[tuple[str, ...]]:
        """Return the columns, with their heads."""
        return list(zip(self.head, *self.rows, strict=True))

    def widths(self) -> list[int]:
        """Return the widths of the columns."""
        return [max(map(measure, column)) for column in self.columns()]

    def select(self, columns: Sequence[int]) -> "TextTable":
        """Return some of the columns."""
        head, align, *rows = (tuple(row[column] for column in columns) for row in (self.head, self.align, *self.rows))
        return TextTable(head, tuple(rows), align, tuple(self.rules[column] for column in columns))

    def fit(self, width: int) -> list["TextTable"]:
        """Return a table that fits a width.

        Heads are wrapped, columns of zeros are left out, sentences are wrapped at words, and names are shortened.  If
        that is not enough, the table is split into several with the same first columns.
        """

        def is_too_wide() -> bool:
            return sum(table.widths()) + _SPACE * (len(table.head) - 1) > width

        table = self
        if not is_too_wide():
            return [table]
        keys = count_keys(table.align)
        table = replace(table, head=tuple(head.replace(" ", "\n").replace("-", "-\n") for head in table.head))
        if is_too_wide() and table.rows:
            used = [
                place
                for place, column in enumerate(table.columns())
                if place < keys
                or table.rules[place] == "keep"
                or (table.rules[place] != "spare" and any(cell not in _NOTHING for cell in column[1:]))
            ]
            table = table.select(used)
        while is_too_wide():
            narrower = table.narrow()
            if narrower is None:
                return table.split(keys, width)
            table = narrower
        return [table]

    def narrow(self) -> "TextTable | None":
        """Make the widest column that may shrink narrower by one; None if there is none.

        A sentence is wrapped at words, a name ends in an ellipsis.
        """
        candidates = []
        widths = self.widths()
        for place, column in enumerate(self.columns()):
            is_sentence = any(" " in cell or "\n" in cell for cell in column[1:])
            if self.rules[place] == "shrink" and widths[place] > (_NARROWEST_WORDS if is_sentence else _NARROWEST):
                candidates.append((widths[place], place))
        if not candidates:
            return None
        widest, place = max(candidates)
        rows = ((*row[:place], _narrow(row[place], widest - 1), *row[place + 1 :]) for row in self.rows)
        return replace(self, rows=tuple(rows))

    def split(self, keys: int, width: int) -> list["TextTable"]:
        """Split the table into several that fit a width, each with the first `keys` columns."""
        widths = self.widths()
        parts: list[list[int]] = []
        room = 0
        for place in range(keys, len(self.head)):
            needed = widths[place] + _SPACE
            if not parts or needed > room:
                parts.append(list(range(keys)))
                room = width - sum(widths[:keys]) - _SPACE * (keys - 1)
            parts[-1].append(place)
            room -= needed
        return [self.select(part) for part in parts] or [self]


def _narrow(cell: str, width: int) -> str:
    if measure(cell) <= width:
        return cell
    is_sentence = " " in cell or "\n" in cell
    lines = (
        wrap(cell.replace("\n", " "), width, break_long_words=False, break_on_hyphens=False) if is_sentence else [cell]
    )
    for number, line in enumerate(lines):
        if measure(line) > width:
            text = line.removesuffix("…")
            while text and measure(text) >= width:
                text = text[:-1]
            lines[number] = f"{text}…"
    return "\n".join(lines)
