"""Read tournament files, and the files of entrants that several of them share."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from arbiter.errors import ConfigError, unknown_name
from arbiter.tournament.config.bot_config import BotConfig, rebase_command, rebase_path
from arbiter.tournament.config.event_data import Text
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.config.typed_toml import list_faults, parse_toml, read_toml, show_value

_CONTACT = "contact"
"""Key of a bot that no [[bots]] table keeps: it is private, and results are published."""
_SUBMITTED = "submitted"
_FLAGS = {"human": '"person", or "terminal"', "remote": '"remote"'}
"""Keys that one may expect instead of `kind`, each with the value of `kind`."""


class EntrantsFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of entrants, without their contacts."""

    bots: list[BotConfig]


def read_tournament_file(path: Path, check: Callable[[TournamentFile], object] = lambda _file: None) -> TournamentFile:
    """Read a tournament file and the entrants that it names.  Raises ConfigError as `read_toml` does."""
    return read_toml(path, TournamentFile, check, partial(_fill_in_bots, folder=path.parent))


def _fill_in_bots(raw: dict[str, Any], texts: dict[Path, str], folder: Path) -> Iterator[str]:
    """Replace the names of entrants in a tournament file by their tables; yield the faults."""
    named = raw.get("entrants")
    entrants: dict[str, dict[str, Any]] = {}
    if isinstance(named, str):
        path = folder / named
        try:
            found, texts[path] = parse_toml(path)
        except ConfigError as error:
            raise ConfigError(f"{next(iter(texts))}: entrants: {error}") from None
        yield from _check_entrants(found)
        yield from list_faults(found, EntrantsFile)
        entrants = {table["name"]: _rebase(table, path.parent, folder) for table in _list_tables(found)}
        raw.setdefault("bots", list(entrants))
    yield from _take_contacts(raw)
    if not isinstance(raw.get("bots"), list):
        return
    names = [item for item in raw["bots"] if isinstance(item, str) and item not in entrants]
    for name in names:
        if isinstance(named, str):
            yield f"bots: {unknown_name('entrant', name, entrants)}"
        else:
            yield (
                f"bots: contains {show_value(name)}, but the file names no entrants; "
                'add entrants = "entrants.toml", or write a [[bots]] table'
            )
    bots = (entrants[item] if isinstance(item, str) else item for item in raw["bots"] if item not in names)
    raw["bots"] = [entrants.get(_find_name(item) or "", {}) | item if isinstance(item, dict) else item for item in bots]


def _list_tables(raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List the tables of bots that have a name."""
    tables = raw.get("bots")
    return [one for one in tables if _find_name(one) is not None] if isinstance(tables, list) else []


def _find_name(table: object) -> str | None:
    """Return the name of a bot; None if its table has none."""
    name = table.get("name") if isinstance(table, dict) else None
    return name if isinstance(name, str) else None


def _check_entrants(raw: dict[str, Any]) -> Iterator[str]:
    """Remove the contacts from a file of entrants; yield the faults of contacts and of names."""
    yield from _take_contacts(raw)
    names = [table["name"] for table in _list_tables(raw)]
    for name, count in Counter(name.casefold() for name in names).items():
        if count > 1:
            twins = [other for other in names if other.casefold() == name]
            both = " and ".join(dict.fromkeys(twins))
            yield f"bots.{twins[-1]}: {count} entrants are named {both}; give each its own name"


def _take_contacts(raw: Mapping[str, Any]) -> Iterator[str]:
    """Remove the contacts from the tables of bots; yield the faults of those that are not text, and of other keys."""
    tables = raw.get("bots")
    for number, table in enumerate(tables if isinstance(tables, list) else [], start=1):
        if not isinstance(table, dict):
            continue
        key = f"bots.{_find_name(table) or f'#{number}'}"
        if _CONTACT in table:
            yield from list_faults(table.pop(_CONTACT), Text, f"{key}.{_CONTACT}")
        if _SUBMITTED in table:
            yield f"{key}.{_SUBMITTED}: only results contain it; leave it out"
        for flag in _FLAGS.keys() & table.keys():
            del table[flag]
            yield f"{key}.{flag}: unknown key; write kind = {_FLAGS[flag]}"


def _rebase(table: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """Return an entrant whose paths are relative to the folder of a tournament file."""
    if old.absolute() == new.absolute():
        return table
    changed = dict(table)
    if _is_list_of_texts(table.get("command")):
        changed["command"] = rebase_command(table["command"], old, new)
    if _is_list_of_texts(table.get("read")):
        changed["read"] = [rebase_path(word, old, new) for word in table["read"]]
    return changed


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
