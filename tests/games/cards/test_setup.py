"""Dealing and deploying in the card game, and the facts for each player."""

from collections import Counter
from random import Random

import pytest
from games.cards.card_text import drawn, news, words
from games.random_players import random_line

from arbiter.games.base import IllegalAction, visible_to
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from protocol.words import OPPONENT, SEATS, Deploy

HAND = ",".join(f"hand:{number}" for number in range(8))
LINE = ",".join(f"line:{slot}" for slot in range(5))


def new(seed=1, **overrides):
    return find_game("card-game", overrides=Overrides(**overrides)).start(SeededChance(seed))


def laid(*places):
    return Deploy(line=[f"hand:{place}" for place in places])


def test_the_decks_are_the_army_shuffled_by_the_seed():
    army = Counter(find_game("card-game").describe("red").army)
    assert army.total() == 23
    for seat in SEATS:
        decks = {new(seed).sides[seat].cards() for seed in range(5)}
        assert len(decks) == 5
        assert all(Counter(deck) == army for deck in decks)
    assert new(1).sides["red"].cards() != new(1).sides["blue"].cards()
    assert drawn(new(1)) == drawn(new(1))


def test_each_player_is_dealt_eight_cards_and_sees_only_its_own():
    play = new()
    assert [len(play.sides[seat].hand) for seat in SEATS] == [8, 8]
    for seat in SEATS:
        own = [f"revealed {seat} hand:{number} {card}" for number, card in enumerate(play.sides[seat].hand)]
        heard = [words(fact) for fact in visible_to(seat, play.opening)]
        dealt = {either: f"dealt {either} {HAND}" for either in SEATS}
        before, after = ([dealt["red"]], []) if seat == "blue" else ([], [dealt["blue"]])
        assert heard == [*before, dealt[seat], *own, *after]


def test_the_top_of_the_deck_is_dealt_first():
    chance = SeededChance(4)
    play = find_game("card-game").start(chance)
    for seat, deck in chance.shuffles:
        assert play.sides[seat].hand == list(deck[:8])
        assert play.sides[seat].deck == list(deck[8:])


def test_five_are_laid_and_three_close_up_in_the_hand():
    play = new()
    before = play.sides["red"].hand.copy()
    assert play.act("red", laid(6, 0, 3, 7, 1)) == ()
    assert play.sides["red"].line == [before[number] for number in (6, 0, 3, 7, 1)]
    assert play.sides["red"].hand == [before[number] for number in (2, 4, 5)]


@pytest.mark.parametrize("first", SEATS)
def test_the_lines_become_public_together_and_red_begins(first):
    play = new()
    assert play.act(first, laid(0, 1, 2, 3, 4)) == ()
    assert (play.to_act, play.phase) == ((OPPONENT[first],), "setup")
    facts = play.act(OPPONENT[first], laid(7, 6, 5, 4, 3))
    assert news(facts) == f"deployed red {LINE} / deployed blue {LINE}"
    assert (play.to_act, play.phase, play.plies) == (("red",), "turn", 0)


@pytest.mark.parametrize(
    "action",
    [
        laid(0, 1, 2, 3),
        laid(0, 1, 2, 3, 4, 5),
        laid(),
        laid(0, 1, 2, 3, 3),
        laid(0, 1, 2, 3, 8),
        laid(0, 1, 2, 3, -1),
        Deploy(line=["hand:0", "hand:1", "hand:2", "hand:3", "hand:04"]),
        Deploy(line=["line:0", "hand:1", "hand:2", "hand:3", "hand:4"]),
        Deploy(line=["hand:0", "hand:1", "hand:2", "hand:3", "\u001b[2J"]),
        Deploy(pieces={"a1": "flag"}),
        Deploy(pieces={}, line=["hand:0", "hand:1", "hand:2", "hand:3", "hand:4"]),
        Deploy(),
    ],
)
def test_a_wrong_line_is_refused(action):
    play = new()
    before = drawn(play)
    with pytest.raises(IllegalAction) as caught:
        play.act("red", action)
    assert (caught.value.rule, caught.value.ending) == ("deployment", "illegal_setup")
    assert str(caught.value).isprintable()
    assert drawn(play) == before


def test_a_second_deployment_is_refused():
    play = new()
    play.act("red", laid(0, 1, 2, 3, 4))
    with pytest.raises(IllegalAction) as caught:
        play.act("red", laid(0, 1, 2))
    assert caught.value.rule == "turn"


def test_a_small_army_is_dealt_completely():
    counts = dict.fromkeys(find_game("card-game").describe("red").army, 0) | {"flag": 1, "miner": 2}
    play = new(army=counts)
    facts = [play.act(seat, random_line(play, seat, Random(1))) for seat in SEATS]
    assert news(facts[1]) == "deployed red line:0,line:1,line:2 / deployed blue line:0,line:1,line:2"
    assert [len(side.hand) + len(side.deck) for side in play.sides.values()] == [0, 0]


def test_a_game_without_attackers_ends_at_once():
    counts = dict.fromkeys(find_game("card-game").describe("red").army, 0) | {"flag": 1, "bomb": 9}
    play = new(army=counts)
    for seat in SEATS:
        play.act(seat, laid(0, 1, 2, 3, 4))
    assert (play.outcome.winner, play.outcome.ending, play.to_act) == (None, "both_immobile", ())
