"""The web application: its pages, its event streams, and requests that it refuses."""

import json
import math
import re
import time
from contextlib import ExitStack, aclosing
from urllib.parse import quote

import pytest
import trio
from packed_data import choose_texts
from serve.client import BOTS, CARDS, DUEL, LIVE, OFTEN_S, FakeTournament, run_with_client, served
from show.report.sample_reports import Page, make_game, make_long_record
from trio.testing import MockClock

from arbiter.errors import ConfigError
from arbiter.record import read_record
from arbiter.serve.app import MOST_STREAMS, change_events, keep_updating
from arbiter.serve.changes import write_change
from arbiter.serve.live_games import LiveGameData, SpectatorSettings, make_spectator_settings
from arbiter.serve.pages import UPDATE_EVERY_S, PageProgress, Pages
from arbiter.serve.places import Places, Visitor
from arbiter.show.replay.replay import Replay
from arbiter.show.report.files import bot_page, game_events, game_page, moves_file, picture_file, record_file
from arbiter.show.report.flat_frames import flatten_position
from arbiter.tournament.events import Began
from arbiter.tournament.fixture import make_fixture

OPEN = make_spectator_settings(show_all=False, delay=0, lang="en")
FINISHED = "hunter~mine~0"
EVENTS = "/" + game_events(LIVE.fixture.id)
GAME = "/" + game_page(LIVE.fixture.id)


def make_viewer_data(written, spectator):
    """Make the viewer data of a record in one step."""
    live = LiveGameData(spectator)
    live.update(written)
    return live.data


def event_data(answer, kind):
    """List the data of the events of a kind."""
    events = [event.split("\n") for event in answer.body.decode().split("\n\n")]
    return [lines[-1].removeprefix("data: ") for lines in events if f"event: {kind}" in lines]


@served()
async def test_every_page_exists_and_links_to_existing_pages(client):
    for path in (
        "/index.html",
        "/games.html",
        "/wall.html",
        "/numbers.html",
        "/forfeits.html",
        "/" + bot_page(BOTS[0]),
    ):
        answer = await client.request(path)
        assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8"), path
        assert 'src="assets/live.js"' in answer.body.decode() or 'src="../assets/live.js"' in answer.body.decode()
    for link in {one.partition("#")[0] for one in Page((await client.request("/index.html")).body).links} - {""}:
        assert (await client.request("/" + link)).status == (307 if link == "follow.html" else 200), link
    assert (await client.request("/")).headers["location"] == "/index.html"
    assert (await client.request("/" + game_page(FINISHED))).status == 200
    assert (await client.request("/" + record_file(FINISHED))).headers["content-type"] == "application/x-xz"
    table = await client.request("/downloads/games.csv")
    assert (table.headers["content-type"], table.body) == ("text/csv; charset=utf-8", FINISHED.encode())


