"""Fixtures: a browser for all tests of a file, and reports to open in it."""

from contextlib import contextmanager

import pytest
from browser.window import Window
from msgspec.structs import replace
from show.report.sample_reports import (
    GOLDEN,
    make_game,
    make_log,
    make_pages,
    make_report_data,
    replace_players,
    write_files,
)
from tournament.results.test_condensed import RandomLadder
from tournament.test_season import make_event

from arbiter.director.ladder import close_term
from arbiter.kit import KIT_FILE
from arbiter.serve.results import ServedResults
from arbiter.show.report.files import ASSETS, read_asset, render
from arbiter.show.report.season import make_season_site
from arbiter.show.report.site import list_page_makers
from arbiter.show.report.values import Download, JoinOffer, ReportIndex
from arbiter.show.tables.event import categories_sheets, teams_sheet
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.event_data import BotDetails, EventTable
from arbiter.tournament.prizes import PrizeTable
from arbiter.tournament.schedule.unrated import UnratedMatch
from arbiter.tournament.season import Season, SeasonEvent, SeasonFile, rank_season
from protocol.reasons import BrokeProtocol

EARLIER_GAMES = "games-before-20.html"
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


@contextmanager
def _open_window(folders):
    try:
        window = Window(folders.mktemp("profile"))
    except FileNotFoundError as error:
        pytest.skip(str(error))
    yield window
    window.close()


@pytest.fixture(scope="module")  # closed before other tests look for processes that games leave behind
def window(tmp_path_factory):
    """Open a browser with an empty profile."""
    with _open_window(tmp_path_factory) as window:
        yield window


@pytest.fixture(scope="module")
def other_window(tmp_path_factory):
    """Open a second browser with an empty profile."""
    with _open_window(tmp_path_factory) as window:
        yield window


@pytest.fixture
def page(window):
    """Return the browser with no page open; fail if there are console messages at the end."""
    window.reset()
    yield window
    assert window.console_messages() == []


@pytest.fixture
def other_page(other_window):
    """Return the second browser in the same way."""
    other_window.reset()
    yield other_window
    assert other_window.console_messages() == []


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Write a report of the golden games, one for each rule set, and one forfeited game; return its folder."""
    return _write_report(tmp_path_factory.mktemp("site"), "hunter", "mine", "a note")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Write a report of the same games between bots whose names and notes contain markup and scripts."""
    return _write_report(tmp_path_factory.mktemp("hostile"), HOSTILE, "</pre></title>{{ 7 * 7 }}", HOSTILE)


@pytest.fixture(scope="session")
def event(tmp_path_factory):
    """Write a report of an event and bots with the longest texts that are allowed, without spaces; return its folder."""
    line, text = "W" * 60, "M" * 200
    bots = {
        "hunter": BotDetails(
            **dict.fromkeys(("title", "author", "club", "team", "country", "category"), line),
            link=f"https://example.org/{'a' * 280}",
            notes=text * 10,
        ),
        "mine": BotDetails(title="猎人" * 30, team="North", category=line),
    }
    about = EventTable(title=text, organiser=text, place=text, dates=text, notes=text * 10, link="http://" + "b" * 293)
    return _write_report(tmp_path_factory.mktemp("event"), "hunter", "mine", "a note", event=about, bots=bots)


def _write_report(folder, red, blue, note, **texts):
    games = [make_game(number, red, blue, id=path.stem) for number, path in enumerate(GOLDEN)]
    games.append(make_game(len(games), red, blue, id="forfeited", ending="crash", reason=BrokeProtocol("red", note)))
    records = {
        game.id: replace_players(path.read_bytes(), red, blue, note)
        for game, path in zip(games, [*GOLDEN, GOLDEN[0]], strict=True)
    }
    data = make_report_data((red, blue), games, name=red)
    data = replace(data, **texts)
    groups = [*categories_sheets(data.final, data.bots), teams_sheet(data.final, [data.final], data.bots)]
    data = replace(
        data,
        settings={"time_control": "60 s + 0.1 s a turn", "processor": note * 20},
        groups=[sheet for sheet in groups if sheet is not None],
        downloads=[Download("downloads/games.csv", "games_file", lambda: b"id\n")],
    )
    return write_files(folder, make_pages(data, records.__getitem__, lambda _: make_log(note)))


@pytest.fixture(scope="session")
def season(tmp_path_factory):
    """Write the page of a season whose event and bots have the longest texts, some with markup."""
    folder = tmp_path_factory.mktemp("season")
    text = f"{HOSTILE}{'W' * 80}"[:60]
    bots = {name: BotConfig(name=name, title=f"{name} {text}"[:60], club=text, notes=HOSTILE * 9) for name in "abc"}
    games = [make_game(number, "a", "b" if number % 2 else "c", id=f"{number}") for number in range(6)]
    played = [
        make_event("abc", games, title=text, bots=bots, link=f"https://example.org/{'a' * 280}") for _ in range(3)
    ]
    file = SeasonFile(
        name=HOSTILE,
        best=2,
        event=EventTable(organiser="M" * 200, notes=HOSTILE),
        events=[SeasonEvent(file=f"{number}.sqlite") for number in range(3)],
        prizes=PrizeTable(places=[100.0, text]),
    )
    season = Season(file=file, events=played, bots=bots, ranking=rank_season(file, played))
    return write_files(folder, {page.path: page.content for page in make_season_site(season, "en")})


@pytest.fixture(scope="session")
def ladder(tmp_path_factory):
    """Write the pages of a ladder with a closed term and two versions of a bot; return their folder."""
    folder = tmp_path_factory.mktemp("ladder")
    path = folder / "ladder.sqlite"
    RandomLadder(path, 1).play(20)
    close_term(path)
    RandomLadder(path, 2).play(60)
    with ServedResults.read(path) as source:
        results = source.results()
        asked = [
            UnratedMatch(number=number, one="a", two="b", games=2, by=HOSTILE, at="2026-01-01T00:00:00")
            for number in (1, 2)
        ]
        data = replace(
            results,
            matches=[(asked[0], results.games[:2]), (asked[1], ())],
            ladder=replace(results.ladder, parents={"b": "a"}),
            join=JoinOffer(kit=KIT_FILE, rules="duel", takes_remote=True, takes_submissions=True),
        )
        pages = [make() for make in list_page_makers(data, ReportIndex()).values()]
        pages.append(
            render("earlier_games.html", EARLIER_GAMES, "en", results=data, games=results.games[:9], following=9)
        )
    return write_files(folder, {page.path: page.content for page in (*pages, *map(read_asset, ASSETS))})
