"""Tables that fit the width of a terminal."""

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

Rows = Sequence[Sequence[str]]
_SPACE: Final = 2  # between columns
_NARROWEST: Final = 8  # width to which names are shortened
_NARROWEST_WORDS: Final = 16  # width to which sentences are wrapped
_NOTHING: Final = ("", "0")

Width = Literal["keep", "shrink", "drop"]
"""Rule for a column if there is little room.

keep: nothing, it is always shown in full; shrink: names are shortened, and sentences wrapped; drop: it is left out on
phones.  Both `shrink` and `drop` columns are left out of a narrow terminal if they contain nothing or only zeros.
"""


class TextTable(Struct, frozen=True):
    """The cells of a table as text; each may have several lines."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: tuple[str, ...]
    """Alignment of each column: left or right."""
    widths: tuple[Width, ...]

    def columns(self) -> list[tuple[str, ...]]:
        """Return the columns, with their heads."""
        return list(zip(self.head, *self.rows, strict=True))

    def select(self, columns: Sequence[int]) -> "TextTable":
        """Return some of the columns."""
        return TextTable(
            tuple(self.head[column] for column in columns),
            tuple(tuple(row[column] for column in columns) for row in self.rows),
            tuple(self.align[column] for column in columns),
            tuple(self.widths[column] for column in columns),
        )


def fit(table: TextTable, width: int, measure: Callable[[str], int]) -> list[TextTable]:
    """Make a table fit a width; `measure` returns the width of a text of one line.

    Heads are wrapped, columns of zeros are left out, sentences are wrapped at words, and names are shortened.  If that
    is not enough, the table is split into several with the same first columns.
    """

    def widths() -> list[int]:
        return [max(measure(line) for cell in column for line in cell.split("\n")) for column in table.columns()]

    def is_too_wide() -> bool:
        return sum(widths()) + _SPACE * (len(table.head) - 1) > width

    if not is_too_wide():
        return [table]
    keys = count_keys(table.align)
    table = replace(table, head=tuple(head.replace(" ", "\n").replace("-", "-\n") for head in table.head))
    if is_too_wide() and table.rows:
        used = [
            place
            for place, column in enumerate(table.columns())
            if place < keys or table.widths[place] == "keep" or any(cell not in _NOTHING for cell in column[1:])
        ]
        table = table.select(used)
    while is_too_wide():
        found = _find_widest(table, widths())
        if found is None:
            return _split(table, keys, widths(), width)
        place, wanted = found
        table = replace(table, rows=tuple(_narrow(row, place, wanted, measure) for row in table.rows))
    return [table]


def count_keys(align: Sequence[str]) -> int:
    """Count the first columns that identify a row: up to the first one with text."""
    return align.index("left") + 1 if "left" in align[:3] else 1


def _find_widest(table: TextTable, widths: Sequence[int]) -> tuple[int, int] | None:
    """Return the column to make narrower next and its new width; None if there is none."""
    candidates = []
    for place, column in enumerate(table.columns()):
        is_sentence = any(" " in cell or "\n" in cell for cell in column[1:])
        narrowest = _NARROWEST_WORDS if is_sentence else _NARROWEST
        if table.widths[place] == "shrink" and widths[place] > narrowest:
            candidates.append((widths[place], place, narrowest))
    if not candidates:
        return None
    widest, place, narrowest = max(candidates)
    return place, max(narrowest, widest - 1)


def _narrow(row: tuple[str, ...], place: int, width: int, measure: Callable[[str], int]) -> tuple[str, ...]:
    """Make a cell of a row narrower: a sentence is wrapped at words, a name ends in an ellipsis."""
    cell = row[place]
    if max(map(measure, cell.split("\n"))) <= width:
        return row
    if " " in cell or "\n" in cell:
        lines = wrap(cell.replace("\n", " "), width, break_long_words=False, break_on_hyphens=False)
    else:
        lines = [cell]
    shortened = "\n".join(_shorten(line, width, measure) for line in lines)
    return (*row[:place], shortened, *row[place + 1 :])


def _shorten(text: str, width: int, measure: Callable[[str], int]) -> str:
    if measure(text) <= width:
        return text
    text = text.removesuffix("…")
    while text and measure(text) >= width:
        text = text[:-1]
    return f"{text}…"


def _split(table: TextTable, keys: int, widths: Sequence[int], width: int) -> list[TextTable]:
    """Split a table into several that fit, each with the first columns."""
    parts: list[list[int]] = []
    room = 0
    for place in range(keys, len(table.head)):
        needed = widths[place] + _SPACE
        if not parts or needed > room:
            parts.append(list(range(keys)))
            room = width - sum(widths[:keys]) - _SPACE * (keys - 1)
        parts[-1].append(place)
        room -= needed
    return [table.select(part) for part in parts] or [table]
