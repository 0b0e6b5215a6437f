"""Tables that fit a terminal: nothing is wider, no number is cut, and narrow tables stay as they are."""

import random

import pytest
from msgspec.structs import replace
from tournament.stored_games import game

from arbiter.show.tables.games import games_sheet
from arbiter.show.tables.sheet import Column, Sheet, write_sheets
from arbiter.show.tables.standings import crosstable_sheet, standings_sheet
from arbiter.tournament.standings.crosstable import build_crosstable
from arbiter.tournament.standings.table import rank_bots

BOTS = [f"b{number:02d}-" + "x" * (2 * number % 37) for number in range(20)]


def sheets():
    rng = random.Random(1)
    played = [game(one, two, rng.choice(["red", "blue"]), "flag_taken") for one in BOTS for two in BOTS if one != two]
    table = build_crosstable(BOTS, played)
    standings = rank_bots(BOTS, played, ("points", "wins", "direct", "sonneborn-berger"))
    return standings_sheet(standings), crosstable_sheet(BOTS, table), games_sheet(played[:20])


@pytest.mark.parametrize("width", [60, 80, 100, 132])
@pytest.mark.parametrize("sheet", sheets(), ids=lambda sheet: sheet.title)
def test_20_bots_with_long_names_fit(sheet, width):
    text = write_sheets([sheet], "table", width)
    assert max(map(len, text.split("\n"))) <= width


def test_every_result_of_a_crosstable_is_shown():
    _, crosstable, _ = sheets()
    text = write_sheets([crosstable], "table", 80)
    shown = sorted(
        cell for line in text.split("\n") if line[:2].strip().isdigit() for cell in line.split("  ") if "(" in cell
    )
    assert sorted(cell.strip() for cell in shown) == sorted(
        cell for row in crosstable.rows for cell in row[2:] if cell != "x"
    )


def test_points_are_never_cut():
    standings, _, _ = sheets()
    lines = write_sheets([standings], "table", 60).split("\n")
    points = [format(row[standings.head.index("points")], "g") for row in standings.rows]
    rows = [line.split() for line in lines if line[:4].strip().isdigit()]
    assert [row[2] for row in rows[: len(points)]] == points


@pytest.mark.parametrize("sheet", sheets(), ids=lambda sheet: sheet.title)
def test_a_wide_terminal_changes_nothing(sheet):
    assert write_sheets([sheet], "table", 1000) == write_sheets([sheet], "table")


def test_columns_of_zeros_are_left_out_and_sentences_wrapped():
    sheet = Sheet(
        title="T",
        columns=(Column("name", align="left"), Column("nothing"), Column("notes", align="left")),
        items=(
            {"name": "a-long-name", "nothing": 0, "notes": "some words that are wrapped whole"},
            {"name": "b", "nothing": 0, "notes": ""},
        ),
    )
    assert write_sheets([sheet], "table", 30) == (
        "T\n\n"
        "name         notes\n"
        "-----------  -----------------\n"
        "a-long-name  some words that\n"
        "             are wrapped whole\n"
        "b"
    )


def test_names_in_wide_characters_fit():
    sheet = Sheet(
        title="T",
        columns=(Column("name", align="left"), Column("points")),
        items=({"name": "棋" * 20, "points": 3}, {"name": "b", "points": 1}),
    )
    text = write_sheets([sheet], "table", 30)
    assert "棋…" in text
    assert max(len(line) + line.count("棋") for line in text.split("\n")) <= 30


def test_numbered_games_need_no_ids_on_a_narrow_terminal():
    long = replace(game("alice-stratego-player-2026", "bob-searching-bot", "red", "flag_taken"), round=12)
    sheet = games_sheet([long], numbers={long.id: 17})
    text = write_sheets([sheet], "table", 80).splitlines()
    assert all(len(line) <= 80 for line in text)
    assert [line.split()[0] for line in text if line.startswith("17")] == ["17"]  # one table
    assert long.id not in "".join(text)
    assert long.id in write_sheets([sheet], "table", 140)


def test_ids_of_games_are_never_shortened():
    long = replace(game("alice-stratego-player-2026", "bob-searching-bot", "red", "flag_taken"), round=12)
    text = write_sheets([games_sheet([long])], "table", 80)
    assert all(len(line) <= 80 for line in text.splitlines())
    rows = [line for line in text.splitlines() if line.startswith("alice")]
    assert rows
    assert all(line.startswith(f"{long.id}  ") for line in rows)
    assert "  red  " in text  # the winner
    assert "…" not in text
