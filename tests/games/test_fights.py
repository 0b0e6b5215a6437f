"""Fights of every attacker against every defender: result, position and revealed ranks."""

import pytest
from drawing import PIECES, drawn, facts, start, tidy

from arbiter.games.fights import CLASSIC_FIGHTS, FightResult, decide, show_both
from arbiter.games.ranks import CLASSIC
from protocol.words import Attacked, Move, Moved, Removed, Revealed

# attacker down, defender across: w(ins), l(oses), t(ie), F(lag taken)
TABLE = """
      M 9 8 7 6 5 4 3 2 1 B F
    M t w w w w w w w w w l F
    9 l t w w w w w w w w l F
    8 l l t w w w w w w w l F
    7 l l l t w w w w w w l F
    6 l l l l t w w w w w l F
    5 l l l l l t w w w w l F
    4 l l l l l l t w w w l F
    3 l l l l l l l t w w w F
    2 l l l l l l l l t w l F
    1 w l l l l l l l l t l F
"""
VERDICTS = {"w": FightResult.ATTACKER, "l": FightResult.DEFENDER, "t": FightResult.NEITHER, "F": FightResult.FLAG}


def cases():
    header, *rows = (line.split() for line in TABLE.strip().splitlines())
    return [
        pytest.param(attacker, defender, VERDICTS[result], id=f"{attacker}x{defender}")
        for attacker, *results in rows
        for defender, result in zip(header, results, strict=True)
    ]


def rank_of(letter):
    return next(rank for rank in CLASSIC if rank.id == PIECES[letter])


@pytest.mark.parametrize(("attacker", "defender", "verdict"), cases())
def test_the_table_of_fights(attacker, defender, verdict):
    assert decide(CLASSIC_FIGHTS, rank_of(attacker), rank_of(defender)) is verdict
    assert show_both(rank_of(attacker), rank_of(defender))


def test_a_fight_that_no_rule_decides_is_an_error():
    with pytest.raises(LookupError, match="no rule decides bomb against marshal"):
        decide((), rank_of("B"), rank_of("M"))


def fought_over(attacker, defender):
    return f"""
        10 .. .. .. .. .. .. .. .. .. b5
         5 .. b{defender} ~~ ~~ .. .. ~~ ~~ .. ..
         4 .. r{attacker} .. .. .. .. .. .. .. ..
         1 .. .. .. .. .. .. .. .. .. r5
    """


@pytest.mark.parametrize("seat", ["red", "blue"])
@pytest.mark.parametrize(("attacker", "defender", "verdict"), cases())
def test_a_fight_on_the_board(attacker, defender, verdict, seat):
    drawing = fought_over(attacker, defender)
    foe = "blue" if seat == "red" else "red"
    if seat == "blue":
        drawing = drawing.replace("r", "x").replace("b", "r").replace("x", "b")
    play = start(drawing, first=seat)
    addressed = play.act(seat, Move("b4", "b5"))
    shown = [Revealed(seat, "b4", PIECES[attacker]), Revealed(foe, "b5", PIECES[defender])]
    fallen = {
        FightResult.ATTACKER: [Removed(foe, "b5"), Moved(seat, "b4", "b5")],
        FightResult.FLAG: [Removed(foe, "b5"), Moved(seat, "b4", "b5")],
        FightResult.DEFENDER: [Removed(seat, "b4")],
        FightResult.NEITHER: [Removed(seat, "b4"), Removed(foe, "b5")],
    }[verdict]
    assert facts(addressed) == [Attacked(seat, "b4", "b5"), *shown, *fallen]
    assert [item.to for item in addressed] == [("red", "blue"), (foe,), (seat,), *[("red", "blue")] * len(fallen)]
    assert drawn(play) == tidy(after(drawing, f"{seat[0]}{attacker}", f"{foe[0]}{defender}", verdict))
    assert (play.outcome is not None) == (verdict is FightResult.FLAG)


def after(drawing, mine, theirs, verdict):
    upper, lower = {
        FightResult.ATTACKER: (mine, ".."),
        FightResult.FLAG: (mine, ".."),
        FightResult.DEFENDER: (theirs, ".."),
        FightResult.NEITHER: ("..", ".."),
    }[verdict]
    return drawing.replace(f" 5 .. {theirs}", f" 5 .. {upper}").replace(f" 4 .. {mine}", f" 4 .. {lower}")


def test_a_scout_attacks_from_afar_and_moves_in():
    play = start("""
        10 .. b1 .. .. .. .. .. .. .. b5
         4 .. r2 .. .. .. .. .. .. .. ..
    """)
    addressed = play.act("red", Move("b4", "b10"))
    assert facts(addressed) == [
        Attacked("red", "b4", "b10"),
        Revealed("red", "b4", "scout"),
        Revealed("blue", "b10", "spy"),
        Removed("blue", "b10"),
        Moved("red", "b4", "b10"),
    ]
    assert drawn(play) == tidy("""
        10 .. r2 .. .. .. .. .. .. .. b5
    """)


def test_a_scout_that_loses_from_afar_leaves_and_the_defender_stays():
    play = start("""
        10 .. b9 .. .. .. .. .. .. .. ..
         4 .. r2 .. .. .. .. .. .. .. r5
    """)
    addressed = play.act("red", Move("b4", "b10"))
    assert facts(addressed)[-1] == Removed("red", "b4")
    assert drawn(play) == tidy("""
        10 .. b9 .. .. .. .. .. .. .. ..
         4 .. .. .. .. .. .. .. .. .. r5
    """)


def test_a_known_rank_is_revealed_again():
    play = start("""
        10 .. .. .. .. .. .. .. .. .. ..
         6 .. b4 ~~ ~~ .. .. ~~ ~~ .. ..
         5 .. b6 ~~ ~~ .. .. ~~ ~~ .. ..
         4 .. r8 .. .. .. .. .. .. .. b5
         1 .. .. .. .. .. .. .. .. .. r5
    """)
    play.act("red", Move("b4", "b5"))
    play.act("blue", Move("j4", "j5"))
    assert Revealed("red", "b5", "colonel") in facts(play.act("red", Move("b5", "b6")))


def test_the_defender_that_wins_does_not_move_and_can_still_attack():
    play = start("""
         5 .. b8 ~~ ~~ .. .. ~~ ~~ .. ..
         4 .. r6 .. .. .. .. .. .. .. ..
         3 .. r5 .. .. .. .. .. .. .. ..
    """)
    play.act("red", Move("b4", "b5"))
    assert Move("b5", "b4") in play.legal_actions("blue")
    assert Move("b5", "b3") not in play.legal_actions("blue")
