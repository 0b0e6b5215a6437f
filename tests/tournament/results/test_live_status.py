"""What is under way, as another shell reads it."""

import pytest
from tournament.stored_games import game

from arbiter.tournament.events import Began, Closing, Finished, Void
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.live_values import LiveStatus
from arbiter.tournament.results.live_files import LiveStatusFile, read_live_status

ONE, TWO = (Began(make_fixture("a", "b", pair, 1), "2026-01-01T00:00:00+00:00") for pair in (1, 2))
OVER = Finished(game("a", "b", "red", "flag_taken"))
TOLD = {
    "nothing yet": ([], LiveStatus()),
    "a game": ([ONE], LiveStatus((ONE,))),
    "two": ([ONE, TWO], LiveStatus((ONE, TWO))),
    "one is over": ([ONE, TWO, OVER], LiveStatus((TWO,))),
    "one came to nothing": ([ONE, TWO, Void(TWO.fixture, "why", stalled=False)], LiveStatus((ONE,), voids=1)),
    "nothing more is begun": ([ONE, Closing()], LiveStatus((ONE,), closing=True)),
    "and is tried again": ([TWO, Void(TWO.fixture, "why", stalled=False), TWO], LiveStatus((TWO,), voids=1)),
}


@pytest.mark.parametrize(("events", "under_way"), TOLD.values(), ids=TOLD)
def test_what_is_told_is_read(tmp_path, events, under_way):
    results = tmp_path / "club.sqlite"
    running = LiveStatusFile(results)
    for event in events:
        running.update(event)
    assert read_live_status(results) == under_way
    running.remove()
    assert read_live_status(results) == LiveStatus()
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_something_else_tells_nothing(tmp_path):
    (tmp_path / "club.sqlite.running").write_bytes(b"\xff{")
    assert read_live_status(tmp_path / "club.sqlite") == LiveStatus()


def test_a_folder_that_cannot_be_written_stops_nobody(tmp_path):
    running = LiveStatusFile(tmp_path / "gone" / "club.sqlite")
    running.update(ONE)
    running.remove()
    assert read_live_status(tmp_path / "gone" / "club.sqlite") == LiveStatus()
