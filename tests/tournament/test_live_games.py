"""Games under way as another process reads them while they are played."""

import os

import pytest
from tournament.games_as_text import game

from arbiter.errors import ConfigError
from arbiter.tournament.events import Began, Closing, Finished, Void
from arbiter.tournament.fixture import fixture
from arbiter.tournament.results.live_games import LiveGames, folder_of, read_live

ONE, TWO = (Began(fixture("a", "b", pair, 1), "2026-01-01T00:00:00+00:00") for pair in (1, 2))
OVER = Finished(game("a", "b", "red", "flag_taken"))
VOID = Void(ONE.fixture, "why", stalled=False)
GAME = ONE.fixture.id


@pytest.fixture
def results(tmp_path):
    return tmp_path / "club.sqlite"


def test_a_game_is_read_line_by_line_as_it_is_written(results):
    with LiveGames(results) as games:
        assert read_live(results, GAME) == b""
        for number in range(3):
            games.follow(GAME, b"%d" % number)
            games.follow(TWO.fixture.id, b"other")
            assert read_live(results, GAME) == b"0\n1\n2\n"[: 2 * number + 2]


def test_half_a_line_is_not_read(results):
    with LiveGames(results) as games:
        games.follow(GAME, b"whole")
        with (folder_of(results) / f"{GAME}.jsonl").open("ab") as file:
            file.write(b"hal")
        assert read_live(results, GAME) == b"whole\n"


@pytest.mark.parametrize("over", [OVER, VOID])
def test_what_is_over_is_taken_away_and_can_begin_again(results, over):
    with LiveGames(results) as games:
        for event in (ONE, TWO, Closing()):
            games.tell(event)
        games.follow(GAME, b"first")
        games.follow(TWO.fixture.id, b"other")
        games.tell(over)
        assert read_live(results, GAME) == b""
        assert read_live(results, TWO.fixture.id) == b"other\n"
        games.follow(GAME, b"again")
        assert read_live(results, GAME) == b"again\n"
    assert not folder_of(results).exists()


def test_a_game_that_was_never_followed_is_over(results):
    with LiveGames(results) as games:
        games.tell(OVER)
        assert list(folder_of(results).iterdir()) == []


def test_what_a_killed_arbiter_left_is_swept_away(results):
    LiveGames(results).follow(GAME, b"left")
    assert read_live(results, GAME) == b"left\n"
    with LiveGames(results):
        assert read_live(results, GAME) == b""


def test_nobody_else_may_read_along(results):
    with LiveGames(results) as games:
        games.follow(GAME, b"secret")
        assert folder_of(results).stat().st_mode & 0o077 == 0


def test_a_full_disk_stops_no_game_and_leaves_no_gap_in_its_record(results):
    with LiveGames(results) as games:
        games.follow(GAME, b"one")
        file, whole = games._files[GAME], os.dup(games._files[GAME])
        os.dup2(full := os.open("/dev/full", os.O_WRONLY), file)
        os.close(full)
        games.follow(GAME, b"two")
        os.dup2(whole, file)
        os.close(whole)
        games.follow(GAME, b"three")
        assert read_live(results, GAME) == b"one\n"
        games.tell(VOID)
        games.follow(GAME, b"again")
        assert read_live(results, GAME) == b"again\n"


def test_a_folder_that_cannot_be_made(tmp_path):
    with pytest.raises(
        ConfigError, match=r"club\.sqlite\.live: cannot be made: No such file or directory; games under way"
    ):
        LiveGames(tmp_path / "gone" / "club.sqlite")
