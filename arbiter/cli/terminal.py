"""The terminal at which a person plays: lines shown on stdout, lines read from stdin."""

import os
import select
import sys
from collections.abc import Iterable
from typing import Final

import click

from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.person.person import Person

_LOOK_EVERY_S: Final = 0.5
_MOST: Final = 4096


class Keyboard:
    """Shows lines and takes lines; who waits for a line holds nothing that the end of the program would need."""

    def __init__(self) -> None:
        self._typed = b""

    def say(self, text: str) -> None:
        """Show a text of one line or more."""
        click.echo(text)

    def ask(self, prompt: str) -> str:
        """Show a prompt and wait for a line.  Raises EOFError where no more will come."""
        click.echo(prompt, nl=False)
        while b"\n" not in self._typed:
            self._wait()
            more = os.read(sys.stdin.fileno(), _MOST)
            if not more:
                raise EOFError
            self._typed += more
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode("utf-8", "replace")

    @staticmethod
    def _wait() -> None:
        # A thread that is left waiting inside a read of stdin would end the interpreter with a fatal error.
        while not select.select([sys.stdin], [], [], _LOOK_EVERY_S)[0]:
            pass


def seated(names: Iterable[str], lang: str = DEFAULT_LANGUAGE) -> dict[str, Person]:
    """Seat those who play at the terminal."""
    return {name: Person(Keyboard(), name, lang, colour=takes_colour()) for name in names}


def takes_colour() -> bool:
    """Tell whether to paint what is shown: on a terminal that can, unless NO_COLOR is set."""
    return sys.stdout.isatty() and not is_dumb() and not os.environ.get("NO_COLOR")


def is_dumb() -> bool:
    """Tell whether the terminal knows nothing but text."""
    return os.environ.get("TERM", "") in {"", "dumb"}
