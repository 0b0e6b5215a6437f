"""The pages of a report: links work, and texts of bots cannot add markup."""

import json
import lzma
import posixpath
import re
from collections import Counter
from functools import cache
from urllib.parse import unquote

import msgspec
import pytest
from msgspec.structs import replace
from packed_data import decompress
from show.report import sample_reports as samples

from arbiter.record import read_record
from arbiter.show.boards import OWNER, CardTable, write_rank
from arbiter.show.replay.knowledge import VIEWERS, name_place
from arbiter.show.replay.moments import find_moments
from arbiter.show.replay.replay import Replay
from arbiter.show.report import site
from arbiter.show.report.files import POLICY
from arbiter.show.report.games import write_still
from arbiter.show.report.site import make_site as make_report
from arbiter.show.report.site import read_last_lines
from arbiter.show.report.values import Download, RankChanges
from arbiter.show.tables.event import categories_sheets, teams_sheet
from arbiter.show.text import plain
from arbiter.tournament.config.event_data import BotDetails, EventTable
from arbiter.tournament.ratings.values import EarlierRatings, Estimate
from arbiter.transcript import GameLog, StderrMark
from protocol.reasons import BrokeProtocol, NoPieces

DUEL, CARDS = (
    next(path for path in samples.GOLDEN if path.stem == rules).read_bytes() for rules in ("duel", "card-game")
)
MOST_PAGE_BYTES = 15_000
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
def make_site(bots, note="a note", name="Club night"):
    """Make a report of a forfeited duel, an annulled duel and a card game."""
    red, blue = bots
    games = [
        samples.make_game(0, red, blue, ending="crash", reason=BrokeProtocol("red", note), red_points=6, blue_points=0),
        samples.make_game(1, blue, red, winner=None, ending="annulled"),
        samples.make_game(2, red, blue),
    ]
    records = {
        game.id: samples.replace_players(data, game.red, game.blue, note)
        for game, data in zip(games, (DUEL, DUEL, CARDS), strict=True)
    }
    return samples.make_pages(
        samples.make_report_data(bots, games, name=name), records.__getitem__, lambda _: samples.make_log(note)
    )


EVENT = EventTable(
    title="<i>Open</i>",
    organiser="{{ 7 * 7 }}",
    place='"><script>alert(1)</script>',
    dates="5 & 6 December",
    notes="First.\n\n<b>Second.</b>",
    link="https://example.org/?a=1&b=2",
)
BOTS = {
    "hunter": BotDetails(
        title="<b>Jägerin</b>",
        author="'-alert(1)-'",
        team="</td></table>",
        category="</title>",
        link="https://example.org/hunter",
        notes="One.\nTwo.",
    ),
    "mine": BotDetails(),
}


def make_event_site(event=EVENT, bots=BOTS, text="<Z80>"):
    """Make a report of an event with texts about it and its bots."""
    data = samples.make_report_data(("hunter", "mine"), [samples.make_game(0, "hunter", "mine")])
    results = replace(
        data,
        event=event,
        bots=bots,
        settings={"processor": text},
        groups=[*categories_sheets(data.final, bots), teams_sheet(data.final, [data.final], bots)],
        downloads=[Download("downloads/games.csv", "games_file", lambda: b"id\n")],
    )
    return samples.make_pages(results, lambda _: samples.replace_players(DUEL, "hunter", "mine"))


def test_the_event_and_its_files_are_shown():
    files = make_event_site()
    page = parse_html(files)["index.html"]
    for text in (EVENT.title, EVENT.organiser, EVENT.place, EVENT.dates, "<b>Second.</b>", "<Z80>"):
        assert text in page.text
    for text in (BOTS["hunter"].title, "Category: </title>", "</td></table>"):
        assert text in page.text
    assert EVENT.link in page.links
    assert "downloads/games.csv" in page.links
    assert files["downloads/games.csv"] == b"id\n"


