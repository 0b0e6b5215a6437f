"""Read a TOML file as a typed value; each error is one line with the file, line, key and what would be right."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from types import UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct, inspect

from arbiter.errors import ConfigError, ConfigErrors, list_messages, shorten
from arbiter.sandbox.files.untrusted import read_text

T = TypeVar("T", bound=Struct)


class OpenTable(Struct, frozen=True, kw_only=True):
    """A table with further keys, which its content decides; they are kept in `settings` as they were written."""

    settings: dict[str, Any] = {}

    @classmethod
    def list_settings(cls) -> Mapping[str, object]:
        """Return the types of the further keys of a table by their names."""
        raise NotImplementedError


_HEADER: Final = re.compile(r"\s*\[(?P<list>\[)?\s*(?P<name>[\w.-]+)\s*\]")
_ASSIGNMENT: Final = re.compile(r"""\s*(?P<key>[\w-]+)\s*=\s*["']?(?P<value>[^"'\n]*)""")
_SHORT_TIME: Final = re.compile(r"(\s*[\w-]+\s*=\s*\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d)((?:[Zz]|[+-]\d\d:\d\d)?\s*(?:#.*)?)$")
_MOST_TIMES: Final = 10  # without seconds in one file

_MOST_SHOWN: Final = 60
_MOST_FAULTS: Final = 50  # that are reported at once
_MOST_BYTES: Final = 2**20
_DEEP: Final = re.compile(r"(?<![^\s.=])(?:[^\s.=]++[ \t]*+\.[ \t]*+){32}")  # tomllib takes minutes for longer keys
_PHRASES: Final[dict[type, str]] = {inspect.StrType: "text in quotes", inspect.BoolType: "true or false"}


Include = Callable[[dict[str, Any], dict[Path, str]], Iterable[str]]
"""Completes the content of a file from others, adds their texts to those of the file, and returns the faults."""


def read_toml(
    path: Path,
    shape: type[T],
    check: Callable[[T], object] = lambda _value: None,
    include: Include = lambda _raw, _texts: (),
) -> T:
    """Read a TOML file as a value of a Struct type.

    If a key does not fit, `check` gets what is left of the file without it, so that the ConfigError that it raises is
    reported too.  `include` may complete the content from other files.  Raises ConfigError.
    """
    raw, text = parse_toml(path)
    texts = {path: text}
    faults = list(include(raw, texts))
    included = {fault.partition(":")[0] for fault in faults}
    own = (fault for fault in list_faults(raw, shape) if fault.partition(":")[0] not in included)
    faults = list(islice(chain(faults, own), _MOST_FAULTS))
    try:
        if not faults:
            return msgspec.convert(_gather(raw, shape), shape, strict=True)
    except msgspec.ValidationError as error:
        faults = [str(error)]
    with suppress(msgspec.ValidationError):
        left = _leave_out_faults(raw, shape) if len(faults) < _MOST_FAULTS else {}  # more take long, and are enough
        try:
            check(msgspec.convert(_gather(left, shape), shape, strict=True))
        except ConfigError as error:
            known = {_find_table(fault) for fault in faults}
            known |= {
                key for key, items in raw.items() if isinstance(items, list) and len(items) > len(left.get(key, ()))
            }
            faults += [fault for fault in list_messages(error) if _find_table(fault) not in known]
    raise ConfigErrors(place_fault(texts, fault) for fault in faults)


def parse_toml(path: Path) -> tuple[dict[str, Any], str]:
    """Read a TOML file; return its content and its text.  Raises ConfigError."""
    try:
        text = read_text(path, _MOST_BYTES)
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: is a folder; name the TOML file in it") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start + 1} is not UTF-8; save the file as UTF-8 text") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    return _parse(path, text), text


def _find_table(fault: str) -> str:
    """Return the bot that a fault is about, as in `bots.hunter`, or the whole key if it is about something else."""
    key = fault.partition(":")[0]
    return ".".join(key.split(".")[:2]) if key.startswith("bots.") else key


