"""All pages of a report: they lead to one another, and whatever a bot wrote is text on them."""

import bz2
import posixpath
from functools import cache
from urllib.parse import unquote

import pytest
from show.report.reported import GOLDEN, Page, log_of, pages_of, renamed, results_of, stored

from arbiter.show.report.environment import POLICY
from arbiter.show.report.site import read_last_lines
from arbiter.show.text import plain
from arbiter.transcript import GameLog

DUEL, CARDS = (next(path for path in GOLDEN if path.stem == rules).read_bytes() for rules in ("duel", "card-game"))
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    "{{ 7 * 7 }}{% raw %}",
    "</title></pre></script><b>",
    "\x1b[31m\u202e\n&amp;",
    "../../up",
    ".hidden",
    "a b#c?d%2e",
)


@cache
def site_of(bots, note="a note", name="Club night"):
    """Report a duel that was forfeited, one that was void, and a card game that was neither."""
    red, blue = bots
    games = [
        stored(0, red, blue, ending="crash", why=note, red_points=6, blue_points=0),
        stored(1, blue, red, winner=None, ending="void"),
        stored(2, red, blue),
    ]
    records = {
        game.id: renamed(data, game.red, game.blue, note) for game, data in zip(games, (DUEL, DUEL, CARDS), strict=True)
    }
    return pages_of(results_of(bots, games, name=name), records.__getitem__, lambda _: log_of(note))


@pytest.fixture(scope="module")
def pages():
    return site_of(("hunter", "mine"))


def html(pages):
    return {path: Page(content) for path, content in pages.items() if path.endswith(".html")}


@pytest.mark.parametrize("hostile", [None, *HOSTILE])
def test_links_lead_to_pages_that_are_there(pages, hostile):
    shown = pages if hostile is None else site_of((hostile, "mine"), hostile)
    for path, page in html(shown).items():
        there = [unquote(link.partition("#")[0]) or path for link in page.links]
        found = {
            posixpath.normpath(posixpath.join(posixpath.dirname(path), link)) if link != path else path
            for link in there
        }
        assert found <= shown.keys(), path


def test_every_page_is_led_to(pages):
    shown, seen, ahead = html(pages), set(), {"index.html"}
    while ahead:
        path = ahead.pop()
        seen.add(path)
        found = {
            posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
            for link in shown[path].links
            if "#" not in link
        }
        ahead |= (found & shown.keys()) - seen
    assert seen == shown.keys()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_text_of_a_bot_is_text(hostile):
    plain_pages, pages = (
        html(site_of(("hunter", "mine"), "note")),
        html(site_of((hostile, "mine"), hostile, hostile)),
    )
    assert sorted(len(page.elements) for page in plain_pages.values()) == sorted(
        len(page.elements) for page in pages.values()
    )
    assert plain(hostile) in pages["index.html"].text
    for page in pages.values():
        assert not [
            key for _, attributes in page.elements for key in attributes if key.startswith("on") or key == "style"
        ]


def test_file_names_are_safe_everywhere():
    for hostile in HOSTILE:
        for path in site_of((hostile, "mine")):
            assert all(part.strip(".") and not set(part) & set('\\:*?"<>|%#\n\x1b ') for part in path.split("/")), path


def test_every_page_forbids_what_it_does_not_need(pages):
    for path, page in html(pages).items():
        assert ("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY}) in page.elements, path
        assert "style" not in {tag for tag, _ in page.elements}
        scripts = [attributes for tag, attributes in page.elements if tag == "script"]
        assert all("src" in script or script["type"] == "application/json" for script in scripts)
        assert not [link for link in page.links if "//" in link]


def test_the_record_can_be_had(pages):
    assert bz2.decompress(pages["games/hunter~mine~2.jsonl.bz2"]) == renamed(CARDS, "hunter", "mine", "a note")


def test_a_forfeit_has_its_reason_and_the_end_of_its_log(pages):
    page = Page(pages["forfeits.html"])
    assert "hunter~mine~0" in page.text
    assert "a note" in page.text
    assert "from red" in page.text


def test_a_long_log_is_cut():
    log = GameLog(stderr={"red": "\n".join(["x" * 1000, *map(str, range(1000))])})
    assert read_last_lines(log) == tuple(str(number) for number in range(988, 1000))
    assert max(map(len, read_last_lines(GameLog(stderr={"red": "x" * 10_000})))) < 500


def test_a_record_that_cannot_be_read_is_told_of():
    game = stored(1, "hunter", "mine")
    pages = pages_of(results_of(("hunter", "mine"), [game]), lambda _: b"what?")
    assert (
        "This record cannot be shown: line 1 is cut off or not part of a record"
        in Page(pages["games/hunter~mine~1.html"]).text
    )
    assert bz2.decompress(pages["games/hunter~mine~1.jsonl.bz2"]) == b"what?"


def test_a_tournament_without_games_has_its_pages():
    pages = html(pages_of(results_of(("hunter", "mine"), []), None))
    assert "0 games" in pages["index.html"].text
    assert "No game was forfeited." in pages["forfeits.html"].text


def test_a_bot_page_tells_what_it_is_and_where_it_put_which_rank(pages):
    page = Page(pages["bots/hunter.html"])
    assert "Program: hunter hunter by hunter" in page.text
    labels = [attributes.get("aria-label", "") for tag, attributes in page.elements if tag == "svg"]
    assert any(label.startswith("marshal: ") for label in labels)
