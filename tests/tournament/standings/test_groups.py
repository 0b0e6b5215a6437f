"""Standings of teams and categories, worked by hand."""

from msgspec.structs import replace
from tournament.stored_games import game

from arbiter.tournament.standings.table import rank_bots, rank_categories, rank_teams

# a beats b and c; b and c draw; d loses to everyone.  A win is worth 6 points, a draw 3, a loss 1, a forfeit 0.
GAMES = (
    game("a", "b", "red", "flag_taken"),
    game("a", "c", "red", "flag_taken"),
    game("a", "d", "red", "flag_taken"),
    game("b", "c", None, "agreed"),
    game("b", "d", "red", "flag_taken"),
    game("c", "d", "red", "crash"),
)
FINAL = rank_bots("abcd", GAMES, ["points"])


def test_the_standings_are_those_worked_by_hand():
    assert [(one.rank, one.bot, one.points) for one in FINAL] == [(1, "a", 18), (2, "b", 10), (2, "c", 10), (4, "d", 2)]


def test_a_team_has_the_points_of_its_bots():
    teams = rank_teams({"d": "North", "a": "North", "b": "South", "c": "South"}, FINAL, [FINAL])
    assert [(one.rank, one.team, one.points, one.games, one.bots) for one in teams] == [
        (1, "North", 20, 6, ("a", "d")),
        (2, "South", 20, 6, ("b", "c")),  # as many points, but two wins instead of three
    ]
    assert [(one.wins, one.draws, one.losses, one.forfeits) for one in teams] == [(3, 0, 2, 1), (2, 2, 2, 0)]


def test_teams_with_equal_points_and_wins_share_a_rank():
    teams = rank_teams({"b": "B", "c": "C", "d": "D"}, FINAL, [FINAL])
    assert [(one.rank, one.team) for one in teams] == [(1, "B"), (1, "C"), (3, "D")]


def test_points_of_all_stages_are_added():
    final = rank_bots("ab", [game("b", "a", "red", "flag_taken")], ["points"])
    teams = rank_teams({"a": "A", "b": "B"}, (*final, *FINAL[2:]), [FINAL, final])
    assert [(one.team, one.points, one.games) for one in teams] == [("A", 19, 4), ("B", 16, 4)]


def test_bots_are_ranked_within_their_category():
    found = rank_categories({"d": "Students", "b": "Students", "c": "Students", "a": "Open"}, FINAL)
    assert {category: [(one.rank, one.bot) for one in ranking] for category, ranking in found.items()} == {
        "Students": [(1, "b"), (1, "c"), (3, "d")],
        "Open": [(1, "a")],
    }
    assert found["Students"][0] == replace(FINAL[1], rank=1)


def test_without_groups_there_are_no_standings_of_groups():
    assert rank_teams({}, FINAL, [FINAL]) == ()
    assert rank_categories({}, FINAL) == {}
