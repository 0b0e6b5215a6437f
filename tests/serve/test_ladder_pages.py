"""Pages of a ladder: who is online, how to enter a bot, repeated games, versions, and the terms that are over."""

import io
import re
from zipfile import ZipFile

from msgspec.structs import replace
from serve.client import FakeTournament, run_with_client
from show.report.sample_reports import Page
from tournament.results.test_condensed import BOTS, RandomLadder

from arbiter.director.ladder import close_term
from arbiter.kit import KIT_FILE
from arbiter.serve.live_games import make_spectator_settings
from arbiter.serve.results import ServedResults
from arbiter.show.report.ladder import LadderData
from arbiter.show.report.values import JoinOffer
from arbiter.tournament.schedule.ladder_state import LadderState, RatingSample
from arbiter.tournament.standings.table import Standing

OPEN = make_spectator_settings(show_all=False, delay=0, lang="en")


class OpenTournament(FakeTournament):
    """A tournament that takes remote programs and submitted programs."""

    def results(self):
        offer = JoinOffer(kit=KIT_FILE, rules="duel", takes_remote=True, takes_submissions=True)
        return replace(super().results(), join=offer)


def visit(source, *paths):
    found = []

    async def talk(client):
        found.extend([await client.request(f"/{path}") for path in paths])

    run_with_client(source, OPEN, talk)
    return found


def test_authors_learn_in_three_steps_how_to_enter_a_bot_and_get_the_kit():
    enter, kit, index = visit(OpenTournament(), "enter.html", f"kit/{KIT_FILE}", "index.html")
    page = Page(enter.body)
    assert re.findall(r"\d\. [A-Z][a-z ]+", page.text) == [
        "1. Get the kit",
        "2. Write a bot and try it",
        "3. Play here",
    ]
    assert f"kit/{KIT_FILE}" in page.links
    assert "arbiter-connect ADDRESS" in page.text
    assert "arbiter submit ADDRESS" in page.text
    assert "enter.html" in Page(index.body).links
    assert kit.headers["content-type"] == "application/octet-stream"
    with ZipFile(io.BytesIO(kit.body)) as wheel:
        assert "protocol/connect.py" in wheel.namelist()


def test_a_tournament_that_nobody_can_join_has_no_such_page():
    index, enter = visit(FakeTournament(), "index.html", "enter.html")
    assert "enter.html" not in Page(index.body).links
    assert enter.status == 404


def test_the_first_page_shows_who_is_on_line():
    source = FakeTournament()
    source.presence = {"mine": True, "hunter": False}
    shown = []

    async def talk(client):
        shown.append(await client.request("/index.html"))
        source.presence = {"mine": False, "hunter": True}
        await client.pages.update(at_once=True)
        shown.append(await client.request("/index.html"))

    run_with_client(source, OPEN, talk)
    before, after = (re.sub(r"\s+", " ", Page(one.body).text) for one in shown)
    assert "Online mine plays 1 game hunter away" in before
    assert "Online mine away hunter plays 1 game" in after


def test_the_page_of_a_bot_gives_the_reason_why_repeated_games_do_not_count(tmp_path):
    event = RandomLadder(tmp_path / "ladder.sqlite", 1)
    finish = event.finish
    event.finish = lambda fixture, result=None: replace(finish(fixture, result), fingerprint="same")
    event.play(60)
    with ServedResults.read(event.path) as source:
        repeats = [one for one in source.results().repeats if "a" in (one.one, one.two)]
        (page,) = visit(source, "bots/a.html")
    text = re.sub(r"\s+", " ", Page(page.body).text)
    repeated, games = sum(one.repeated for one in repeats), sum(one.games for one in repeats)
    assert repeated > 0
    assert f"Equal games count once: {repeated} of its {games} games" in text


def test_ratings_of_versions_are_plotted_with_marks_where_they_began():
    samples = [
        RatingSample(pair, "", {"deep": (pair, 9), "other": (0, 9)} | ({"deep-2": (50, 9)} if pair > 20 else {}))
        for pair in range(10, 60, 10)
    ]
    data = LadderData(state=LadderState(samples=samples), parents={"deep-2": "deep"})
    for bot in ("deep", "deep-2"):
        plot = data.plot_ratings(bot)
        assert [line.bot for line in plot.lines] == [bot, *({"deep", "deep-2"} - {bot})]
        assert [(mark.bot, mark.x) for mark in plot.marks] == [("deep-2", 320.0)]
    plot = data.plot_ratings("other")
    assert ([line.bot for line in plot.lines], plot.marks) == (["other"], ())
    assert data.plot_ratings("absent") is None


def test_the_band_shows_the_intervals_that_were_kept():
    state = LadderState()
    for pair, deviation in ((10, 100.0), (20, 50.0)):
        state.counted_pairs = pair
        state.keep_ratings("2026-11-26", {"deep": (20.4, deviation), "other": (-20.4, 10.0)})
    assert [one.elo for one in state.samples] == [{"deep": (20, half), "other": (-20, 20)} for half in (196, 98)]
    data = LadderData(state=state)
    plot = data.plot_ratings("deep")
    y = plot.axes.y
    assert plot.axes.high >= 216
    assert plot.band == f"0,{y(216):g} 640,{y(118):g} 640,{y(-78):g} 0,{y(-176):g}"
    assert [line.points.split()[0] for line in plot.lines] == [f"0,{y(20):g}"]


def test_terms_that_are_over_are_archived(tmp_path):
    path = tmp_path / "ladder.sqlite"
    winners = []
    for seed in (1, 2):
        RandomLadder(path, seed).play(20)
        winners.append(close_term(path).ranking[0])
    RandomLadder(path, 3).play(4)
    with ServedResults.read(path) as source:
        terms, index = visit(source, "terms.html", "index.html")
    assert "terms.html" in Page(index.body).links
    text = re.sub(r"\s+", " ", Page(terms.body).text)
    assert [int(number) for number in re.findall(r"Term (\d)", text)] == [2, 1]
    for winner in winners:
        assert isinstance(winner, Standing)
        assert f"The winner is {winner.bot}." in text
    assert all(terms.body.decode().count(f'<th scope="row">{bot}</th>') == 4 for bot in BOTS), "two tables for each"
