"""Live status and records of games in progress, as another process reads them."""

import os
import time

import pytest
from msgspec.structs import replace
from tournament.stored_games import game, void

from arbiter.errors import ConfigError
from arbiter.tournament.events import Acted, Began, Closing, Finished, LiveStatus, Presence
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.results import live_files
from arbiter.tournament.results.live_files import (
    LiveGames,
    LiveStatusFile,
    live_games_folder,
    read_live_game,
    read_live_status,
)

ONE, TWO = (Began(make_fixture("a", "b", pair, 1), "2026-01-01T00:00:00+00:00") for pair in (1, 2))
OVER = Finished(game("a", "b", "red", "flag_taken"))
VOID = void(ONE.fixture.id)
GAME = ONE.fixture.id


@pytest.fixture
def results(tmp_path):
    return tmp_path / "club.sqlite"


def test_a_game_can_be_read_while_it_is_written(results):
    with LiveGames(results) as games:
        assert read_live_game(results, GAME) == b""
        for number in range(3):
            games.receive(Acted(GAME, b"%d" % number))
            games.receive(Acted(TWO.fixture.id, b"other"))
            assert read_live_game(results, GAME) == b"0\n1\n2\n"[: 2 * number + 2]


def test_an_incomplete_line_is_not_read(results):
    with LiveGames(results) as games:
        games.receive(Acted(GAME, b"whole"))
        with (live_games_folder(results) / f"{GAME}.jsonl").open("ab") as file:
            file.write(b"hal")
        assert read_live_game(results, GAME) == b"whole\n"


@pytest.mark.parametrize("over", [OVER, VOID])
def test_a_finished_game_is_removed_and_can_begin_again(results, over):
    with LiveGames(results) as games:
        for event in (ONE, TWO, Closing()):
            games.receive(event)
        games.receive(Acted(GAME, b"first"))
        games.receive(Acted(TWO.fixture.id, b"other"))
        games.receive(over)
        assert read_live_game(results, GAME) == b""
        assert read_live_game(results, TWO.fixture.id) == b"other\n"
        games.receive(Acted(GAME, b"again"))
        assert read_live_game(results, GAME) == b"again\n"
    assert not live_games_folder(results).exists()


def test_removing_a_game_without_a_file(results):
    with LiveGames(results) as games:
        games.receive(OVER)
        assert list(live_games_folder(results).iterdir()) == []


def test_files_of_a_killed_arbiter_are_removed(results):
    LiveGames(results).receive(Acted(GAME, b"left"))
    assert read_live_game(results, GAME) == b"left\n"
    with LiveGames(results):
        assert read_live_game(results, GAME) == b""


def test_only_the_owner_can_read_the_files(results):
    with LiveGames(results) as games:
        games.receive(Acted(GAME, b"secret"))
        assert live_games_folder(results).stat().st_mode & 0o077 == 0


def test_a_full_disk_stops_no_game_and_leaves_no_gap_in_a_record(results):
    with LiveGames(results) as games:
        games.receive(Acted(GAME, b"one"))
        file, whole = games._files[GAME], os.dup(games._files[GAME])
        os.dup2(full := os.open("/dev/full", os.O_WRONLY), file)
        os.close(full)
        games.receive(Acted(GAME, b"two"))
        os.dup2(whole, file)
        os.close(whole)
        games.receive(Acted(GAME, b"three"))
        assert read_live_game(results, GAME) == b"one\n"
        games.receive(VOID)
        games.receive(Acted(GAME, b"again"))
        assert read_live_game(results, GAME) == b"again\n"


def test_a_folder_that_cannot_be_made(tmp_path):
    with pytest.raises(
        ConfigError, match=r"club\.sqlite\.live: the folder for games in progress cannot be made: No such file"
    ):
        LiveGames(tmp_path / "gone" / "club.sqlite")


BEGAN = 7.5  # seconds
FIRST = {ONE.fixture.id: BEGAN}
SECOND = {TWO.fixture.id: BEGAN}
STATUSES = {
    "a program is online": (
        [Presence("deep", present=True), Presence("hal", present=True), Presence("hal", present=False)],
        LiveStatus(present=("deep",)),
    ),
    "no more games begin": ([Closing()], LiveStatus(closing=True)),
    "a game": ([ONE], LiveStatus((ONE,), begun=FIRST)),
    "two": ([ONE, TWO], LiveStatus((ONE, TWO), begun=FIRST | SECOND)),
    "one is over": ([ONE, TWO, OVER], LiveStatus((TWO,), finished=1, begun=SECOND)),
    "one is voided": ([ONE, TWO, void(TWO.fixture.id)], LiveStatus((ONE,), begun=FIRST)),
    "a voided game begins again": ([TWO, void(TWO.fixture.id), TWO], LiveStatus((TWO,), begun=SECOND)),
}


@pytest.mark.parametrize(("events", "status"), STATUSES.values(), ids=STATUSES)
def test_events_change_the_status(tmp_path, events, status):
    results = tmp_path / "club.sqlite"
    file = LiveStatusFile(results, lambda: BEGAN)
    for event in events:
        file.receive(event)
    wait_for_status(results, replace(status, since=BEGAN))
    file.remove()
    assert read_live_status(results) == LiveStatus()
    assert list(tmp_path.iterdir()) == []


def wait_for_status(results, status):
    """Wait until the status has been written."""
    end = time.monotonic() + 60
    while read_live_status(results) != status:
        assert time.monotonic() < end, read_live_status(results)
        time.sleep(0.01)


def test_a_game_that_begins_is_written_at_once_and_the_end_of_the_one_before_with_it(tmp_path):
    results = tmp_path / "club.sqlite"
    file = LiveStatusFile(results, lambda: BEGAN)
    for number in range(100):
        file.receive(ONE)
        assert read_live_status(results) == LiveStatus((ONE,), finished=number, since=BEGAN, begun=FIRST)
        file.receive(OVER)
    wait_for_status(results, LiveStatus(finished=100, since=BEGAN))


def test_if_many_games_are_in_progress_changes_are_written_after_a_pause(tmp_path, monkeypatch):
    results = tmp_path / "club.sqlite"
    file = LiveStatusFile(results, lambda: BEGAN)
    begun = [replace(ONE, fixture=make_fixture("one", "two", number, 1)) for number in range(1, 151)]
    ids = [one.fixture.id for one in begun]
    with monkeypatch.context() as patch:
        patch.setattr(live_files, "_PAUSE_S", 3600.0)
        for one in begun:
            file.receive(one)
        assert read_live_status(results).games == tuple(begun[:100])
        file.remove()
    file.receive(begun[0])  # it begins again
    wait_for_status(
        results, LiveStatus((*begun[1:], begun[0]), since=BEGAN, begun=dict.fromkeys((*ids[1:], ids[0]), BEGAN))
    )
    file.remove()


def test_nothing_is_written_after_the_file_was_removed(tmp_path):
    file = LiveStatusFile(tmp_path / "club.sqlite")
    file.receive(ONE)
    file.receive(OVER)
    file.remove()
    time.sleep(0.2)
    assert list(tmp_path.iterdir()) == []


def test_an_invalid_file_is_an_empty_status(tmp_path):
    (tmp_path / "club.sqlite.running").write_bytes(b"\xff{")
    assert read_live_status(tmp_path / "club.sqlite") == LiveStatus()


def test_a_folder_that_cannot_be_written_stops_no_game(tmp_path):
    file = LiveStatusFile(tmp_path / "gone" / "club.sqlite")
    file.receive(ONE)
    file.remove()
    assert read_live_status(tmp_path / "gone" / "club.sqlite") == LiveStatus()
