"""Foreign text and numbers made fit to be shown: nothing a bot wrote reaches a terminal as it is."""


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
