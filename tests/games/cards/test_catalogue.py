"""The card game in the catalogue: finding, changing and describing it."""

import msgspec
import pytest

from arbiter.errors import ConfigError
from arbiter.games.catalogue import find_game
from arbiter.games.ruleset import Overrides
from protocol.messages import Rules

ARMY = dict(
    zip(
        ["marshal", "general", "colonel", "major", "captain", "lieutenant", "sergeant", "miner", "scout", "spy"],
        [1, 1, 1, 1, 2, 2, 2, 4, 4, 1],
        strict=True,
    ),
    bomb=3,
    flag=1,
)


def test_the_description_of_the_card_game():
    description = find_game("card-game").describe("red")
    assert msgspec.to_builtins(description) == {
        "id": "card-game",
        "options": [],
        "army": ARMY,
        "line": 5,
        "hand": 3,
        "deal": 8,
        "first": "red",
        "no_attack_plies": 50,
        "max_plies": 4000,
        "ranks": [
            *({"id": rank, "rank": 10 - number} for number, rank in enumerate(ARMY) if number < 10),
            {"id": "bomb", "rank": None},
            {"id": "flag", "rank": None},
        ],
    }
    assert msgspec.json.decode(msgspec.json.encode(description), type=Rules) == description


def test_counts_and_limits_can_be_changed():
    game = find_game("card-game", overrides=Overrides(army={"spy": 0, "bomb": 5}, no_attack_plies=9, max_plies=99))
    description = game.describe("red")
    assert description.army == {rank: count for rank, count in (ARMY | {"bomb": 5}).items() if rank != "spy"}
    assert (description.no_attack_plies, description.max_plies) == (9, 99)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"overrides": Overrides(two_squares=3)}, "two_squares: card-game has no squares"),
        ({"overrides": Overrides(more_squares="off")}, "more_squares: card-game has no squares"),
        ({"overrides": Overrides(army={"flag": 0})}, "army: card-game needs a flag"),
        (
            {"overrides": Overrides(army={"infiltrator": 1})},
            "army: card-game has no rank 'infiltrator'; it has marshal",
        ),
        ({"position": "a" * 100}, "position: card-game is dealt from shuffled decks"),
        ({"options": ["rescue"]}, "unknown option of card-game 'rescue': there is none"),
    ],
)
def test_impossible_settings_are_config_errors(how, why):
    with pytest.raises(ConfigError) as caught:
        find_game("card-game", **how)
    assert str(caught.value).startswith(why)
    assert "\n" not in str(caught.value)
