"""The one description of a table, and its writers: text for terminals, Markdown, CSV and JSON.

The pages of a report and the live progress are made from the same description.  A cell may contain foreign text, such
as the name of a bot.  Each format escapes it.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from textwrap import wrap
from typing import Any, Final, Generic, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from arbiter.languages.phrase import Phrase, name_code
from arbiter.show.tables.fitted import FILLER, TextTable, Width, count_keys, fill, measure
from arbiter.show.text import json_line, list_counts, number, plain

Output = Literal["text", "csv", "json", "page", "progress"]
"""Outputs of a column: tables of text (terminal and Markdown), CSV, JSON, pages, and the progress of a run."""
Outputs = tuple[Output, ...]

EVERYWHERE: Final[Outputs] = ("text", "csv", "json", "page", "progress")
LISTED: Final[Outputs] = ("text", "csv", "json")
"""Neither on pages nor in the progress of a run."""
SHOWN: Final[Outputs] = ("text", "csv", "page", "progress")
"""Not in JSON, which contains the value in another form."""
JSON: Final[Outputs] = ("json",)


class Coded(Struct, frozen=True):
    """A cell with words for people, and the code for programs that they stand for: CSV and JSON contain the code."""

    code: str
    words: str


Cell = str | float | Coded | None
_Item = TypeVar("_Item")


class Column(Struct, Generic[_Item], frozen=True):
    """A column of a table whose rows are made from items, such as `Standing`."""

    key: str
    """Name in JSON."""
    title: str | None = None
    """Key of the head, or its words if no page shows the column.  Default: the key."""
    value: Callable[[_Item], Any] | None = None
    """The value of an item: a cell, or what JSON contains.  Default: the attribute or the entry with this key."""
    text: Callable[[_Item], Any] | None = None
    """The cell of an item in the other outputs, if it differs from that of the value."""
    align: Literal["left", "right"] = "right"
    width: Width | None = None
    """Rule if there is little room.  Default: `shrink` on the left, `drop` on the right."""
    on: Outputs = EVERYWHERE
    is_optional: bool = False
    """Zeros are not shown, and the column is left out if it contains nothing else; JSON always contains it."""
    is_name: bool = False
    """The title is not a key but a name, which no language translates."""
    tone: Literal["", "strong", "warn"] = ""
    """Emphasis on pages and in the progress; `warn` except for zeros."""

    @property
    def head(self) -> str:
        """The head; pages begin it with a capital."""
        title = self.key if self.title is None else self.title
        return title if self.is_name else name_code(title)

    @property
    def rule(self) -> Width:
        """The rule if there is little room."""
        return self.width or ("shrink" if self.align == "left" else "drop")

    def read(self, item: _Item) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value of an item."""
        if self.value is not None:
            return self.value(item)
        return item[self.key] if isinstance(item, Mapping) else getattr(item, self.key)

    def cell(self, item: _Item) -> Cell:
        """Return the cell of an item for all outputs but JSON; lists are joined."""
        value = self.read(item) if self.text is None else self.text(item)
        if isinstance(value, Mapping):
            value = list_counts(value)
        if isinstance(value, list | tuple):
            value = ", ".join(map(str, value))
        if isinstance(value, bool):
            value = "yes" if value else "no"
        cell: Cell = None if self.is_optional and not value else value
        return cell


class Sheet(Struct, frozen=True, kw_only=True):
    """A table."""

    title: str
    """A phrase, or a name; this is also true of notes and of cells."""
    columns: Sequence[Column[Any]]
    items: Sequence[Any]
    """One for each row."""
    most_rows: int | None = None
    """Number of rows outside JSON.  Default: all."""
    kind: str = ""
    """The value of `type` in JSON; '' = none."""
    notes: tuple[str, ...] = ()
    """Sentences for people below the table."""
    data: Sequence[Mapping[str, Any]] | None = None
    """The content of JSON, if it is not one object for each row with the columns as keys."""

    def select(self, output: Output) -> list[Column[Any]]:
        """Return the columns of an output."""
        return [
            column
            for column in self.columns
            if output in column.on
            and (
                not column.is_optional or output == "json" or any(column.cell(item) is not None for item in self.items)
            )
        ]

    def cells(self, output: Output) -> list[tuple[Cell, ...]]:
        """Return the rows of an output."""
        columns = self.select(output)
        return [tuple(column.cell(item) for column in columns) for item in self.items[: self.most_rows]]

    def count_keys(self, output: Output) -> int:
        """Count the first columns of an output that identify a row."""
        return count_keys([column.align for column in self.select(output)])

    @property
    def head(self) -> tuple[str, ...]:
        """The heads in tables of text."""
        return tuple(column.head for column in self.select("text"))

    @property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        """The cells in tables of text."""
        return tuple(self.cells("text"))

    @property
    def objects(self) -> Sequence[Mapping[str, Any]]:
        """The content for programs: JSON Lines."""
        if self.data is not None:
            return self.data
        columns = self.select("json")
        kind = {"type": self.kind} if self.kind else {}
        values = ({column.key: column.read(item) for column in columns} for item in self.items)
        return [kind | {key: _encode(value) for key, value in one.items()} for one in values]

    def column(self, key: str) -> Column[Any]:
        """Return the column with a key.  Raises StopIteration."""
        return next(column for column in self.columns if column.key == key)

    def add(self, columns: Iterable[Column[Any]], after: str | None = None) -> "Sheet":
        """Add columns: after the one with a key, or at the end."""
        keys = [column.key for column in self.columns]
        place = len(keys) if after is None else keys.index(after) + 1
        return replace(self, columns=(*self.columns[:place], *columns, *self.columns[place:]))

    def note(self, notes: Iterable[str]) -> "Sheet":
        """Add notes."""
        return replace(self, notes=(*self.notes, *notes))


