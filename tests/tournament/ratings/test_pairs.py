from msgspec.structs import replace
from tournament.stored_games import game

from arbiter.tournament.ratings.pairs import Pair, pair_games


def test_games_are_paired_by_pairing_and_number():
    played = [
        game("b", "a", "red", "flag_taken", pair=2),
        game("a", "b", "red", "timeout", pair=1),
        game("b", "a", None, "agreed", pair=1),
        game("c", "a", "blue", "flag_taken", pair=1),
    ]
    assert pair_games(played) == [Pair("a", "b", 1, 1, 0.5), Pair("a", "b", 2, None, 0), Pair("a", "c", 1, None, 1)]
    assert [one.score for one in pair_games(played)] == [1.5, None, None]


def test_games_that_do_not_count_leave_a_pair_incomplete():
    played = [game("a", "b", None, "illegal_setup"), game("b", "a", "red", "flag_taken")]
    assert pair_games(played) == [Pair("a", "b", 1, None, 0)]
    for unplayed in (
        game("a", "b", None, "annulled"),
        game("a", "b", "red", "walkover"),
        game("a", "b", None, "walkover"),
    ):
        assert pair_games([unplayed]) == [Pair("a", "b", 1)]


def test_pairs_of_different_stages_are_different():
    first = [game("a", "b", "red", "flag_taken"), game("b", "a", "red", "flag_taken")]
    second = [replace(one, id=f"s2~{one.id}", winner="blue") for one in first]
    assert [one.score for one in pair_games([*first, *second])] == [1, 1]
    assert [(one.as_red, one.as_blue) for one in pair_games([*first, *second])] == [(1, 0), (0, 1)]
