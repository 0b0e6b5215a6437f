"""Places of cards as the protocol writes them: `line:0` .. and `hand:0` .."""

from collections.abc import Iterable

from protocol.words import Place


def line_place(slot: int) -> Place:
    """Name a slot of a line."""
    return f"line:{slot}"


def hand_place(number: int) -> Place:
    """Name a place of a hand."""
    return f"hand:{number}"


def line_places(slots: Iterable[int]) -> list[Place]:
    """Name slots of a line."""
    return [line_place(slot) for slot in slots]


def hand_places(numbers: Iterable[int]) -> list[Place]:
    """Name places of a hand."""
    return [hand_place(number) for number in numbers]
