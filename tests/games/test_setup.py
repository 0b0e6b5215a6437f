"""Deployments: the whole army, on the player's own rows, hidden until both players have deployed."""

import msgspec
import pytest
from drawing import drawn, facts, tidy

from arbiter.games.base import IllegalAction
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from protocol.words import AnyAction, Deploy, Deployed, Move

RED = {"a1": "flag", "b1": "bomb", "a2": "bomb", "b2": "marshal", "c2": "general", "d3": "miner", "e3": "miner", "f4": "scout", "g4": "scout", "j4": "spy"}  # fmt: skip
BLUE = {"j10": "flag", "i10": "bomb", "j9": "bomb", "i9": "marshal", "h9": "general", "g8": "miner", "f8": "miner", "e7": "scout", "d7": "scout", "a7": "spy"}  # fmt: skip


def duel():
    return find_game("duel").start(SeededChance(1))


def without(pieces, *squares):
    return {square: rank for square, rank in pieces.items() if square not in squares}


def test_both_deploy_and_red_begins():
    play = duel()
    assert (play.phase, play.to_act) == ("setup", ("red", "blue"))
    assert play.act("red", Deploy(pieces=RED)) == ()
    assert (play.phase, play.to_act) == ("setup", ("blue",))
    play.act("blue", Deploy(pieces=BLUE))
    assert (play.phase, play.to_act, play.plies) == ("turn", ("red",), 0)
    assert drawn(play) == tidy("""
        10 .. .. .. .. .. .. .. .. bB bF
         9 .. .. .. .. .. .. .. b9 bM bB
         8 .. .. .. .. .. b3 b3 .. .. ..
         7 b1 .. .. b2 b2 .. .. .. .. ..
         4 .. .. .. .. .. r2 r2 .. .. r1
         3 .. .. .. r3 r3 .. .. .. .. ..
         2 rB rM r9 .. .. .. .. .. .. ..
         1 rF rB .. .. .. .. .. .. .. ..
    """)


@pytest.mark.parametrize("order", [("red", "blue"), ("blue", "red")])
def test_deployment_facts_come_after_both_deployments_in_board_order(order):
    play = duel()
    deployments = {"red": RED, "blue": dict(reversed(BLUE.items()))}
    assert play.act(order[0], Deploy(pieces=deployments[order[0]])) == ()
    addressed = play.act(order[1], Deploy(pieces=deployments[order[1]]))
    assert facts(addressed) == [
        Deployed("red", ["a1", "b1", "a2", "b2", "c2", "d3", "e3", "f4", "g4", "j4"]),
        Deployed("blue", ["a7", "d7", "e7", "f8", "g8", "h9", "i9", "j9", "i10", "j10"]),
    ]
    assert {item.to for item in addressed} == {("red", "blue")}


def test_no_action_is_listed_in_the_setup_phase():
    play = duel()
    assert play.legal_actions("red") == play.legal_actions("blue") == []
    play.act("red", Deploy(pieces=RED))
    assert play.legal_actions("red") == play.legal_actions("blue") == []


REFUSED = {
    "a piece too many": (RED | {"c1": "scout"}, "3 pieces of rank scout instead of 2"),
    "a piece too few": (without(RED, "f4"), "1 pieces of rank scout instead of 2"),
    "no flag": (without(RED, "a1"), "0 pieces of rank flag instead of 1"),
    "a flag for a bomb": (RED | {"b1": "flag"}, "1 pieces of rank bomb instead of 2"),
    "two flags": (RED | {"c1": "flag"}, "2 pieces of rank flag instead of 1"),
    "nothing": ({}, "0 pieces of rank marshal instead of 1"),
    "a rank that this army lacks": (without(RED, "f4") | {"f4": "colonel"}, "1 pieces of rank colonel instead of 0"),
    "a rank of another rule set": (without(RED, "f4") | {"f4": "infiltrator"}, "duel has no rank 'infiltrator'"),
    "a rank that does not exist": (without(RED, "f4") | {"f4": "admiral"}, "duel has no rank 'admiral'"),
    "a rank by its number": (without(RED, "f4") | {"f4": "2"}, "duel has no rank '2'"),
    "a rank in capitals": (without(RED, "f4") | {"f4": "Scout"}, "duel has no rank 'Scout'"),
    "the middle": (without(RED, "f4") | {"f5": "scout"}, "'f5' is not one of red's deployment squares"),
    "a lake": (without(RED, "f4") | {"c5": "scout"}, "'c5' is not one of red's deployment squares"),
    "the enemy's rows": (without(RED, "f4") | {"f7": "scout"}, "'f7' is not one of red's deployment squares"),
    "no square": (without(RED, "f4") | {"k4": "scout"}, "'k4' is not one of red's deployment squares"),
    "a square in capitals": (without(RED, "f4") | {"F4": "scout"}, "'F4' is not one of red's deployment squares"),
}


