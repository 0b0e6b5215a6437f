"""A TOML file read into a typed value, each mistake told in one line: file, key, what would be right."""

import json
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Struct, inspect

from arbiter.errors import ConfigError

T = TypeVar("T", bound=Struct)

_SHOWN: Final = 60
_PLAIN: Final[dict[type, str]] = {inspect.StrType: "text in quotes", inspect.BoolType: "true or false"}


def read_toml(path: Path, shape: type[T]) -> T:
    """Read a TOML file as a value of a Struct type.  Raises ConfigError."""
    raw = _parse(path, _read_text(path))
    try:
        return msgspec.convert(raw, shape, strict=True)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {first_fault(raw, shape) or error}") from None


def _read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: is a folder; name the TOML file in it") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: byte {error.start + 1} is not UTF-8; save the file as UTF-8 text") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None


def _parse(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigError(f"{path}: brackets are nested too deeply; a tournament needs three levels at most") from None
    except ValueError as error:
        what, _, where = str(error).partition(" (at ")
        found = re.match(r"line (\d+), column (\d+)", where)
        line, place = (found[1], f", column {found[2]}") if found else (text.rstrip("\n").count("\n") + 1, "")
        raise ConfigError(f"{path}: line {line}{place}: {_one_line(what)}; this is not TOML") from None


def _one_line(what: str) -> str:
    return what[:1].lower() + what[1:].replace("\n", " ")


def first_fault(value: object, shape: Any, key: str = "") -> str | None:  # noqa: ANN401 - any type there is
    """Say which key of a value first fails its type, and what would be right; None where all is well."""
    for choice in _choices(shape):
        origin = get_origin(choice)
        if isinstance(value, dict) and isinstance(choice, type) and issubclass(choice, Struct):
            return _fault_in_table(value, choice, key)
        if isinstance(value, dict) and origin is dict:
            return _first(first_fault(item, get_args(choice)[1], _join(key, name)) for name, item in value.items())
        if isinstance(value, list) and origin is list:
            items = enumerate(value, start=1)
            return _first(first_fault(item, get_args(choice)[0], _item_key(key, n, item)) for n, item in items)
    return _fault_of_leaf(value, shape, key)


def _choices(shape: Any) -> tuple[Any, ...]:  # noqa: ANN401
    return get_args(shape) if get_origin(shape) in (Union, UnionType) else (shape,)


def _first(faults: Any) -> str | None:  # noqa: ANN401
    return next((fault for fault in faults if fault), None)


def _fault_in_table(table: Mapping[str, object], shape: type[Struct], key: str) -> str | None:
    fields = {field.name: field for field in msgspec.structs.fields(shape)}
    for name in table:
        if name not in fields:
            return f"{_join(key, name)}: unknown key; {_hint(name, list(fields))}"
    for name, field in fields.items():
        if name not in table and field.required:
            return f"{_join(key, name)}: is missing, must be {phrase(inspect.type_info(field.type))}"
    return _first(first_fault(item, fields[name].type, _join(key, name)) for name, item in table.items())


def _hint(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else f"there is {', '.join(known)}"


def _fault_of_leaf(value: object, shape: Any, key: str) -> str | None:  # noqa: ANN401
    try:
        msgspec.convert(value, shape, strict=True)
    except msgspec.ValidationError:
        return f"{key}: is {shown(value)}, must be {phrase(inspect.type_info(shape))}"
    return None


def shown(value: object) -> str:
    """Show a value much as TOML writes it, shortened."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:  # Python writes no number of more than 4300 digits, though TOML may hold one in hexadecimal
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _join(key: str, name: str) -> str:
    plain = name if name.isprintable() else shown(name)
    return f"{key}.{plain}" if key else plain


def _item_key(key: str, number: int, item: object) -> str:
    """Name an item of a list by its own name where it has one, else by its number counted from 1."""
    name = item.get("name") if isinstance(item, dict) else None
    return f"{key}.{name}" if isinstance(name, str) and name.isprintable() else f"{key}.#{number}"


def phrase(kind: inspect.Type) -> str:  # noqa: PLR0911 - one a case
    """Say in words what a value of a type is; a type's own `description` goes first."""
    match kind:
        case inspect.Metadata(extra_json_schema={"description": str() as description}):
            return description
        case inspect.UnionType(types=types):
            return " or ".join(phrase(member) for member in types if not isinstance(member, inspect.NoneType))
        case inspect.LiteralType(values=values):
            return " or ".join(shown(value) for value in values)
        case inspect.ListType(item_type=inspect.StructType()):
            return "a list of tables, each begun with [[double brackets]]"
        case inspect.ListType(item_type=item):
            return f"a list, each item {phrase(item)}"
        case inspect.IntType() | inspect.FloatType():
            return _number(kind)
        case _:
            return _PLAIN.get(type(kind), "a table")


def _number(kind: inspect.IntType | inspect.FloatType) -> str:
    noun = "a whole number" if isinstance(kind, inspect.IntType) else "a number"
    if kind.ge is not None and kind.le is not None:
        return f"{noun} from {kind.ge} to {kind.le}"
    return f"{noun} from {kind.ge} up" if kind.ge is not None else noun
