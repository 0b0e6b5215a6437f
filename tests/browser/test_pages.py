"""All kinds of pages in a real browser: on a phone, in the dark, for those who cannot see, with bots that mean harm."""

import pytest
from browser.readable import AXE, PHONE, axe, check_readable

PAGES = (
    "index.html",
    "games.html",
    "numbers.html",
    "forfeits.html",
    "bots/hunter.html",
    "pairings/hunter~~mine.html",
    "games/original.html",
    "games/card-game.html",
    "games/forfeited.html",
)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_room_on_a_phone_and_can_be_read_by_all(page, site, name):
    page.resize(*PHONE)
    page.open(site / name)
    check_readable(page)


def test_what_is_hard_to_read_is_found(page, site):
    page.open(site / "index.html")
    page.run(axe())
    page.run("document.querySelector('h1').style.color = '#eee'")
    assert [rule for rule, _ in page.run(AXE)] == ["color-contrast"]


def test_it_is_dark_where_the_reader_likes_it_dark(page, site):
    shade = (
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((sum, part) => sum + Number(part), 0)"
    )
    page.open(site / "index.html")
    light = page.ask(shade)
    page.colours("dark")
    assert page.ask(shade) < 150
    assert light > 600


def test_a_cell_of_the_crosstable_leads_to_the_games(page, site):
    page.open(site / "index.html")
    page.driver.find_element("css selector", ".cross td a").click()
    page.driver.find_element("link text", "duel").click()
    page.wait("document.querySelector('#viewer.ready')")
    assert page.shown() == [0, "arbiter"]


def test_hostile_texts_do_nothing(page, hostile):
    games = (hostile / "games" / f"{name}.html" for name in ("forfeited", "card-game"))
    pages = [*hostile.glob("*.html"), *hostile.glob("[bp]*/*.html"), *games]
    assert len(pages) == len(PAGES)
    for path in pages:
        page.open(path)  # where something is run or asked for, the console complains or an alert hangs this
        assert page.ask("document.querySelectorAll('img, b > script').length") == 0


def test_nothing_runs_that_is_not_ours(page, site):
    page.open(site / "index.html")
    page.run("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))")
    assert page.ask("window.ran === undefined")
    assert any("Content Security Policy" in complaint for complaint in page.complaints())
