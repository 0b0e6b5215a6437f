import pytest

from arbiter.errors import ConfigError
from arbiter.tournament.standings.stored_game import SYSTEMS, Points, find_points, score


@pytest.mark.parametrize(
    ("system", "winner", "ending", "red", "blue"),
    [
        ("isf", "red", "flag_taken", 6, 1),
        ("isf", "blue", "no_moves", 1, 6),
        ("isf", "red", "resigned", 6, 1),
        ("isf", None, "agreed", 3, 3),
        ("isf", None, "both_immobile", 3, 3),
        ("isf", "red", "timeout", 6, 0),
        ("isf", None, "illegal_setup", 0, 0),
        ("isf", None, "double_loss", 1, 1),
        ("simple", None, "double_loss", 0, 0),
        ("ucc", None, "double_loss", 0, 0),
        ("simple", "blue", "flag_taken", 0, 1),
        ("simple", None, "ply_limit", 0.5, 0.5),
        ("simple", "blue", "crash", 0, 1),
        ("ucc", "red", "no_pieces", 3, 1),
        ("ucc", None, "no_attack_limit", 2, 2),
        ("ucc", "blue", "illegal_action", -1, 3),
        ("ucc", None, "no_start", 0, 0),
    ],
)
def test_points_of_a_game(system, winner, ending, red, blue):
    assert score(SYSTEMS[system], winner, ending) == {"red": red, "blue": blue}


@pytest.mark.parametrize("winner", [None, "red"])
def test_a_voided_game_gives_no_points(winner):
    assert score(SYSTEMS["isf"], winner, "void") == {}


def test_points_systems_by_name_and_custom():
    own = Points(win=2, draw=1, loss=0, forfeit=-5)
    assert find_points("isf") is SYSTEMS["isf"]
    assert find_points(own) is own


@pytest.mark.parametrize("worth", [(0, 1, 0, 0), (3, 1, 2, 0), (3, 1, 0, 1), (1, 1, 1, 1)])
def test_a_system_with_points_in_the_wrong_order_is_refused(worth):
    win, draw, loss, forfeit = worth
    with pytest.raises(ConfigError, match="from most to least"):
        find_points(Points(win=win, draw=draw, loss=loss, forfeit=forfeit))


def test_a_double_loss_may_be_worth_as_much_as_a_draw_but_not_more():
    assert score(find_points(Points(win=2, draw=1, loss=0, forfeit=0)), None, "double_loss") == {"red": 0, "blue": 0}
    half = find_points(Points(win=2, draw=1, loss=0, forfeit=0, double_loss=0.5))
    assert score(half, None, "double_loss") == {"red": 0.5, "blue": 0.5}
    with pytest.raises(ConfigError, match="double_loss must not be worth more than a draw"):
        find_points(Points(win=2, draw=1, loss=0, forfeit=0, double_loss=2))


def test_an_unknown_system_is_refused_with_a_list():
    with pytest.raises(ConfigError, match="unknown points system 'isff': did you mean 'isf'"):
        find_points("isff")
