"""Rage: up to four attacks of the berserker in one turn; each win adds one to its number."""

import pytest
from drawing import drawn, pieces_of, start
from games.power_text import act_on, ended, listed, news, refusal

from arbiter.games.base import IllegalAction
from arbiter.games.contest import Contest
from protocol.words import Move, Resign, Stop

RULES = "clone-wars-powers"


def ring(*pieces, blue="b5", flag="bF"):
    """Draw a berserker on e1, the pieces on e2, e3, e4, f4 and f3 (`..` = none), and blue's piece and flag."""
    e2, e3, e4, f4, f3 = (*pieces, "..", "..", "..", "..")[:5]
    return f"""
        10 {flag} .. .. .. .. .. .. .. .. {blue}
         4 .. .. .. .. {e4} {f4} .. .. .. ..
         3 .. .. .. .. {e3} {f3} .. .. .. ..
         2 .. .. .. .. {e2} .. .. .. .. ..
         1 rF .. .. .. rZ .. .. .. .. r4
    """


def attacked(src, dst, rank, result):
    """Write the facts of an attack by red's berserker."""
    shown = f"attacked red {src} {dst} / blue< revealed red {src} berserker / red< revealed blue {dst} {rank}"
    return (
        shown
        + {
            "wins": f" / removed blue {dst} / moved red {src} {dst}",
            "loses": f" / removed red {src}",
            "ties": f" / removed red {src} / removed blue {dst}",
        }[result]
    )


def test_a_rage_of_four_attacks():
    play = start(ring("b4", "b6", "b7", "b8", "b3"), RULES)
    assert news(act_on(play, "e1xe2")) == attacked("e1", "e2", "sergeant", "wins")
    assert (play.phase, play.to_act, play.plies) == ("rage", ("red",), 1)
    assert play.legal_actions("red") == [Move("e2", "e3"), Stop()]
    assert play.legal_actions("blue") == []
    assert news(act_on(play, "e2xe3")) == attacked("e2", "e3", "captain", "wins")
    assert set(play.legal_actions("red")) == {Move("e3", "e4"), Move("e3", "f3"), Stop()}
    assert news(act_on(play, "e3xe4")) == attacked("e3", "e4", "major", "wins")
    assert news(act_on(play, "e4xf4")) == attacked("e4", "f4", "colonel", "wins")
    assert (play.phase, play.to_act, play.plies) == ("turn", ("blue",), 1), "four attacks, although a piece is on f3"
    assert pieces_of(drawn(play))["f4"] == ("red", "berserker")


@pytest.mark.parametrize(
    ("pieces", "acts", "last"),
    [
        # it begins as a six
        ("b6", "e1xe2", attacked("e1", "e2", "captain", "ties")),
        ("bZ", "e1xe2", attacked("e1", "e2", "berserker", "ties")),
        ("b7", "e1xe2", attacked("e1", "e2", "major", "loses")),
        ("bR", "e1xe2", attacked("e1", "e2", "marksman", "loses")),
        ("bB", "e1xe2", attacked("e1", "e2", "bomb", "loses")),
        ("b1", "e1xe2", attacked("e1", "e2", "spy", "wins")),
        # then seven
        ("b5 b6", "e1xe2 e2xe3", attacked("e2", "e3", "captain", "wins")),
        ("b5 b7", "e1xe2 e2xe3", attacked("e2", "e3", "major", "ties")),
        ("b5 bR", "e1xe2 e2xe3", attacked("e2", "e3", "marksman", "ties")),
        ("b5 b8", "e1xe2 e2xe3", attacked("e2", "e3", "colonel", "loses")),
        ("b5 bB", "e1xe2 e2xe3", attacked("e2", "e3", "bomb", "loses")),
        # then eight
        ("b5 b2 b7", "e1xe2 e2xe3 e3xe4", attacked("e3", "e4", "major", "wins")),
        ("b5 b2 b8", "e1xe2 e2xe3 e3xe4", attacked("e3", "e4", "colonel", "ties")),
        ("b5 b2 b9", "e1xe2 e2xe3 e3xe4", attacked("e3", "e4", "general", "loses")),
        # then nine, and no more
        ("b5 b2 b1 b8", "e1xe2 e2xe3 e3xe4 e4xf4", attacked("e4", "f4", "colonel", "wins")),
        ("b5 b2 b1 b9", "e1xe2 e2xe3 e3xe4 e4xf4", attacked("e4", "f4", "general", "ties")),
        ("b5 b2 b1 bM", "e1xe2 e2xe3 e3xe4 e4xf4", attacked("e4", "f4", "marshal", "loses")),
        ("b5 b2 b1 bB", "e1xe2 e2xe3 e3xe4 e4xf4", attacked("e4", "f4", "bomb", "loses")),
    ],
)
def test_each_win_adds_one(pieces, acts, last):
    play = start(ring(*pieces.split()), RULES)
    assert news(act_on(play, acts)) == last
    assert (play.phase, play.to_act, play.plies, play.turn) == ("turn", ("blue",), 1, None)


@pytest.mark.parametrize("wins", range(4))
def test_taking_the_flag_in_a_rage_ends_the_game(wins):
    pieces = [*["b1", "b2", "b3"][:wins], "bF"]
    play = start(ring(*pieces, flag=".."), RULES)
    way = ["e1", "e2", "e3", "e4", "f4"]
    facts = act_on(play, " ".join(f"{way[step]}x{way[step + 1]}" for step in range(wins + 1)))
    assert news(facts) == attacked(way[wins], way[wins + 1], "flag", "wins")
    assert ended(play) == "red flag_taken"
    assert (play.to_act, play.legal_actions("red"), play.legal_actions("blue"), play.plies) == ((), [], [], 1)


