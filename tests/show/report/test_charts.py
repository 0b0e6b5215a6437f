"""The coordinates of the lines and bars of charts."""

from itertools import pairwise

import pytest
from show.report.sample_reports import Page, make_game, make_pages, make_report_data

from arbiter.show.report import charts
from arbiter.tournament.ratings.values import Estimate, Rating, Ratings
from arbiter.tournament.standings.table import rank_bots

BOTS = ("hunter", "mine")
GAMES = [make_game(number, *BOTS[:: 1 if number % 3 else -1]) for number in range(50)]


def test_lines_end_with_the_difference_between_the_points_of_the_standings_and_their_mean():
    plot = charts.plot_scores(BOTS, GAMES)
    table = {one.bot: one.points for one in rank_bots(BOTS, GAMES, ("points",))}
    mean = sum(table.values()) / len(BOTS)
    assert {line.bot: line.value for line in plot.lines} == {bot: points - mean for bot, points in table.items()}
    assert min(table.values()) < mean


def test_lines_in_one_chart_look_different_and_have_labels_that_do_not_overlap():
    bots = [f"bot{number}" for number in range(charts.MOST_TOGETHER)]
    lines = charts.plot_scores(bots, [make_game(number, *bots[:2]) for number in range(9)]).lines
    assert len({line.colour for line in lines}) == len(bots)
    heights = sorted(line.label_y for line in lines)
    assert heights[0] >= 0
    assert heights[-1] <= charts.HEIGHT
    assert all(below - above >= 13.9 for above, below in pairwise(heights))


def test_more_lines_have_a_chart_each():
    for count in (charts.MOST_TOGETHER, charts.MOST_TOGETHER + 1):
        bots = [f"bot{number}" for number in range(count)]
        games = [make_game(number, *bots[:2]) for number in range(9)]
        page = Page(make_pages(make_report_data(bots, games), lambda _: b"")["index.html"])
        uses = [attributes["href"] for tag, attributes in page.elements if tag == "use"]
        ids = {attributes["id"] for tag, attributes in page.elements if tag in {"g", "polyline"} and "id" in attributes}
        assert len(uses) == (3 * count if count > charts.MOST_TOGETHER else 0)
        assert {use.removeprefix("#") for use in uses} == ids


def test_labels_move_as_little_as_possible():
    assert charts.spread_labels([100, 30, 101, 280, 279]) == [100, 30, 114, 280, 266]
    assert charts.spread_labels([0, 0]) == [0, 14]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("hunter", "hunter"), ("h" * 16, "h" * 16), ("h" * 17, "h" * 16 + "…"), ("猎人" * 5, "猎人" * 4 + "…")],
)
def test_long_labels_are_cut(text, shown):
    assert charts.shorten_label(text) == shown


def test_the_band_of_a_rating_contains_its_line():
    history = [(10, Estimate(0, -90, 80)), (20, Estimate(30, -10, 60)), (35, Estimate(25, 5, 50))]
    plot = charts.plot_ratings("hunter", history)
    read = lambda text: [tuple(map(float, place.split(","))) for place in text.split()]  # noqa: E731
    line, band = read(plot.lines[0].points), read(plot.band)
    upper, lower = band[:3], band[:2:-1]
    assert [x for x, _ in line] == [x for x, _ in upper] == [x for x, _ in lower] == [0, 256, 640]
    assert all(
        0 <= high < middle < low <= charts.HEIGHT
        for (_, high), (_, middle), (_, low) in zip(upper, line, lower, strict=True)
    )


def test_lines_stay_within_the_chart_and_have_few_points():
    many = [make_game(number, *BOTS) for number in range(5000)]
    for line in charts.plot_scores(BOTS, many).lines:
        places = [tuple(map(float, place.split(","))) for place in line.points.split()]
        assert len(places) < 200
        assert all(0 <= x <= charts.WIDTH and 0 <= y <= charts.HEIGHT for x, y in places)
        assert places[-1][0] == charts.WIDTH


def test_games_are_ordered_by_their_start():
    late, early = make_game(5, *BOTS), make_game(1, *BOTS[::-1])
    assert charts.plot_scores(BOTS, [late, early]).lines == charts.plot_scores(BOTS, [early, late]).lines


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
    assert charts.choose_ticks(low, high) == marks


def test_each_game_is_counted_once():
    games = [make_game(number, *BOTS, plies=number) for number in range(100)]
    found = charts.count_lengths(games)
    assert sum(bar.value for bar in found) == 100
    assert [(bar.label, bar.value) for bar in found][:6] == [
        ("0", 1),
        ("1", 1),
        ("2", 1),
        ("3\N{EN DASH}4", 2),
        ("5\N{EN DASH}6", 2),
        ("7\N{EN DASH}9", 3),
    ]
    assert found[-1].label == "70\N{EN DASH}99"


def test_games_that_were_not_played_are_not_counted():
    assert charts.count_lengths([make_game(1, *BOTS, ending="walkover"), make_game(2, *BOTS, ending="annulled")]) == ()


def test_the_longest_bar_has_the_full_length():
    assert [bar.share for bar in charts.make_bars({"a": 1, "b": 4})] == [25, 100]


def test_the_scale_contains_all_intervals():
    rated = tuple(
        Rating(bot=bot, group=1, rating=Estimate(elo, elo - 50, elo + 80)) for bot, elo in (("a", 90), ("b", -90))
    )
    scale = charts.make_rating_scale(Ratings(bots=rated, superiority={}, red_advantage=None))
    assert 0 < scale.at(-140) < scale.at(0) < scale.at(170) < 100
