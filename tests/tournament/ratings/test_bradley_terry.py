"""The fit compared with published ones.

The games of seven baseball teams in 1987, home and away, and the fit of Agresti, Categorical Data Analysis,
second edition, section 10.6, table 10.11 (the same figures are in the tests of the R package BradleyTerry2).
"""

import numpy as np
import pytest

from arbiter.tournament.ratings.bradley_terry import Scores, Strengths, fit

TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
HOME = """
    -   4-3 4-2 4-3 6-1 4-2 6-0
    3-3 -   4-2 4-3 6-0 6-1 4-3
    2-5 4-3 -   2-4 4-3 4-2 6-0
    3-3 5-1 2-5 -   4-3 4-2 6-1
    5-1 2-5 3-3 4-2 -   5-2 6-0
    2-5 3-3 3-4 4-3 4-2 -   2-4
    2-5 1-5 1-6 2-4 1-6 3-4 -
"""


def read_baseball():
    rows = [[cell.split("-") for cell in line.split()] for line in HOME.strip().splitlines()]
    return np.array([[[float(won or 0), float(lost or 0)] for won, lost in row] for row in rows])


def make_scores(won_and_lost):
    """Make scores from a table of games won and lost by the team of the row, as red (or at home)."""
    one, two = np.triu_indices(len(won_and_lost), 1)
    red, blue = won_and_lost[one, two], won_and_lost[two, one]
    columns = (red.sum(1), red[:, 0], blue.sum(1), blue[:, 1])
    return Scores(len(won_and_lost), one, two, *(column[None, :] for column in columns))


def test_a_published_fit_without_an_advantage():
    strengths = fit(make_scores(read_baseball()), np.zeros(7, int), with_advantage=False).bots[0]
    assert (strengths - strengths[TEAMS.index("Baltimore")]).round(2).tolist() == [
        1.58,
        1.44,
        1.29,
        1.25,
        1.11,
        0.68,
        0,
    ]


def test_a_published_fit_with_home_advantage():
    found = fit(make_scores(read_baseball()), np.zeros(7, int), with_advantage=True)
    share = np.exp(found.bots[0]) / np.exp(found.bots[0]).sum()
    assert share.round(3).tolist() == [0.22, 0.19, 0.164, 0.157, 0.137, 0.088, 0.044]
    assert found.advantage.round(3).tolist() == [0.302]


def test_two_bots_by_hand():
    """Three of four as red and one of two as blue: without an advantage, odds of four to two."""
    table = np.array([[[0, 0], [3, 1]], [[1, 1], [0, 0]]], float)
    even = fit(make_scores(table), np.zeros(2, int), with_advantage=False).bots[0]
    assert even[0] - even[1] == pytest.approx(np.log(4 / 2))
    found = fit(make_scores(table), np.zeros(2, int), with_advantage=True)
    assert found.bots[0, 0] - found.bots[0, 1] + found.advantage[0] == pytest.approx(np.log(3 / 1))
    assert found.bots[0, 0] - found.bots[0, 1] - found.advantage[0] == pytest.approx(np.log(1 / 1), abs=1e-9)


def test_a_draw_is_half_won_and_half_lost():
    drawn, split = read_baseball(), read_baseball()
    drawn[0, 1] += 0.5
    drawn[0, 1] += 0.5
    split[0, 1] += [1, 1]
    assert np.allclose(
        fit(make_scores(drawn), np.zeros(7, int), with_advantage=True).bots,
        fit(make_scores(split), np.zeros(7, int), with_advantage=True).bots,
    )


def test_many_samples_are_fitted_as_each_alone():
    chance = np.random.default_rng(1)
    tables = [chance.gamma(2, size=(5, 5, 2)) for _ in range(4)]
    alone = [make_scores(table) for table in tables]
    stacked = [np.concatenate([getattr(one, name) for one in alone]) for name in Scores.__struct_fields__[3:]]
    together = fit(Scores(5, alone[0].one, alone[0].two, *stacked), np.zeros(5, int), with_advantage=True)
    for number, one in enumerate(alone):
        found = fit(one, np.zeros(5, int), with_advantage=True)
        assert np.allclose(together.bots[number], found.bots[0], atol=1e-6)
        assert together.advantage[number] == pytest.approx(found.advantage[0], abs=1e-6)


def test_the_fit_maximises_the_likelihood():
    """The scores that are expected at the fit are those that were made: the first condition of Bradley and Terry."""
    games = make_scores(read_baseball())
    found = fit(games, np.zeros(7, int), with_advantage=True)
    ahead = found.bots[0, games.one] - found.bots[0, games.two]
    red = games.red_games[0] / (1 + np.exp(-ahead - found.advantage[0]))
    blue = games.blue_games[0] / (1 + np.exp(-ahead + found.advantage[0]))
    residual = games.red_score[0] + games.blue_score[0] - red - blue
    of_team = np.bincount(games.one, residual, 7) - np.bincount(games.two, residual, 7)
    assert np.abs(of_team).max() < 1e-6
    assert (games.red_score[0] - red - games.blue_score[0] + blue).sum() == pytest.approx(0, abs=1e-6)


def test_an_extreme_score_is_fitted():
    table = np.array([[[0, 0], [1000, 1e-6]], [[1e-6, 1000], [0, 0]]], float)
    found = fit(make_scores(table), np.zeros(2, int), with_advantage=True)
    assert found.bots[0, 0] - found.bots[0, 1] == pytest.approx(np.log(1e9), rel=1e-3)


@pytest.mark.parametrize("advantage", [0.0, 0.302])
def test_an_advantage_that_is_not_fitted_keeps_its_value(advantage):
    games, groups = make_scores(read_baseball()), np.zeros(7, int)
    best = fit(games, groups, with_advantage=True)
    near = Strengths(np.zeros((1, 7)), np.array([advantage]))
    found = fit(games, groups, with_advantage=False, near=near)
    assert found.advantage.tolist() == [advantage]
    expected = best if advantage else fit(games, groups, with_advantage=False)
    assert np.allclose(found.bots, expected.bots, atol=1e-3)
