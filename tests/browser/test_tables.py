"""Tables of twenty bots with names of forty characters: nothing is clipped on screens, phones and paper."""

from itertools import combinations

import pytest
from browser.readable import PHONE, check_readable
from msgspec.structs import replace
from show.report.sample_reports import make_game, make_report_data, write_files

from arbiter.show.report.files import ASSETS, read_asset
from arbiter.show.report.site import list_page_makers
from arbiter.show.report.values import ReportIndex
from arbiter.tournament.config.event_data import BotDetails

pytestmark = pytest.mark.heavy
BOTS = [f"{'a-long-name-for-a-bot-' * 2}"[:37] + f"-{number:02}" for number in range(20)]
PAGES = ("index.html", "games.html", "numbers.html", f"bots/{BOTS[0]}.html")
PAPER = (718, 1000)  # CSS pixels between the margins of A4
WIDTHS = {"desktop": (1280, 900), "phone": PHONE, "large": (1920, 1080)}

# Boxes that leave their page, or texts that leave their cells and are not reached by scrolling.
CLIPPED = """([...document.querySelectorAll("main :is(th, td, h1, h2, p, dd, li)")].filter((box) => {
  if (!box.checkVisibility()) return false;
  const frame = (box.closest(".scroll") ?? document.documentElement).getBoundingClientRect();
  const {left, right} = box.getBoundingClientRect();
  const scrolls = box.closest(".scroll") && getComputedStyle(box.closest(".scroll")).overflowX == "auto";
  return box.scrollWidth > box.clientWidth + 1 || !scrolls && (right > frame.right + 1 || left < frame.left - 1);
}).map((box) => box.outerHTML.slice(0, 200)))"""
# Texts of one row that are drawn on top of each other.
OVERLAPPING = """([...document.querySelectorAll("main tr")].flatMap((row) => [...row.children].filter((one) => one.checkVisibility())
  .map((one) => one.getBoundingClientRect()).filter((one, at, all) => at && one.left < all[at - 1].right - 1 && one.top < all[at - 1].bottom - 1)))"""
SCROLLED = """([...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth).map((box) => {
  const start = box.getBoundingClientRect().left;
  box.scrollLeft = 9999;
  return Math.round(box.querySelector("tbody th").getBoundingClientRect().left - start);
}))"""


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """Write a report of twenty bots, one with a title; return its folder."""
    folder = tmp_path_factory.mktemp("crowd")
    games = [
        make_game(
            number,
            *pair,
            id=f"game-{number}-{turn}",
            plies=20 + number,
            winner="red" if turn == 0 else "blue",
            red_points=1 - turn,
            blue_points=turn,
        )
        for number, one in enumerate(combinations(BOTS, 2))
        for turn, pair in enumerate((one, one[::-1]))
    ]
    data = replace(make_report_data(BOTS, games), bots={BOTS[0]: BotDetails(title="The first of all bots")})
    makers = list_page_makers(data, ReportIndex())
    made = (*(makers[name]() for name in (*PAGES, "games-data.js")), *map(read_asset, ASSETS))
    return write_files(folder, {page.path: page.content for page in made})


@pytest.mark.parametrize("size", WIDTHS)
@pytest.mark.slow(keep=2)
def test_nothing_is_clipped_and_names_stay_in_sight(page, crowd, size):
    page.resize(*WIDTHS[size])
    for name in PAGES:
        page.open_file(crowd / name)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert page.evaluate(CLIPPED) == [], name
        assert page.evaluate(OVERLAPPING) == [], name
        assert all(left in (0, 1) for left in page.evaluate(SCROLLED)), name


def test_the_crosstable_of_many_bots_is_numbered_and_fits_a_desktop(page, crowd):
    page.open_file(crowd / "index.html")
    assert page.evaluate("document.querySelector('.cross').scrollWidth <= document.querySelector('main').clientWidth")
    assert page.evaluate("[...document.querySelectorAll('.cross thead th')].map((head) => head.textContent)") == [
        str(number) for number in range(1, 21)
    ]
    assert page.evaluate("document.querySelector('.cross thead abbr').title") == "The first of all bots"
    assert page.evaluate("document.querySelector('.cross tbody th').textContent.trim()") == "1 The first of all bots"
    check_readable(page)


@pytest.mark.heavy(keep=1)
def test_a_phone_shows_rank_name_points_and_score_and_one_line_per_game(page, crowd):
    page.resize(*PHONE)
    visible = "[...document.querySelector('tbody tr').children].filter((cell) => cell.checkVisibility()).map((cell) => cell.textContent.trim())"
    page.open_file(crowd / "index.html")
    assert page.evaluate(visible) == ["1", f"The first of all bots{BOTS[0]}", "38", "+38 =0 \N{MINUS SIGN}0"]
    page.open_file(crowd / "games.html")
    shown = visible.replace("textContent", "innerText")  # without the words for readers who hide results
    assert page.evaluate(shown) == ["The first of all bots", "1\N{EN DASH}0", BOTS[1]]


ROWS = "[...document.querySelectorAll('.games tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"


def choose(page, name, value):
    page.evaluate(
        f"(document.querySelector('#filter').elements.{name}.value = '{value}', "
        "document.querySelector('#filter').dispatchEvent(new Event('input')))"
    )


def test_games_are_filtered_and_sorted(page, crowd):
    page.open_file(crowd / "games.html")
    whole = page.evaluate(ROWS)
    assert len(whole) == 100
    choose(page, "sort", "longest")
    page.wait("document.querySelector('#found').textContent === '380 of 380 games'")
    plies = [int(row[5]) for row in page.evaluate(ROWS)]
    assert plies == sorted(plies, reverse=True)
    assert page.evaluate("document.querySelector('.pager').checkVisibility()") is False
    for count in (200, 300, 380):
        page.driver.find_element("id", "more").click()
        page.wait(f"{ROWS}.length === {count}")
    choose(page, "bot", BOTS[3])
    choose(page, "result", "lost")
    page.wait(f"{ROWS}.length === 6")  # to each of the three bots before it
    assert {name for row in page.evaluate(ROWS) for name in (row[1], row[3])} == {*BOTS[1:4], "The first of all bots"}
    page.open_file(crowd / "games.html", page.evaluate("location.hash"))
    page.wait(f"{ROWS}.length === 6")
    check_readable(page)
    page.driver.find_element("css selector", "#filter [type=reset]").click()
    page.wait(f"{ROWS}.length === 100")
    assert page.evaluate(ROWS) == whole


def test_games_are_found_by_words(page, crowd):
    page.open_file(crowd / "games.html")
    field = page.driver.find_element("name", "words")
    field.send_keys(f"{BOTS[2]} FLAG {BOTS[3]}\n")
    found = "document.querySelector('#found').textContent"
    page.wait(f"{found} === '2 of 380 games'")
    for row in page.evaluate(ROWS):
        assert BOTS[2] in row[1] + row[3]
        assert BOTS[3] in row[1] + row[3]
    page.open_file(crowd / "games.html", page.evaluate("location.hash"))
    page.wait(f"{found} === '2 of 380 games'")
    page.driver.find_element("name", "words").send_keys(" nothing-has-this-name")
    page.wait(f"{found} === '0 of 380 games'")


def test_all_columns_are_printed(page, crowd):
    page.resize(*PAPER)
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    for name in PAGES:
        page.open_file(crowd / name)
        assert page.evaluate("document.documentElement.scrollWidth") <= PAPER[0], name
        assert page.evaluate(CLIPPED) == [], name
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
