"""Actions in short form, for people."""

from protocol.words import AnyAction


def write_action(action: AnyAction, *, hides_secrets: bool = False) -> str:
    """Write an action in short form: `a4-a5`, `deploys`, `resigns`; without what the opponent does not learn."""
    fields = {name: _write_value(getattr(action, name)) for name in action.__struct_fields__}
    if hides_secrets:
        fields.update(dict.fromkeys(action.secret, "a piece"))
    return action.notation.format(**fields)


def _write_value(value: object) -> str:
    match value:
        case list():
            return " ".join(value)
        case dict():
            return " ".join(f"{slot}<-{place}" for slot, place in value.items())
        case _:
            return str(value)
