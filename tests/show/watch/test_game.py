"""A game on the screen: keys, mouse, and texts written by bots."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from show.sample_record import record
from show.watch.driver import SMALL, app_for, assert_screen, click, drive, pressing, resize, shown
from twins import make_twins

from arbiter.clock import TimeSettings
from arbiter.record import ActEntry, GameHeader, PlayerName, Record, read_record
from arbiter.show.keys import VIEWS
from arbiter.show.replay.replay import Replay
from arbiter.show.watch.app import take_picture
from arbiter.show.watch.words import write_ply

GOLDEN = Path(__file__).parents[2] / "games" / "golden"
US, CLONE_WARS, CARDS = (
    read_record((GOLDEN / f"{name}.jsonl").read_bytes()) for name in ("us", "clone-wars-powers", "card-game")
)
MOVES = "b6xb7 c7xb7 a4-a5 e7-d7 a5-a6 d7-e7"
LONG = record("a4-a5 e7-d7 a5-a4 d7-e7 a4-b4 e7-f7 b4-a4 f7-e7 " * 80)  # minutes of play
LARGE = (160, 48)


def game(**first):
    """Return a record of six plies, three of them quiet, with clocks."""
    found = record(MOVES, ms=12.5, note="a bomb?", **first)
    acts = tuple(replace(act, ms=act.ms or 1000.0) for act in found.acts)
    return Record(replace(found.header, time=TimeSettings(bank_s=60, increment_s=0)), acts, None)


def ply_of(screen):
    return int(re.search(r"^ply (\d+) of", screen, re.MULTILINE)[1])


# --- what is shown --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "found", "keys", "size", "wishes"),
    [
        ("small", game(), ("right",), (80, 24), {"viewer": "red"}),
        ("small-flipped", game(), ("end", "f", "b"), (80, 24), {}),
        ("large-german", CLONE_WARS, ("c", "c", "c", "c"), LARGE, {"viewer": "blue", "lang": "de"}),
        ("cards", CARDS, ("a",), (80, 24), {"viewer": "red"}),
        ("cards-large", CARDS, ("a", "a"), (120, 40), {}),
        ("help", game(), ("question_mark",), (80, 60), {"lang": "fr"}),
        ("go-to", game(), ("3",), (80, 24), {}),
        ("too-small", game(), (), (70, 20), {}),
    ],
)
def test_screens(name, found, keys, size, wishes):
    assert_screen(name, shown(app_for(found, **wishes), *keys, size=size))


@pytest.mark.parametrize("found", [US, CLONE_WARS, CARDS])
@pytest.mark.slow(keep=1)
def test_no_line_is_longer_than_the_screen_and_the_board_is_whole(found):
    sizes = [(80, 24), (81, 23), (100, 30), LARGE, (300, 100), (80, 21)]
    for size, screen in zip([SMALL, SMALL, *sizes], drive(app_for(found), "end", *map(resize, sizes)), strict=True):
        lines = screen.splitlines()
        assert len(lines) <= size[1]
        assert max(map(len, lines)) <= size[0]
        assert "? help" in lines[-1]
        rows = range(1, 11) if found is not CARDS else ("red hand", "red line", "blue line", "blue hand")
        assert all(any(re.match(rf" ?{row}\b", line) for line in lines) for row in rows)


def test_too_small_a_screen_shows_no_half_board():
    sizes = [(79, 24), (80, 20), (10, 3), (1, 1)]
    for screen in drive(app_for(game()), *map(resize, sizes))[1:]:
        assert "R9" not in screen
    assert "R9" in shown(app_for(game()), *map(resize, [*sizes, SMALL])), "enlarged again it shows the game"


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
    screens = drive(app_for(game()), *(pressing("home", *keys.split()) for keys in LEADS))
    assert dict(zip(LEADS, map(ply_of, screens[1:]), strict=True)) == LEADS


def test_a_missing_attack_is_reported():
    assert "There is no attack after this ply." in shown(app_for(game()), "end", "a")
    assert "There is no capture before this ply." in shown(app_for(game()), "C")


def test_seats():
    seats = {"r": "red", "b": "blue", "o": "arbiter", "s": "red", "s s": "spectator"}
    screens = drive(app_for(game()), *(pressing(*keys.split()) for keys in seats))
    for seat, screen in zip(seats.values(), screens[1:], strict=True):
        assert screen.splitlines()[0].endswith(f"view: {VIEWS[seat]}")
        assert ("b10" in screen) == (seat in {"blue", "arbiter"})
        assert ("R10" in screen) == (seat in {"red", "arbiter"})


def test_it_plays_and_stops_at_the_end():
    async def until_the_end(pilot):
        while not pilot.app.screen.is_over:
            await pilot.pause(0.01)

    assert "0.1 plies a second" in shown(app_for(game(), playing=True, speed=0.1))
    after = shown(app_for(game(), playing=True, speed=50), until_the_end)
    assert (ply_of(after), "plies a second" in after) == (6, False)
    assert ply_of(shown(app_for(game(), speed=0.1), "end", "space")) == 0, "from the end it plays from the beginning"


def test_speeds():
    screens = drive(app_for(LONG), "space", "plus", "plus", "minus", "space")
    paces = [re.search(r"[\d.]+(?= plies a second)", screen) for screen in screens]
    assert [pace and pace[0] for pace in paces] == [None, "2", "5", "10", "5", None]


# --- mouse ----------------------------------------------------------------------------------------


def test_a_click_on_a_ply():
    assert ply_of(shown(app_for(game()), click(70, 5))) == 4


def test_a_click_on_a_square():
    said = {
        (10, 7): "b7: your bomb",
        (10, 4): "b10: empty",
        (10, 8): "b6: red's unknown piece",
        (16, 8): "c6: a lake",
        (59, 4): "j10: your flag",
    }
    screens = drive(app_for(game(), viewer="blue"), *(click(*at) for at in said))
    assert [screen.splitlines()[17] for screen in screens[1:]] == list(said.values())


def test_a_selected_square_stays_selected():
    _, before, after, other = drive(app_for(game()), click(10, 7), "right", "r")
    assert "b7: blue's bomb" in before
    assert "b7: red's miner, which has moved" in after
    assert "b7: your miner, which has moved" in other


def test_a_click_on_a_card():
    screen = shown(app_for(CARDS, viewer="red"), click(12, 3))
    assert "blue hand:0: blue's unknown piece" in screen


# --- foreign texts --------------------------------------------------------------------------------

EVIL = (
    "[bold]x[/bold][/]",
    "[@click=app.leave]x[/]",
    "\x1b]0;x\x07\x1b[31m",
    "x" * 200,
    "\u202e\u200f\u2066x",
    "[red on blue",
    "e\u0301" * 100,
    "\U0001f600" * 50,
    "a\nb\tc\r",
    "$(x) {x} %s \\",
)


@pytest.mark.parametrize("text", EVIL)
@pytest.mark.slow(keep=3)
def test_texts_of_strangers_are_escaped(text):
    seats = {seat: PlayerName(text, program=text, version=text) for seat in ("red", "blue")}
    found = game()
    acts = tuple(replace(act, note=text) for act in found.acts)
    evil = Record(replace(found.header, id=text, started=text, seats=seats), acts, None)
    for screen in drive(app_for(evil), "right", click(3, 1), click(3, 17), click(3, 18)):
        assert all(sign.isprintable() or sign == "\n" for sign in screen)
        assert "? help" in screen, "it is still there"
        assert re.search(r"^ 4 R9 ", screen, re.MULTILINE), "the board has not moved"
        shown_text = text[:8].encode("unicode_escape").decode() if not text.isprintable() else text[:8]
        assert shown_text[:6] in screen


# --- secrecy --------------------------------------------------------------------------------------


@pytest.mark.parametrize("observer", ["red", "blue"])
@pytest.mark.slow(keep=1)
def test_hidden_ranks_change_nothing_on_the_screen(observer):
    pair = next(pair for seed in range(12) if (pair := make_twins(seed, observer, rules="barrage", plies=60)))
    screens, lists = zip(*(_seen(pair, which, observer) for which in (0, 1)), strict=True)
    assert lists[0] == lists[1]
    assert screens[0] == screens[1]
    opened = [shown(app_for(_record(pair, which)), "end") for which in (0, 1)]
    assert opened[0] != opened[1]


def _record(pair, which):
    acts = tuple(ActEntry(seat=seat, action=action, ms=1.0) for seat, action in pair.acts(which))
    return Record(GameHeader(rules=pair.game.name, seed=pair.seed), acts, None)


def _seen(pair, which, observer):
    found = _record(pair, which)
    replay = Replay(found)
    lines = [write_ply(replay, number, observer) for number in range(len(replay))]
    return drive(app_for(found, viewer=observer), "a", "c", "end", "A", "f", "question_mark"), lines


# --- pictures -------------------------------------------------------------------------------------


def test_a_picture_shows_the_screen():
    picture = take_picture(app_for(game()), width=80, height=24, keys=("right",))
    assert picture.startswith("<svg")
    assert "ply&#160;1&#160;of&#160;6" in picture
