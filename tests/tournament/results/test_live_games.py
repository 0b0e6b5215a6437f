"""Games under way as another process reads them while they are played."""

import os

import pytest
from tournament.stored_games import game

from arbiter.errors import ConfigError
from arbiter.tournament.events import Began, Closing, Finished, Void
from arbiter.tournament.fixture import make_fixture
from arbiter.tournament.results.live_files import LiveGames, live_games_folder, read_live_game

ONE, TWO = (Began(make_fixture("a", "b", pair, 1), "2026-01-01T00:00:00+00:00") for pair in (1, 2))
OVER = Finished(game("a", "b", "red", "flag_taken"))
VOID = Void(ONE.fixture, "why", stalled=False)
GAME = ONE.fixture.id


@pytest.fixture
def results(tmp_path):
    return tmp_path / "club.sqlite"


def test_a_game_is_read_line_by_line_as_it_is_written(results):
    with LiveGames(results) as games:
        assert read_live_game(results, GAME) == b""
        for number in range(3):
            games.write(GAME, b"%d" % number)
            games.write(TWO.fixture.id, b"other")
            assert read_live_game(results, GAME) == b"0\n1\n2\n"[: 2 * number + 2]


def test_half_a_line_is_not_read(results):
    with LiveGames(results) as games:
        games.write(GAME, b"whole")
        with (live_games_folder(results) / f"{GAME}.jsonl").open("ab") as file:
            file.write(b"hal")
        assert read_live_game(results, GAME) == b"whole\n"


@pytest.mark.parametrize("over", [OVER, VOID])
def test_what_is_over_is_taken_away_and_can_begin_again(results, over):
    with LiveGames(results) as games:
        for event in (ONE, TWO, Closing()):
            games.update(event)
        games.write(GAME, b"first")
        games.write(TWO.fixture.id, b"other")
        games.update(over)
        assert read_live_game(results, GAME) == b""
        assert read_live_game(results, TWO.fixture.id) == b"other\n"
        games.write(GAME, b"again")
        assert read_live_game(results, GAME) == b"again\n"
    assert not live_games_folder(results).exists()


def test_a_game_that_was_never_followed_is_over(results):
    with LiveGames(results) as games:
        games.update(OVER)
        assert list(live_games_folder(results).iterdir()) == []


def test_what_a_killed_arbiter_left_is_swept_away(results):
    LiveGames(results).write(GAME, b"left")
    assert read_live_game(results, GAME) == b"left\n"
    with LiveGames(results):
        assert read_live_game(results, GAME) == b""


def test_nobody_else_may_read_along(results):
    with LiveGames(results) as games:
        games.write(GAME, b"secret")
        assert live_games_folder(results).stat().st_mode & 0o077 == 0


def test_a_full_disk_stops_no_game_and_leaves_no_gap_in_its_record(results):
    with LiveGames(results) as games:
        games.write(GAME, b"one")
        file, whole = games._files[GAME], os.dup(games._files[GAME])
        os.dup2(full := os.open("/dev/full", os.O_WRONLY), file)
        os.close(full)
        games.write(GAME, b"two")
        os.dup2(whole, file)
        os.close(whole)
        games.write(GAME, b"three")
        assert read_live_game(results, GAME) == b"one\n"
        games.update(VOID)
        games.write(GAME, b"again")
        assert read_live_game(results, GAME) == b"again\n"


def test_a_folder_that_cannot_be_made(tmp_path):
    with pytest.raises(
        ConfigError, match=r"club\.sqlite\.live: the folder for games in progress cannot be made: No such file"
    ):
        LiveGames(tmp_path / "gone" / "club.sqlite")
