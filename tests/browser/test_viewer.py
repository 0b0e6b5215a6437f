"""The viewer in a real browser: it shows what the reel shows, from each seat, and goes where it is told."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from selenium.webdriver.common.keys import Keys
from show.report.reported import GOLDEN, renamed

from arbiter.record import read_record
from arbiter.show.boards import sign
from arbiter.show.replay.acts import is_attack
from arbiter.show.replay.replay import Replay
from arbiter.show.report.viewer_data import ALL_SEATS, flatten
from protocol.words import SEATS

LETTERS = {seat[0]: seat for seat in SEATS}
GAME = next(path for path in GOLDEN if path.stem == "clone-wars-powers")


def page_of(site, game):
    return site / "games" / f"{game.stem}.html"


def reel_of(path):
    return Replay(read_record(renamed(path.read_bytes(), "hunter", "mine", "a note")))


def drawn(reel, frame):
    """Return what of a frame is to be drawn: each piece as it is written, its sign and its name."""
    pieces = {}
    for key, text in flatten(frame).items():
        if key.startswith("@"):
            seat, rank = LETTERS[text[0]], text[1:].rstrip("'")
            known = None if rank == "?" else rank
            name = reel.labels[seat][known] if known else "unknown piece"
            pieces[key[1:]] = [text, sign(known), f"{seat}: {name}, {key[1:]}"]
    return pieces


@pytest.mark.parametrize("game", GOLDEN, ids=lambda path: path.stem)
def test_each_seat_is_shown_each_frame_as_it_may_see_it(page, site, game):
    reel = reel_of(game)
    for viewer in ALL_SEATS:
        page.open(page_of(site, game), f"#0/{viewer}")
        frames = [reel.frame(number, viewer) for number in range(len(reel))]
        seen = page.step_through()
        assert [one["frame"] for one in seen] == list(range(len(reel)))
        assert [dict(one["drawn"]) for one in seen] == [drawn(reel, frame) for frame in frames]
        assert [tuple(one["story"]) for one in seen] == [frame.story for frame in frames]
        assert [tuple(one["end"]) for one in seen] == [frame.ending for frame in frames]
        assert [one["notes"] for one in seen] == [
            [f"{k} notes: {v}" for k, v in frame.notes.items()] for frame in frames
        ]


def test_a_seat_reads_no_rank_that_it_may_not_know(page, site):
    game = next(path for path in GOLDEN if path.stem == "duel")
    page.open(page_of(site, game), "#0/red")
    page.driver.find_element("css selector", ".words summary").click()
    page.wait("document.querySelector('.words p') !== null")
    text = page.ask("document.querySelector('.words').textContent")
    assert "Marshal" in text.partition("blue:")[0]
    assert set(text.partition("blue: ")[2].replace(",", "").split()) - {"unknown", "piece"} == {
        piece.place for piece in reel_of(game).frame(0, "red").view.pieces if piece.seat == "blue"
    }


def test_keys(page, site):
    reel = reel_of(GAME)
    page.open(page_of(site, GAME))
    attack = reel.nearest(0, is_attack, 1)
    for keys, number, seat in [
        ((Keys.ARROW_RIGHT,), 1, "arbiter"),
        ((Keys.PAGE_DOWN,), 11, "arbiter"),
        ((Keys.ARROW_LEFT, "r"), 10, "red"),
        ((Keys.END,), reel.last, "red"),
        ((Keys.ARROW_RIGHT, "b"), reel.last, "blue"),
        ((Keys.HOME, "n"), attack, "blue"),
        ((Keys.END, Keys.HOME, Keys.ARROW_LEFT, "a"), 0, "arbiter"),
    ]:
        page.press(*keys)
        assert page.shown() == [number, seat]


def test_buttons_are_reached_and_pressed_without_a_mouse(page, site):
    page.open(page_of(site, GAME))
    for _ in range(30):
        page.press(Keys.TAB)
        if page.ask("document.activeElement.getAttribute('aria-label')") == "Forward (right arrow)":
            break
    page.press(Keys.ENTER, Keys.SPACE)
    assert page.shown() == [2, "arbiter"]


def test_it_plays_to_the_end_by_itself(page, site):
    page.open(page_of(site, GAME), "#50")
    page.driver.find_element("css selector", ".pace select").send_keys("25")
    page.press(Keys.TAB)
    page.ask("document.activeElement.blur()")
    page.press(Keys.SPACE)
    page.wait(f"document.querySelector('#viewer').dataset.frame === '{reel_of(GAME).last}'")
    page.wait("document.querySelector('.play').getAttribute('aria-label') === 'Play (space)'")


def test_a_link_leads_to_a_ply(page, site):
    reel = reel_of(GAME)
    twin = next(number for number in range(1, len(reel)) if reel.ply(number) == reel.ply(number - 1))
    ply = reel.ply(twin)
    for fragment, number, seat in [
        (f"#{ply}", reel.of_ply(ply), "arbiter"),
        (f"#{ply}.{twin - reel.of_ply(ply)}/red", twin, "red"),
        ("#9999", reel.last, "arbiter"),
        ("#nonsense", 0, "arbiter"),
        ("", 0, "arbiter"),
    ]:
        page.open(page_of(site, GAME), fragment)
        assert page.shown() == [number, seat]


def test_the_address_follows(page, site):
    page.open(page_of(site, GAME))
    page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, "b")
    assert page.ask("location.hash") == "#2/blue"
    page.ask("(location.hash = '#5/red', 1)")
    page.wait("document.querySelector('#viewer').dataset.frame === '5'")
    assert page.shown() == [5, "red"]


def test_a_web_server_does_as_well(page, site):
    (site / "favicon.ico").touch()  # which a browser may ask a server for
    handler = partial(SimpleHTTPRequestHandler, directory=site)
    handler.func.log_message = lambda *_: None
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.visit(f"http://127.0.0.1:{server.server_port}/games/{GAME.stem}.html#3/blue")
        assert page.shown() == [3, "blue"]
        page.driver.get("about:blank")
        server.shutdown()