def _leave_out_faults(value: Any, shape: Any, *, is_item: bool = False) -> Any:  # noqa: ANN401 - any type there is
    """Return a table, or a list of tables, without what does not fit.

    A misspelt key gets the name that it is like, except in the tables of a list.
    """
    choices = get_args(shape) if get_origin(shape) in (Union, UnionType) else (shape,)
    if isinstance(value, list) and (lists := [one for one in choices if get_origin(one) is list]):
        (item_shape,) = get_args(lists[0])
        items = [_leave_out_faults(item, item_shape, is_item=True) for item in value]
        return [item for item in items if not any(list_faults(item, item_shape))]
    tables = [one for one in choices if isinstance(one, type) and issubclass(one, Struct)]
    if not isinstance(value, dict) or not tables:
        return value
    types = _list_key_types(tables[0])
    found: dict[str, Any] = {}
    for key, item in value.items():
        close = [] if is_item else get_close_matches(key, types.keys() - value.keys(), n=1, cutoff=0.5)
        name = key if key in types else next(iter(close), "")
        left = _leave_out_faults(item, types.get(name))
        if name and not any(list_faults(left, types[name])):
            found[name] = left
    return found


def _gather(value: Any, shape: Any) -> Any:  # noqa: ANN401 - any type there is
    """Move the further keys of open tables into their `settings`."""
    if isinstance(value, list) and get_origin(shape) is list:
        return [_gather(item, get_args(shape)[0]) for item in value]
    if not (isinstance(value, dict) and isinstance(shape, type) and issubclass(shape, OpenTable)):
        return value
    more = shape.list_settings()
    own = {field.name: field.type for field in msgspec.structs.fields(shape)}
    return {key: _gather(item, own[key]) for key, item in value.items() if key not in more} | {
        "settings": {key: item for key, item in value.items() if key in more}
    }


def place_fault(texts: Mapping[Path, str], fault: str) -> str:
    """Put the file and the line of the key at the start of a fault in front of it.

    `texts` are the file that was read and those that it includes; the first one counts if none shows the key.
    """
    found = [
        (len(key), line, path)
        for path, text in texts.items()
        for key, line in _list_all_keys(text)
        if fault.startswith((f"{key}:", f"{key}."))
    ]
    if not found:
        return f"{next(iter(texts))}: {fault}"
    _, line, path = max(found, key=lambda place: place[:2])
    return f"{path}: line {line}: {fault}"


@lru_cache(maxsize=2)
def _list_all_keys(text: str) -> tuple[tuple[str, int], ...]:
    return tuple(list_keys(text))


def list_keys(text: str) -> Iterator[tuple[str, int]]:
    """Yield keys and tables with their lines; an item of a list is named by its number and by its name."""
    tables = [""]
    counts: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            name = header["name"]
            counts[name] += 1
            tables = [f"{name}.#{counts[name]}"] if header["list"] else [name]
        elif assignment := _ASSIGNMENT.match(line):
            if assignment["key"] == "name" and tables[0].rpartition(".")[2].startswith("#"):
                tables.append(f"{tables[0].rpartition('.')[0]}.{assignment['value']}")
                yield tables[1], number
            yield from ((f"{table}.{assignment['key']}".lstrip("."), number) for table in tables)
        if header:
            yield tables[0], number


def _parse(path: Path, text: str) -> dict[str, Any]:
    nested = f"{path}: keys or brackets are nested too deeply; a tournament needs at most three levels"
    if _DEEP.search(text):
        raise ConfigError(nested)
    try:
        return load_toml(text)
    except RecursionError:
        raise ConfigError(nested) from None
    except ValueError as error:
        what, _, where = str(error).partition(" (at ")
        what = what[:1].lower() + what[1:].replace("\n", " ")
        found = re.match(r"line (\d+), column (\d+)", where)
        line, place = (found[1], f", column {found[2]}") if found else (text.rstrip("\n").count("\n") + 1, "")
        raise ConfigError(f"{path}: line {line}{place}: {what}; this is not TOML") from None


def load_toml(text: str) -> dict[str, Any]:
    """Parse TOML; times may lack the seconds, as in TOML 1.1.  Raises ValueError and RecursionError."""
    for _ in range(_MOST_TIMES):
        try:
            return tomllib.loads(text)
        except ValueError as error:
            found = re.search(r"at line (\d+), column", str(error))
            place = int(found[1]) - 1 if found else 0
            lines = text.split("\n")
            time = _SHORT_TIME.match(lines[place])
            if time is None:
                raise
            lines[place] = f"{time[1]}:00{time[2]}"
            text = "\n".join(lines)
    return tomllib.loads(text)