def test_the_page_of_a_bot_shows_its_texts():
    page = parse_html(make_event_site())["bots/hunter.html"]
    details = BOTS["hunter"]
    for text in (details.title, details.author, details.team, details.category, "One.", "Two.", "· hunter"):
        assert text in page.text
    assert details.link in page.links


def test_pages_mark_remote_programs():
    pages = parse_html(make_event_site(bots=BOTS | {"mine": BotDetails(kind="remote", club="South")}))
    assert "South · remote" in pages["index.html"].text
    marked = [path for path in ("bots/hunter.html", "bots/mine.html") if "over the network" in pages[path].text]
    assert marked == ["bots/mine.html"]


def test_pages_of_games_and_pairings_show_titles():
    pages = parse_html(make_event_site())
    for path in ("games/hunter~mine~0.html", "pairings/hunter~~mine.html"):
        assert "<b>Jägerin</b> \u2013 mine" in pages[path].text


def test_texts_of_the_organiser_add_no_markup():
    texts = dict.fromkeys(("title", "organiser", "place", "dates"), "x")
    event = EventTable(**texts, notes="a\n\nb", link=EVENT.link)
    bots = BOTS | {"hunter": replace(BOTS["hunter"], title="x", author="x", team="x", category="x")}
    harmless = parse_html(make_event_site(event, bots, "x"))
    assert {path: len(page.elements) for path, page in parse_html(make_event_site()).items()} == {
        path: len(page.elements) for path, page in harmless.items()
    }


@pytest.fixture(scope="module")
def pages():
    return make_site(("hunter", "mine"))


def parse_html(pages):
    return {path: samples.Page(content) for path, content in pages.items() if path.endswith(".html")}


def check_links(shown):
    """Check that all links lead to pages that exist."""
    for path, page in parse_html(shown).items():
        there = [unquote(link.partition("#")[0]) or path for link in page.links]
        found = {
            posixpath.normpath(posixpath.join(posixpath.dirname(path), link)) if link != path else path
            for link in there
        }
        assert found <= shown.keys(), path


def test_every_page_can_be_reached(pages):
    check_links(pages)
    shown, seen, ahead = parse_html(pages), set(), {"index.html"}
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


@cache
def count_elements_without_markup():
    return sorted(len(page.elements) for page in parse_html(make_site(("hunter", "mine"), "note")).values())


@pytest.mark.parametrize("hostile", HOSTILE)
def test_texts_of_bots_add_no_markup_and_their_pages_have_valid_names_and_links(hostile):
    site = make_site((hostile, "mine"), hostile, hostile)
    check_links(site)
    for path in site:
        assert all(part.strip(".") and not set(part) & set('\\:*?"<>|%#\n\x1b ') for part in path.split("/")), path
    pages = parse_html(site)
    assert count_elements_without_markup() == sorted(len(page.elements) for page in pages.values())
    assert plain(hostile) in pages["index.html"].text
    for page in pages.values():
        assert not [
            key for _, attributes in page.elements for key in attributes if key.startswith("on") or key == "style"
        ]


