"""Actions in short form, for people."""

from protocol.words import AnyAction


def write_action(action: AnyAction, *, hides_secrets: bool = False) -> str:
    """Write an action in short form: `a4-a5`, `resigns`; without what the opponent does not learn.

    Places of cards are written as their numbers: `look 0 2 by 3` is the scout on 3 that looks at two cards of the
    opponent's line, and `fill 2<1` lays the card on 1 of the hand in slot 2.
    """
    hidden = action.secret if hides_secrets else ()
    fields = {name: _write_value(getattr(action, name), is_hidden=name in hidden) for name in action.__struct_fields__}
    return action.notation.format(**fields)


def _write_value(value: object, *, is_hidden: bool) -> str:
    match value:
        case list():
            return " ".join(map(_write_place, value))
        case dict():
            return " ".join(
                _write_place(slot) + ("" if is_hidden else f"<{_write_place(place)}")
                for slot, place in sorted(value.items())
            )
        case _:
            return "a piece" if is_hidden else _write_place(str(value))


def _write_place(place: str) -> str:
    """Write a place: that of a card as its number."""
    return place.removeprefix("line:").removeprefix("hand:")