def _encode(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value of a column for JSON."""
    if isinstance(value, Coded):
        return value.code
    return str(value) if isinstance(value, Phrase) else value


def write_sheets(sheets: Sequence[Sheet], form: str, width: int | None = None) -> str:
    """Write sheets in one of the FORMATS, without a newline at the end.  Raises KeyError.

    Tables of text fit `width` columns of a terminal.  Default: as wide as they are.
    """
    return _write_text(sheets, "simple", plain, width=width) if form == "table" else FORMATS[form](sheets)


def _write_text(
    sheets: Sequence[Sheet], style: str, escape: Callable[[str], str], mark: str = "", *, width: int | None = None
) -> str:
    """Write tables in a style of tabulate; `mark` begins a title.

    Tables that are wider than `width` lose the padding of heads, and are made narrower if necessary.
    """
    import tabulate  # noqa: PLC0415 - slow to import, and not every command shows a table

    parts = []
    for sheet in sheets:
        columns = sheet.select("text")
        table = TextTable(
            head=tuple(escape(column.head) for column in columns),
            rows=tuple(tuple(write_cell(cell, escape) for cell in row) for row in sheet.cells("text")),
            align=tuple(column.align for column in columns),
            rules=tuple(column.rule for column in columns),
        )
        drawn = [_draw(table, style)]
        if width is not None and measure(drawn[0]) > width:
            padding, tabulate.MIN_PADDING = tabulate.MIN_PADDING, 0
            try:
                drawn = [_draw(part, style) for part in table.fit(width)]
            finally:
                tabulate.MIN_PADDING = padding
        title, notes = mark + escape(sheet.title), "\n".join(map(escape, sheet.notes))
        if width is not None:
            title, notes = wrap_words(title, width), wrap_words(notes, width)
        parts += [title, *drawn, notes] if notes else [title, *drawn]
    return "\n\n".join(parts)


def wrap_words(text: str, width: int, indent: str = "") -> str:
    """Wrap lines at words; those that continue a line begin with `indent`."""
    return "\n".join(
        "\n".join(wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""])
        for line in text.split("\n")
    )


def _draw(table: TextTable, style: str) -> str:
    from tabulate import tabulate  # noqa: PLC0415 - slow to import, and not every command shows a table

    head, *rows = ([fill(cell) for cell in row] for row in (table.head, *table.rows))
    align = table.align if rows else None
    return tabulate(rows, head, tablefmt=style, disable_numparse=True, colalign=align).replace(FILLER, "")


def write_cell(cell: Cell, escape: Callable[[str], str] = plain) -> str:
    """Write a cell for people as text that is safe to print."""
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
    """Write one table: several sheets have a first column with their titles, and all of their columns."""
    heads = [list(_number_heads(column.head for column in sheet.select("csv"))) for sheet in sheets]
    columns = list(dict.fromkeys(chain(*heads)))
    first = ["table"] if len(sheets) > 1 else []
    rows: list[Sequence[Any]] = [[*first, *(name for name, _ in columns)]]
    for sheet, head in zip(sheets, heads, strict=True):
        for row in sheet.cells("csv"):
            cells = dict(zip(head, row, strict=True))
            rows.append([*([sheet.title] if first else []), *map(cells.get, columns)])
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [write_cell(cell.code if isinstance(cell, Coded) else cell, _escape_formula) for cell in row] for row in rows
    )
    return out.getvalue().rstrip("\n")


def _number_heads(heads: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Yield heads, each with the number of equal ones before it."""
    before = Counter[str]()
    for head in heads:
        yield head, before[head]
        before[head] += 1


def _escape_formula(text: str) -> str:
    """Prevent that a spreadsheet reads a text as a formula."""
    shown = plain(text)  # which also escapes tabs and line ends at the start
    return f"'{shown}" if shown.startswith(("=", "+", "-", "@")) else shown


FORMATS: Final[dict[str, Callable[[Sequence[Sheet]], str]]] = {
    "table": partial(_write_text, style="simple", escape=plain),
    "markdown": partial(_write_text, style="pipe", escape=_escape_markdown, mark="## "),
    "csv": _write_csv,
    "json": lambda sheets: "\n".join(json_line(line) for sheet in sheets for line in sheet.objects),
}


_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 1em }} td, th {{ padding: .2em .3em; text-align: left }}</style>
<h1>{title}</h1>
<table><thead><tr>{head}</tr></thead><tbody>
{rows}
</tbody></table>
{notes}
</html>"""


def write_page(sheet: Sheet) -> str:
    """Write a sheet as a page of its own."""
    from html import escape  # noqa: PLC0415 - few commands write pages

    cells = ("".join(f"<td>{escape(write_cell(cell))}</td>" for cell in row) for row in sheet.rows)
    return _PAGE.format(
        title=escape(sheet.title),
        head="".join(f"<th>{escape(cell)}</th>" for cell in sheet.head),
        rows="\n".join(f"<tr>{row}</tr>" for row in cells),
        notes="\n".join(f"<p>{escape(note)}</p>" for note in sheet.notes),
    )
