"""A column that is added to the description of standings appears in all outputs."""

import io

import pytest
from msgspec.structs import replace
from show.report.sample_reports import Page, make_game, make_pages, make_report_data

from arbiter.show.report.values import LiveTournament
from arbiter.show.tables import standings
from arbiter.show.tables.run.progress import LiveProgress
from arbiter.show.tables.sheet import FORMATS, Column, write_sheets
from arbiter.tournament.standings.table import rank_bots

BOTS = ("hunter", "random")
GAMES = [make_game(1, "hunter", "random")]
HEAD = {"csv": "surprises", "json": '"surprises":', "page": "Surprises"}


def rank():
    return rank_bots(BOTS, GAMES, ("points", "wins"))


def write_page(live):
    return Page(make_pages(replace(make_report_data(BOTS, GAMES), live=live), lambda _: b"")["index.html"]).text


def show_progress():
    out = io.StringIO()
    with LiveProgress(lambda: (1, 1), rank, out):
        pass
    return out.getvalue()


OUTPUTS = {
    **{form: lambda form=form: write_sheets([standings.standings_sheet(rank())], form) for form in FORMATS},
    "page": lambda: write_page(None),
    "live page": lambda: write_page(LiveTournament(playing=True)),
    "progress": show_progress,
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_new_column_appears(monkeypatch, output):
    assert "urprises" not in OUTPUTS[output]()
    column = Column("surprises", value=lambda one: f"{one.bot}!")
    monkeypatch.setattr(standings, "STANDINGS", (*standings.STANDINGS, column))
    shown = OUTPUTS[output]()
    assert HEAD.get(output, "urprises") in shown
    assert all(f"{bot}!" in shown for bot in BOTS)


def test_a_phone_shows_the_columns_that_identify_a_row_or_keep_their_width():
    sheet = standings.standings_sheet(rank())
    keys = sheet.count_keys("page")
    columns = [column for at, column in enumerate(sheet.select("page")) if at < keys or column.rule == "keep"]
    assert [column.key for column in columns] == ["rank", "bot", "points", "score"]
