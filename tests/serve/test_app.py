"""What is answered to whoever asks: pages, and streams of what is new; nothing else, and to nobody else."""

import json
import re

import pytest
import trio
from serve.spoken import BOTS, CARDS, DUEL, LIVE, Played, speaking
from show.report.reported import Page
from trio.testing import MockClock

from arbiter.errors import ConfigError
from arbiter.record import read_record
from arbiter.serve.app import MOST_STREAMS, keep_looking, places
from arbiter.serve.live_games import LiveGameData
from arbiter.serve.pages import LOOK_EVERY_S, Pages
from arbiter.serve.source import SpectatorSettings, spectator_settings
from arbiter.show.replay.replay import Replay
from arbiter.show.report.names import bot_page, game_events, game_page, record_file

OPEN = spectator_settings(show_all=False, delay=0, lang="en")
FINISHED = "hunter~mine~0"
EVENTS = "/" + game_events(LIVE.fixture.id)
GAME = "/" + game_page(LIVE.fixture.id)


def film_of(written, on_terms):
    """Make a film at once."""
    live = LiveGameData(on_terms)
    live.take(written)
    return live.film


def told(answer, kind):
    """List the data of the events of a kind."""
    events = [event.split("\n") for event in answer.body.decode().split("\n\n")]
    return [lines[-1].removeprefix("data: ") for lines in events if f"event: {kind}" in lines]


def test_every_page_is_there_and_leads_to_pages_that_are():
    async def talk(app):
        for path in ("/index.html", "/games.html", "/numbers.html", "/forfeits.html", "/" + bot_page(BOTS[0])):
            answer = await app.ask(path)
            assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8"), path
            assert 'src="assets/live.js"' in answer.body.decode() or 'src="../assets/live.js"' in answer.body.decode()
        for link in {one.partition("#")[0] for one in Page((await app.ask("/index.html")).body).links} - {""}:
            assert (await app.ask("/" + link)).status == 200, link
        assert (await app.ask("/")).headers["location"] == "/index.html"
        assert (await app.ask("/" + game_page(FINISHED))).status == 200
        assert (await app.ask("/" + record_file(FINISHED))).headers["content-type"] == "application/x-bzip2"

    speaking(Played(), OPEN, talk)


@pytest.mark.parametrize(
    ("target", "how", "status"),
    [
        ("/nothing.html", {}, 404),
        ("/games/" + "x" * 5000, {}, 404),
        ("/../../../etc/passwd", {}, 404),
        ("/assets/../site.py", {}, 404),
        ("/%2e%2e/secret", {}, 404),
        ("/index.html", {"method": "POST"}, 405),
        ("/index.html", {"method": "DELETE"}, 405),
        ("/events", {"method": "PUT"}, 405),
        ("/index.html", {"host": "evil.example"}, 400),
        ("/events", {"host": "evil.example"}, 400),
        ("/index.html", {"host": ""}, 400),
        ("/index.html", {"method": "HEAD"}, 200),
    ],
)
def test_what_is_not_for_the_asking(target, how, status):
    async def talk(app):
        answer = await app.ask(target, **how)
        assert answer.status == status
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"

    speaking(Played(), OPEN, talk)


def test_a_page_that_cannot_be_made_at_the_moment_is_made_later():
    source = Played()
    source.failure = ConfigError("the disk fails")

    async def talk(app):
        assert (await app.ask("/index.html")).status == 503
        source.failure = None
        assert (await app.ask("/index.html")).status == 200

    speaking(source, OPEN, talk)


# --- what is new ----------------------------------------------------------------------------------


def test_who_listens_is_told_when_something_changes_and_finds_it_on_the_page():
    source = Played()

    async def talk(app):
        answer, _ = app.listen("/events")
        assert LIVE.fixture.id in (await app.ask("/index.html")).body.decode()
        await answer.wait_for(b"event: news")
        before = set(told(answer, "news"))
        source.finish()
        while set(told(answer, "news")) == before:
            await answer.came.wait()
        page = (await app.ask("/index.html")).body.decode()
        assert "2 of 4 games are played" in page
        assert "Under way" not in page

    speaking(source, OPEN, talk)


@pytest.mark.parametrize("listening", [0, 1])
def test_nothing_is_looked_at_while_nobody_listens(listening):
    source, listeners = Played(), places()

    async def main():
        for number in range(listening):
            listeners.acquire_on_behalf_of_nowait(number)
        with trio.move_on_after(20 * LOOK_EVERY_S):
            await keep_looking(Pages(source, OPEN), listeners)

    trio.run(main, clock=MockClock(autojump_threshold=0.01))
    assert source.asked == listening


def test_standings_are_worked_out_once_however_many_ask():
    source = Played()

    async def talk(app):
        async with trio.open_nursery() as many:
            for _ in range(20):
                many.start_soon(app.ask, "/index.html")
        assert source.asked == 1

    speaking(source, OPEN, talk)


