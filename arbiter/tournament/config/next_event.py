"""The tournament file of the next event: a copy of the last one with its comments, but without what is over."""

import json
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

from msgspec import Struct

from arbiter.errors import ConfigError, ConfigErrors
from arbiter.tournament.config.event_data import Text
from arbiter.tournament.config.tournament_file import Title
from arbiter.tournament.config.typed_toml import list_faults, list_keys, load_toml

_OVER: Final = ("seed", "starts", "event.dates", "event.starts")
"""Keys that belong to one event."""
_OVER_FOR_BOTS: Final = "absent"


class NextEvent(Struct, frozen=True, kw_only=True):
    """The tournament file of the next event."""

    text: str
    name: str
    removed: tuple[str, ...]
    """Keys of the last event that were removed."""
    kept: tuple[str, ...]
    """Keys of the last event that share a line with others, so that they are still there."""


def count_up(text: str) -> str:
    """Return a text with its last number raised by one, as in `Club open 5`; without a number, with a 2 at its end."""
    found = list(re.finditer(r"[0-9]+", text))
    if not found:
        return f"{text} 2"
    number = found[-1]
    raised = str(int(number[0]) + 1).zfill(len(number[0]))
    return f"{text[: number.start()]}{raised}{text[number.end() :]}"


def write_next_event(last: str, name: str | None, dates: str | None) -> NextEvent:
    """Write the text of the next tournament file from that of the last one, which is valid.

    The name is counted up by default.  Keys that belong to one event are removed: the seed, the dates, and absences.
    Raises ConfigError.
    """
    content = load_toml(last)
    name = count_up(content["name"]) if name is None else name
    faults = [*list_faults(name, Title, "--name"), *([] if dates is None else list_faults(dates, Text, "--dates"))]
    if faults:
        raise ConfigErrors(faults)
    text = _replace(last, "name", name)
    removed: list[str] = []
    kept: list[str] = []
    for key in _list_over(content):
        if dates is not None and key == "event.dates":
            continue
        shorter = _remove(text, key)
        (kept if shorter is None else removed).append(key)
        text = text if shorter is None else shorter
    if dates is not None:
        text = _replace(text, "event.dates", dates)
    return NextEvent(text=text, name=name, removed=tuple(removed), kept=tuple(kept))


def _list_over(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of a tournament file that belong to one event."""
    for key in _OVER:
        table, _, own = key.rpartition(".")
        if own in (content.get(table, {}) if table else content):
            yield key
    bots = (bot for bot in content.get("bots", ()) if isinstance(bot, dict))
    yield from (f"bots.{bot['name']}.{_OVER_FOR_BOTS}" for bot in bots if _OVER_FOR_BOTS in bot)


def _remove(text: str, key: str) -> str | None:
    """Remove the line of a key; None if it is not on a line of its own."""
    lines = text.splitlines(keepends=True)
    expected = load_toml(text)
    table, _, own = key.rpartition(".")
    bots = (bot for bot in expected["bots"] if isinstance(bot, dict)) if own == _OVER_FOR_BOTS else ()
    del next((bot for bot in bots if f"bots.{bot['name']}" == table), expected.get(table, expected))[own]
    for number in _find_lines(text, key):
        shorter = "".join(lines[: number - 1] + lines[number:])
        if _parses_as(shorter, expected):
            return shorter
    return None


def _replace(text: str, key: str, value: str) -> str:
    """Set a key to a text, on its line or on a new one.  Raises ConfigError if other keys are on its line."""
    table, _, own = key.rpartition(".")
    line = f"{own} = {json.dumps(value, ensure_ascii=False)}\n"
    lines = text.splitlines(keepends=True)
    content = load_toml(text)
    expected = deepcopy(content)
    (expected.setdefault(table, {}) if table else expected)[own] = value
    changed = ["".join([*lines[: number - 1], line, *lines[number:]]) for number in _find_lines(text, key)]
    if table in content:
        changed += ["".join([*lines[:number], line, *lines[number:]]) for number in _find_lines(text, table)]
    else:
        changed.append(f"{text.rstrip()}\n\n[{table}]\n{line}")
    found = next((one for one in changed if _parses_as(one, expected)), None)
    if found is None:
        raise ConfigError(f"{key}: shares a line with other keys; write it on a line of its own")
    return found


def _find_lines(text: str, key: str) -> list[int]:
    return [line for found, line in list_keys(text) if found == key]


def _parses_as(text: str, content: Mapping[str, Any]) -> bool:
    try:
        return load_toml(text) == content
    except ValueError:
        return False
