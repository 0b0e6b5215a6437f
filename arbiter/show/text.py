"""Foreign text and numbers made fit to be shown: nothing a bot wrote reaches a terminal as it is."""

import msgspec


def plain(text: str) -> str:
    r"""Escape what does not print: control characters, terminal escapes, bidi overrides, line ends (as `\x1b`)."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")


def number(value: float) -> str:
    """Write a number without a needless `.0`: 6, 0.5."""
    return str(tidied(value))


def tidied(value: float) -> float:
    """Return a whole number as an int, others without what adding tenths leaves behind."""
    return int(value) if value == int(value) else round(value, 6)


def json_line(value: object) -> str:
    """Write a value as one line of JSON, escaping what does not print, so that it is safe to look at."""
    line = msgspec.json.encode(value).decode()
    return line if line.isprintable() else "".join(sign if sign.isprintable() else _as_units(sign) for sign in line)


def _as_units(sign: str) -> str:
    units = sign.encode("utf-16-be").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))
