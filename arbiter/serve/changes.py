"""Changes of pages: spectators receive the lines of a page that have changed, not the whole page."""

from difflib import SequenceMatcher
from typing import Final

import msgspec
from msgspec import Struct

_MOST_COMPARED: Final = 300
"""Lines that are compared exactly."""


class Replacement(Struct, frozen=True):
    """Lines of a page that replace others."""

    start: int
    """Number of the first line that is replaced; lines are numbered from 0."""
    count: int
    lines: list[str]


class PageChange(Struct, frozen=True):
    """The difference between the texts of a page before and after a change of the results."""

    before: int
    """Number of the change before."""
    after: int
    replacements: list[Replacement]
    """The last lines first, so that the numbers of the others stay valid."""


def write_change(before: int, old: bytes, after: int, new: bytes) -> bytes:
    """Write the change of a page as JSON."""
    return msgspec.json.encode(PageChange(before, after, list_replacements(old.decode(), new.decode())))


def list_replacements(old: str, new: str) -> list[Replacement]:
    """List the lines that have changed, the last ones first."""
    one, other = old.split("\n"), new.split("\n")
    # With many equal lines, such as ends of rows, an exact comparison would take minutes.
    found = SequenceMatcher(None, one, other, autojunk=max(len(one), len(other)) > _MOST_COMPARED).get_opcodes()
    return [
        Replacement(start, end - start, other[new_start:new_end])
        for kind, start, end, new_start, new_end in reversed(found)
        if kind != "equal"
    ]
