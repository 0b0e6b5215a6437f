"""All kinds of pages in a real browser: on a phone, in dark colours, for screen readers, and with hostile texts."""

import pytest
from browser.readable import AXE, PHONE, check_readable, read_axe

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
@pytest.mark.slow(keep=3)
def test_a_page_fits_a_phone_and_is_accessible(page, site, name):
    page.resize(*PHONE)
    page.open_file(site / name)
    check_readable(page)


@pytest.mark.parametrize("name", ["index.html", "bots/hunter.html", "games/duel.html"])
def test_long_texts_wrap(page, event, name):
    page.open_file(event / name)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.resize(*PHONE)
    check_readable(page)


def test_low_contrast_is_found(page, site):
    page.open_file(site / "index.html")
    page.run_script(read_axe())
    page.run_script("document.querySelector('h1').style.color = '#eee'")
    assert [rule for rule, _ in page.run_script(AXE)] == ["color-contrast"]


def test_pages_follow_the_dark_colour_scheme(page, site):
    brightness = (
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((sum, part) => sum + Number(part), 0)"
    )
    page.open_file(site / "index.html")
    light = page.evaluate(brightness)
    page.set_colour_scheme("dark")
    assert page.evaluate(brightness) < 150
    assert light > 600


def test_a_cell_of_the_crosstable_links_to_the_games(page, site):
    page.open_file(site / "index.html")
    page.driver.find_element("css selector", ".cross td a").click()
    page.driver.find_element("css selector", ".games a[href$='/duel.html']").click()
    page.wait("document.querySelector('#viewer.ready')")
    assert page.shown_frame() == [0, "arbiter"]


def test_hostile_texts_do_nothing(page, hostile):
    games = (hostile / "games" / f"{name}.html" for name in ("forfeited", "card-game"))
    pages = [*hostile.glob("*.html"), *hostile.glob("[bp]*/*.html"), *games]
    assert len(pages) == len(PAGES)
    for path in pages:
        page.open_file(path)  # a script or a request would cause a console message or an alert
        assert page.evaluate("document.querySelectorAll('img, b > script').length") == 0


def test_a_script_added_to_a_page_does_not_run(page, site):
    page.open_file(site / "index.html")
    page.run_script(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))"
    )
    assert page.evaluate("window.ran === undefined")
    assert any("Content Security Policy" in message for message in page.console_messages())
