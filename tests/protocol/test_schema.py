"""The schema for authors in other languages says what the code says."""

import json

from protocol.schema import SCHEMA_FILE, schema, schema_text


def references(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield inner
            else:
                yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_the_file_is_up_to_date():
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == json.loads(schema_text()), (
        "run `python -m protocol.schema`"
    )


def test_every_reference_leads_somewhere():
    parts = {f"#/$defs/{name}" for name in schema()["$defs"]}
    assert set(references(schema())) <= parts


def test_a_bots_lines_refuse_fields_not_known_and_an_arbiters_do_not():
    parts = schema()["$defs"]
    assert parts["Act"]["additionalProperties"] is False
    assert parts["Move"]["additionalProperties"] is False
    assert "additionalProperties" not in parts["Ask"]


def test_each_phase_lists_its_actions():
    parts = schema()["$defs"]
    assert parts["SetupAction"] == {"anyOf": [{"$ref": "#/$defs/Deploy"}]}
    assert {"$ref": "#/$defs/Stop"} in parts["RageAction"]["anyOf"]