@served()
async def test_the_moves_of_a_long_game_are_a_script_of_its_own(client):
    client.source.record = lambda _: make_long_record(DUEL)
    page = (await client.request("/" + game_page(FINISHED))).body
    assert f'src="../{moves_file(FINISHED)}"'.encode() in page
    assert len(page) < 15_000
    script = await client.request("/" + moves_file(FINISHED))
    assert (script.status, script.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert script.body.startswith(b'window.arbiterMoves = "')


@pytest.mark.parametrize(
    ("target", "options", "status"),
    [
        ("/nothing.html", {}, 404),
        ("/games/" + "x" * 5000, {}, 404),
        ("/../../../etc/passwd", {}, 404),
        ("/assets/../site.py", {}, 404),
        ("/%2e%2e/secret", {}, 404),
        ("//evil.example/index.html", {}, 404),
        ("/index.html", {"method": "HEAD"}, 200),
    ],
)
@served()
async def test_the_status_of_a_request(client, target, options, status):
    answer = await client.request(target, **options)
    assert answer.status == status
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@served()
async def test_the_page_of_a_finished_game_has_a_picture_at_the_address_of_the_server(client):
    page = await client.request("/" + game_page(FINISHED), host="localhost:8000", x_forwarded_proto="https")
    address = f"http://localhost:8000/{picture_file(FINISHED)}"
    assert f'<meta property="og:image" content="{address}">' in page.body.decode()
    picture = await client.request("/" + picture_file(FINISHED))
    assert (picture.headers["content-type"], picture.body[:4]) == ("image/png", b"\x89PNG")
    assert (await client.request("/" + picture_file(LIVE.fixture.id))).status == 404
    hostile = await client.request("/" + game_page(FINISHED), host='localhost:"><script>')
    assert hostile.status == 400 or b"<script>" not in hostile.body.partition(b"og:image")[2].partition(b">")[0]


@pytest.mark.parametrize(
    ("target", "embedded"),
    [
        ("/" + game_page(FINISHED), False),
        ("/" + game_page(FINISHED) + "?embed&turn=3", True),
        ("/" + game_page(FINISHED) + "?turn=3&embed=1", True),
        ("/" + game_page(FINISHED) + "?turn=embed", False),
        (GAME + "?embed", True),
        ("/index.html?embed", False),
        ("/events?embed", False),
    ],
)
@served()
async def test_other_pages_may_embed_a_game_and_nothing_else(client, target, embedded):
    if target.startswith("/events"):
        answer, scope = client.listen(target)
        await answer.wait_for(b"news")
        scope.cancel()
    else:
        answer = await client.request(target)
    assert ("x-frame-options" not in answer.headers) is embedded
    policy = answer.headers["content-security-policy"]
    assert policy.endswith("frame-ancestors *" if embedded else "frame-ancestors 'none'")
    assert "script-src 'self'" in policy


@served()
async def test_a_page_that_cannot_be_made_now_is_made_later(client):
    client.source.failure = ConfigError("the disk fails")
    assert (await client.request("/index.html")).status == 503
    client.source.failure = None
    assert (await client.request("/index.html")).status == 200


# --- event streams --------------------------------------------------------------------------------


@served()
async def test_a_listener_gets_an_event_for_a_change_and_the_page_shows_it(client):
    answer, _ = client.listen("/events")
    assert LIVE.fixture.id in (await client.request("/index.html")).body.decode()
    await answer.wait_for(b"event: news")
    before = set(event_data(answer, "news"))
    client.source.finish()
    while set(event_data(answer, "news")) == before:
        await answer.received.wait()
    page = (await client.request("/index.html")).body.decode()
    assert "2 of 4 games are played" in page
    assert "Games in progress" not in page


@served()
async def test_a_page_contains_the_number_of_the_change_that_it_shows(client):
    """Otherwise a page that is older than its first event would stay old until the next change."""
    old = (await client.request("/index.html")).body.decode()
    client.source.finish()
    answer, _ = client.listen("/events")
    news = []
    while len(news) < 2:
        await answer.received.wait()
        news = event_data(answer, "news")
    new = (await client.request("/index.html")).body.decode()
    assert [f'data-news="{number}"' in old for number in news] == [True, False]
    assert [f'data-news="{number}"' in new for number in news] == [False, True]


@pytest.mark.parametrize(
    ("show_all", "delay", "viewer"), [(False, 0, "spectator"), (False, 3, "spectator"), (True, 0, "arbiter")]
)
@pytest.mark.slow(keep=1)
def test_the_first_page_receives_the_latest_positions_as_spectators_may_see_them(show_all, delay, viewer):
    source = FakeTournament(lines=20)

    def expect():
        replay = Replay(read_record(b"".join(source.whole[: source.lines])), in_progress=True)
        number = replay.find_ply(replay.ply(replay.last) - delay)
        return flatten_position(replay.frame(number, viewer)), replay.ply(number)

    async def talk(client):
        answer, _ = client.listen("/events?boards")
        for lines, events in ((20, 1), (30, 2)):
            source.lines = lines
            while len(event_data(answer, "boards")) < events:
                await answer.received.wait()
            board = json.loads(event_data(answer, "boards")[-1])[LIVE.fixture.id]
            table, ply = expect()
            assert {key: text for key, text in board["table"].items() if key not in {"go", "attack", "act"}} == table
            assert (board["ply"], board["viewer"]) == (ply, viewer)
        without, _ = client.listen("/events")
        await without.wait_for(b"event: news")
        assert not event_data(without, "boards")

    run_with_client(source, make_spectator_settings(show_all=show_all, delay=delay, lang="en"), talk)


@served()
async def test_a_reader_who_follows_the_games_is_led_from_one_to_the_next(client):
    later = Began(make_fixture("mine", "hunter", 9, 2), "2026-01-01T12:35:00+00:00")
    paths = {began: game_page(began.fixture.id) for began in (LIVE, later)}

    async def follow(client, after=""):
        answer = await client.request(f"/follow.html?after={quote(after)}")
        return answer.headers.get("location", Page(answer.body).text)

    assert await follow(client) == f"{paths[LIVE]}?follow"
    waiting = await follow(client, LIVE.fixture.id)
    assert "Waiting for a game" in waiting
    assert "opens the next one by itself" in waiting
    client.source.finish()
    client.source.playing = [later]
    while await follow(client, LIVE.fixture.id) == waiting:  # noqa: ASYNC110 - a request updates the pages
        await trio.sleep(OFTEN_S)
    finished = Page((await client.request("/" + paths[LIVE])).body)
    assert f"../follow.html?after={quote(LIVE.fixture.id)}" in [
        attributes.get("data-next") for _, attributes in finished.elements
    ]
    assert await follow(client, LIVE.fixture.id) == f"{paths[later]}?follow"


@pytest.mark.parametrize(("seconds", "replayed"), [(1.0, True), (60.0, False)])
@served()
async def test_games_too_short_to_be_watched_are_replayed(client, seconds, replayed):
    client.source.games = [
        make_game(number, *BOTS, seconds=seconds, id=f"{BOTS[0]}~{BOTS[1]}~{number}") for number in range(4)
    ]
    expected = [f"{game_page(client.source.games[number].id)}?follow=replay&autoplay&fps=5&turn=0" for number in (3, 2)]
    first = await client.request("/follow.html")
    later = await client.request(f"/follow.html?after={quote(client.source.games[3].id)}")
    found = [first.headers["location"], later.headers["location"]]
    assert found == (expected if replayed else [f"{game_page(LIVE.fixture.id)}?follow"] * 2)
    client.source.playing = None
    while b"The tournament is not running" not in (await client.request("/follow.html")).body:  # noqa: ASYNC110
        await trio.sleep(OFTEN_S)


@served()
async def test_events_contain_the_time_at_which_the_data_was_read(client):
    page = (await client.request("/index.html")).body.decode()
    answer, _ = client.listen("/events")
    await answer.wait_for(b"event: age")
    age = json.loads(event_data(answer, "age")[-1])
    assert time.time() - 30 < age["as_of"] <= age["now"] <= time.time()
    assert float(re.search('data-as-of="([0-9.]+)"', page)[1]) <= age["as_of"]


async def add_game(client, number, answer):
    """Add a game, and wait until a listener hears of it."""
    before = len(event_data(answer, "news"))
    client.source.games.append(make_game(number, *BOTS, id=f"another{number}"))
    while len(event_data(answer, "news")) == before and not event_data(answer, "change"):
        await answer.received.wait()


def apply_change(page, change):
    """Return a page with its lines replaced, as a browser does it."""
    lines = page.split("\n")
    for one in change["replacements"]:
        lines[one["start"] : one["start"] + one["count"]] = one["lines"]
    return "\n".join(lines)


@pytest.mark.parametrize("path", ["index.html", "games.html", "bots/hunter.html"])
@served()
async def test_a_listener_gets_the_changed_lines_of_its_page(client, path):
    answer, _ = client.listen(f"/events?page={path}")
    await answer.wait_for(b"event: age")
    number = 0
    while not event_data(answer, "change"):  # a change is only announced if the server has not sent the page before
        number += 1
        old = (await client.request(f"/{path}")).body.decode()
        await add_game(client, number, answer)
    change = json.loads(event_data(answer, "change")[-1])
    new = (await client.request(f"/{path}")).body.decode()
    assert f'data-news="{change["before"]}"' in old
    assert f'data-news="{change["after"]}"' in new
    assert apply_change(old, change) == new


LONG_PAGES = [
    "\n".join(line for row in range(2000) for line in ("<tr>", f"<td>{row * step}</td>", "<td>0</td>", "</tr>"))
    for step in (1, 7)
]


@pytest.mark.parametrize(
    ("old", "new"),
    [("", ""), ("a\nb\nc", "a\nc"), ("a\nb", "x\na\nb\ny"), ("a\na\na", "b\na"), ("a\nb", "b\na\n"), LONG_PAGES],
)
def test_replaced_lines_make_the_new_page(old, new):
    change = json.loads(write_change(1, old.encode(), 2, new.encode()))
    assert apply_change(old, change) == new


@served()
async def test_listeners_to_pages_that_do_not_exist_take_no_place(client):
    for number in range(10):
        answer, _ = client.listen(f"/events?page=none{number}")
        await answer.wait_for(b"event: age")
    answer, _ = client.listen("/events?page=index.html")
    await answer.wait_for(b"event: age")
    for number in (1, 2):
        await add_game(client, number, answer)
    assert event_data(answer, "change")


def test_the_last_state_is_shown_at_once_although_updates_are_costly():
    source = FakeTournament()

    async def main():
        pages = Pages(source, OPEN)
        await pages.update()
        for limit in pages._limits.values():
            limit._next = math.inf
        source.finish()
        await pages.update()
        assert b"1 of 4 games are played" in await pages.page("index.html")
        source.playing = None
        assert b"2 of 4 games are played" in await pages.page("index.html")

    trio.run(main)


def test_a_change_while_an_event_is_sent_is_announced_next():
    async def main():
        pages = Pages(FakeTournament(), OPEN)
        async with aclosing(change_events(pages)) as events:
            first = await anext(events)
            await pages.update()
            assert await anext(events) == first.replace(b"0", b"1")

    trio.run(main)


def test_a_slow_listener_gets_all_changes_in_their_order():
    source = FakeTournament()

    async def main():
        pages = Pages(source, OPEN)
        await pages.update()
        async with aclosing(change_events(pages, "index.html")) as events:
            await anext(events)
            for number in range(4):
                source.games.append(make_game(number, *BOTS, id=f"another{number}"))
                await pages.update(at_once=True)
                if not number:  # the page was not watched before
                    assert await anext(events) == b"event: news\ndata: 2\n\n"
            received = [await anext(events) for _ in range(3)]
        numbers = [re.search(rb'event: change\ndata: {"before":(\d),"after":(\d)', event) for event in received]
        assert [tuple(map(int, found.groups())) for found in numbers] == [(2, 3), (3, 4), (4, 5)]

    trio.run(main)


@pytest.mark.parametrize("listening", [0, 1])
def test_the_tournament_is_not_read_while_nobody_listens(listening):
    source, listeners = FakeTournament(), Places(MOST_STREAMS)

    async def main():
        with ExitStack() as stack:
            for number in range(listening):
                stack.enter_context(listeners.take(Visitor(str(number))))
            with trio.move_on_after(20 * UPDATE_EVERY_S):
                await keep_updating(Pages(source, OPEN), listeners)

    trio.run(main, clock=MockClock(autojump_threshold=0.01))
    assert source.asked == listening


@served()
async def test_standings_are_calculated_once_for_many_requests(client):
    async with trio.open_nursery() as many:
        for _ in range(20):
            many.start_soon(client.request, "/index.html")
    assert client.source.asked == 1


def test_the_time_left_is_shown_when_ten_seconds_of_play_show_the_speed():
    progress = PageProgress()

    def describe(played, as_of, *, is_playing=True):
        return progress.describe(played, 264, as_of, is_playing=is_playing)

    assert describe(40, 0.0, is_playing=False) == "40 of 264 games"
    assert describe(40, 3600.0) == "40 of 264 games"
    assert describe(42, 3600.5) == "42 of 264 games"
    assert describe(42, 3620.0) == "42 of 264 games, about 37 min left"
    assert describe(264, 3700.0) == "264 of 264 games"
    assert describe(42, 3800.0, is_playing=False) == "42 of 264 games"
    assert describe(42, 7200.0) == "42 of 264 games"
    assert describe(252, 7410.0) == "252 of 264 games, less than a minute left"
    assert progress.describe(300, None, 7500.0, is_playing=True) == "300 games"


@pytest.mark.parametrize("record", [DUEL, CARDS])
@pytest.mark.parametrize("at_first", [0, 1, 2, 3, 10])
@pytest.mark.slow(keep=2)
@served()
async def test_a_game_in_progress_is_sent_in_pieces(client, record, at_first):
    client.source.lines, client.source.whole = at_first, record.splitlines(keepends=True)
    whole = make_viewer_data(b"".join(client.source.whole[:-1]), OPEN)
    answer, _ = client.listen(EVENTS)
    for lines in (12, 13, 20, len(client.source.whole) - 1):
        client.source.lines = lines
        count = len(make_viewer_data(b"".join(client.source.whole[:lines]), OPEN)["frames"])
        await answer.wait_for(b"id: %d\n" % count)
    client.source.finish()
    await answer.wait_for(b"event: over")
    pieces = [json.loads(piece) for piece in event_data(answer, "more")]
    assert pieces[0]["from"] == 0
    for part in ("frames", "ms", "clocks"):
        assert [one for piece in pieces for one in piece[part]] == json.loads(json.dumps(whole[part]))
    assert [word for piece in pieces for word in piece["moves"].split(" ")] == whole["moves"]
    for part in ("seats", "plies"):
        assert "".join(piece[part] for piece in pieces) == whole[part]
    numbers = re.findall(r"^id: (\d+)$", answer.body.decode(), re.MULTILINE)
    assert int(numbers[-1]) == len(whole["frames"])


SHOWN = {"5": 5, "-1": 0, "x": 0, "1e9": 0, "9" * 400: 0, "²": 0}


@pytest.mark.parametrize(("shown", "first"), SHOWN.items(), ids=map(ascii, SHOWN))
@served(lines=20)
async def test_a_listener_that_reconnects_gets_only_what_it_missed(client, shown, first):
    number = shown.encode().decode("latin-1")
    for answer, _ in (client.listen(f"{EVENTS}?shown={shown}"), client.listen(EVENTS, last_event_id=number)):
        await answer.wait_for(b"event: more")
        assert json.loads(event_data(answer, "more")[0])["from"] == first


@served()
async def test_a_game_not_in_progress_is_over(client):
    assert event_data(await client.request("/games/nobody~knows~it.events"), "over") == [""]


@served()
async def test_the_number_of_listeners_is_limited_and_a_listener_that_leaves_makes_room(client):
    listening = [client.listen("/events") for _ in range(MOST_STREAMS)]
    for answer, _ in listening:
        await answer.wait_for(b"event: news")
    refused = await client.request("/events")
    assert (refused.status, refused.body) == (503, b"Too many spectators; try again in a minute.\n")
    assert (await client.request("/index.html")).status == 200
    listening[0][1].cancel()
    await trio.sleep(0.1)
    answer, _ = client.listen("/events")
    await answer.wait_for(b"event: news")


@served(lines=20)
async def test_games_without_a_live_record_are_listed_but_cannot_be_watched(client):
    client.source.watched = False
    page = (await client.request("/index.html")).body.decode()
    assert "Games in progress" in page
    assert GAME[1:] not in page
    assert "These games cannot be watched because the tournament was started without" in page
    assert (await client.request(GAME)).status == 404


# --- what spectators see --------------------------------------------------------------------------


def viewer_data_of_lines(lines, spectator):
    return make_viewer_data(b"".join(FakeTournament().whole[:lines]), spectator)


def test_spectators_see_only_the_spectator_view():
    shown = viewer_data_of_lines(30, OPEN)
    assert shown["viewers"] == ["spectator"]
    replay = Replay(read_record(b"".join(FakeTournament().whole[:30])))
    hidden = {piece.place for piece in replay.frame(0, "arbiter").view.pieces}
    assert {key[1:]: text[1:] for key, text in shown["frames"][0].items() if key[0] == "@"} == dict.fromkeys(
        hidden, "?"
    )


def test_the_organiser_may_show_all_pieces():
    shown = viewer_data_of_lines(30, make_spectator_settings(show_all=True, delay=0, lang="en"))
    assert shown["viewers"] == ["arbiter", "red", "blue", "spectator"]
    setup = choose_texts(shown["frames"][0], shown["viewers"], "arbiter")
    assert all("?" not in text for key, text in setup.items() if key[0] == "@")


@pytest.mark.parametrize("delay", [0, 1, 5, 12])
@pytest.mark.parametrize("lines", range(26))
def test_spectators_see_a_game_with_a_delay(delay, lines):
    shown = viewer_data_of_lines(lines, SpectatorSettings(delay=delay))
    plies = lines - 3  # a header and two deployments come before the first ply
    if plies < delay:
        assert shown is None
    else:
        assert len(shown["frames"]) == 1 + plies - delay
        assert not shown["fault"]


@served(settings=SpectatorSettings(delay=50), lines=20)
async def test_a_page_states_that_there_is_nothing_to_show_yet(client):
    page = (await client.request(GAME)).body.decode()
    assert "There is nothing to show yet" in page
    assert 'id="viewer-data"' not in page
    assert "Shown with a delay of 50 plies" in page
