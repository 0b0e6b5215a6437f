"""A table in any output format: text for terminals, Markdown, CSV and JSON.

A cell may contain foreign text, such as the name of a bot.  Each format escapes it.
"""

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final
from unicodedata import east_asian_width

from msgspec import Struct

from arbiter.show.tables.fitted import TextTable, fit
from arbiter.show.text import json_line, number, plain


class Coded(Struct, frozen=True):
    """A cell with words for people, and the code for programs that they stand for: CSV contains the code."""

    code: str
    words: str


Cell = str | float | Coded | None


class Sheet(Struct, frozen=True, kw_only=True):
    """A table."""

    title: str
    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    objects: tuple[Mapping[str, Any], ...]
    """The content for programs: JSON Lines."""
    notes: tuple[str, ...] = ()
    """Sentences for people below the table."""


def write_sheets(sheets: Sequence[Sheet], form: str, width: int | None = None) -> str:
    """Write sheets in one of the FORMATS, without a newline at the end.  Raises KeyError.

    Tables of text fit `width` columns of a terminal.  Default: as wide as they are.
    """
    return FORMATS[form](sheets) if width is None or form != "table" else _write_fitted(sheets, width)


def _write_tables(sheets: Sequence[Sheet]) -> str:
    return "\n\n".join(_tabulate(plain(sheet.title), sheet, "simple", plain) for sheet in sheets)


def _write_fitted(sheets: Sequence[Sheet], width: int) -> str:
    """Write tables that fit a width: without the padding of heads, and narrower if necessary."""
    import tabulate  # noqa: PLC0415 - slow to import, and not every command shows a table

    parts = []
    for sheet in sheets:
        cells = _write_cells(sheet, plain)
        tables = [_draw(cells, "simple")]
        if max(map(_measure, tables[0].split("\n"))) > width:
            padding, tabulate.MIN_PADDING = tabulate.MIN_PADDING, 0
            try:
                tables = [_draw(part, "simple") for part in fit(cells, width, _measure)]
            finally:
                tabulate.MIN_PADDING = padding
        notes = [wrap_words("\n".join(map(plain, sheet.notes)), width)] if sheet.notes else []
        parts += [wrap_words(plain(sheet.title), width), *tables, *notes]
    return "\n\n".join(parts)


def wrap_words(text: str, width: int, indent: str = "") -> str:
    """Wrap lines at words; those that continue a line begin with `indent`."""
    return "\n".join(
        "\n".join(wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""])
        for line in text.split("\n")
    )


def _measure(text: str) -> int:
    """Return the width of a line on a terminal."""
    return len(_fill(text))


def _write_markdown(sheets: Sequence[Sheet]) -> str:
    return "\n\n".join(
        _tabulate(f"## {_escape_markdown(sheet.title)}", sheet, "pipe", _escape_markdown) for sheet in sheets
    )


def _tabulate(title: str, sheet: Sheet, style: str, escape: Callable[[str], str]) -> str:
    table = _draw(_write_cells(sheet, escape), style)
    notes = ["\n".join(map(escape, sheet.notes))] if sheet.notes else []
    return "\n\n".join([title, table, *notes])


def _write_cells(sheet: Sheet, escape: Callable[[str], str]) -> TextTable:
    """Write the cells of a sheet; columns of numbers are aligned right."""
    columns = list(zip(*sheet.rows, strict=True)) or [()] * len(sheet.head)
    return TextTable(
        tuple(_write_cell(cell, escape) for cell in sheet.head),
        tuple(tuple(_write_cell(cell, escape) for cell in row) for row in sheet.rows),
        tuple("left" if any(isinstance(cell, str | Coded) for cell in column) else "right" for column in columns),
    )


def _draw(table: TextTable, style: str) -> str:
    from tabulate import tabulate  # noqa: PLC0415 - slow to import, and not every command shows a table

    rows = [[_fill(cell) for cell in row] for row in table.rows]
    head = [_fill(cell) for cell in table.head]
    align = table.align if rows else None
    return tabulate(rows, head, tablefmt=style, disable_numparse=True, colalign=align).replace(_FILLER, "")


_FILLER: Final = "\0"  # is in no text, because it is escaped


def _fill(text: str) -> str:
    """Add a filler to each character that takes two columns of a terminal, such as most of Chinese and Japanese."""
    if text.isascii():
        return text
    return "".join(f"{sign}{_FILLER}" if east_asian_width(sign) in ("W", "F") else sign for sign in text)


def _write_cell(cell: Cell, escape: Callable[[str], str]) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Coded):
        return escape(cell.words)
    return escape(cell) if isinstance(cell, str) else number(cell)


_MARKDOWN_SIGNS: Final = re.compile(r"[\\`*\[\]<>|~&#]|(?<![^\W_])_|_(?![^\W_])")


def _escape_markdown(text: str) -> str:
    """Escape the signs of Markdown; an underscore within a word is not one of them."""
    return _MARKDOWN_SIGNS.sub(r"\\\g<0>", plain(text))


def _write_csv(sheets: Sequence[Sheet]) -> str:
    parts = []
    for sheet in sheets:
        out = io.StringIO()
        rows = (
            [_write_cell(cell.code if isinstance(cell, Coded) else cell, _escape_formula) for cell in row]
            for row in (sheet.head, *sheet.rows)
        )
        csv.writer(out, lineterminator="\n").writerows(rows)
        parts.append(out.getvalue().rstrip("\n"))
    return "\n\n".join(parts)


def _escape_formula(text: str) -> str:
    """Prevent that a spreadsheet reads a text as a formula."""
    shown = plain(text)  # which also escapes tabs and line ends at the start
    return f"'{shown}" if shown.startswith(("=", "+", "-", "@")) else shown


def _write_json(sheets: Sequence[Sheet]) -> str:
    return "\n".join(json_line(line) for sheet in sheets for line in sheet.objects)


FORMATS: Final[dict[str, Callable[[Sequence[Sheet]], str]]] = {
    "table": _write_tables,
    "markdown": _write_markdown,
    "csv": _write_csv,
    "json": _write_json,
}
