"""Failures whose cause the operator must fix, and words for messages.

`arbiter.games.base.IllegalAction` is for the actions of players, `protocol.codec.ProtocolError` for their messages.
Any other exception is a bug in the arbiter.
"""

import re
import shlex
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Final

# shlex.quote also quotes ~, which has a meaning only at the start of a word; the ids of games contain it.
_PLAIN_WORD: Final = re.compile(r"[\w@%+=:,./-][\w@%+=:,./~-]*", re.ASCII)
_LONGEST_NAME: Final = 100


class ConfigError(Exception):
    """The operator must fix something.  The text is one line: what is wrong, where, and what would be right."""


class ConfigErrors(ConfigError):
    """Several things that the operator must fix, each with a text of one line."""

    def __init__(self, messages: Iterable[str]) -> None:
        self.messages = tuple(messages)
        super().__init__("\n".join(self.messages))


def list_messages(error: ConfigError) -> tuple[str, ...]:
    """List the texts of an error, each of one line."""
    return error.messages if isinstance(error, ConfigErrors) else (str(error),)


def unknown_name(kind: str, name: str, known: Iterable[str], otherwise: str = "") -> ConfigError:
    """Return the error for an unknown name, with the most similar known name or a list of the known names.

    `otherwise` is advice for the case that none of the known names is meant.
    """
    names = list(known)
    name = shorten(name, _LONGEST_NAME)  # anyone may have written it, and the search takes time
    close = get_close_matches(name, names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there is {', '.join(names) or 'none'}"
    if otherwise:
        hint += f" If not, {otherwise}" if close else f"; {otherwise}"
    return ConfigError(f"unknown {kind} {name!r}: {hint}")


def check_known(kind: str, name: str, known: Collection[str], otherwise: str = "") -> None:
    """Raise ConfigError, as `unknown_name` makes it, if a name is not one of the known names."""
    if name not in known:
        raise unknown_name(kind, name, known, otherwise)


def write_command(*words: str | Path) -> str:
    """Write an `arbiter` command for a message, so that it can be copied into a shell: names with spaces are quoted."""
    return " ".join(("arbiter", *map(_quote_word, words)))


def write_count(count: int, noun: str, plural: str | None = None) -> str:
    """Write a number of things: `1 game`, `2 games`, `2 plies`."""
    if count != 1:
        noun = plural or (f"{noun[:-1]}ies" if noun.endswith("ly") else f"{noun}s")
    return f"{count} {noun}"


def shorten(text: str, length: int) -> str:
    """Cut a text after so many characters, with three dots."""
    return text if len(text) <= length else f"{text[:length]}..."


def _quote_word(word: str | Path) -> str:
    """Quote a word for a shell; a path that begins with a hyphen, like an option, is written with ./."""
    text = f"./{word}" if isinstance(word, Path) and str(word).startswith("-") else str(word)
    return text if _PLAIN_WORD.fullmatch(text) else shlex.quote(text)
