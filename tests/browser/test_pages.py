"""All kinds of pages in a real browser: on a phone, in dark colours, for screen readers, and with hostile texts."""

import pytest
from browser.conftest import EARLIER_GAMES
from browser.readable import AXE, LOOKS, OTHER_LOOKS, check_readable, read_axe

pytestmark = pytest.mark.heavy
PAGES = {
    "site": "index games numbers forfeits bots/hunter pairings/hunter~~mine games/original games/card-game games/forfeited",
    "ladder": "index bots/a pairings/a~~b terms enter games matches " + EARLIER_GAMES.removesuffix(".html"),
    "season": "index",
}
PAGES = {folder: [f"{name}.html" for name in names.split()] for folder, names in PAGES.items()}
PAGES_OF_ALL = [(folder, name, LOOKS[number % 2]) for folder in PAGES for number, name in enumerate(PAGES[folder])]


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize(("folder", "name", "look"), PAGES_OF_ALL, ids=str)
def test_every_kind_of_page_is_accessible(page, request, folder, name, look):
    page.open_file(request.getfixturevalue(folder) / name)
    check_readable(page, [*LOOKS, *OTHER_LOOKS] if request.config.getoption("--all") else [look])
    assert folder != "season" or page.evaluate("document.querySelectorAll('img, script').length") == 0


CONTRAST = """
(() => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1}).getContext("2d", {willReadFrequently: true});
  const luminance = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return [...document.querySelectorAll(".scale text")].map((text) => {
    const fills = [text, text.previousElementSibling].map((node) => luminance(getComputedStyle(node).fill));
    const [low, high] = fills.sort((one, other) => one - other);
    return Math.round(100 * (high + 0.05) / (low + 0.05)) / 100;
  });
})()
"""


@pytest.mark.heavy(keep=1)
def test_counts_on_all_shades_of_a_map_can_be_read(page, site):
    page.open_file(site / "bots" / "hunter.html")
    for scheme in ("light", "dark"):
        page.set_colour_scheme(scheme)
        ratios = page.evaluate(CONTRAST.strip())
        assert len(ratios) == 7
        assert min(ratios) >= 4.5, (scheme, ratios)


@pytest.mark.parametrize("name", ["index.html", "bots/hunter.html", "games/duel.html"])
@pytest.mark.slow(keep=1)
def test_long_texts_wrap(page, event, name):
    page.open_file(event / name)
    check_readable(page)


def test_low_contrast_is_found(page, site):
    page.open_file(site / "index.html")
    page.run_script(read_axe())
    page.run_script("document.querySelector('h1').style.color = '#eee'")
    assert [rule for rule, _ in page.run_script(AXE)] == ["color-contrast"]


@pytest.mark.heavy(keep=1)
def test_pages_follow_the_dark_colour_scheme(page, site):
    brightness = (
        "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).reduce((sum, part) => sum + Number(part), 0)"
    )
    page.open_file(site / "index.html")
    light = page.evaluate(brightness)
    page.set_colour_scheme("dark")
    assert page.evaluate(brightness) < 150
    assert light > 600


@pytest.mark.heavy(keep=1)
def test_a_cell_of_the_crosstable_links_to_the_games(page, site):
    page.open_file(site / "index.html")
    page.driver.find_element("css selector", ".cross td a").click()
    page.driver.find_element("css selector", ".games a[href$='/duel.html']").click()
    page.wait("document.querySelector('#viewer.ready')")
    assert page.shown_frame() == [0, "arbiter"]


def test_hostile_texts_do_nothing(page, hostile):
    games = (hostile / "games" / f"{name}.html" for name in ("forfeited", "card-game"))
    pages = [*hostile.glob("*.html"), *hostile.glob("[bp]*/*.html"), *games]
    assert len(pages) == len(PAGES["site"])
    for path in pages:
        page.open_file(path)  # a script or a request would cause a console message or an alert
        assert page.evaluate("document.querySelectorAll('img:not(.start img), b > script').length") == 0


@pytest.mark.heavy(keep=1)
def test_a_script_added_to_a_page_does_not_run(page, site):
    page.open_file(site / "index.html")
    page.run_script(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))"
    )
    assert page.evaluate("window.ran === undefined")
    assert any("Content Security Policy" in message for message in page.console_messages())
