"""Games watched while they are played: in the list, on the screen, and after the end."""

import re
from pathlib import Path

import pytest
from show.screen.kept import assert_screen
from show.watch.driver import app_for, drive, shown
from show.watch.sample_games import GAMES, stored
from show.watch.sample_source import MOVES, FakeSource, written
from textual.events import MouseScrollUp

from arbiter.errors import ConfigError
from arbiter.record import read_record
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.show.replay.replay import Replay
from arbiter.show.watch.game_screen import GameScreen
from arbiter.show.watch.source import LiveGame, ViewSettings, open_game
from arbiter.show.watch.state import ReplayState

GOLDEN = Path(__file__).parents[2] / "games" / "golden"
ALL = len(MOVES.split())


@pytest.fixture(autouse=True)
def _update_only_on_request(monkeypatch):
    for screen in ("game_screen", "app"):
        monkeypatch.setattr(f"arbiter.show.watch.{screen}._UPDATE_EVERY_S", 3600)


def then(change, *values, looks=1, **named):
    """Let something change elsewhere; return what waits until the application has looked for it so many times."""

    async def does(pilot):
        change(*values, **named)
        for _ in range(looks):
            for screen in pilot.app.screen_stack[1:]:
                (screen.update_game if isinstance(screen, GameScreen) else screen.update_games)()
            await pilot.pause()

    return does


def nothing():
    """Change nothing."""


def place(screen):
    """Return the ply that is shown, of how many."""
    return tuple(map(int, re.search(r"^ ply (\d+) of (\d+)", screen, re.MULTILINE).groups()))


def opened(source, number, **wishes):
    """Make the application with a game of a source opened."""
    wished = ViewSettings(**wishes)
    return app_for(source=source, viewing=ReplayState(*open_game(source, f"g{number}")[:1], wished))


def live(acts=4, **how):
    """Make a source with a game in progress."""
    source = FakeSource(*GAMES)
    source.play(7, acts, **how)
    return source


# --- in the list ----------------------------------------------------------------------------------


def test_games_in_progress_stand_at_the_top():
    source = live()
    source.play(8, 0)
    source.lives.pop("g8")  # it has just begun
    assert_screen("games-in-progress", shown(app_for(source=source)))


def test_plies_are_counted_as_they_are_played_and_the_cursor_stays_on_its_game():
    source = live()
    before, after, over, other = drive(
        app_for(source=source), then(source.play, 7, 6), then(source.finish, stored(7, plies=7), 7), "enter"
    )
    assert "    4  in progress" in before.splitlines()[2]
    assert "    6  in progress" in after.splitlines()[2]
    assert "in progress " not in "".join(over.splitlines()[:-3])
    assert "6 games" in over.splitlines()[0]
    assert place(other) == (0, 7), "the cursor is still on it"


@pytest.mark.parametrize(
    ("runs_live", "said"),
    [
        (True, "g7 has just begun and has no acts yet; try again in a moment"),
        (False, "g7 is in progress; to watch games while they are played, run the tournament with --live"),
    ],
)
def test_a_game_that_cannot_be_watched_is_explained(runs_live, said):
    source = live()
    source.runs_live = runs_live
    source.lives.clear()
    screen = shown(app_for(source=source), "enter")
    assert said in " ".join(re.sub("[│▌┃]", " ", screen).split())


def test_an_unreadable_record_is_reported_when_it_is_opened():
    source = live()
    source.lives["g7"] += b"half a li\n"
    listed, screen = drive(app_for(source=source), "enter")
    assert listed.splitlines()[2].endswith("in progress")
    assert "line 6 is cut off" in screen


# --- on the screen --------------------------------------------------------------------------------


def test_the_newest_ply_is_shown_unless_the_user_stepped_back():
    source = live()
    screens = drive(
        app_for(source=source),
        "enter",
        then(source.play, 7, 6),
        "left",
        then(source.play, 7, 8),
        "end",
        then(source.play, 7, 9),
    )
    assert [place(screen) for screen in screens[1:]] == [(4, 4), (6, 6), (5, 6), (5, 8), (8, 8), (9, 9)]
    states = [re.search(r"(in progress.*) · view: ", screen.splitlines()[0])[1] for screen in screens[1:]]
    assert states == ["in progress"] * 2 + ["in progress (End follows)"] * 2 + ["in progress"] * 2


def test_a_game_that_is_followed():
    source = live()
    assert_screen("in-progress", shown(app_for(source=source), "enter", "b", then(source.play, 7, 9)))


def test_before_the_setup_there_is_an_empty_board():
    source = live()
    header = source.lives["g7"].splitlines(keepends=True)[0]
    source.lives["g7"] = header
    assert place(shown(app_for(source=source), "enter")) == (0, 0)


