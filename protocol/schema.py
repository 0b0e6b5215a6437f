"""The protocol as a JSON schema, for authors in other languages; `python -m protocol.schema` writes the file."""

import json
from pathlib import Path
from typing import Any, Final

import msgspec

from protocol.dialogue import ACTIONS
from protocol.messages import AnyAnswer, AnySaid, BoardView, CardView

SCHEMA_FILE: Final = Path(__file__).with_name("schema.json")
_REF: Final = "#/$defs/{name}"


def schema() -> dict[str, Any]:
    """Return the schema of every line: `ArbiterLine`, `BotLine`, and per phase the actions that may answer it."""
    (said, answered, *_), parts = msgspec.json.schema_components(
        (AnySaid, AnyAnswer, BoardView, CardView), ref_template=_REF
    )
    parts["Ask"]["properties"]["view"] = {"anyOf": [_ref("BoardView"), _ref("CardView")]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One line of the arbiter or of a bot",
        "anyOf": [_ref("ArbiterLine"), _ref("BotLine")],
        "$defs": {"ArbiterLine": said, "BotLine": answered, **_phases(), **parts},
    }


def _phases() -> dict[str, Any]:
    return {
        f"{phase.capitalize()}Action": {"anyOf": [_ref(action.__name__) for action in actions]}
        for phase, actions in ACTIONS.items()
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _REF.format(name=name)}


def schema_text() -> str:
    """Return the schema as it stands in the file."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
