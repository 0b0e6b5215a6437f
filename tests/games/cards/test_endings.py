"""The endings of the card game."""

import pytest
from games.cards.card_text import act_on, ended, table

WAITING = "\nblue line S 4 4\nred line S 4 4"

ENDINGS = {
    "the flag is taken": ("red line 2 4\nblue line 3 F", "0x1", ("red", "flag_taken")),
    "the last attacker takes the flag": ("red line 2\nblue line F", "0x0", ("red", "flag_taken")),
    "bombs and the flag cannot attack": ("red line M 4\nblue line 3 B F", "0x0", ("red", "no_moves")),
    "an empty line": ("red line M 4\nred hand F\nblue line 3", "0x0 +2=0", ("red", "no_moves")),
    "a flag that could regroup does not help": ("red line M\nblue line 3 F\nblue hand 5", "0x0", ("red", "no_moves")),
    "an attacker in the hand does not help": ("red line M\nblue line 3 B\nblue hand 9 8 7", "0x0", ("red", "no_moves")),
    "an attacker that is drawn does not help": ("red line M\nblue line 3 B\nblue deck 9 8", "0x0", ("red", "no_moves")),
    "an attacker in the line helps": ("red line M\nblue line 3 2 B", "0x0", None),
    "a line is checked on its player's own turn": ("red line 2 B\nred hand B\nblue line 3 4", "0x0 +0=0", None),
    "then the player has lost": ("red line 2 B\nred hand B\nblue line 3 4", "0x0 +0=0 0x1", ("blue", "no_moves")),
    "neither player has an attacker": ("red line 3 F\nblue line 3 F", "0x0", (None, "both_immobile")),
    "neither player has an attacker, before the refill": (
        "red line 3 F\nred hand B\nblue line 3 F",
        "0x0",
        (None, "both_immobile"),
    ),
    "an attacker in the hand": ("red line 3 F\nblue line 3 F\nblue hand 2", "0x0", ("red", "no_moves")),
    "an attacker in the deck": ("red line 3 F\nred deck 2\nblue line 3 F", "0x0", ("red", "no_moves")),
}


@pytest.mark.parametrize(("drawing", "acts", "end"), ENDINGS.values(), ids=ENDINGS)
def test_an_ending(drawing, acts, end):
    play = table(drawing)
    act_on(play, acts)
    assert ended(play) == end
    assert (play.to_act == ()) == (end is not None)


def test_the_draw_before_the_last_turn_is_a_fact():
    play = table("red line M\nblue line 3 B\nblue deck 9")
    assert [one.fact.__struct_config__.tag for one in act_on(play, "0x0")][-2:] == ["drew", "revealed"]


def test_fifty_turns_without_a_card_removed_are_a_draw():
    play = table(WAITING)
    act_on(play, "0?hand " * 49)
    assert ended(play) is None
    act_on(play, "0?hand")
    assert ended(play) == (None, "no_attack_limit")
    assert play.plies == 50


def test_removing_a_card_resets_the_count():
    play = table("blue line S 4 4\nred line S 5 4")
    act_on(play, "0?hand " * 48 + "1x1 " + "0?hand " * 49)
    assert ended(play) is None
    act_on(play, "0?hand")
    assert ended(play) == (None, "no_attack_limit")


@pytest.mark.parametrize(
    ("limits", "acts", "end"),
    [
        ({"no_attack_plies": 2}, 1, None),
        ({"no_attack_plies": 2}, 2, (None, "no_attack_limit")),
        ({"no_attack_plies": 0}, 60, None),
        ({"no_attack_plies": 0, "max_plies": 3}, 3, (None, "ply_limit")),
        ({"no_attack_plies": 3, "max_plies": 3}, 3, (None, "no_attack_limit")),
        ({"no_attack_plies": 0, "max_plies": 0}, 60, None),
    ],
)
def test_a_tournament_can_change_the_limits(limits, acts, end):
    play = table(WAITING, **limits)
    act_on(play, "0?hand " * acts)
    assert ended(play) == end


def test_a_regroup_is_a_turn_without_removal_that_ends_with_its_deployment():
    play = table("red line F 4 4 4 4\nblue line S 4 4", no_attack_plies=1)
    act_on(play, "0!")
    assert (ended(play), play.plies) == (None, 1)
    act_on(play, "=0,1,2,3,4")
    assert ended(play) == (None, "no_attack_limit")


def test_the_ply_limit_is_checked_after_the_refill():
    play = table("red line 2 4 4\nred hand 5\nblue line M 4", max_plies=1)
    act_on(play, "0x0")
    assert (ended(play), play.phase) == (None, "refill")
    act_on(play, "+0=0")
    assert ended(play) == (None, "ply_limit")


def test_having_no_attacker_counts_before_a_limit():
    play = table("red line M\nblue line 3 B", max_plies=1)
    act_on(play, "0x0")
    assert ended(play) == ("red", "no_moves")
