"""The event, the settings and the texts about bots, as tables."""

import json

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from tournament.stored_games import CONDITIONS, game

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_ruleset
from arbiter.games.ruleset import Overrides
from arbiter.show.tables import event as tables
from arbiter.show.tables.sheet import write_sheets
from arbiter.show.tables.standings import crosstable_sheet, standings_sheet
from arbiter.tournament.config.event_data import BotDetails, EventTable
from arbiter.tournament.standings.crosstable import build_crosstable
from arbiter.tournament.standings.stored_game import SYSTEMS
from arbiter.tournament.standings.table import rank_bots

FINAL = rank_bots(("a", "b"), [game("a", "b", "red", "flag_taken")], ["points"])
BOTS = {
    "a": BotDetails(title="Große Jägerin", author="=1+1", team="A|B", link="https://example.org"),
    "b": BotDetails(category="*Open*", notes="One.\nTwo."),
}
DATA = tables.EventData(
    name="Club night",
    event=EventTable(title="Open", place="Utrecht", notes="First.\nSecond."),
    game=find_ruleset("duel"),
    options=(),
    changes={},
    formats=["round-robin"],
    games=[2],
    time=TimeSettings(),
    points=SYSTEMS["isf"],
    sandbox="full",
    arbiter="1.0",
)
MODERN = replace(CONDITIONS, sandbox="process", processor="Z80", system="Linux x86_64", python="3.13.1", arbiter="1.1")
SLOWER = replace(MODERN, speed=0.5)
SLOW = TimeSettings(move_s=2.5, clock="cpu", pondering=False)
DESCRIPTIONS = [
    ("time_control", {}, "60 s + 0.1 s a turn, deployment 30 s"),
    ("time_control", {"time": SLOW}, "60 s + 0.1 s a turn, at most 2.5 s an answer, deployment 30 s"),
    ("time_control", {"scale_time": True}, "60 s + 0.1 s a turn, deployment 30 s, all divided by the speed of a core"),
    ("speed_of_a_core", {"scale_time": True, "conditions": [CONDITIONS]}, "1.25"),
    ("speed_of_a_core", {"scale_time": True, "conditions": [CONDITIONS, MODERN, SLOWER]}, "0.5 to 1.25"),
    ("clock", {}, "elapsed time, margin 50 ms, pondering"),
    ("clock", {"time": SLOW}, "processor time, margin 50 ms, no pondering"),
    ("points", {}, "win 6, draw 3, loss 1, forfeit 0, double loss 1"),
    ("draw_limits", {}, "200 plies without an attack or 4000 plies"),
    ("draw_limits", {"game": find_ruleset("card-game")}, "50 turns without a card removed or 4000 plies"),
    ("draw_limits", {"game": find_ruleset("duel").with_overrides(Overrides(no_attack_plies=0, max_plies=0))}, "none"),
    ("changed_rules", {"changes": {"two_squares": 0, "army": {"scout": 6}}}, "two_squares = 0, army = 6 scout"),
    ("games_per_pairing", {"games": [2, 6]}, "2, then 6"),
    ("sandbox", {}, "full"),
    ("sandbox", {"conditions": [MODERN]}, "process"),
    ("sandbox", {"conditions": [MODERN, MODERN, CONDITIONS]}, "process (2 games); full (1 game)"),
    ("processor", {"conditions": [MODERN]}, "Z80, 2 cores"),
    ("processor", {"conditions": [CONDITIONS]}, "2 cores"),
    ("system", {"conditions": [MODERN]}, "Linux x86_64"),
    ("arbiter", {"conditions": [MODERN, CONDITIONS]}, "1.1 (1 game); 1.0 (1 game)"),
    ("python", {"conditions": [MODERN, CONDITIONS]}, "3.13.1"),
]


@pytest.mark.parametrize(("label", "changes", "text"), DESCRIPTIONS)
def test_settings_are_described(label, changes, text):
    assert tables.describe_settings(replace(DATA, **changes))[label] == text


