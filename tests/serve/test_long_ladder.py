"""Pages and JSON of a long ladder: made from its summary and its latest games, and all other games are found."""

import json
import re

import pytest
from cli.command_line import call_ok
from msgspec.structs import replace
from serve.client import run_with_client
from tournament.results.test_condensed import BOTS, RandomLadder
from tournament.rulings import DECISION, Event, rule_game
from tournament.stored_games import CONDITIONS

from arbiter.serve.live_games import make_spectator_settings
from arbiter.serve.results import ServedResults
from arbiter.show.report import bots, site, values
from arbiter.show.report.bots import count_scores
from arbiter.show.results import make_report_data
from arbiter.tournament.results import reader
from arbiter.tournament.results.reader import Results

OPEN = make_spectator_settings(show_all=False, delay=0, lang="en")
GAME = re.compile(r'href="games/([^"]+)\.html"')
EARLIER = re.compile(r'href="(games-before-[0-9]+\.html)"')


@pytest.fixture
def ladder(tmp_path, monkeypatch):
    """A ladder of 90 games; its pages read 20 and list 6."""
    monkeypatch.setattr(reader, "LATEST", 20)
    for module in (bots, site, values):
        monkeypatch.setattr(module, "LISTED", 6)
    event = RandomLadder(tmp_path / "ladder.sqlite", 7)
    event.play(80)
    event.condense()
    event.play(10)
    return event


def test_the_status_counts_all_games_of_a_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "LATEST", 3)
    event = RandomLadder(tmp_path / "ladder.sqlite", 7)
    monkeypatch.setattr(event, "finish", lambda *words: replace(Event.finish(event, *words), conditions=CONDITIONS))
    event.play(12)
    event.condense()
    (machine,) = json.loads(call_ok("status", event.path, "--json"))["machines"]
    assert (machine["host"], machine["games"]) == (CONDITIONS.host, 12)


def visit(path, script):
    """Call `script(get)` with a function that returns the answers to requests for some paths."""
    with ServedResults.read(path) as source:

        async def talk(client):
            async def get(*paths):
                return [await client.request(f"/{one}") for one in paths]

            await script(get)

        run_with_client(source, OPEN, talk)


def test_all_games_are_found_from_the_latest_ones(ladder):
    found = []

    async def script(get):
        path = "games.html"
        while path:
            (page,) = await get(path)
            assert page.status == 200
            text = page.body.decode()
            found.extend(GAME.findall(text))
            assert "90 games" in text or "Earlier games" in text
            path = (EARLIER.findall(text) or [None])[0]
        pages = await get(*(f"games/{found[-1]}.{end}" for end in ("html", "jsonl.xz")), "games/a~b~99.html")
        assert [one.status for one in pages] == [200, 200, 404]
        assert [one.status for one in await get("games-before-7.html", "games-before-x.html", "games-2.html")] == [
            200,
            404,
            404,
        ]

    visit(ladder.path, script)
    with Results.read(ladder.path) as results:
        assert found == [game.id for game in results.games_as_stored()][::-1]


def test_scores_are_those_of_all_games(ladder):
    with Results.read(ladder.path) as results, ServedResults.read(ladder.path) as served:
        whole, long = make_report_data(results.snapshot()), served.results()
    assert (long.is_long, whole.is_long) == (True, False)
    assert len(long.games) == 20
    assert long.final == whole.final
    assert long.parts[0].crosstable.cells == whole.parts[0].crosstable.cells
    assert long.parts[0].crosstable.totals == whole.parts[0].crosstable.totals
    for bot in BOTS:
        assert count_scores(bot, long) == count_scores(bot, whole)
    assert long.played == whole.played == 90


def test_pages_of_bots_and_pairings_count_all_games_and_list_the_latest(ladder):
    async def script(get):
        pages = {}
        names = ["index.html", "bots/a.html", "pairings/a~~b.html", "numbers.html", "forfeits.html", "games-data.js"]
        for name, page in zip(names, await get(*names), strict=True):
            assert page.status == 200, name
            pages[name] = page.body.decode()
        (games,) = re.findall(r"<dt>Games</dt><dd>(\d+)</dd>", pages["bots/a.html"])
        assert f"The latest 6 of {games} games." in pages["bots/a.html"]
        assert "The latest 6 of" in pages["pairings/a~~b.html"]
        assert "Of the last 20 games." in pages["numbers.html"]
        assert "Latest games (CSV)" in pages["index.html"]

    visit(ladder.path, script)


def test_programs_list_all_games_with_their_rulings(ladder):
    with Results.read(ladder.path) as results:
        stored = [game.id for game in results.games_as_stored()]
    rule_game(ladder.path, stored[3], "annulled", DECISION)
    rule_game(ladder.path, stored[85], "draw", DECISION)
    ladder.condense()
    found = []

    async def script(get):
        before = ""
        while before is not None:
            (answer,) = await get(f"api/v1/games?limit=7{before and f'&before={before}'}")
            page = json.loads(answer.body)
            found.extend(page["games"])
            before = page["next"]
        (answer,) = await get(f"api/v1/games/{stored[3]}")
        assert json.loads(answer.body) == found[-4]
        (answer,) = await get("api/v1/games?bot=a&opponent=b&limit=1000")
        assert [one["id"] for one in json.loads(answer.body)["games"]] == [
            one["id"] for one in found if {one["red"], one["blue"]} == {"a", "b"}
        ]
        (answer,) = await get("api/v1/bots/a")
        history = json.loads(answer.body)["rating_history"]
        assert history == sorted(history, key=lambda one: one["pairs"])
        assert history[0].keys() == {"pairs", "at", "elo", "low", "high"}
        assert all(one["low"] <= one["elo"] <= one["high"] for one in history)

    visit(ladder.path, script)
    assert [one["id"] for one in found] == stored[::-1]
    assert [one["number"] for one in found] == list(range(90, 0, -1))
    assert [one["id"] for one in found if not one["counts"]] == [stored[3]]
    assert found[4]["ending"] == "ruling"
