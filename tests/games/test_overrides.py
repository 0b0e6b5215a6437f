"""Overrides: a tournament's changes to a rule set, and the errors for impossible ones."""

import msgspec
import pytest
from drawing import play_on, probe, start

from arbiter.errors import ConfigError
from arbiter.games.base import IllegalAction
from arbiter.games.catalogue import RULE_SETS, find_game, find_ruleset
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from protocol.words import Deploy

SHUTTLE = """
    10 .. .. .. .. .. .. .. .. .. b3
     6 r9 .. ~~ ~~ .. .. ~~ ~~ .. ..
"""


def decode(text):
    return msgspec.json.decode(text, type=Overrides)


def test_without_overrides_nothing_changes():
    for ruleset in RULE_SETS:
        game = find_game(ruleset.name)
        assert game.describe("red").army == dict(ruleset.army)
        assert game == ruleset


def test_army_counts_replace_single_counts():
    description = find_game("duel", overrides=Overrides(army={"scout": 3, "spy": 0, "colonel": 1})).describe("red")
    assert description.army == {"marshal": 1, "general": 1, "colonel": 1, "miner": 2, "scout": 3, "bomb": 2, "flag": 1}


def test_a_deployment_must_contain_the_changed_army():
    game = find_game("barrage", overrides=Overrides(army={"spy": 0, "bomb": 0}))
    play = game.start(SeededChance(1))
    pieces = {"a1": "flag", "a2": "marshal", "a3": "general", "a4": "miner", "b1": "scout", "b2": "scout"}
    with pytest.raises(IllegalAction, match="1 pieces of rank spy instead of 0"):
        play.act("red", Deploy(pieces=pieces | {"b3": "spy"}))
    assert play.act("red", Deploy(pieces=pieces)) == ()


@pytest.mark.parametrize(
    ("army", "why"),
    [
        ({"admiral": 1}, "army: duel has no rank 'admiral'; it has marshal, general, "),
        ({"infiltrator": 1}, "army: duel has no rank 'infiltrator'; "),
        ({"scout": 33}, "army: 41 pieces do not fit on 40 squares"),
        (dict.fromkeys(("marshal", "general", "miner", "scout", "spy", "bomb", "flag"), 0), "army: no piece is left"),
    ],
)
def test_an_impossible_army_is_a_config_error(army, why):
    with pytest.raises(ConfigError) as caught:
        find_game("duel", overrides=Overrides(army=army))
    assert str(caught.value).startswith(why)
    assert "\n" not in str(caught.value)


def test_a_duel_with_forty_pieces_is_allowed():
    assert sum(find_game("duel", overrides=Overrides(army={"scout": 32})).describe("red").army.values()) == 40


@pytest.mark.parametrize(
    ("overrides", "seen"),
    [
        ({"two_squares": 0}, {"two_squares": 0}),
        ({"two_squares": 5}, {"two_squares": 5}),
        ({"more_squares": "game"}, {"more_squares": "game"}),
        ({"more_squares": "off"}, {"more_squares": "off"}),
        ({"no_attack_plies": 50}, {"no_attack_plies": 50}),
        ({"no_attack_plies": 0, "max_plies": 0}, {"no_attack_plies": 0, "max_plies": 0}),
    ],
)
def test_the_description_for_bots_contains_the_overrides(overrides, seen):
    plain = msgspec.structs.asdict(find_game("original").describe("red"))
    changed = msgspec.structs.asdict(find_game("original", overrides=Overrides(**overrides)).describe("red"))
    assert {key: value for key, value in changed.items() if value != plain[key]} == seen


def test_an_override_changes_the_game():
    play = start(SHUTTLE, "barrage", two_squares=1)
    play_on(play, "a6-b6 j10-j9")
    assert probe(play, "b6-a6") == "two_squares"
    assert probe(play, "b6-b7") is None


def test_a_rule_set_is_not_changed_by_a_game():
    before = {ruleset.name: msgspec.structs.asdict(ruleset) for ruleset in RULE_SETS}
    find_game("original", overrides=Overrides(army={"scout": 1}, two_squares=0, more_squares="off", max_plies=1))
    assert {ruleset.name: msgspec.structs.asdict(ruleset) for ruleset in RULE_SETS} == before
    assert find_ruleset("original").army["scout"] == 8


@pytest.mark.parametrize(
    "text",
    [
        '{"two_square":3}',
        '{"two_squares":-1}',
        '{"two_squares":true}',
        '{"two_squares":2.5}',
        '{"two_squares":1000001}',
        '{"more_squares":"on"}',
        '{"army":{"scout":-1}}',
        '{"army":{"scout":"8"}}',
        '{"max_plies":null}',
    ],
)
def test_overrides_are_typed(text):
    with pytest.raises(msgspec.ValidationError):
        decode(text)


def test_overrides_are_written_without_unset_fields():
    assert msgspec.json.encode(Overrides(two_squares=0, army={"spy": 2})) == b'{"army":{"spy":2},"two_squares":0}'
    assert decode("{}") == Overrides()
