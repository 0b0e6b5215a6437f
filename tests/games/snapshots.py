"""The whole state of a play as a value that can be compared, whatever it is made of."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct

SHARED = frozenset({"opening", "ruleset", "tables"})  # they belong to the rule set, or never change


def snapshot(value):
    """Freeze a play, or anything in it, into nested tuples of plain values."""
    if value is None or isinstance(value, str | bytes | int | float):
        return value
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, Mapping):
        return tuple((key, snapshot(item)) for key, item in value.items())
    if isinstance(value, Sequence):
        return tuple(snapshot(item) for item in value)
    if isinstance(value, AbstractSet):
        return frozenset(snapshot(item) for item in value)
    return type(value).__name__, tuple((name, snapshot(getattr(value, name))) for name in _fields(value))


def _fields(value):
    if isinstance(value, Struct):
        return value.__struct_fields__
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    return sorted({*slots, *getattr(value, "__dict__", ())} - SHARED)
