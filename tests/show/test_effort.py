from msgspec.structs import replace
from tournament.stored_games import games

from arbiter.show.tables.standings import effort_sheet, standings_sheet
from arbiter.tournament.standings.table import rank_bots

PLAYED = [
    replace(one, red_ms=1000.0 * number, blue_ms=500.0) for number, one in enumerate(games("a b 1-0\nb a 1/2"), start=1)
]
NOT_PLAYED = [replace(one, plies=0) for one in games("c a walkover blue\nb a walkover -")]


def table(played):
    return rank_bots(("a", "b", "c"), played, ("points",))


def test_means_are_over_the_games_that_were_played():
    sheet = effort_sheet(table(PLAYED + NOT_PLAYED))
    assert sheet.head == ("bot", "plies a game", "seconds a game", "ms a move")
    assert sorted(sheet.rows) == [("a", 101.5, 0.75, 14.78), ("b", 101.5, 1.25, 24.63)]


def test_effort_is_in_the_standings_for_programs():
    ranked = table(PLAYED)
    sheet = standings_sheet(ranked)
    assert [column.head for column in sheet.select("csv")[-3:]] == ["plies a game", "seconds a game", "ms a move"]
    assert {row[1]: row[-3:] for row in sheet.cells("csv")} == {
        "a": (101.5, 0.75, 14.78),
        "b": (101.5, 1.25, 24.63),
        "c": (None, None, None),
    }
    assert sheet.objects[0]["mean_plies"] == 101.5


def test_unknown_times_are_empty():
    unknown = [replace(one, red_ms=0.0, blue_ms=0.0) for one in PLAYED]
    assert sorted(effort_sheet(table(unknown)).rows) == [("a", 101.5, None, None), ("b", 101.5, None, None)]