def list_faults(value: object, shape: Any, key: str = "") -> Iterator[str]:  # noqa: ANN401 - any type there is
    """Describe each key of a value that does not fit its type, and what would be right."""
    for choice in get_args(shape) if get_origin(shape) in (Union, UnionType) else (shape,):
        origin = get_origin(choice)
        if isinstance(value, dict) and isinstance(choice, type) and issubclass(choice, Struct):
            yield from _list_faults_in_table(value, choice, key)
            return
        if isinstance(value, dict) and origin is dict:
            for name, item in value.items():
                yield from list_faults(name, get_args(choice)[0], f"{key}: the key")
                yield from list_faults(item, get_args(choice)[1], _join(key, name))
            return
        if isinstance(value, list) and origin is list:
            for number, item in enumerate(value, start=1):
                named = item.get("name") if isinstance(item, dict) else None
                name = named if isinstance(named, str) and named.isprintable() else f"#{number}"
                yield from list_faults(item, get_args(choice)[0], f"{key}.{name}")
            return
    try:
        msgspec.convert(value, shape, strict=True)
    except msgspec.ValidationError:
        yield f"{key}: is {show_value(value)}, must be {describe_type(inspect.type_info(shape))}"


def _list_faults_in_table(table: dict[str, object], shape: type[Struct], key: str) -> Iterator[str]:
    fields = {field.name: field for field in msgspec.structs.fields(shape)}
    types = _list_key_types(shape)
    misspelt: set[str] = set()
    for name in table:
        if name not in types:
            close = get_close_matches(name, types, n=1, cutoff=0.5)
            misspelt.update(close)
            hint = f"did you mean {close[0]}?" if close else f"there is {', '.join(types)}"
            yield f"{_join(key, name)}: unknown key; {hint}"
    for name, kind in types.items():
        if name not in table and name in fields and fields[name].required and name not in misspelt:
            yield f"{_join(key, name)}: is missing, must be {describe_type(inspect.type_info(kind))}"
    for name, item in table.items():
        if name in types:
            yield from list_faults(item, types[name], _join(key, name))


def _list_key_types(shape: type[Struct]) -> dict[str, object]:
    """Return the types of the keys that a table may have, by their names."""
    types: dict[str, object] = {field.name: field.type for field in msgspec.structs.fields(shape)}
    if issubclass(shape, OpenTable):
        types.pop("settings")
        types |= shape.list_settings()
    return types


def show_value(value: object) -> str:
    """Show a value much as TOML writes it, shortened."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:  # Python writes no number of more than 4300 digits, though TOML may hold one in hexadecimal
        return "a number of thousands of digits"
    return shorten(text, _MOST_SHOWN)


def _join(key: str, name: str) -> str:
    plain = name if name.isprintable() else show_value(name)
    return f"{key}.{plain}" if key else plain


def describe_type(kind: inspect.Type) -> str:  # noqa: PLR0911 - one a case
    """Describe the values of a type in words; a type's own `description` goes first."""
    match kind:
        case inspect.Metadata(extra_json_schema={"description": str() as description}):
            return description
        case inspect.UnionType(types=types):
            return " or ".join(describe_type(member) for member in types if not isinstance(member, inspect.NoneType))
        case inspect.LiteralType(values=values):
            return " or ".join(show_value(value) for value in values)
        case inspect.ListType(item_type=inspect.StructType()):
            return "a list of tables, each begun with [[double brackets]]"
        case inspect.ListType(item_type=item):
            return f"a list, each item {describe_type(item)}"
        case inspect.IntType(ge=least, le=most) | inspect.FloatType(ge=least, le=most):
            noun = "a whole number" if isinstance(kind, inspect.IntType) else "a number"
            if least is not None and most is not None:
                return f"{noun} from {least} to {most}"
            return f"{noun} from {least} up" if least is not None else noun
        case _:
            return _PHRASES.get(type(kind), "a table")
