"""A game on the screen: keys, mouse, fights, colours."""

import re
from pathlib import Path

import pytest
from show.sample_record import record, watched_game
from show.screen.kept import assert_screen
from show.watch.driver import SMALL, app_for, click, drive, pressing, resize, shown, take_picture

from arbiter.record import read_record
from arbiter.show.theme import THEMES

CARDS = read_record((Path(__file__).parents[2] / "games" / "golden" / "card-game.jsonl").read_bytes())
GOLDEN_DUEL = Path(__file__).parents[2] / "games" / "golden" / "duel.jsonl"
LONG = record("a4-a5 e7-d7 a5-a4 d7-e7 a4-b4 e7-f7 b4-a4 f7-e7 " * 80)  # minutes of play


def ply_of(screen):
    return int(re.search(r"^ ply (\d+) of", screen, re.MULTILINE)[1])


# --- what is shown --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "keys", "size", "wishes"),
    [("help", ("question_mark",), (80, 72), {"lang": "fr"}), ("go-to", ("3",), (80, 24), {})],
)
def test_overlays(name, keys, size, wishes):
    assert_screen(name, shown(app_for(watched_game(), **wishes), *keys, size=size))


def test_the_board_fits_the_screen_and_a_small_screen_shows_none():
    sizes = [(120, 40), (70, 20), (1, 1), (200, 60), SMALL]
    screens = drive(app_for(watched_game()), *map(resize, sizes))[1:]
    assert all(max(map(len, screen.splitlines())) <= width for screen, (width, _) in zip(screens, sizes, strict=True))
    assert ["R9" in screen for screen in screens] == [True, False, False, True, True]


# --- keys -----------------------------------------------------------------------------------------


LEADS = {
    "l right l": 3,
    "end": 6,
    "end home": 0,
    "down down up": 1,
    "pagedown": 6,
    "end pageup": 0,
    "a a": 2,
    "end A A A": 1,
    "end c": 6,
    "g 2 enter": 2,
    "9 9 9 enter": 6,
    "end g escape": 6,
    "g x y 5 enter": 5,
    "question_mark escape right": 1,
}


def test_keys_that_move():
    screens = drive(app_for(watched_game()), *(pressing("home", *keys.split()) for keys in LEADS))
    assert dict(zip(LEADS, map(ply_of, screens[1:]), strict=True)) == LEADS


def test_keys_that_move_to_turning_points():
    game = read_record(GOLDEN_DUEL.read_bytes())
    keys = {"p": 17, "p p": 37, "end P": 17, "v enter": 17, "v down enter": 37, "end v k escape": 37}
    screens = drive(app_for(game), *(pressing("home", *each.split()) for each in keys))
    assert dict(zip(keys, map(ply_of, screens[1:]), strict=True)) == keys
    assert "the decisive fight: red takes" in shown(app_for(game), "v")
    assert "There is none after" in shown(app_for(game), "end", "p")
    assert "This game has no turning points" in shown(app_for(record("a4-a5 e7-d7")), "v")
    assert "blue shuffles all of its cards" in shown(app_for(CARDS), "v")


def test_a_key_that_lists_what_the_bots_report():
    first, again = drive(app_for(watched_game()), pressing("l", "w"), pressing("w"))[1:]
    assert re.search(r" 1 b6-b7 ✦ +0\.01 +0$", first, re.MULTILINE)
    assert "s  eval" not in again


def test_a_missing_attack_is_reported():
    assert "There is none after this ply." in shown(app_for(watched_game()), "end", "a")
    assert "There is none before this ply." in shown(app_for(watched_game()), "C")


def test_seats():
    seats = {"r": "red", "b": "blue", "o": "arbiter", "s": "red", "s s": "spectator"}
    screens = drive(app_for(watched_game()), *(pressing(*keys.split()) for keys in seats))
    for seat, screen in zip(seats.values(), screens[1:], strict=True):
        assert screen.splitlines()[0].rstrip().endswith("everything" if seat == "arbiter" else seat)
        assert ("bM" in screen) == (seat in {"blue", "arbiter"})
        assert ("RM" in screen) == (seat in {"red", "arbiter"})


