"""The Clone Wars: an army of thirty, a random first seat, and powers in the second game only."""

import pytest
from drawing import letters_of, start
from games.power_text import act_on, ended, news

from arbiter.games.catalogue import find_game, find_ruleset
from arbiter.games.chance import SeededChance
from protocol.words import SEATS

GAMES = ("clone-wars", "clone-wars-powers")


def test_the_armies():
    plain, powers = (find_game(rules).describe("red").army for rules in GAMES)
    assert plain == {
        "marshal": 1, "general": 1, "colonel": 2, "major": 3, "captain": 3, "lieutenant": 2, "sergeant": 2, "miner": 4, "scout": 4, "spy": 1, "bomb": 6, "flag": 1
    }  # fmt: skip
    assert powers == plain | {"major": 2, "marksman": 1, "captain": 2, "berserker": 1}
    assert sum(plain.values()) == sum(powers.values()) == 30


@pytest.mark.parametrize("rules", GAMES)
def test_the_first_seat_is_drawn_from_the_seed(rules):
    game = find_game(rules)
    firsts = [game.start(SeededChance(seed)).first for seed in range(40)]
    assert firsts == [game.start(SeededChance(seed)).first for seed in range(40)]
    assert set(firsts) == set(SEATS)
    assert firsts == [find_game(GAMES[0]).start(SeededChance(seed)).first for seed in range(40)]


@pytest.mark.parametrize("rules", GAMES)
@pytest.mark.parametrize("first", SEATS)
def test_a_record_contains_the_first_seat(rules, first):
    game = find_game(rules, first=first)
    assert {game.start(SeededChance(seed)).first for seed in range(20)} == {first}


@pytest.mark.parametrize("rules", GAMES)
def test_the_drawn_seat_moves_first(rules):
    for seed in range(6):
        play = find_game(rules, position=letters_of(BOARD.format(own="4", foe="5"))).start(SeededChance(seed))
        assert play.to_act == (play.first,)


BOARD = """
    10 bF .. .. .. .. .. .. .. .. b5
     4 .. .. .. .. b{foe} .. .. .. .. ..
     3 .. .. .. .. r{own} .. .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. r5
"""


@pytest.mark.parametrize("rules", GAMES)
@pytest.mark.parametrize(("own", "foe", "last"), [("1", "M", "moved red e3 e4"), ("M", "1", "moved red e3 e4")])
def test_the_spy_beats_the_marshal_when_it_attacks(rules, own, foe, last):
    assert news(act_on(start(BOARD.format(own=own, foe=foe), rules), "e3xe4")).endswith(last)


@pytest.mark.parametrize("rules", GAMES)
def test_repetition_and_bombs_are_as_in_the_original(rules):
    ruleset = find_ruleset(rules)
    assert (ruleset.two_squares, ruleset.more_squares, ruleset.immovable_loses) == (3, "chase", True)
    play = start(BOARD.format(own="3", foe="B"), rules)
    assert news(act_on(play, "e3xe4")).endswith("/ removed blue e4 / moved red e3 e4")
    assert ended(play) is None


def test_the_ranks_in_the_description_for_bots():
    numbers = {rank.id: rank.rank for rank in find_game("clone-wars-powers").describe("red").ranks}
    assert (numbers["marksman"], numbers["berserker"], numbers["bomb"], numbers["flag"]) == (7, 6, None, None)
    assert {rank.id for rank in find_game("clone-wars").describe("red").ranks}.isdisjoint({"marksman", "berserker"})
