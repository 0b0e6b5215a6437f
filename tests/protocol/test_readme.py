"""Every example in the README of the protocol is a valid line."""

import re
from pathlib import Path

import msgspec
import pytest

import protocol
from arbiter.games.catalogue import RULE_SETS
from protocol.codec import decode_arbiter_line, decode_bot_line
from protocol.dialogue import PHASE_ACTIONS
from protocol.messages import AnyArbiterMessage, AnyBotMessage, BoardView, CardView
from protocol.words import AnyAction, AnyFact

README = Path(protocol.__file__).with_name("README.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(\w+) ?([\w ]*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
EXAMPLES = [(kind, line) for language, kind, text in FENCES if language == "json" for line in text.splitlines()]


def strict_decoder(kind):
    return msgspec.json.Decoder(kind).decode


DECODERS = {
    "arbiter": decode_arbiter_line,
    "bot": decode_bot_line,
    "action": strict_decoder(AnyAction),
    "facts": strict_decoder(list[AnyFact]),
    "view": strict_decoder(BoardView),
    "card view": strict_decoder(CardView),
}


@pytest.mark.parametrize(("kind", "line"), EXAMPLES)
def test_an_example_is_valid_and_has_no_unknown_field(kind, line):
    message = DECODERS[kind](line.encode())
    assert remove_nulls(msgspec.json.decode(line)) == remove_nulls(msgspec.to_builtins(message))


def remove_nulls(value):
    """Remove null fields, which an example may contain or not."""
    if isinstance(value, dict):
        return {key: remove_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [remove_nulls(inner) for inner in value]
    return value


def list_tags(kind):
    return {part.__struct_config__.tag for part in kind.__args__}


@pytest.mark.parametrize("tag", sorted(list_tags(AnyArbiterMessage | AnyBotMessage | AnyAction | AnyFact)))
def test_every_message_action_and_fact_is_explained(tag):
    assert f"`{tag}`" in README


def test_every_action_has_an_example():
    shown = {DECODERS["action"](line.encode()).__struct_config__.tag for kind, line in EXAMPLES if kind == "action"}
    assert shown == list_tags(AnyAction)


@pytest.mark.parametrize("phase", PHASE_ACTIONS)
def test_every_phase_is_explained(phase):
    assert f"| `{phase}` |" in README


@pytest.mark.parametrize(
    "option", sorted({option for ruleset in RULE_SETS for option in ruleset.offers} - {"printed-army"})
)
def test_every_option_that_changes_more_than_numbers_is_explained(option):
    assert f"| option `{option}` |" in README


@pytest.mark.parametrize("text", [text for language, _, text in FENCES if language == "python"])
def test_the_python_code_compiles(text):
    compile(text, "README.md", "exec")
