"""What a bot reads in setups of the book and in the way the enemy moves."""

from collections import Counter

import pytest
from chairs import new_game

from protocol.words import BLUE, Deployed, Moved, Revealed
from sample_bots.insight import Insight
from sample_bots.setups import all_setups

SETUPS = all_setups(BLUE, 10)


def reader(places=tuple(SETUPS[0]), name="original"):
    insight = Insight(new_game(name))
    insight.follow([Deployed(BLUE, list(places))], {})
    insight.chances(Counter())
    return insight


def shown(insight, pieces, count):
    """Let so many pieces be seen, and return what is believed of the others."""
    seen = sorted(pieces)[:: len(pieces) // count][:count]
    insight.follow([Revealed(BLUE, place, pieces[place]) for place in seen], {})
    return {place: chance for place, chance in insight.chances(Counter()).items() if place not in seen}


@pytest.mark.parametrize("pieces", SETUPS[::7])
def test_a_setup_of_the_book_is_recognised_piece_by_piece(pieces):
    sure = [
        sum(chance.get(pieces[place], 0) for place, chance in believed.items()) / len(believed)
        for believed in (shown(reader(), pieces, count) for count in (2, 8))
    ]
    assert sure[0] < sure[1]
    assert sure[1] > 0.8


def test_a_strange_setup_is_not_taken_for_one_of_the_book():
    strange = dict(zip(SETUPS[0], sorted(SETUPS[0].values()), strict=True))
    believed = shown(reader(), strange, 10)
    assert max(max(chance.values()) for chance in believed.values()) < 0.8


@pytest.mark.parametrize("name", ["duel", "infiltrator"])
def test_other_armies_are_not_in_the_book(name):
    insight = Insight(new_game(name))
    insight.follow([Deployed(BLUE, ["a10", "b10", "c10"])], {})
    assert insight.expected() is insight.prior


def test_a_position_is_no_setup_of_the_book():
    insight = reader(["a10", "e5"])
    assert insight.expected() is insight.prior


def chance_of(insight, place, *ranks):
    chance = insight.chances(Counter())[place]
    return sum(chance.get(rank, 0) for rank in ranks)


def test_who_comes_first_is_strong():
    early, late = reader(), reader()
    late.turns = 150
    for insight in (early, late):
        insight.follow([Moved(BLUE, "a7", "a6")], {})
    big = ("marshal", "colonel", "major")
    assert chance_of(early, "a6", *big) > 1.5 * chance_of(late, "a6", *big)


def test_who_steps_aside_from_what_may_be_strong_is_weak():
    insight = reader()
    insight.stirred = {"a5"}
    insight.follow([Moved(BLUE, "a7", "a6")], {"a5": "scout"})
    before = chance_of(insight, "a6", "miner", "spy", "scout")
    insight.follow([Moved(BLUE, "a6", "b6")], {"a5": "scout"})
    assert chance_of(insight, "b6", "miner", "spy", "scout") > 2 * before