@pytest.mark.parametrize("wins", range(1, 4))
def test_the_player_may_stop_after_any_win(wins):
    play = start(ring("b1", "b2", "b3", "b4"), RULES)
    way = ["e1", "e2", "e3", "e4"]
    act_on(play, " ".join(f"{way[step]}x{way[step + 1]}" for step in range(wins)))
    assert play.phase == "rage"
    assert act_on(play, "stop") == ()
    assert (play.phase, play.to_act, play.plies, play.quiet_plies) == ("turn", ("blue",), 1, 0)


def test_in_the_next_turn_it_begins_as_a_six_again():
    play = start(ring("b5", "b7"), RULES)
    act_on(play, "e1xe2 stop j10-j9")
    assert news(act_on(play, "e2xe3")) == attacked("e2", "e3", "major", "loses")


def test_as_a_defender_it_is_a_six():
    play = start(ring("b5", "b7"), RULES)
    assert news(act_on(play, "e1xe2 stop e3xe2")).endswith("/ removed red e2 / moved blue e3 e2")
    play = start(ring("b5", "b6"), RULES)
    assert news(act_on(play, "e1xe2 stop e3xe2")).endswith("/ removed blue e3 / removed red e2")


@pytest.mark.parametrize(
    ("pieces", "acts"),
    [
        (("b5",), "e1xe2"),  # no piece next to e2
        (("..",), "e1-e2"),
        (("..", "b4"), "e1-e2"),  # it starts with an attack, not a step
    ],
)
def test_the_player_is_asked_again_only_if_another_attack_is_possible(pieces, acts):
    play = start(ring(*pieces), RULES)
    act_on(play, acts)
    assert (play.phase, play.to_act) == ("turn", ("blue",))


def test_a_bomb_next_to_the_berserker_can_be_attacked():
    play = start(ring("b5", "bB"), RULES)
    act_on(play, "e1xe2")
    assert set(play.legal_actions("red")) == {Move("e2", "e3"), Stop()}


def test_a_rage_does_not_reach_across_a_lake():
    play = start(
        """
        10 bF .. .. .. .. .. .. .. .. b5
         7 .. .. b4 b5 .. .. .. .. .. ..
         6 .. b3 ~~ ~~ .. .. ~~ ~~ .. ..
         5 .. .. ~~ ~~ b4 .. ~~ ~~ .. ..
         4 .. .. b4 rZ .. .. .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. ..
        """,
        RULES,
    )
    act_on(play, "d4xc4")
    assert (play.phase, play.to_act) == ("turn", ("blue",))


@pytest.mark.parametrize(
    "act",
    [
        "e2-e1",  # back, no attack
        "e2-f2",
        "j1-j2",  # another piece
        "e2-e4",
        "e2-e2",
        "e2-d1",
        "e1-e2",
        "e3-e2",
        "e2-k9",
    ],
)
def test_within_a_rage_the_same_piece_attacks_or_stops(act):
    play = start(ring("b5", "b4", "b3"), RULES)
    act_on(play, "e1xe2")
    assert refusal(play, act) == "power"


@pytest.mark.parametrize("act", ["e2?e3", "e2*e3", "e2!e3=spy", "+spy@a1"])
def test_other_actions_are_refused_in_this_phase(act):
    play = start(ring("b5", "b4"), RULES)
    act_on(play, "e1xe2")
    assert refusal(play, act) == "turn"


def test_the_opponent_cannot_act():
    play = start(ring("b5", "b4"), RULES)
    act_on(play, "e1xe2")
    for action in (Move("j10", "j9"), Stop(), Move("e3", "e2")):
        with pytest.raises(IllegalAction, match="not blue's turn"):
            play.act("blue", action)


def test_resigning_within_a_turn_is_refused():
    table = Contest(start(ring("b5", "b4"), RULES))
    table.act("red", Move("e1", "e2"))
    with pytest.raises(IllegalAction, match="phase 'turn'"):
        table.act("red", Resign())


@pytest.mark.parametrize("piece", ["M", "9", "8", "7", "R", "6"])
def test_no_other_piece_rages(piece):
    play = start(ring("b5", "b4").replace("rZ", f"r{piece}"), RULES)
    act_on(play, "e1xe2")
    assert (play.phase, play.to_act) == ("turn", ("blue",))
    assert refusal(play, "stop") == "turn"


def test_an_attacked_berserker_does_not_rage():
    play = start(ring("b5", "b4"), RULES, first="blue")
    act_on(play, "e2xe1")
    assert (play.phase, play.to_act) == ("turn", ("red",))


def test_blue_rages_too():
    play = start(
        """
        10 bF .. .. .. .. .. .. .. .. ..
         9 .. .. .. .. bZ r5 r7 .. .. ..
         1 rF .. .. .. .. .. .. .. .. r4
        """,
        RULES,
        first="blue",
    )
    act_on(play, "e9xf9")
    assert (play.phase, play.to_act, listed(play, Move)) == ("rage", ("blue",), ["f9-g9"])
    assert news(act_on(play, "f9xg9")).endswith("/ removed blue f9 / removed red g9")
