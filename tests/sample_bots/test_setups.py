"""The sample bots' book of deployments: legal by the arbiter's rules, and with a flag that is hard to reach."""

from collections import Counter

import pytest
from bot_games import new_game

from arbiter.games.board.deployments import read_book as read_as_arbiter
from arbiter.games.board.rulesets.original import ORIGINAL
from protocol.words import RED, SEATS
from sample_bots.setups import BOOK, count_ranks, draw_deployment, list_deployments, read_book

RULES = new_game().rules
IMMOVABLE = {"bomb", "flag"}
BOARD = new_game().board
DEPLOYMENTS = list_deployments(RED, BOARD.rows)


def test_a_tournament_can_use_the_book():
    assert len(read_as_arbiter(BOOK.read_text(encoding="utf-8"), ORIGINAL)) == len(read_book()) >= 20


@pytest.mark.parametrize("seat", SEATS)
def test_each_deployment_is_the_army_on_the_squares_of_the_seat(seat):
    for pieces in list_deployments(seat, BOARD.rows):
        assert pieces.keys() == set(RULES.deploy[seat])
        assert Counter(pieces.values()) == RULES.army


@pytest.mark.parametrize("pieces", DEPLOYMENTS)
def test_the_flag_is_behind_bombs(pieces):
    flag = next(place for place, rank in pieces.items() if rank == "flag")
    assert {pieces.get(place) for place in BOARD.neighbours[flag]} == {"bomb"}


@pytest.mark.parametrize("pieces", DEPLOYMENTS)
def test_no_movable_piece_is_locked_in(pieces):
    free = [f"{file}5" for file in "abefij"]
    for place in free:
        free += [one for one in BOARD.neighbours[place] if one not in free and pieces.get(one, "bomb") not in IMMOVABLE]
    assert {place for place, rank in pieces.items() if rank not in IMMOVABLE} <= set(free)


def test_deployments_are_drawn_by_the_seed_and_differ():
    drawn = [draw_deployment(new_game(seed=seed)) for seed in range(8)]
    assert draw_deployment(new_game(seed=3)) == drawn[3]
    assert sum(drawn.count(pieces) for pieces in drawn) < 2 * len(drawn)


def test_the_book_has_no_deployment_for_another_army():
    assert draw_deployment(new_game("duel")) is None


def test_the_counts_of_ranks_are_the_same_for_both_seats():
    red, blue = (count_ranks(seat, BOARD.rows) for seat in SEATS)
    assert red["a1"] == blue["a10"] == red["j1"]
    assert sum(counts["flag"] for counts in red.values()) == 2 * len(read_book())