def test_it_plays_and_stops_at_the_end():
    async def until_the_end(pilot):
        while not pilot.app.screen.is_over:
            await pilot.pause(0.01)

    assert "▶ 0.1/s" in shown(app_for(watched_game(), playing=True, speed=0.1))
    after = shown(app_for(watched_game(), playing=True, speed=50), until_the_end)
    assert (ply_of(after), "▶" in after) == (6, False)
    assert ply_of(shown(app_for(watched_game(), speed=0.1), "end", "space")) == 0, (
        "from the end it plays from the beginning"
    )


def test_speeds():
    screens = drive(app_for(LONG), "space", "plus", "plus", "minus", "space")
    paces = [re.search(r"(?<=▶ )[\d.]+", screen) for screen in screens]
    assert [pace and pace[0] for pace in paces] == [None, "2", "5", "10", "5", None]


# --- fights ---------------------------------------------------------------------------------------


def test_a_fight_is_shown_step_by_step_until_another_key_is_pressed():
    async def until_the_result(pilot):
        while pilot.app.screen.state.fight_step:
            await pilot.pause(0.01)

    before, result = drive(app_for(watched_game(), animates=True), "right", until_the_result)[1:]
    assert "R3 " in line_of(before, 6), "red's miner is still on b6"
    assert "bB " in line_of(before, 7)
    assert "R3◉" in line_of(result, 7)
    assert "R3◉" in line_of(shown(app_for(watched_game(), animates=True), pressing("right", "right", "left")), 7)


def test_fights_can_be_shown_by_their_results_alone():
    after, told = drive(app_for(watched_game(), animates=True), "m", "right")[1:]
    assert "not animated" in after
    assert "R3◉" in line_of(told, 7)


def line_of(screen, row):
    """Return the line of a row of the board."""
    return next(line for line in screen.splitlines() if line.startswith(f"{row:2} "))


# --- mouse and selection --------------------------------------------------------------------------


def test_clicks_on_moves_and_graphs():
    def find(screen, text):
        return next((line.index(text), y) for y, line in enumerate(screen.splitlines()) if text in line)

    screen = shown(app_for(watched_game()))
    x, y = find(screen, "e7-d7")
    assert ply_of(shown(app_for(watched_game()), click(x, y))) == 4
    x, y = find(screen, "●")
    assert ply_of(shown(app_for(watched_game()), "end", click(x, y))) == 0


def test_a_selected_square_stays_selected_until_it_is_clicked_again():
    app = app_for(watched_game())
    _, before, after, other, none = drive(app, click(8, 6), "right", "r", click(8, 6))
    assert "b7: blue Bomb (B). ▨ Its rank is hidden from red." in before
    assert "b7: red Miner (3). It has moved. ◉ Its rank is known to blue." in after
    assert "b7: red Miner (3). It has moved. ◉ Its rank is known to blue." in other
    assert "b7: " not in none


def test_squares_are_selected_with_keys():
    first, moved, gone = drive(app_for(watched_game()), pressing("end", "L"), pressing("shift+up", "H"), "escape")[1:]
    assert "e7: blue Marshal (M)" in first, "the square that the last act went to"
    assert "d8: no piece." in moved
    assert "d8: " not in gone


def test_a_click_on_a_card():
    screen = shown(app_for(CARDS, viewer="red"), click(13, 2))
    assert "blue hand:0: blue, rank unknown." in screen


# --- themes ---------------------------------------------------------------------------------------


def test_a_key_changes_the_colours():
    def background(app):
        return app.screen._compositor.render_strips()[0]._segments[0].style.bgcolor.name

    async def note(pilot):
        seen.append((pilot.app.theme, background(pilot.app)))

    seen = []
    drive(app_for(watched_game()), note, "t", note, "t", note)
    assert [name for name, _ in seen] == ["night", "contrast", "paper"]
    assert [colour for _, colour in seen] == [THEMES[name].card for name, _ in seen]


# --- pictures -------------------------------------------------------------------------------------


def test_a_picture_shows_the_screen():
    picture = take_picture(app_for(watched_game()), width=80, height=24, keys=("right",))
    assert picture.startswith("<svg")
    assert "ply&#160;1&#160;of&#160;6" in picture
