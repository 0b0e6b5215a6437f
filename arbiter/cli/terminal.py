"""The terminal: its abilities, and the dialogue with a human player."""

import os
import select
import shutil
import sys
from collections.abc import Iterable
from typing import Final

import click

from arbiter.cli.options import WIDE
from arbiter.show.language import DEFAULT_LANGUAGE
from arbiter.show.person.person import Person

_POLL_S: Final = 0.5
_MOST_BYTES: Final = 4096


def has_full_screen() -> bool:
    """Return True if an application can take over the screen of this terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not _is_dumb()


def has_colour() -> bool:
    """Return True if output goes to a terminal with colours and NO_COLOR is not set."""
    return sys.stdout.isatty() and not _is_dumb() and not os.environ.get("NO_COLOR")


def find_width() -> int | None:
    """Return the width that tables must fit: that of the terminal; None elsewhere, and with `--wide`."""
    if not sys.stdout.isatty() or click.get_current_context().meta.get(WIDE):
        return None
    return shutil.get_terminal_size().columns


def _is_dumb() -> bool:
    return os.environ.get("TERM", "") in {"", "dumb"}


class StandardTerminal:
    """Shows text on stdout and reads lines from stdin."""

    def __init__(self) -> None:
        self._typed = b""

    def show(self, text: str) -> None:
        click.echo(text)

    def ask(self, prompt: str) -> str:
        """Show a prompt and wait for a line.  Raises EOFError at the end of the input."""
        click.echo(prompt, nl=False)
        while b"\n" not in self._typed:
            # Poll: a thread that blocks in a read of stdin makes the interpreter end with a fatal error.
            while not select.select([sys.stdin], [], [], _POLL_S)[0]:
                pass
            more = os.read(sys.stdin.fileno(), _MOST_BYTES)
            if not more:
                raise EOFError
            self._typed += more
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode("utf-8", "replace")


def make_people(names: Iterable[str], lang: str = DEFAULT_LANGUAGE) -> dict[str, Person]:
    """Make the people at this terminal, by name."""
    return {name: Person(StandardTerminal(), name, lang, colour=has_colour()) for name in names}
