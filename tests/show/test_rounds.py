from tournament.stored_games import game

from arbiter.show.tables.standings import bracket_sheet, rounds_sheet
from arbiter.tournament.fixture import Match, RoundBye

PLAYED = [
    game("a", "b", "red", "flag_taken", round_=1),
    game("b", "a", None, "agreed", round_=1),
    game("c", "a", "red", "flag_taken", round_=2),
]


def test_the_rounds_of_a_swiss_tournament():
    sheet = rounds_sheet(["a", "c", "b"], PLAYED, [RoundBye(1, "c", 12, 2), RoundBye(2, "b", 12, 2)])
    assert sheet.head == ("", "bot", "1", "2")
    assert sheet.rows == ((1, "a", "3: 9", "2: 1"), (2, "c", "bye: 12", "1: 6"), (3, "b", "1: 4", "bye: 12"))
    assert sheet.objects[1] == {"bot": "c", "rounds": {"1": "bye: 12", "2": "1: 6"}}


def test_a_round_that_a_bot_has_not_played_yet_is_empty():
    assert rounds_sheet(["a", "c", "b"], PLAYED, []).rows[2] == (3, "b", "1: 4", None)


def test_a_bracket():
    matches = [
        Match(1, "a", None, winner="a", how="bye"),
        Match(1, "b", "c", 7, 7.5, 2, "c", "games"),
        Match(2, "a", "c"),
    ]
    sheet = bracket_sheet(matches)
    assert sheet.rows == (
        (1, "a", None, "a", "bye"),
        (1, "b - c", "7 : 7.5", "c", "games"),
        (2, "a - c", None, None, None),
    )
    assert sheet.objects[1] == {
        "round": 1,
        "one": "b",
        "two": "c",
        "one_points": 7,
        "two_points": 7.5,
        "games": 2,
        "winner": "c",
        "how": "games",
        "place": 1,
    }