def test_the_host_is_not_shown():
    sheet = tables.event_sheet(replace(DATA, conditions=[MODERN]))
    for form in ("table", "markdown", "csv", "json"):
        assert MODERN.host not in write_sheets([sheet], form)


def test_the_event_is_a_table():
    text = write_sheets([tables.event_sheet(DATA)], "table")
    assert [line.split() for line in text.splitlines() if line.startswith(("Event", "Place"))] == [
        ["Event", "Open"],
        ["Place", "Utrecht"],
    ]
    assert text.endswith("\n\nFirst.\nSecond.")
    found = json.loads(write_sheets([tables.event_sheet(replace(DATA, conditions=[MODERN]))], "json"))
    assert found["event"]["notes"] == "First.\nSecond."
    assert found["machines"] == [{"processor": "Z80", "system": "Linux x86_64", "cores": 2, "jobs": 1}]
    assert found["time"]["bank_s"] == 60


def test_titles_follow_the_names_of_bots():
    sheet = tables.with_details(standings_sheet(FINAL), BOTS)
    assert sheet.head[:4] == ("rank", "bot", "title", "points")
    assert [row[:4] for row in sheet.rows] == [(1, "a", "Große Jägerin", 6), (2, "b", None, 1)]
    assert [one["category"] for one in sheet.objects] == [None, "*Open*"]
    assert (
        tables.with_details(standings_sheet(FINAL), {"a": BotDetails(), "b": BotDetails()}).rows
        == standings_sheet(FINAL).rows
    )


def test_standings_show_players_that_are_no_programs_of_this_machine():
    sheet = tables.with_details(standings_sheet(FINAL), {"a": BotDetails(), "b": BotDetails(kind="remote")})
    assert sheet.head[:4] == ("rank", "bot", "kind", "points")
    assert [row[2] for row in sheet.rows] == [None, "remote"]
    assert [one["kind"] for one in sheet.objects] == ["program", "remote"]


def test_crosstables_show_titles_and_their_csv_names():
    sheet = crosstable_sheet(("a", "b"), build_crosstable(("a", "b"), []))
    titled = tables.with_titles_as_names(sheet, BOTS)
    assert "Große Jägerin" in write_sheets([titled], "table")
    assert write_sheets([titled], "csv") == write_sheets([sheet], "csv")
    assert titled.objects == sheet.objects


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_columns_are_aligned_in_every_script(form):
    bots = {"a": BotDetails(title="猎人 二号", author="🦊 Jürgen"), "b": BotDetails(title="Охотник", author="アンナ")}
    lines = write_sheets([tables.bots_sheet(bots)], form).splitlines()[-2:]
    assert "猎人 二号" in lines[0]
    before = [line[: line.index(author)] for line, author in zip(lines, ("🦊", "アンナ"), strict=True)]
    assert cell_len(before[0]) == cell_len(before[1])


def test_texts_are_escaped_in_each_format():
    sheet = tables.with_details(standings_sheet(FINAL), BOTS)
    assert [column.head for column in sheet.select("csv")[-4:]] == ["author", "team", "category", "link"]
    assert (
        write_sheets([sheet], "csv").splitlines()[1]
        == "1,a,Große Jägerin,6,1,1,0,0,0,101,,,'=1+1,A|B,,https://example.org"
    )
    assert r"A\|B" in write_sheets([tables.bots_sheet(BOTS)], "markdown")
    assert r"## Category: \*Open\*" in write_sheets(list(tables.categories_sheets(FINAL, BOTS)), "markdown")
    assert r"A\|B" in write_sheets([tables.teams_sheet(FINAL, [FINAL], BOTS)], "markdown")


def test_the_sheet_of_bots_has_their_notes():
    sheet = tables.bots_sheet(BOTS)
    assert sheet.notes == ("b: One. Two.",)
    assert sheet.head == ("bot", "title", "author", "team", "category", "link")
    assert tables.bots_sheet({"a": BotDetails(title="A"), "b": BotDetails()}) is None
    assert tables.teams_sheet(FINAL, [FINAL], {"a": BotDetails(), "b": BotDetails()}) is None
