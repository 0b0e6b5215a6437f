"""The sample bots' book of setups: sound by the arbiter's own rules, and with a flag that is hard to reach."""

from collections import Counter

import pytest
from chairs import new_game

from arbiter.games.board.deployments import read_book as read_by_the_rules
from arbiter.games.board.rulesets.original import ORIGINAL
from protocol.words import RED, SEATS
from sample_bots.setups import BOOK, all_setups, draw_setup, habits, read_book

TERMS = new_game().rules
MINED = {"bomb", "flag"}
BOARD = new_game().board
SETUPS = all_setups(RED, BOARD.rows)


def test_the_book_is_one_that_a_tournament_can_be_given():
    assert len(read_by_the_rules(BOOK.read_text(encoding="utf-8"), ORIGINAL)) == len(read_book()) >= 20


@pytest.mark.parametrize("seat", SEATS)
def test_each_setup_is_the_army_on_the_seat_s_squares(seat):
    for pieces in all_setups(seat, BOARD.rows):
        assert pieces.keys() == set(TERMS.deploy[seat])
        assert Counter(pieces.values()) == TERMS.army


@pytest.mark.parametrize("pieces", SETUPS)
def test_the_flag_stands_behind_bombs(pieces):
    home = next(place for place, rank in pieces.items() if rank == "flag")
    assert {pieces.get(place) for place in BOARD.neighbours[home]} == {"bomb"}


@pytest.mark.parametrize("pieces", SETUPS)
def test_no_piece_is_walled_in(pieces):
    free = [f"{file}5" for file in "abefij"]
    for place in free:
        free += [one for one in BOARD.neighbours[place] if one not in free and pieces.get(one, "bomb") not in MINED]
    assert {place for place, rank in pieces.items() if rank not in MINED} <= set(free)


def test_setups_are_drawn_by_the_seed_and_differ():
    drawn = [draw_setup(new_game(seed=seed)) for seed in range(8)]
    assert draw_setup(new_game(seed=3)) == drawn[3]
    assert sum(drawn.count(pieces) for pieces in drawn) < 2 * len(drawn)


def test_there_is_none_for_another_army():
    assert draw_setup(new_game("duel")) is None


def test_the_habits_are_the_same_for_both_seats():
    red, blue = (habits(seat, BOARD.rows) for seat in SEATS)
    assert red["a1"] == blue["a10"] == red["j1"]
    assert sum(counts["flag"] for counts in red.values()) == 2 * len(read_book())
