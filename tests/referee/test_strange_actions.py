"""Whatever a bot names in an action, it is the bot that loses and never the arbiter that fails."""

import pytest
from msgspec import UNSET
from referee.fake_bots import Brain, deployment
from referee.games_in_memory import play_brains

from arbiter.games.catalogue import RULE_SETS, find_game
from protocol.words import SEATS

STRANGE_PLACES = [
    "",
    "a",
    "a0",
    "a11",
    "k1",
    "a1 ",
    "A1",
    "line:5",
    "hand:9",
    "a-1",
    "٣",
    "a٣",
    "a1\x00",
    "a" * 3000,
    "à1",
]
FIELDS = dict.fromkeys(("move", "look", "strike", "attack"), ("src", "dst")) | dict.fromkeys(
    ("peek_hand", "regroup"), ("src",)
)
FIELDS |= {"infiltrate": ("src", "dst", "rank"), "rescue": ("rank", "dst")}
STRANGE_ACTIONS = [
    {"type": kind, **dict.fromkeys(fields, place)} for place in STRANGE_PLACES for kind, fields in FIELDS.items()
] + [
    {"type": "peek_line", "src": "a4", "slots": []},
    {"type": "peek_line", "src": "a4", "slots": ["line:1"] * 300},
    {"type": "fill", "cards": {}},
    {"type": "fill", "cards": {"line:1": "line:1"}},
    {"type": "stop"},
    {"type": "deploy"},
    {"type": "deploy", "pieces": {}, "line": []},
    {"type": "deploy", "pieces": {"": ""}},
    {"type": "deploy", "pieces": deployment("blue")["pieces"]},
    {"type": "move", "src": "a4", "dst": "a11"},
    {"type": "move", "src": "a4", "dst": ""},
]


@pytest.mark.parametrize("rules", [ruleset.name for ruleset in RULE_SETS])
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.slow(keep=6)
def test_no_action_causes_an_error_in_the_arbiter(rules, number):
    game = find_game(rules)
    for action in STRANGE_ACTIONS:
        brains = [
            Brain(seat, at={1: army_of(game, seat)} | ({number: action} if seat == "red" else {})) for seat in SEATS
        ]
        played = play_brains(*brains, rules=rules)
        assert played.result.winner == "blue", action
        assert played.result.ending in ("illegal_action", "illegal_setup")


def army_of(game, seat):
    """Deploy the army of whatever board game on the first squares, or the first cards of a hand."""
    rules = game.describe("red")
    if rules.deploy is UNSET:
        return {"type": "deploy", "line": [f"hand:{number}" for number in range(rules.line)]}
    ranks = [rank for rank, count in rules.army.items() for _ in range(count)]
    return {"type": "deploy", "pieces": dict(zip(rules.deploy[seat], ranks, strict=False))}
