"""The terminal: its abilities, printing in the formats of all commands, and the dialogue with the person there."""

import getpass
import os
import select
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import Any, Final

import click

from arbiter.cli.options import WIDE
from arbiter.languages.catalogue import DEFAULT_LANGUAGE
from arbiter.show.person.person import Person
from arbiter.show.replay.log import log_objects, write_log
from arbiter.show.tables.sheet import Column, Sheet, write_sheets
from arbiter.show.text import json_line, plain
from arbiter.transcript import GameLog

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


def write_raw(data: bytes) -> None:
    """Write data to stdout as they are; on a terminal, escape what does not print: they may come from anybody."""
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(data)
        return
    for line in data.splitlines():
        click.echo(plain(line.decode("utf-8", "backslashreplace")))


def end_with_terminal() -> None:
    """End this process when the terminal of stdin is gone, even if another session owns that terminal.

    The kernel sends SIGHUP only to the session of a terminal.  Elsewhere reads return at once, again and again, and
    textual never stops reading.
    """
    if not sys.stdin.isatty():
        return
    hangup = select.poll()
    hangup.register(sys.stdin.fileno(), 0)

    def wait() -> None:
        if any(event & select.POLLHUP for _, event in hangup.poll()):
            is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            os.kill(os.getpid(), signal.SIGTERM if is_ignored else signal.SIGHUP)

    Thread(target=wait, name="hangup", daemon=True).start()


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
    """Make the people at this terminal, by name; without the terminal, nobody plays."""
    people = {name: Person(StandardTerminal(), name, lang, colour=has_colour()) for name in names}
    if people:
        end_with_terminal()
    return people


# --- sheets, facts and logs -----------------------------------------------------------------------


def print_sheets(sheets: Iterable[Sheet], form: str) -> None:
    """Print sheets in a format; print nothing if they are empty.  On a terminal, tables fit its width."""
    if text := write_sheets(tuple(sheets), form, find_width()):
        click.echo(text)


def print_parts(parts: Iterable[Sheet], form: str) -> None:
    """Print the parts of a long sheet, in CSV or JSON, as if it was one."""
    for number, part in enumerate(parts):
        text = write_sheets((part,), form)
        if number and form == "csv":  # the head was printed
            text = text.partition("\n")[2]
        if text:
            click.echo(text)


def find_user() -> str:
    """Return the login name of the person who calls a command."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def print_facts(title: str, objects: Sequence[Mapping[str, Any]], form: str, text: Callable[[], str]) -> None:
    """Print facts in a format: for people as `text`, otherwise as objects, whose keys are the columns of a table."""
    if form != "table":
        print_sheets([_make_sheet(title, objects)], form)
    elif written := text():
        click.echo(written)


@contextmanager
def print_each(title: str, form: str) -> Iterator[Callable[[Mapping[str, Any], str], None]]:
    """Yield a function that prints a fact, which is an object and a text: CSV and Markdown are one table at the end."""
    objects: list[Mapping[str, Any]] = []

    def add(fact: Mapping[str, Any], text: str) -> None:
        if form in ("table", "json"):
            click.echo(text if form == "table" else json_line(fact))
        else:
            objects.append(fact)

    yield add
    if objects:
        print_sheets([_make_sheet(title, objects)], form)


def _make_sheet(title: str, objects: Sequence[Mapping[str, Any]]) -> Sheet:
    """Make a sheet whose columns are the keys of objects; lists and objects in it are JSON."""

    def read(key: str) -> Callable[[Mapping[str, Any]], Any]:
        return lambda one: cell if isinstance(cell := one.get(key), str | float | None) else json_line(cell)

    keys = dict.fromkeys(key for one in objects for key in one)
    return Sheet(title=title, columns=[Column(key, value=read(key)) for key in keys], items=objects, data=objects)


def print_log(log: GameLog, form: str) -> None:
    """Print the log of a game."""
    print_facts("Log", list(log_objects(log)), form, lambda: "\n".join(write_log(log)))


def print_notice(sentence: str) -> None:
    """Print a sentence for the operator."""
    click.echo(f"arbiter: {plain(sentence)}", err=True)
