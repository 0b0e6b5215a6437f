"""Watching without knowing the results: one switch hides them on all pages, and what comes after the shown ply."""

import re

import pytest
from browser.readable import LOOKS, check_readable
from browser.test_viewer import GAME, page_path, read_replay
from selenium.webdriver.common.keys import Keys

pytestmark = pytest.mark.heavy
RESULT = re.compile(r"[01½]\N{EN DASH}[01½]")
VISIBLE = "document.body.innerText"
MOVES = (
    "[...document.querySelectorAll('.move')].filter((one) => one.checkVisibility()).map((one) => +one.dataset.frame)"
)
SHOWN_STORY = "document.querySelector('.story').checkVisibility()"
LENGTHS = """
(() => {
  const seen = new Set([Number(document.querySelector("#viewer input[type=range]").max)]);
  seen.add(Number(document.querySelector(".marks").getAttribute("viewBox").split(" ")[2]));
  for (const line of document.querySelectorAll(".graphs .material polyline, .graphs .known polyline"))
    seen.add(line.getAttribute("points").split(" ").length - 1);
  return [...seen];
})()
"""
PAGES = ("index.html", "games.html", "bots/hunter.html", "pairings/hunter~~mine.html", "numbers.html", "forfeits.html")
REVEALING = ("winner is", "Crosstable", "Highlights", "Plies", "Ending", "Points", "Rank", "crash", "took the flag")
PLY = 20
WITH_STORY = GAME.with_stem("infiltrator")


@pytest.fixture(autouse=True)
def hiding(page, site):
    """Press the switch on the first page, by keyboard, and forget it at the end."""
    page.open_file(site / "index.html")
    assert "Standings" in page.evaluate("document.querySelector('main').innerText")
    page.run_script("document.querySelector('.top nav button').focus()")
    page.press(Keys.ENTER)
    yield
    page.run_script("localStorage.clear()")


def test_pages_show_no_result(page, site):
    for number, name in enumerate(PAGES):
        page.open_file(site / name)
        text = page.evaluate(VISIBLE)
        assert "Show results" in text
        assert not RESULT.search(text)
        assert [word for word in REVEALING if word in text] == []
        check_readable(page, [LOOKS[number % len(LOOKS)]])


def test_games_are_listed_with_a_link_and_not_selected_by_result(page, site):
    page.open_file(site / "games.html", "#bot=hunter&result=won&sort=shortest")
    page.wait("document.querySelector('#found').textContent.includes(' of ')")
    count = page.evaluate("document.querySelectorAll('.games tbody tr').length")
    assert page.evaluate("document.querySelector('#found').textContent") == f"{count} of {count} games"
    assert page.evaluate("location.hash") == "#bot=hunter"
    assert not RESULT.search(page.evaluate(VISIBLE))


def test_a_game_shows_nothing_after_its_ply(page, site):
    replay = read_replay(WITH_STORY)
    page.open_file(page_path(site, WITH_STORY), f"#{PLY}")
    frame = replay.find_ply(PLY)
    assert 0 < frame < replay.last
    text = page.evaluate(VISIBLE)
    assert f"/ {replay.ply(replay.last)}" not in text
    assert " wins" not in text
    assert max(page.evaluate(MOVES)) == frame
    assert page.evaluate(LENGTHS.strip()) == [frame]
    assert not page.evaluate(SHOWN_STORY)
    check_readable(page, LOOKS[1:])
    page.press(Keys.ARROW_LEFT)
    assert max(page.evaluate(MOVES)) == frame - 1
    assert page.evaluate("document.querySelector('#viewer input[type=range]').max") == str(frame)
    page.press(Keys.END)
    assert page.evaluate(LENGTHS.strip()) == [replay.last]
    assert page.evaluate(SHOWN_STORY)


def test_the_switch_shows_the_whole_game_again(page, site):
    replay = read_replay(WITH_STORY)
    page.open_file(page_path(site, WITH_STORY), f"#{PLY}")
    page.driver.find_element("css selector", ".top nav button").click()
    assert f"/ {replay.ply(replay.last)}" in page.evaluate(VISIBLE)
    assert page.evaluate(LENGTHS.strip()) == [replay.last]
    assert page.evaluate(SHOWN_STORY)
    page.open_file(site / "games.html")
    assert RESULT.search(page.evaluate(VISIBLE))


def test_a_link_to_a_ply_opens_the_start(page, site):
    page.open_file(site / "index.html")
    link = page.driver.find_element("css selector", ".first a")
    assert "#" in link.get_attribute("href")
    link.click()
    page.wait("document.querySelector('#viewer.ready')")
    assert page.shown_frame() == [0, "arbiter"]
