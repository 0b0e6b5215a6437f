"""A table written in any of the formats: for terminals, Markdown, spreadsheets, programs and browsers.

Every cell of text may be foreign (a bot named itself), so each format guards against what text can do to it.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

from msgspec import Struct

from arbiter.show.text import json_line, number, plain

Cell = str | float | None


class Sheet(Struct, frozen=True, kw_only=True):
    """A table; `objects` is what a program is given instead, one a line; `notes` are sentences that people need."""

    title: str
    head: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    objects: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()


def write_sheets(sheets: Sequence[Sheet], form: str, title: str = "") -> str:
    """Write sheets in one of the FORMATS, without a newline at the end.

    `title` heads a page of html.  Raises KeyError on an unknown format.
    """
    return FORMATS[form](sheets, title)


def _as_table(sheets: Sequence[Sheet], title: str) -> str:
    return "\n\n".join(_titled(plain(sheet.title), sheet, "simple", plain) for sheet in sheets)


def _as_markdown(sheets: Sequence[Sheet], title: str) -> str:
    return "\n\n".join(_titled(f"## {_markdown(sheet.title)}", sheet, "pipe", _markdown) for sheet in sheets)


def _titled(title: str, sheet: Sheet, style: str, guarded: Callable[[str], str]) -> str:
    notes = ["\n".join(map(guarded, sheet.notes))] if sheet.notes else []
    return "\n\n".join([title, _tabulated(sheet, style, guarded), *notes])


def _tabulated(sheet: Sheet, style: str, guarded: Callable[[str], str]) -> str:
    from tabulate import tabulate  # noqa: PLC0415 - slow to import, and not every command shows a table

    rows = [[_text(cell, guarded) for cell in row] for row in sheet.rows]
    head = [_text(cell, guarded) for cell in sheet.head]
    align = ["right" if numeric else "left" for numeric in _numeric_columns(sheet)] if rows else None
    return tabulate(rows, head, tablefmt=style, disable_numparse=True, colalign=align)


def _numeric_columns(sheet: Sheet) -> list[bool]:
    return [not any(isinstance(cell, str) for cell in column) for column in zip(*sheet.rows, strict=True)]


def _text(cell: Cell, guarded: Callable[[str], str]) -> str:
    if cell is None:
        return ""
    return guarded(cell) if isinstance(cell, str) else number(cell)


_MARKDOWN_SIGNS: Final = re.compile(r"[\\`*\[\]<>|~&#]|(?<![^\W_])_|_(?![^\W_])")


def _markdown(text: str) -> str:
    """Escape what Markdown would read; an underscore within a word is none of that."""
    return _MARKDOWN_SIGNS.sub(r"\\\g<0>", plain(text))


def _as_csv(sheets: Sequence[Sheet], title: str) -> str:
    return "\n\n".join(_csv([sheet.head, *sheet.rows]) for sheet in sheets)


def _csv(rows: Iterable[Iterable[Cell]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_text(cell, _no_formula) for cell in row] for row in rows)
    return out.getvalue().rstrip("\n")


def _no_formula(text: str) -> str:
    """Keep a spreadsheet from calculating a text; tabs and line ends at its start are made visible anyway."""
    shown = plain(text)
    return f"'{shown}" if shown.startswith(("=", "+", "-", "@")) else shown


def _as_json(sheets: Sequence[Sheet], title: str) -> str:
    return "\n".join(json_line(line) for sheet in sheets for line in sheet.objects)


_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0}"
    "th,td{border-bottom:1px solid #bbb;padding:.25rem .75rem;text-align:left}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}"
)


def _as_html(sheets: Sequence[Sheet], title: str) -> str:
    name = _html(title or sheets[0].title)
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{name}</title><style>{_STYLE}</style></head><body>',
            f"<h1>{name}</h1>",
            *(_section(sheet) for sheet in sheets),
            "</body></html>",
        ]
    )


def _section(sheet: Sheet) -> str:
    head = "".join(f'<th scope="col">{_text(cell, _html)}</th>' for cell in sheet.head)
    rows = (f"<tr>{''.join(_html_cell(cell) for cell in row)}</tr>" for row in sheet.rows)
    lines = [f"<h2>{_html(sheet.title)}</h2>", f"<table><thead><tr>{head}</tr></thead><tbody>", *rows]
    return "\n".join([*lines, "</tbody></table>", *(f"<p>{_html(note)}</p>" for note in sheet.notes)])


def _html_cell(cell: Cell) -> str:
    kind = "" if isinstance(cell, str) else ' class="n"'
    return f"<td{kind}>{_text(cell, _html)}</td>"


def _html(text: str) -> str:
    return escape(plain(text))


FORMATS: Final[dict[str, Callable[[Sequence[Sheet], str], str]]] = {
    "table": _as_table,
    "markdown": _as_markdown,
    "csv": _as_csv,
    "json": _as_json,
    "html": _as_html,
}
