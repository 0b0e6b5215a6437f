"""Ratings over time: how often they are computed, and from which games."""

import pytest
from msgspec.structs import replace
from show.report.sample_reports import make_game

from arbiter.tournament.ratings.values import RatingHistory, Ratings, choose_step

RATINGS = Ratings(bots=(), superiority={}, red_advantage=None)
GAMES = [make_game(number, "a", "b") for number in range(25)]


class CountingRater:
    def __init__(self):
        self.rated = []

    def __call__(self, games):
        self.rated.append([game.id for game in games])
        return RATINGS


@pytest.mark.parametrize(
    ("games", "step"), [(0, 1), (1, 1), (10, 1), (11, 2), (20, 2), (21, 5), (51, 10), (999, 100), (5000, 500)]
)
def test_steps_are_round_and_at_most_ten(games, step):
    assert choose_step(games) == step


def test_each_number_of_games_is_rated_once_and_again_after_a_ruling():
    rater = CountingRater()
    history = RatingHistory(rater)
    assert [one.games for one in history.list_earlier(GAMES[::-1])] == [5, 10, 15, 20]
    assert [len(games) for games in rater.rated] == [5, 10, 15, 20]
    assert rater.rated[0] == [game.id for game in GAMES[:5]]
    history.list_earlier(GAMES)
    history.list_earlier([*GAMES, make_game(25, "a", "b")])
    assert len(rater.rated) == 5
    changed = [*GAMES[:12], replace(GAMES[12], winner="blue"), *GAMES[13:]]
    history.list_earlier(changed)
    assert [len(games) for games in rater.rated[5:]] == [15, 20]


def test_games_that_did_not_take_place_are_left_out():
    games = [*GAMES[:3], make_game(3, "a", "b", ending="walkover"), make_game(4, "a", "b", ending="annulled")]
    assert [one.games for one in RatingHistory(CountingRater()).list_earlier(games)] == [1, 2]
