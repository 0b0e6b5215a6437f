"""Standings, crosstable and games in every format, also with hostile names of bots."""

import csv
import io
import json

import pytest
from msgspec.structs import replace
from tournament.stored_games import game, games

from arbiter.show.tables.games import games_sheet
from arbiter.show.tables.sheet import FORMATS, write_sheets
from arbiter.show.tables.standings import crosstable_sheet, standings_sheet
from arbiter.tournament.standings.crosstable import build_crosstable
from arbiter.tournament.standings.game_status import GameStatus
from arbiter.tournament.standings.table import rank_bots

TIE_BREAKS = ("points", "wins", "direct", "sonneborn-berger")
BOTS = ("hunter", "mine", "random")
PLAYED = """
    hunter mine   1-0
    mine   hunter 1/2
    hunter random 1-0
    random hunter timeout blue
"""
HOSTILE = (
    "=cmd|' /C calc'!A0",
    "a|b`c`_d_",
    "<script>alert(1)</script>",
    "\x1b[31m\u202e\n",
    "1e5",
    "+1",
    "-1",
    "@x",
    "\t=1",
)


def sheets_of(bots, played):
    table = build_crosstable(bots, played)
    return standings_sheet(rank_bots(bots, played, TIE_BREAKS)), crosstable_sheet(bots, table)


def both(form):
    return write_sheets(sheets_of(BOTS, games(PLAYED)), form)


def hostile_games():
    return [game(name, HOSTILE[place - 1], "red", "flag_taken", pair=place) for place, name in enumerate(HOSTILE)]


def test_the_table():
    assert both("table") == (
        "Standings\n\n"
        "  rank  bot       points    games    wins    draws    losses    forfeits  forfeited for\n"
        "------  ------  --------  -------  ------  -------  --------  ----------  ---------------\n"
        "     1  hunter        21        4       3        1         0           0\n"
        "     2  mine           4        2       0        1         1           0\n"
        "     3  random         1        2       0        0         1           1  out of time 1\n"
        "\n"
        "Crosstable: points (wins, draws, losses)\n\n"
        "    bot     1             2             3\n"
        "--  ------  ------------  ------------  -------------\n"
        " 1  hunter  x             9 (+1 =1 \N{MINUS SIGN}0)  12 (+2 =0 \N{MINUS SIGN}0)\n"
        " 2  mine    4 (+0 =1 \N{MINUS SIGN}1)  x\n"
        " 3  random  1 (+0 =0 \N{MINUS SIGN}2)                x"
    )


def test_markdown():
    assert both("markdown").splitlines()[:6] == [
        "## Standings",
        "",
        "|   rank | bot    |   points |   games |   wins |   draws |   losses |   forfeits | forfeited for   |",
        "|-------:|:-------|---------:|--------:|-------:|--------:|---------:|-----------:|:----------------|",
        "|      1 | hunter |       21 |       4 |      3 |       1 |        0 |          0 |                 |",
        "|      2 | mine   |        4 |       2 |      0 |       1 |        1 |          0 |                 |",
    ]


def test_csv():
    shown = write_sheets([sheets_of(BOTS, games(PLAYED))[0]], "csv")
    assert shown == (
        "rank,bot,points,games,wins,draws,losses,forfeits,forfeited for,plies a game,seconds a game,ms a move\n"
        "1,hunter,21,4,3,1,0,0,,102.5,,\n"
        "2,mine,4,2,0,1,1,0,,101.5,,\n"
        "3,random,1,2,0,0,1,1,timeout 1,103.5,,"
    )


def test_json():
    first, *_ = write_sheets([sheets_of(BOTS, games(PLAYED))[0]], "json").splitlines()
    assert first == (
        '{"type":"standing","rank":1,"bot":"hunter","points":21,"games":4,"wins":3,"draws":1,"losses":0,"forfeits":0,'
        '"tie_breaks":{"wins":3,"direct":null,"sonneborn-berger":0.75},"byes":0,"repeats":0,"reached":null,"status":null,'
        '"withdrawn":null,"rulings":[],"decided_by":null,"forfeit_causes":{},"mean_plies":102.5,"mean_seconds":null,"mean_move_ms":null}'
    )


