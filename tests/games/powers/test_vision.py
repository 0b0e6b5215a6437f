"""Vision: marshal and general look at a piece within two steps; only their player learns its rank."""

import pytest
from drawing import drawn, start, tidy
from games.power_text import act_on, ended, listed, news, refusal, targets

from arbiter.games.base import visible_to
from protocol.words import Look

RULES = "clone-wars-powers"
RING = """
    10 bF .. .. .. .. .. .. .. .. b5
     7 .. .. .. .. b2 .. .. .. .. ..
     6 .. .. ~~ ~~ b3 b1 ~~ ~~ .. ..
     5 .. .. ~~ ~~ rM .. ~~ ~~ .. ..
     4 .. .. .. b4 bB b6 b7 .. .. ..
     3 .. .. .. b8 b9 b5 .. .. .. ..
     1 rF r9 .. .. .. .. .. .. .. ..
"""


def test_it_reaches_one_or_two_steps_even_over_pieces():
    play = start(RING, RULES)
    assert targets(play, "e5", Look) == "e3 d4 e4 f4 e6 f6 e7"
    assert listed(play, Look) == sorted(f"e5?{dst}" for dst in ["e3", "d4", "e4", "f4", "e6", "f6", "e7"])


def test_it_looks_over_a_lake_and_at_the_flag():
    play = start(
        """
        10 .. .. .. .. .. .. .. .. .. b5
         7 .. .. b4 .. .. .. .. .. .. ..
         6 .. r9 ~~ ~~ .. .. ~~ ~~ .. ..
         5 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
         4 .. bF .. .. .. .. .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. ..
        """,
        RULES,
    )
    assert targets(play, "b6", Look) == "b4 c7"
    assert (
        news(act_on(play, "b6?b4")) == "looked red b6 b4 / blue< revealed red b6 general / red< revealed blue b4 flag"
    )
    assert ended(play) is None


@pytest.mark.parametrize(
    ("acts", "facts"),
    [
        ("e5?e4", "looked red e5 e4 / blue< revealed red e5 marshal / red< revealed blue e4 bomb"),
        ("e5?f6", "looked red e5 f6 / blue< revealed red e5 marshal / red< revealed blue f6 spy"),
        # a known rank is revealed again
        ("e5?f6 j10-j9 e5?f6", "looked red e5 f6 / blue< revealed red e5 marshal / red< revealed blue f6 spy"),
        ("b1-c1 e3?e5", "looked blue e3 e5 / red< revealed blue e3 general / blue< revealed red e5 marshal"),
    ],
)
def test_looking_shows_the_piece_and_only_its_owner_learns_the_rank(acts, facts):
    assert news(act_on(start(RING, RULES), acts)) == facts


def test_the_opponent_does_not_learn_what_was_seen():
    facts = act_on(start(RING, RULES), "e5?f6")
    assert [type(fact).__name__ for fact in visible_to("blue", facts)] == ["Looked", "Revealed"]
    assert {fact.seat for fact in visible_to("blue", facts)} == {"red"}


def test_looking_moves_nothing_and_ends_the_turn():
    play = start(RING, RULES)
    act_on(play, "e5?e4")
    assert drawn(play) == tidy(RING)
    assert (play.to_act, play.phase, play.plies, play.position.captured) == (("blue",), "turn", 1, [])


@pytest.mark.parametrize(
    "act",
    [
        "e5?d3",  # a knight's move away
        "e5?g4",
        "e5?e5",
        "e5?e8",
        "e5?f5",  # nothing there
        "e5?k5",
        "k5?e5",
        "e4?e5",  # an enemy piece
        "c3?d3",  # nothing here
        "a1?a2",
        "b1?a1",  # an own piece
    ],
)
def test_other_aims_are_refused(act):
    assert refusal(start(RING, RULES), act) == "power"


@pytest.mark.parametrize("piece", ["8", "7", "6", "5", "4", "3", "2", "1", "B", "F", "R", "Z"])
def test_no_other_piece_has_vision(piece):
    play = start(RING.replace("rM", f"r{piece}"), RULES)
    assert listed(play, Look) == []
    assert refusal(play, "e5?e4") == "power"


@pytest.mark.parametrize("rules", ["clone-wars", "original", "us", "infiltrator"])
def test_rule_sets_without_powers_have_no_vision(rules):
    assert refusal(start(RING, rules), "e5?e4") == "turn"


def test_looking_is_a_ply_without_attack():
    play = start(RING, RULES, no_attack_plies=3, max_plies=0)
    act_on(play, "e5?e4 j10-j9 e5?e4")
    assert ended(play) == "None no_attack_limit"
    play = start(RING, RULES, max_plies=2)
    act_on(play, "e5?e4 e3?e5")
    assert ended(play) == "None ply_limit"
