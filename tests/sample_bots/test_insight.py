"""Estimates from the deployments of the book and from the enemy's style of moving."""

from collections import Counter

import pytest
from bot_games import new_game

from protocol.words import BLUE, Deployed, Moved, Revealed
from sample_bots.insight import Insight
from sample_bots.setups import list_deployments

DEPLOYMENTS = list_deployments(BLUE, 10)


def new_insight(places=tuple(DEPLOYMENTS[0]), name="original"):
    insight = Insight(new_game(name))
    insight.follow([Deployed(BLUE, list(places))], {})
    insight.estimate(Counter())
    return insight


def estimate_after_seeing(insight, pieces, count):
    """Reveal a number of pieces, and return the estimates of the others."""
    seen = sorted(pieces)[:: len(pieces) // count][:count]
    insight.follow([Revealed(BLUE, place, pieces[place]) for place in seen], {})
    return {place: chance for place, chance in insight.estimate(Counter()).items() if place not in seen}


@pytest.mark.parametrize("pieces", DEPLOYMENTS[::7])
def test_a_deployment_of_the_book_is_recognised_piece_by_piece(pieces):
    certainty = [
        sum(chance.get(pieces[place], 0) for place, chance in estimates.items()) / len(estimates)
        for estimates in (estimate_after_seeing(new_insight(), pieces, count) for count in (2, 8))
    ]
    assert certainty[0] < certainty[1]
    assert certainty[1] > 0.8


def test_another_deployment_is_not_mistaken_for_one_of_the_book():
    other = dict(zip(DEPLOYMENTS[0], sorted(DEPLOYMENTS[0].values()), strict=True))
    estimates = estimate_after_seeing(new_insight(), other, 10)
    assert max(max(chance.values()) for chance in estimates.values()) < 0.8


@pytest.mark.parametrize("name", ["duel", "infiltrator"])
def test_other_armies_are_not_in_the_book(name):
    insight = Insight(new_game(name))
    insight.follow([Deployed(BLUE, ["a10", "b10", "c10"])], {})
    assert insight.estimate_start() is insight.prior


def test_a_given_position_is_no_deployment_of_the_book():
    insight = new_insight(["a10", "e5"])
    assert insight.estimate_start() is insight.prior


def sum_chances(insight, place, *ranks):
    chance = insight.estimate(Counter())[place]
    return sum(chance.get(rank, 0) for rank in ranks)


def test_a_piece_that_moves_early_is_strong():
    early = new_insight()
    late = new_insight()
    late.turns = 150
    for insight in (early, late):
        insight.follow([Moved(BLUE, "a7", "a6")], {})
    strong = ("marshal", "colonel", "major")
    assert sum_chances(early, "a6", *strong) > 1.5 * sum_chances(late, "a6", *strong)


def test_a_piece_that_steps_aside_from_an_unknown_piece_is_weak():
    insight = new_insight()
    insight.moved = {"a5"}
    insight.follow([Moved(BLUE, "a7", "a6")], {"a5": "scout"})
    before = sum_chances(insight, "a6", "miner", "spy", "scout")
    insight.follow([Moved(BLUE, "a6", "b6")], {"a5": "scout"})
    assert sum_chances(insight, "b6", "miner", "spy", "scout") > 2 * before
