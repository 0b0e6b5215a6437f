"""The JSON schema of the protocol, for authors in other languages.  `python -m protocol.schema` writes the file."""

import json
from pathlib import Path
from typing import Any, Final

import msgspec

from protocol.dialogue import PHASE_ACTIONS
from protocol.envelope import AnyEnvelope
from protocol.messages import AnyArbiterMessage, AnyBotMessage, BoardView, CardView
from protocol.words import PROTOCOL_VERSION

SCHEMA_FILE: Final = Path(__file__).with_name("schema.json")
_REF: Final = "#/$defs/{name}"


def build_schema() -> dict[str, Any]:
    """Return the schema of lines and envelopes: `ArbiterLine`, `BotLine`, `Envelope`, and the actions of each phase."""
    (arbiter, bot, envelope, *_), parts = msgspec.json.schema_components(
        (AnyArbiterMessage, AnyBotMessage, AnyEnvelope, BoardView, CardView), ref_template=_REF
    )
    parts["Ask"]["properties"]["view"] = {"anyOf": [_ref("BoardView"), _ref("CardView")]}
    phases = {
        f"{phase.capitalize()}Action": {"anyOf": [_ref(action.__name__) for action in actions]}
        for phase, actions in PHASE_ACTIONS.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:stratego-arbiter:protocol:{PROTOCOL_VERSION}",
        "title": "One line of the arbiter or of a bot",
        "anyOf": [_ref("ArbiterLine"), _ref("BotLine")],
        "$defs": {"ArbiterLine": arbiter, "BotLine": bot, "Envelope": envelope, **phases, **parts},
    }


def _ref(name: str) -> dict[str, str]:
    return {"$ref": _REF.format(name=name)}


def write_schema() -> str:
    """Return the text of the schema file."""
    return json.dumps(build_schema(), indent=2) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(write_schema(), encoding="utf-8")
