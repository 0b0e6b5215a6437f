"""Printing in the formats of all commands: sheets, facts and logs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

from arbiter.cli.terminal import find_width
from arbiter.show.replay.log import log_objects, write_log
from arbiter.show.tables.sheet import Column, Sheet, write_sheets
from arbiter.show.text import json_line, plain
from arbiter.transcript import GameLog


def print_sheets(sheets: Iterable[Sheet], form: str) -> None:
    """Print sheets in a format; print nothing if they are empty.  On a terminal, tables fit its width."""
    if text := write_sheets(tuple(sheets), form, find_width()):
        click.echo(text)


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
