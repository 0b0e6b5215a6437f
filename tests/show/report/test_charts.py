"""The coordinates of the lines and bars of charts."""

import pytest
from show.report.sample_reports import make_game

from arbiter.show.report.charts import (
    HEIGHT,
    WIDTH,
    choose_ticks,
    count_lengths,
    make_bars,
    make_rating_scale,
    plot_scores,
)
from arbiter.tournament.ratings.values import Estimate, Rating, Ratings
from arbiter.tournament.standings.table import rank_bots

BOTS = ("hunter", "mine")
GAMES = [make_game(number, *BOTS[:: 1 if number % 3 else -1]) for number in range(50)]


def test_lines_end_with_the_points_of_the_standings():
    plot = plot_scores(BOTS, GAMES)
    assert {line.bot: line.value for line in plot.lines} == {
        one.bot: one.points for one in rank_bots(BOTS, GAMES, ("points",))
    }


def test_lines_stay_within_the_chart_and_have_few_points():
    many = [make_game(number, *BOTS) for number in range(5000)]
    for line in plot_scores(BOTS, many).lines:
        places = [tuple(map(float, place.split(","))) for place in line.points.split()]
        assert len(places) < 200
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in places)
        assert places[-1][0] == WIDTH


def test_games_are_ordered_by_their_start():
    late, early = make_game(5, *BOTS), make_game(1, *BOTS[::-1])
    assert plot_scores(BOTS, [late, early]).lines == plot_scores(BOTS, [early, late]).lines


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (0, 10, [0, 2, 4, 6, 8, 10]),
        (0, 67, [0, 20, 40, 60]),
        (0, 0.5, [0, 0.1, 0.2, 0.3, 0.4, 0.5]),
        (-3, 3, [-2, 0, 2]),
    ],
)
def test_ticks_are_round(low, high, marks):
    assert choose_ticks(low, high) == marks


def test_each_game_is_counted_once():
    games = [make_game(number, *BOTS, plies=number) for number in range(100)]
    found = count_lengths(games)
    assert sum(bar.value for bar in found) == 100
    assert found[0].label == "0-4"


def test_games_that_were_not_played_are_not_counted():
    assert count_lengths([make_game(1, *BOTS, ending="walkover"), make_game(2, *BOTS, ending="void")]) == ()


def test_the_longest_bar_has_the_full_length():
    assert [bar.share for bar in make_bars({"a": 1, "b": 4})] == [25, 100]


def test_the_scale_contains_all_intervals():
    rated = tuple(
        Rating(bot=bot, group=1, rating=Estimate(elo, elo - 50, elo + 80)) for bot, elo in (("a", 90), ("b", -90))
    )
    scale = make_rating_scale(Ratings(bots=rated, superiority={}, red_advantage=None))
    assert 0 < scale.at(-140) < scale.at(0) < scale.at(170) < 100