@pytest.mark.parametrize(("pieces", "why"), REFUSED.values(), ids=REFUSED)
def test_an_illegal_deployment_is_refused_and_changes_nothing(pieces, why):
    play = duel()
    with pytest.raises(IllegalAction) as caught:
        play.act("red", Deploy(pieces=pieces))
    assert (caught.value.rule, caught.value.ending) == ("deployment", "illegal_setup")
    assert why in str(caught.value)
    assert play.to_act == ("red", "blue")
    play.act("red", Deploy(pieces=RED))
    play.act("blue", Deploy(pieces=BLUE))
    assert play.phase == "turn"


def test_deploying_for_the_other_seat_is_refused():
    with pytest.raises(IllegalAction, match="'j10' is not one of red's"):
        duel().act("red", Deploy(pieces=BLUE))
    with pytest.raises(IllegalAction, match="'a1' is not one of blue's"):
        duel().act("blue", Deploy(pieces=RED))


@pytest.mark.parametrize(
    "action",
    [Deploy(), Deploy(line=["hand:0"]), Deploy(pieces=RED, line=["hand:0"]), Deploy(line=[])],
    ids=["empty", "line", "both", "no line"],
)
def test_a_board_is_deployed_with_pieces(action):
    with pytest.raises(IllegalAction, match="square to rank") as caught:
        duel().act("red", action)
    assert (caught.value.rule, caught.value.ending) == ("deployment", "illegal_setup")


def test_two_pieces_on_one_square_are_refused():
    said = b'{"type":"deploy","pieces":{"a1":"flag","a1":"bomb"}}'
    assert msgspec.json.decode(said, type=AnyAction).pieces == {"a1": "bomb"}


def test_text_of_a_bot_in_a_refusal_is_short_and_printable():
    for pieces in ({"\x1b[2J" * 900: "scout"}, {"a1": "\n\x07" * 900}):
        with pytest.raises(IllegalAction) as caught:
            duel().act("red", Deploy(pieces=pieces))
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 200


def test_a_second_deployment_is_refused():
    play = duel()
    play.act("red", Deploy(pieces=RED))
    with pytest.raises(IllegalAction) as caught:
        play.act("red", Deploy(pieces=RED))
    assert caught.value.rule == "turn"
    play.act("blue", Deploy(pieces=BLUE))
    with pytest.raises(IllegalAction) as caught:
        play.act("red", Deploy(pieces=RED))
    assert caught.value.rule == "turn"


def test_moves_before_both_deployments_are_refused():
    play = duel()
    play.act("red", Deploy(pieces=RED))
    for seat in ("red", "blue"):
        with pytest.raises(IllegalAction) as caught:
            play.act(seat, Move("f4", "f5"))
        assert caught.value.rule == "turn"


def test_an_army_of_forty_fills_the_rows():
    game = find_game("original")
    description = game.describe("red")
    ranks = [rank for rank, count in description.army.items() for _ in range(count)]
    play = game.start(SeededChance(1))
    for seat in ("red", "blue"):
        squares = description.deploy[seat]
        assert len(squares) == len(ranks) == 40
        with pytest.raises(IllegalAction):
            play.act(seat, Deploy(pieces=dict(zip(squares[1:], ranks[1:], strict=True))))
        addressed = play.act(seat, Deploy(pieces=dict(zip(squares, ranks, strict=True))))
    assert [len(fact.places) for fact in facts(addressed)] == [40, 40]
