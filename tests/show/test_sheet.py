"""The description of a table: which columns an output shows, and what is in their cells."""

import csv
import io
import json

import pytest
from msgspec import Struct

from arbiter.show.tables.sheet import JSON, LISTED, SHOWN, Coded, Column, Sheet, write_sheets


class Item(Struct):
    name: str
    wins: int = 0
    byes: int = 0
    rulings: tuple[int, ...] = ()
    causes: dict[str, int] = {}


COLUMNS = (
    Column("name", align="left"),
    Column("wins", "games won", tone="strong"),
    Column("share", "won %", value=lambda one: one.wins / 8, text=lambda one: 100 * one.wins / 8),
    Column("byes", is_optional=True),
    Column("rulings", align="left", is_optional=True, on=LISTED),
    Column("causes", value=lambda one: one.causes, align="left", is_optional=True, on=SHOWN),
    Column("state", value=lambda one: Coded("w" if one.wins else "l", "winner" if one.wins else "loser"), align="left"),
    Column("pair", value=lambda one: [one.name, one.wins], on=JSON),
)


def make_sheet(*items, **changes):
    return Sheet(title="T", columns=COLUMNS, items=items, **changes)


def read_csv(sheet):
    return list(csv.DictReader(io.StringIO(write_sheets([sheet], "csv"))))


def test_each_output_has_its_columns():
    sheet = make_sheet(Item("a", 2, 1, (3,), {"crash": 1}))
    keys = {output: [column.key for column in sheet.select(output)] for output in ("text", "page", "json")}
    assert keys == {
        "text": ["name", "wins", "share", "byes", "rulings", "causes", "state"],
        "page": ["name", "wins", "share", "byes", "causes", "state"],
        "json": ["name", "wins", "share", "byes", "rulings", "state", "pair"],
    }


def test_optional_columns_without_content_are_left_out_except_in_json():
    sheet = make_sheet(Item("a"), Item("b"))
    assert sheet.head == ("name", "games won", "won %", "state")
    assert sheet.objects[0] == {
        "name": "a",
        "wins": 0,
        "share": 0,
        "byes": 0,
        "rulings": (),
        "state": "l",
        "pair": ["a", 0],
    }
    assert make_sheet(Item("a"), Item("b", byes=2)).rows[0][3] is None


def test_cells_are_for_people_and_codes_for_programs():
    sheet = make_sheet(Item("a", 2, rulings=(3, 4), causes={"crash": 1, "timeout": 2}))
    assert sheet.rows == (("a", 2, 25.0, "3, 4", "crash 1, timeout 2", Coded("w", "winner")),)
    assert "winner" in write_sheets([sheet], "table")
    assert read_csv(sheet) == [
        {"name": "a", "games won": "2", "won %": "25", "rulings": "3, 4", "causes": "crash 1, timeout 2", "state": "w"}
    ]
    assert json.loads(write_sheets([sheet], "json"))["state"] == "w"


def test_items_may_be_mappings_and_json_may_differ_from_the_rows():
    sheet = Sheet(title="T", columns=(Column("at"),), items=({"at": 1}, {"at": 2}), data=({"all": [1, 2]},))
    assert sheet.rows == ((1,), (2,))
    assert sheet.objects == ({"all": [1, 2]},)


def test_people_see_the_first_rows_and_programs_all():
    sheet = make_sheet(*map(Item, "abc"), most_rows=2)
    assert (len(sheet.rows), len(read_csv(sheet)), len(sheet.objects)) == (2, 2, 3)


def test_json_names_the_kind_of_its_objects():
    assert next(iter(make_sheet(Item("a"), kind="standing").objects[0].items())) == ("type", "standing")


@pytest.mark.parametrize(
    ("after", "head"), [(None, ("name", "games won", "more")), ("name", ("name", "more", "games won"))]
)
def test_columns_are_added_at_a_place(after, head):
    sheet = Sheet(title="T", columns=COLUMNS[:2], items=())
    assert sheet.add([Column("more")], after).head == head


def test_csv_of_several_sheets_is_one_table():
    columns = [Column("bot", value=str), Column("1", value=len), Column("1", value=len)]
    first = Sheet(title="Stage 1", columns=columns, items=["a", "bb"])
    second = Sheet(title="Stage 2", columns=[Column("bot", value=str), Column("2", value=len)], items=["c"])
    assert write_sheets([first, second], "csv").splitlines() == [
        "table,bot,1,1,2",
        "Stage 1,a,1,1,",
        "Stage 1,bb,2,2,",
        "Stage 2,c,,,1",
    ]
    assert write_sheets([first], "csv").splitlines() == ["bot,1,1", "a,1,1", "bb,2,2"]