@pytest.mark.parametrize("record", [DUEL, CARDS])
@pytest.mark.parametrize("at_first", [0, 1, 2, 3, 10])
def test_a_game_comes_piece_by_piece_as_it_is_played(record, at_first):
    source = Played(lines=at_first, record=record)
    whole = film_of(b"".join(source.whole[:-1]), OPEN)

    async def talk(app):
        answer, _ = app.listen(EVENTS)
        for lines in (12, 13, 20, len(source.whole) - 1):
            source.lines = lines
            count = len(film_of(b"".join(source.whole[:lines]), OPEN)["frames"])
            await answer.wait_for(b"id: %d\n" % count)
        source.finish()
        await answer.wait_for(b"event: over")
        pieces = [json.loads(piece) for piece in told(answer, "more")]
        assert pieces[0]["from"] == 0
        for part in ("frames", "ms"):
            assert [one for piece in pieces for one in piece[part]] == json.loads(json.dumps(whole[part]))
        for part in ("seats", "plies"):
            assert "".join(piece[part] for piece in pieces) == whole[part]
        numbers = re.findall(r"^id: (\d+)$", answer.body.decode(), re.MULTILINE)
        assert int(numbers[-1]) == len(whole["frames"])

    speaking(source, OPEN, talk)


@pytest.mark.parametrize("how", [{"target": EVENTS + "?shown=5"}, {"target": EVENTS, "last_event_id": "5"}])
def test_who_comes_back_is_told_what_he_missed(how):
    target = how.pop("target")

    async def talk(app):
        answer, _ = app.listen(target, **how)
        await answer.wait_for(b"event: more")
        assert json.loads(told(answer, "more")[0])["from"] == 5

    speaking(Played(lines=20), OPEN, talk)


@pytest.mark.parametrize("shown", ["-1", "x", "1e9", "9" * 400, "²"])
def test_who_says_nonsense_is_told_all(shown):
    async def talk(app):
        answer, _ = app.listen(EVENTS, last_event_id=shown.encode().decode("latin-1"))
        await answer.wait_for(b"event: more")
        assert json.loads(told(answer, "more")[0])["from"] == 0

    speaking(Played(lines=20), OPEN, talk)


def test_a_game_that_is_not_under_way_is_over():
    async def talk(app):
        assert told(await app.ask("/games/nobody~knows~it.events"), "over") == [""]

    speaking(Played(), OPEN, talk)


def test_more_than_so_many_are_not_told_and_who_leaves_makes_room():
    async def talk(app):
        listening = [app.listen("/events") for _ in range(MOST_STREAMS)]
        for answer, _ in listening:
            await answer.wait_for(b"event: news")
        refused = await app.ask("/events")
        assert (refused.status, refused.body) == (503, b"Too many are watching; try again in a minute.\n")
        assert (await app.ask("/index.html")).status == 200
        listening[0][1].cancel()
        await trio.sleep(0.1)
        answer, _ = app.listen("/events")
        await answer.wait_for(b"event: news")

    speaking(Played(), OPEN, talk)


def test_games_that_are_not_written_down_are_listed_but_cannot_be_watched():
    source = Played(lines=20)
    source.watched = False

    async def talk(app):
        page = (await app.ask("/index.html")).body.decode()
        assert LIVE.fixture.id in page
        assert GAME[1:] not in page
        assert "They cannot be watched: the tournament is played without" in page
        assert (await app.ask(GAME)).status == 404

    speaking(source, OPEN, talk)


# --- what spectators may see ----------------------------------------------------------------------


def shown_of(lines, on_terms):
    return film_of(b"".join(Played().whole[:lines]), on_terms)


def test_spectators_are_given_no_seat_but_their_own():
    shown = shown_of(30, OPEN)
    assert shown["viewers"] == ["spectator"]
    reel = Replay(read_record(b"".join(Played().whole[:30])))
    hidden = {piece.place for piece in reel.frame(0, "arbiter").view.pieces}
    assert {key[1:]: text[1:] for key, text in shown["frames"][0].items() if key[0] == "@"} == dict.fromkeys(
        hidden, "?"
    )


def test_the_organiser_may_let_them_see_all():
    shown = shown_of(30, spectator_settings(show_all=True, delay=0, lang="en"))
    assert shown["viewers"] == ["arbiter", "red", "blue"]
    assert all("?" not in text for key, text in shown["frames"][0][0].items() if key[0] == "@")


@pytest.mark.parametrize("delay", [0, 1, 5, 12])
@pytest.mark.parametrize("lines", range(26))
def test_they_see_it_so_many_plies_late(delay, lines):
    shown = shown_of(lines, SpectatorSettings(delay=delay))
    played = lines - 3  # a header and two deployments come before the first ply
    if played < delay:
        assert shown is None
    else:
        assert len(shown["frames"]) == 1 + played - delay
        assert not shown["fault"]


def test_a_page_that_may_show_nothing_yet_says_so():
    async def talk(app):
        page = (await app.ask(GAME)).body.decode()
        assert "There is nothing to be seen yet" in page
        assert 'id="film"' not in page
        assert "shown 50 plies late" in page

    speaking(Played(lines=20), SpectatorSettings(delay=50), talk)