def test_games_that_do_not_count_have_a_state_and_no_points():
    drawn, lost = games("hunter mine 1/2\nmine hunter 0-1", "simple")
    uncounted = {drawn.id: GameStatus("struck", "mine"), lost.id: GameStatus("replaced", "mine~hunter~2~r2")}
    sheet = games_sheet([drawn, lost], uncounted)
    assert [row.split()[-3:] for row in write_sheets([sheet], "table").splitlines()[4:]] == [
        ["struck", "with", "mine"],
        ["replaced", "by", "mine~hunter~2~r2"],
    ]
    assert [row.split(",")[-3:] for row in write_sheets([sheet], "csv").splitlines()] == [
        ["red points", "blue points", "state"],
        ["", "", "struck"],
        ["", "", "replaced"],
    ]
    assert [(one["points"], one["state"], one["state_by"]) for one in sheet.objects] == [
        ({"red": None, "blue": None}, "struck", "mine"),
        ({"red": None, "blue": None}, "replaced", "mine~hunter~2~r2"),
    ]


def test_the_games():
    sheet = games_sheet(games("hunter mine 1/2\nmine hunter illegal_setup -", "simple"))
    assert write_sheets([sheet], "table").splitlines()[4:] == [
        "hunter~mine~1        1  hunter  mine    draw      draw agreed             101   0.5\N{EN DASH}0.5",
        "mine~hunter~2        1  mine    hunter  nobody    illegal deployment      102       0\N{EN DASH}0",
    ]
    assert write_sheets([sheet], "json").splitlines()[0] == (
        '{"type":"game","id":"hunter~mine~1","round":1,"red":"hunter","blue":"mine","winner":null,"ending":"agreed",'
        '"reason":null,"why":"","plies":101,"points":{"red":0.5,"blue":0.5},"conditions":null,"state":"counts","state_by":null}'
    )


def test_a_tie_break_has_a_column_if_it_decided():
    played = games("b a 1-0\na c 1-0\nb c 0-1\na c 1/2\nb c 1/2")
    sheet = standings_sheet(rank_bots(("a", "b", "c"), played, TIE_BREAKS))
    assert sheet.head[8:] == ("direct", "decided by")
    assert [(row[1], *row[8:]) for row in sheet.rows] == [("c", None, None), ("b", 6, "direct"), ("a", 1, "direct")]
    assert standings_sheet(rank_bots(("a", "b", "c"), played, ("points", "wins"))).head[8:] == ()


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_played_yet(form):
    assert write_sheets([*sheets_of((), []), games_sheet([])], form) is not None


# --- hostile names --------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_names_are_escaped_for_the_terminal(form):
    shown = write_sheets([*sheets_of(HOSTILE, hostile_games()), games_sheet(hostile_games())], form)
    assert all(sign.isprintable() or sign == "\n" for sign in shown)


def test_a_name_that_looks_like_a_number_is_not_changed():
    rows = write_sheets([sheets_of(HOSTILE, hostile_games())[0]], "table").splitlines()[4:]
    assert any(row.split()[1] == "1e5" for row in rows)


def test_no_cell_of_a_spreadsheet_is_a_formula():
    text = write_sheets([sheets_of(HOSTILE, hostile_games())[0], games_sheet(hostile_games())], "csv")
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert {"'=cmd|' /C calc'!A0", "'+1", "'-1", "'@x", r"\t=1"} <= set(cells)


def test_a_name_cannot_leave_its_cell_of_a_markdown_table():
    rows = write_sheets([sheets_of(HOSTILE, hostile_games())[0]], "markdown").splitlines()[4:]
    assert len(rows) == len(HOSTILE)
    assert any(r"a\|b\`c\`\_d\_" in row for row in rows)
    assert {row.replace(r"\|", "").count("|") for row in rows} == {rows[0].replace(r"\|", "").count("|")}
    assert not any("<script" in row.replace(r"\<", "") for row in rows)


def test_an_underscore_within_a_word_is_not_escaped():
    assert " my_bot " in write_sheets([games_sheet(games("my_bot mine 1-0"))], "markdown")


def test_json_contains_the_exact_names():
    lines = write_sheets([sheets_of(HOSTILE, hostile_games())[0]], "json").splitlines()
    assert {json.loads(line)["bot"] for line in lines} == set(HOSTILE)


def test_a_cut_among_equal_bots_is_shown_in_every_format():
    table = rank_bots("ab", games("a b 1/2\nb a 1/2"), ["points"])
    cut = (table[0], replace(table[1], rank=2, reached="stage 1", decided_by="seeding"))
    for form in FORMATS:
        *_, last = (line for line in write_sheets([standings_sheet(cut)], form).splitlines() if "stage 1" in line)
        assert "seeding" in last


@pytest.mark.parametrize("name", ["seeding", "lot"])
def test_what_decides_without_being_a_tie_break_has_no_column_of_its_own(name):
    table = rank_bots("ab", games("a b 1/2\nb a 1/2"), ["points"])
    cut = (table[0], replace(table[1], rank=2, decided_by=name))
    assert name not in standings_sheet(cut).head