@pytest.mark.parametrize(("back", "at"), [((), (ALL, ALL)), (("home", "right"), (1, ALL))])
def test_a_finished_game_is_read_from_the_results(back, at):
    source = live()
    screen = shown(app_for(source=source), "enter", *back, then(source.finish, stored(7), ALL))
    assert place(screen) == at
    assert "in progress" not in screen
    assert ("hunter wins: mine resigned" in screen) == (not back)


def test_a_voided_game_is_reported():
    source = live()
    _, gone, back = drive(app_for(source=source), "enter", then(source.void, 7), "escape")[1:]
    assert "The game was voided" in gone
    assert "the record ends here, without a result" in gone
    assert "in progress" not in gone
    assert "Club" in back


def test_a_voided_game_that_is_played_again_is_another_game():
    source = live()
    gone = shown(app_for(source=source), "enter", then(source.play, 7, 3, at="2027", moves="a4-b4 e7-d7 b4-a4"))
    assert "The game was voided" in gone
    assert place(gone) == (4, 4)


def test_a_failure_is_shown_once_and_does_not_end_the_program():
    source = live()

    def cut_off():
        source.lives["g7"] += b"half a li\n"

    _, _, told, after = drive(app_for(source=source), "enter", then(cut_off, looks=2), then(source.play, 7, 8))
    assert told.count("line 6 is cut off") == 1
    assert place(after) == (8, 8)


def test_a_refused_act_is_not_shown_in_a_game_in_progress():
    source = live()
    source.lives["g7"] = written(5, "a4-a5 e7-d7 a5-a4 d7-e7 a4-a8")
    assert place(shown(app_for(source=source), "enter")) == (4, 4)


def test_new_acts_do_not_scroll_the_list_back():
    source = live()
    on_and_on = "a4-a5 e7-d7 a5-a4 d7-e7 a4-b4 e7-f7 b4-a4 f7-e7 " * 10
    source.play(7, 60, moves=on_and_on)

    async def scroll(pilot):
        for _ in range(12):
            await pilot._post_mouse_events([MouseScrollUp], offset=(70, 8))

    def first_turn(screen):
        return int(re.search(r"^.{53,} (\d+) \w\d", screen, re.MULTILINE)[1])

    at_end, away, played, back = drive(
        app_for(source=source), "enter", scroll, then(source.play, 7, 70, moves=on_and_on), "left"
    )[1:]
    assert first_turn(at_end) > 15
    assert first_turn(away) == first_turn(played) == 1
    assert place(played) == (70, 70)
    assert first_turn(back) > 20


# --- one who follows the tournament ---------------------------------------------------------------


def test_following_goes_from_one_game_in_progress_to_the_next():
    source = live()
    screens = drive(
        app_for(source=source),
        "f",
        then(nothing),
        then(source.play, 8, 2, at="2027"),
        then(source.finish, stored(7, started="2026"), ALL),
        then(nothing, looks=20),
        then(source.finish, stored(8, started="2027"), 6),
        then(nothing, looks=20),
    )
    assert "Following: each game is shown while it is played" in screens[1]
    assert [place(screen) for screen in screens[2:]] == [(4, 4), (4, 4), (ALL, ALL), (2, 2), (6, 6), (6, 6)]
    assert "hunter wins" in screens[7], "what was seen live is not played again"


def test_following_waits_for_a_user_who_stepped_back():
    source = live()
    source.play(8, 2, at="2025")
    screens = drive(
        app_for(source=source), "f", then(nothing), "left", then(source.finish, stored(7), ALL), then(nothing, looks=20)
    )
    assert [place(screen) for screen in screens[3:]] == [(3, 4), (3, ALL), (3, ALL)]


# --- without a screen -----------------------------------------------------------------------------


def frames_of(replay):
    return [replay.frame(number, viewer) for viewer in VIEWERS for number in range(len(replay))]


@pytest.mark.parametrize("name", ["us", "clone-wars-powers", "card-game"])
def test_an_extended_replay_equals_the_replay_of_the_whole_record(name):
    lines = (GOLDEN / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    grown = Replay(read_record(lines[0]), in_progress=True)
    for share in (0, 0, 1, 2, 10):
        record = read_record(b"".join(lines[: 2 + (len(lines) - 3) * share // 10]))
        grown.extend(record)
        assert frames_of(grown) == frames_of(Replay(record, in_progress=True))


def test_a_live_game_is_read_only_when_it_has_changed():
    source = live()
    game = LiveGame(source, "g7")
    assert len(game.read().acts) == 4
    assert game.read() is None
    source.play(7, 5)
    assert len(game.read().acts) == 5
    source.finish(stored(7), 6)
    assert (len(game.read().acts), game.state) == (6, "over")
    assert game.read() is None


def test_an_unknown_game_cannot_be_opened():
    source = FakeSource()
    source.read_game = lambda game_id: (_ for _ in ()).throw(ConfigError(f"there is no game {game_id!r}"))
    with pytest.raises(ConfigError, match="there is no game 'g9'"):
        open_game(source, "g9")
