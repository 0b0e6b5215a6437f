"""The wall of the games in progress: how boards are arranged, and when the next round begins."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace
from show.report.sample_reports import make_game, make_report_data

from arbiter.show.report.values import MOST_ON_WALL, LiveTournament
from arbiter.show.report.wall import count_columns, find_next_start, make_wall_page
from arbiter.tournament.config.event_data import EventTable
from arbiter.tournament.events import Began
from arbiter.tournament.fixture import make_fixture

STARTS = datetime(2026, 12, 5, 19, tzinfo=UTC)
PLANNED = EventTable(starts=STARTS, round_minutes=30)


def make_live(rounds, **changes):
    """Make a tournament of four games, with games in progress of these rounds."""
    fixtures = [make_fixture("hunter", "mine", number, one) for number, one in enumerate(rounds)]
    began = [Began(fixture, "2026-12-05T19:00:00") for fixture in fixtures]
    data = make_report_data(("hunter", "mine"), changes.pop("games", []))
    live = LiveTournament(games=began, playing=True)
    return replace(data, **({"total": 4, "finished": False, "event": PLANNED, "live": live} | changes))


@pytest.mark.parametrize(("boards", "columns"), [(0, 1), (1, 1), (2, 2), (4, 4), (6, 3), (12, 6), (MOST_ON_WALL, 8)])
def test_boards_are_arranged_for_a_wide_screen(boards, columns):
    assert count_columns(boards) == columns


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        (make_live([]), (1, STARTS)),
        (make_live([1, 2]), (3, STARTS + timedelta(hours=1))),
        (make_live([], games=[make_game(0, "hunter", "mine")]), (2, STARTS + timedelta(minutes=30))),
        (make_live([1, 1, 2, 2]), None),  # no game is left
        (make_live([], total=None), None),
        (make_live([1], event=EventTable(starts=STARTS)), None),
        (make_live([], event=EventTable(starts=STARTS)), (1, STARTS)),
        (make_live([1], event=EventTable()), None),
        (make_live([1], unit="pair"), None),
    ],
)
def test_the_next_round_is_the_one_after_the_latest_that_began(results, expected):
    assert find_next_start(results) == (expected and (expected[0], expected[1].timestamp()))


def test_more_games_than_fit_are_counted():
    page = make_wall_page(make_live(range(1, MOST_ON_WALL + 4), total=99)).content.decode()
    assert page.count("<article") == MOST_ON_WALL
    assert f"{MOST_ON_WALL} of {MOST_ON_WALL + 3} games" in page
    assert 'data-round="28"' in page
    assert "No game is in progress" in make_wall_page(make_live([])).content.decode()
