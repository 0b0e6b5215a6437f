"""The list of a tournament's games: picking one, filtering, games that join it, following."""

import re

import pytest
from show.screen.kept import assert_screen
from show.watch.driver import app_for, click, drive, pressing, shown
from show.watch.sample_games import GAMES, stored
from show.watch.sample_source import FakeSource

from arbiter.errors import ConfigError
from arbiter.tournament.standings.game_status import GameStatus


@pytest.fixture(autouse=True)
def _update_only_on_request(monkeypatch):
    for screen in ("game_screen", "app"):
        monkeypatch.setattr(f"arbiter.show.watch.{screen}._UPDATE_EVERY_S", 3600)


def adding(source, *games):
    """Finish games; return what waits until the application has looked for them."""

    async def does(pilot):
        source.add(*games)
        pilot.app.screen_stack[1].update_games()

    return does


def test_the_list():
    assert_screen("games", shown(app_for(source=FakeSource(*GAMES))))
    assert_screen("games-filtered", shown(app_for(source=FakeSource(*GAMES)), "slash", *"mine", "enter", "down"))


def test_a_filter_without_games_says_so():
    screen = shown(app_for(source=FakeSource(*GAMES)), "slash", *"plies", "colon", "5", "enter")
    assert "No game matches 'plies:5'. Esc shows all games." in screen
    assert "0 of 5 games" in screen


def test_a_state_that_changes_is_shown():
    source = FakeSource(*GAMES)

    async def strikes(pilot):
        source.states = {"g1": GameStatus("struck", "mine")}
        source.changes += 1
        pilot.app.screen_stack[1].update_games()

    before, after = drive(app_for(source=source), strikes)
    assert "struck with mine" not in before
    assert "struck with mine" in after


def test_no_games_at_all():
    screens = drive(app_for(source=FakeSource()), "enter", "down", "end", "pageup", click(3, 2))
    assert all("0 games" in screen for screen in screens)


def test_a_game_is_opened_with_keys_and_mouse():
    app = app_for(source=FakeSource(*GAMES))
    _, game, back, other, clicked = drive(app, "enter", "escape", click(5, 5), "q")
    assert "ply 0 of 2" in game
    assert "Club" in back
    assert "ply 0 of 2" in other
    assert app.return_code == 0, clicked


def test_the_next_game_is_opened_in_the_same_view():
    games = [stored(number) for number in (4, 5)]
    screens = drive(app_for(source=FakeSource(*games)), "enter", pressing("r", "f", "right"), "n", "n", "N", "N")[1:]
    assert [screen.splitlines()[0].endswith("view: red") for screen in screens] == [False] + [True] * 5
    assert [re.search(r"^ ply (\d)", screen, re.MULTILINE)[1] for screen in screens] == ["0", "1", "0", "0", "0", "0"]
    assert all(screen.splitlines()[2].split()[0] == "j" for screen in screens[1:]), "the board stays turned"
    notices = ["There is no next game." in screens[3], "There is no previous game." in screens[5]]
    assert notices == [True, True]


@pytest.mark.parametrize(("downs", "said"), [(1, "line 3 is cut off [/]"), (2, "act 2 cannot be shown")])
def test_a_game_that_cannot_be_shown_is_reported_in_the_list(downs, said):
    screen = shown(app_for(source=FakeSource(*GAMES)), *["down"] * downs, "enter")
    assert said in " ".join(screen.replace("│", " ").split())
    assert "Club" in screen


def test_games_join_the_list_and_the_cursor_stays_on_its_game():
    source = FakeSource(*GAMES[:2])
    before, after, game = drive(app_for(source=source), "end", adding(source, *GAMES[2:]), "up", "enter")[1:4]
    assert "2 games" in before
    assert "5 games" in after
    assert "1 of" not in game


def test_following_plays_the_next_finished_game():
    source = FakeSource(GAMES[0])
    app = app_for(source=source, speed=50)

    async def until_the_end(pilot):
        while not getattr(pilot.app.screen, "is_over", False):
            await pilot.pause(0.01)

    screens = drive(
        app,
        "f",
        adding(source, stored(7, started="2027")),
        until_the_end,
        adding(source, stored(8, started="2028")),
        until_the_end,
        "escape",
        "f",
        adding(source, stored(9, started="2029")),
    )
    assert "Following" in screens[1]
    assert all("ply" in screen for screen in screens[2:6])
    assert ("Following" in screens[6], "Following" in screens[7]) == (True, False)
    assert "4 games" in screens[8]


def test_following_waits_while_a_filter_is_typed():
    source = FakeSource(GAMES[0])
    typing, after = drive(app_for(source=source), "f", "slash", adding(source, stored(7)), "escape")[3:]
    assert "Following" in typing
    assert "2 games" in typing
    assert "Following" in after or "view: " in after, "the new game may be played as soon as nothing is typed"


def test_an_unreadable_store_is_reported_once():
    source = FakeSource(*GAMES)

    async def breaks(pilot):
        source.failure = ConfigError("club.sqlite: the disk fails")
        for _ in range(3):
            pilot.app.screen_stack[1].update_games()

    screen = shown(app_for(source=source), breaks)
    assert screen.count("the disk fails") == 1
    assert "5 games" in screen


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ("q", 0),
        ("enter q", 0),
        ("slash q enter ctrl+c", 130),
        ("question_mark q ctrl+c", 130),
        ("ctrl+c", 130),
        ("enter ctrl+c", 130),
        ("enter g ctrl+c", 130),
        ("question_mark ctrl+q", 130),
    ],
)
@pytest.mark.slow(keep=2)
def test_leaving(keys, code):
    app = app_for(source=FakeSource(*GAMES))
    drive(app, *keys.split())
    assert app.return_code == code
