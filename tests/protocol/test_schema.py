"""The JSON schema agrees with the code."""

import json

from protocol.schema import SCHEMA_FILE, build_schema, write_schema


def find_references(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield inner
            else:
                yield from find_references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from find_references(inner)


def test_the_file_is_up_to_date():
    assert json.loads(SCHEMA_FILE.read_text(encoding="utf-8")) == json.loads(write_schema()), (
        "run `python -m protocol.schema`"
    )


def test_every_reference_has_a_definition():
    parts = {f"#/$defs/{name}" for name in build_schema()["$defs"]}
    assert set(find_references(build_schema())) <= parts


def test_unknown_fields_are_forbidden_for_bots_but_not_for_the_arbiter():
    parts = build_schema()["$defs"]
    assert parts["Act"]["additionalProperties"] is False
    assert parts["Move"]["additionalProperties"] is False
    assert "additionalProperties" not in parts["Ask"]


def test_each_phase_lists_its_actions():
    parts = build_schema()["$defs"]
    assert parts["SetupAction"] == {"anyOf": [{"$ref": "#/$defs/Deploy"}]}
    assert {"$ref": "#/$defs/Stop"} in parts["RageAction"]["anyOf"]
