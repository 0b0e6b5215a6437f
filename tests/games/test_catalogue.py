"""The catalogue: the army and repetition rules of each rule set, and finding one by name."""

import msgspec
import pytest

from arbiter.errors import ConfigError, unknown_name
from arbiter.games.catalogue import RULE_SETS, find_game, find_ruleset
from arbiter.games.chance import SeededChance
from protocol.messages import Rules

# By rank 10 9 8 7 6 5 4 3 2 1 bomb flag, then the limit, the more-squares scope, True if moving a bomb loses.
TABLE = {
    "original": ("1 1 2 3 4 4 4 5 8 1 6 1", 3, "chase", True),
    "original-2000": ("1 1 2 3 4 4 4 5 8 1 6 1", 5, "off", False),
    "isf": ("1 1 2 3 4 4 4 5 8 1 6 1", 3, "game", True),
    "duel": ("1 1 0 0 0 0 0 2 2 1 2 1", 3, "chase", True),
    "barrage": ("1 1 0 0 0 0 0 1 2 1 1 1", 3, "chase", False),
}
RANKS = ["marshal", "general", "colonel", "major", "captain", "lieutenant", "sergeant", "miner", "scout", "spy", "bomb", "flag"]  # fmt: skip
LAKES = ["c5", "d5", "c6", "d6", "g5", "h5", "g6", "h6"]
every_rule_set = pytest.mark.parametrize("ruleset", RULE_SETS, ids=lambda ruleset: ruleset.name)


@pytest.mark.parametrize("name", TABLE)
def test_armies_and_repetition_rules_of_the_rule_sets(name):
    counts, limit, scope, loses = TABLE[name]
    army = {rank: int(count) for rank, count in zip(RANKS, counts.split(), strict=True) if count != "0"}
    ruleset = find_ruleset(name)
    description = find_game(name).describe("red")
    assert description.army == army
    assert (description.two_squares, description.more_squares, ruleset.immovable_loses) == (limit, scope, loses)
    assert (description.no_attack_plies, description.max_plies) == (0 if name == "isf" else 200, 4000)
    assert ruleset.first == "red"


@pytest.mark.parametrize("name", TABLE)
def test_the_description_of_the_classic_board(name):
    description = find_game(name).describe("red")
    assert (description.board.files, description.board.rows, sorted(description.board.lakes)) == (10, 10, sorted(LAKES))
    squares = [f"{file}{row}" for row in range(1, 11) for file in "abcdefghij"]
    assert description.deploy == {"red": squares[:40], "blue": squares[60:]}
    assert {rank.id: rank.rank for rank in description.ranks} == {
        **{rank: 10 - place for place, rank in enumerate(RANKS[:10])},
        "bomb": None,
        "flag": None,
    }


@every_rule_set
def test_the_description_follows_the_protocol(ruleset):
    description = find_game(ruleset.name).describe("blue")
    assert (description.id, description.options, description.first) == (ruleset.name, [], "blue")
    assert msgspec.json.decode(msgspec.json.encode(description), type=Rules) == description
    assert set(description.army) <= {rank.id for rank in description.ranks}


@every_rule_set
def test_a_rule_set_has_a_title(ruleset):
    assert ruleset.title
    assert find_ruleset(ruleset.name) is ruleset
    assert find_game(ruleset.name).name == ruleset.name


@every_rule_set
def test_the_first_seat_of_each_rule_set(ruleset):
    firsts = {find_game(ruleset.name).start(SeededChance(seed)).first for seed in range(20)}
    assert firsts == ({ruleset.first} if ruleset.first else {"red", "blue"})


def test_names_are_not_used_twice():
    names = [ruleset.name for ruleset in RULE_SETS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("orignal", "unknown rule set 'orignal': did you mean 'original'?"),
        ("Duel", "unknown rule set 'Duel': did you mean 'duel'?"),
        ("chess", "unknown rule set 'chess': there is original, original-2000, "),
        ("", "unknown rule set '': there is original, "),
    ],
)
def test_the_error_for_an_unknown_rule_set_suggests_a_similar_name(name, hint):
    with pytest.raises(ConfigError) as caught:
        find_game(name)
    assert str(caught.value).startswith(hint)


def test_the_error_for_an_unknown_option_lists_the_options():
    with pytest.raises(ConfigError, match="unknown option of duel 'rescue': there is none"):
        find_game("duel", ["rescue"])


def test_the_error_for_an_unknown_name_without_known_names():
    assert str(unknown_name("bot", "x", [])) == "unknown bot 'x': there is none"
