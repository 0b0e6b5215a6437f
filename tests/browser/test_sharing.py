"""Sharing games in a real browser: a page in one file, embedded games, links to a ply."""

import pytest
from browser.readable import PHONE, check_readable
from selenium.webdriver.common.keys import Keys
from show.report.sample_reports import GOLDEN

from arbiter.record import read_record
from arbiter.show.replay.replay import Replay
from arbiter.show.report.games import make_single_page

pytestmark = pytest.mark.heavy
DUEL = next(path for path in GOLDEN if path.stem == "duel")


def test_a_page_in_one_file_opens_from_disk_and_requests_nothing(page, tmp_path):
    replay = Replay(read_record(DUEL.read_bytes()))
    file = tmp_path / "game.html"
    file.write_bytes(make_single_page(replay, "blue", "7"))
    page.open_file(file)
    assert page.shown_frame() == [replay.find_ply(7), "blue"]
    page.press(Keys.ARROW_RIGHT)
    shown = {place: data[0] for place, data in page.drawn_pieces().items()}
    assert {text for text in shown.values() if text[0] == "r"} <= {"r?", "r?'"} | {
        text for text in shown.values() if text[1] != "?"
    }
    assert {place for place, text in shown.items() if "?" not in text} == {
        piece.place for piece in replay.frame(replay.find_ply(7) + 1, "blue").view.pieces if piece.rank
    }
    assert page.evaluate("performance.getEntriesByType('resource').length") == 0
    assert page.evaluate("document.querySelectorAll('.seats input').length") == 1
    page.resize(*PHONE)
    check_readable(page)


def test_the_parameters_of_the_address(page, site):
    replay = Replay(read_record(DUEL.read_bytes()))
    file = site / "games" / "duel.html"
    for query, frame, seat in (
        ("?turn=5&seat=red", replay.find_ply(5), "red"),
        ("?turn=end&seat=nobody", replay.last, "arbiter"),
        ("?turn=%3Cscript%3E&fps=-1&seat=blue", 0, "blue"),
        ("?turn=5&seat=red#7/blue", replay.find_ply(7), "blue"),  # a link to a ply comes first
    ):
        page.open_file(file, query)
        assert page.shown_frame() == [frame, seat], query
    page.open_file(file, "?embed&autoplay&fps=24&turn=3")
    page.wait("Number(document.querySelector('#viewer').dataset.frame) > 4")
    assert page.evaluate("document.querySelector('.speed select').value") == "25"


def test_an_embedded_game_fits_its_frame(page, site):
    page.resize(480, 760)
    page.open_file(site / "games" / "duel.html", "?embed&turn=5")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.querySelector('.board').getBoundingClientRect().height") > 300
    page.open_file(site / "games" / "infiltrator.html", "?embed&turn=50")
    lost = [
        page.evaluate(f"document.querySelector('{one}').getBoundingClientRect().bottom") for one in (".lost", ".info")
    ]
    assert lost[0] <= lost[1]
    hidden = "[...document.querySelectorAll('.top, .moves, .seats')].every((one) => one.offsetParent === null)"
    assert page.evaluate(hidden)
    page.resize(*PHONE)
    check_readable(page)


def test_a_link_to_a_ply_can_be_copied(page, site):
    page.open_file(site / "games" / "duel.html", "?turn=5&seat=red")
    page.driver.find_element("css selector", "button.share").click()
    link = page.evaluate("document.querySelector('.sharing input').value")
    assert link.endswith("/games/duel.html#5/red")
    code = page.evaluate("document.querySelector('.sharing textarea').value")
    assert "/games/duel.html?embed&turn=5&seat=red" in code
    page.driver.find_element("css selector", ".sharing p button").click()
    page.wait("document.querySelector('.sharing [role=status]').textContent !== ''")
    page.resize(*PHONE)
    check_readable(page)
    page.press(Keys.ESCAPE, Keys.ARROW_RIGHT)
    replay = Replay(read_record(DUEL.read_bytes()))
    assert page.shown_frame() == [replay.find_ply(5) + 1, "red"]
    page.visit(link)
    assert page.shown_frame() == [replay.find_ply(5), "red"]
