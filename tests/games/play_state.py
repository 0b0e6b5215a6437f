"""The full state of a play, for any game."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct

from arbiter.games.cards.play import CardPlay

SHARED = frozenset({"opening", "ruleset", "tables"})  # they belong to the rule set, or never change


def freeze(value):
    """Turn a play, or any value in it, into nested tuples of plain values that can be compared."""
    if value is None or isinstance(value, str | bytes | int | float):
        return value
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, Mapping):
        return tuple((key, freeze(item)) for key, item in value.items())
    if isinstance(value, Sequence):
        return tuple(freeze(item) for item in value)
    if isinstance(value, AbstractSet):
        return frozenset(freeze(item) for item in value)
    return type(value).__name__, tuple((name, freeze(getattr(value, name))) for name in _fields(value))


def _fields(value):
    if isinstance(value, Struct):
        return value.__struct_fields__
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    return sorted({*slots, *getattr(value, "__dict__", ())} - SHARED)


def all_ranks(play):
    """Return every piece on the board, or every card in line and hand: (seat, place) -> rank."""
    if not isinstance(play, CardPlay):
        names = play.tables.ruleset.board.names
        return {(piece.seat, names[piece.square]): piece.rank for piece in play.position.placed_pieces()}
    return {
        (seat, f"{kind}:{number}"): card
        for seat, side in play.sides.items()
        for kind, cards in (("line", side.line), ("hand", side.hand))
        for number, card in enumerate(cards)
        if card
    }