def test_every_page_has_a_strict_security_policy(pages):
    for path, page in parse_html(pages).items():
        assert ("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY}) in page.elements, path
        assert "style" not in {tag for tag, _ in page.elements}
        scripts = [attributes for tag, attributes in page.elements if tag == "script"]
        assert all("src" in script or script["type"] == "application/json" for script in scripts)
        assert not [link for link in page.links if "//" in link]


def read_previews(page):
    """Return what a preview of a link to a page shows."""
    return {
        attributes["property"]: attributes["content"]
        for tag, attributes in page.elements
        if tag == "meta" and "property" in attributes
    }


def test_the_page_of_a_game_is_small_and_shows_its_end_without_scripts(pages):
    for path, content in pages.items():
        if path.startswith("games/") and path.endswith(".html"):
            assert len(content) < MOST_PAGE_BYTES
            fallback = samples.Page(content.partition(b"<noscript>")[2].partition(b"</noscript>")[0])
            assert fallback.elements[0] == ("pre", {"class": "still"})
            assert {"R", "b"} <= set(fallback.text)


@pytest.mark.parametrize("path", samples.GOLDEN, ids=lambda path: path.stem)
def test_the_still_position_shows_what_a_viewer_may_know(path):
    replay = Replay(read_record(path.read_bytes()))
    for viewer in VIEWERS:
        frame = replay.frame(replay.last, viewer)
        still = write_still(frame, viewer)
        cards = isinstance(frame.view, CardTable)
        expected = Counter(
            f"{OWNER[piece.seat]}{write_rank(piece.rank)}{'!' * (name_place(piece) in frame.known)}"
            for piece in frame.view.pieces
        )
        if cards:
            hidden = frame.view.hand_counts.items()
            expected.update({f"{OWNER[seat]}?": count for seat, count in hidden if seat not in frame.view.hands})
        assert Counter(text.strip() for text in re.findall(r"<[bsiu]>(.*?)</", still)) == +expected
        assert len(still) < 1600


def test_a_preview_of_a_link_shows_the_result_and_a_picture(monkeypatch):
    game = samples.make_game(0, "hunter", "mine")
    data = samples.make_report_data(("hunter", "mine"), [game])
    for address, most, picture in (
        (None, 1, f"{game.id}.png"),
        (None, 0, None),
        ("https://example.org/club/", 0, f"https://example.org/club/games/{game.id}.png"),
    ):
        monkeypatch.setattr(site, "MOST_PICTURES", most)
        files = {
            page.path: page.content for page in make_report(data, lambda _: DUEL, lambda _: GameLog(), address=address)
        }
        shown = read_previews(samples.Page(files[f"games/{game.id}.html"]))
        assert shown["og:title"] == f"hunter 1\u20130 mine \u00b7 {data.name}"
        assert shown["og:description"] == "hunter wins: it took the flag, after 40 plies"
        assert shown.get("og:image") == picture
        assert files[f"games/{game.id}.png"].startswith(b"\x89PNG")
        assert read_previews(samples.Page(files["index.html"]))["og:image"] == f"{address or ''}games/{game.id}.png"


def find_viewer_data(page):
    """Return the packed viewer data of a page."""
    return re.search(r'id="viewer-data">(.*?)<', page.decode())[1]


@pytest.mark.parametrize("shown", [False, True])
def test_the_organiser_decides_if_pages_show_stderr(shown):
    game = samples.make_game(0, "hunter", "mine")
    data = replace(samples.make_report_data(("hunter", "mine"), [game]), event=EventTable(show_stderr=shown))
    log = GameLog(stderr={"red": "thinking"}, stderr_marks={"red": (StderrMark(0, 0, 1),)})
    page = samples.make_pages(data, lambda _: DUEL, lambda _: log)[f"games/{game.id}.html"].decode()
    assert (b"thinking" in decompress(find_viewer_data(page.encode()))) is shown


def test_the_data_of_a_long_game_is_a_script_next_to_its_page():
    game = samples.make_game(0, "hunter", "mine")
    data = samples.make_report_data(("hunter", "mine"), [game])
    short, long = (
        samples.make_pages(data, record.__getitem__)
        for record in ({game.id: DUEL}, {game.id: samples.make_long_record(DUEL)})
    )
    page, script = f"games/{game.id}.html", f"games/{game.id}.js"
    assert script not in short
    assert len(long[page]) < len(short[page]) < 15_000
    packed = re.fullmatch(r'window\.arbiterMoves = "(.*)";\n', long[script].decode())[1]
    assert len(packed) > 10_000
    assert json.loads(decompress(packed))["seats"] == json.loads(decompress(find_viewer_data(short[page])))["seats"]


def test_the_record_can_be_downloaded(pages):
    assert lzma.decompress(pages["games/hunter~mine~2.jsonl.xz"]) == samples.replace_players(
        CARDS, "hunter", "mine", "a note"
    )


def test_a_forfeit_is_listed_with_its_cause_and_the_end_of_its_log(pages):
    page = samples.Page(pages["forfeits.html"])
    assert "hunter \N{EN DASH} mine, round 1" in page.text
    assert "a note" in page.text
    assert "from red" in page.text


def test_a_long_log_is_cut():
    log = GameLog(stderr={"red": "\n".join(["x" * 1000, *map(str, range(1000))])})
    assert read_last_lines(log) == tuple(str(number) for number in range(988, 1000))
    assert max(map(len, read_last_lines(GameLog(stderr={"red": "x" * 10_000})))) < 500


def test_a_record_that_cannot_be_read_is_reported():
    game = samples.make_game(1, "hunter", "mine")
    pages = samples.make_pages(samples.make_report_data(("hunter", "mine"), [game]), lambda _: b"what?")
    assert (
        "This record cannot be shown: line 1 is cut off or not part of a record"
        in samples.Page(pages["games/hunter~mine~1.html"]).text
    )
    assert lzma.decompress(pages["games/hunter~mine~1.jsonl.xz"]) == b"what?"


def test_a_tournament_without_games_has_pages():
    pages = parse_html(samples.make_pages(samples.make_report_data(("hunter", "mine"), []), None))
    assert "0 games" in pages["index.html"].text
    assert "No game was forfeited." in pages["forfeits.html"].text


def test_the_page_of_a_bot_shows_its_program_and_its_deployments(pages):
    page = samples.Page(pages["bots/hunter.html"])
    assert "Program: hunter hunter by hunter" in page.text
    labels = [attributes.get("aria-label", "") for tag, attributes in page.elements if tag == "svg"]
    assert any(label.startswith("marshal: ") for label in labels)


def test_a_cut_among_equal_bots_is_shown():
    data = samples.make_report_data(["a", "b"], [])
    cut = (data.final[0], replace(data.final[1], reached="stage 1", decided_by="seeding"))
    page = samples.make_pages(replace(data, final=cut), None)["index.html"].decode()
    assert "<small>out in stage 1</small> <small>by seeding</small>" in page


def test_endings_are_written_in_words_and_names_of_bots_are_not_changed():
    game = samples.make_game(0, "my_bot", "mine", ending="no_pieces", reason=NoPieces("blue"))
    pages = parse_html(samples.make_pages(samples.make_report_data(("my_bot", "mine"), [game]), lambda _: b""))
    for path in ("games.html", "numbers.html", "games/my_bot~mine~0.html"):
        assert "no movable piece left" in pages[path].text
        assert "no_pieces" not in pages[path].text
    assert "my bot" not in pages["numbers.html"].text


def read_games_data(pages):
    return msgspec.json.decode(pages["games-data.js"].removeprefix(b"window.arbiterGames = ").removesuffix(b";\n"))


def test_the_list_of_games_is_complete_without_a_script_and_in_its_data():
    games = [samples.make_game(number, "hunter", "mine") for number in range(101)]
    games[7] = samples.make_game(
        7, "mine", "hunter", winner=None, ending="agreed", plies=9, red_points=3, blue_points=3
    )
    pages = samples.make_pages(replace(samples.make_report_data(("hunter", "mine"), games), bots=BOTS), lambda _: b"")
    listed = [
        link for path in ("games.html", "games-2.html") for link in samples.Page(pages[path]).links if "~" in link
    ]
    assert listed == [f"games/{game.id}.html" for game in games]
    data = read_games_data(pages)
    assert data["bots"] == [["hunter", "<b>J\u00e4gerin</b>"], ["mine", "mine"]]
    assert [f"games/{row[8]}.html" for row in data["rows"]] == listed
    ending = data["endings"].index("draw agreed")
    assert data["rows"][7] == [1, 1, 0, "", "\u00bd\u2013\u00bd", ending, 9, "2026-01-01 00:00", "mine~hunter~7"]


def test_two_bots_are_compared_by_their_games():
    games = [samples.make_game(number, *("hunter", "mine")[:: 1 if number % 2 else -1]) for number in range(4)]
    results = replace(
        samples.make_report_data(("hunter", "mine"), games), compare=lambda *_: Estimate(-12.4, -80, 60.6)
    )
    page = samples.Page(samples.make_pages(results, lambda _: DUEL)["pairings/hunter~~mine.html"])
    for text in ("+2 =0 \N{MINUS SIGN}2", "14", "\N{MINUS SIGN}12", "\N{MINUS SIGN}80 to +61"):
        assert text in page.text


def test_the_rating_of_a_bot_over_time_is_plotted():
    games = [samples.make_game(number, "hunter", "mine") for number in range(4)]
    results = samples.make_report_data(("hunter", "mine"), games)
    earlier = [EarlierRatings(number, results.ratings) for number in (1, 2, 3)]
    for list_earlier, points in ((lambda: earlier, 4), (list, 0)):
        pages = samples.make_pages(replace(results, list_earlier_ratings=list_earlier), lambda _: DUEL)
        lines = [
            attributes for tag, attributes in samples.Page(pages["bots/hunter.html"]).elements if tag == "polyline"
        ]
        assert [len(line["points"].split()) for line in lines] == ([points] if points else [])


def test_changes_of_rank_and_the_latest_results_are_shown_while_games_remain():
    games = [
        samples.make_game(number, "hunter", "mine", id=f"g{number}", seconds=100 - 2 * number) for number in range(10)
    ]
    results = replace(
        samples.make_report_data(("hunter", "mine"), games),
        finished=False,
        rank_changes=RankChanges(3, {"hunter": 1, "mine": -1}),
    )
    page = samples.Page(samples.make_pages(results, lambda _: DUEL)["index.html"])
    titles = [attributes.get("title", "") for _, attributes in page.elements]
    games_linked = [
        attributes["href"]
        for _, attributes in page.elements
        if attributes.get("href", "").endswith(tuple(f"/g{number}.html" for number in range(10)))
    ]
    assert "1 place up since round 3" in titles
    assert "1 place down since round 3" in titles
    assert games_linked == [f"games/g{number}.html" for number in range(8)]
    finished = samples.Page(samples.make_pages(replace(results, finished=True), lambda _: DUEL)["index.html"])
    assert "Latest games" not in finished.text


def test_highlights_link_to_their_plies():
    games = [samples.make_game(0, "hunter", "mine", plies=47), samples.make_game(1, "mine", "hunter", plies=48)]
    results = replace(samples.make_report_data(("hunter", "mine"), games), bots=BOTS)
    pages = samples.make_pages(results, lambda _: DUEL)
    index = samples.Page(pages["index.html"])
    assert "<b>J\u00e4gerin</b> won against mine after 47 plies: flag taken." in index.text
    moments = find_moments(read_record(DUEL))
    assert f"games/hunter~mine~0.html#{moments.behind['red'].ply}" in index.links
    assert f"was {moments.behind['red'].value} points of material behind" in index.text


def test_the_first_page_begins_with_the_game_to_watch_first_and_an_introduction():
    game = samples.make_game(0, "hunter", "mine")
    data = samples.make_report_data(("hunter", "mine"), [game])
    files = {page.path: page.content for page in make_report(data, lambda _: DUEL, lambda _: GameLog())}
    start = files["index.html"].decode().partition("<h2>Standings</h2>")[0]
    assert re.search(r'Watch this game first: <a href="games/[^"]+#\w+">', start)
    pictures = re.findall(r'<img src="(assets/start-\d.svg)"', start)
    assert len(pictures) == 5
    assert all(files[path].startswith(b"<svg") for path in pictures)
