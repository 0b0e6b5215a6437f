"""Foreign text made safe to print, and numbers.  No text of a bot reaches a terminal unescaped."""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, TypeVar

import msgspec

_Name = TypeVar("_Name", bound=str)
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._~+-]|^\.")
_SPACES: Final = str.maketrans("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "  ")
MINUS: Final = "\N{MINUS SIGN}"
_MOST_CACHED: Final = 1 << 14  # names


def plain(text: str) -> str:
    r"""Escape characters that do not print, as `\x1b`: control characters, bidi overrides, line ends.

    Spaces that do not break, which French texts contain, become ordinary ones.
    """
    if text.isprintable():
        return text
    text = text.translate(_SPACES)
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text)


@lru_cache(_MOST_CACHED)
def safe(name: str) -> str:
    """Replace characters that a file name must not have by their bytes, as `=2f`."""
    return _UNSAFE.sub(lambda found: "".join(f"={byte:02x}" for byte in found[0].encode()), name)


def number(value: float) -> str:
    """Write a number without a trailing `.0`: 6, 0.5."""
    return str(tidied(value))


def write_minute(time: str) -> str:
    """Write the date and the minute of a time in ISO 8601: `2026-11-22 17:30`."""
    return time[:16].replace("T", " ")


def write_score(won: int, drawn: int, lost: int) -> str:
    """Write how many games were won, drawn and lost, with a sign each."""
    return f"+{won} ={drawn} \N{MINUS SIGN}{lost}"


def list_counts(counts: Mapping[_Name, int], name: Callable[[_Name], str] = str) -> str:
    """Write numbers after their names, e.g. `timeout 1, crash 2`; `name` writes a name."""
    return ", ".join(f"{name(key)} {count}" for key, count in counts.items())


def write_signed(value: float) -> str:
    """Write a number with its sign and at most one decimal, e.g. +6.5."""
    text = number(round(abs(value), 1))
    return text if text == "0" else f"{'+' if value > 0 else MINUS}{text}"


def write_evaluation(value: float) -> str:
    """Write the evaluation of a bot, which has any unit, with its sign."""
    return f"{value:+g}".replace("-", MINUS) if value else "0"


def tidied(value: float) -> float:
    """Return a whole number as an int, others without rounding errors of a sum."""
    return int(value) if value == int(value) else round(value, 6)


def json_line(value: object) -> str:
    """Write a value as one line of JSON that is safe to print: other characters are escaped."""
    line = msgspec.json.encode(value).decode()
    return (
        line if line.isprintable() else "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in line)
    )
