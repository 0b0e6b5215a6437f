"""A turn with a rescue: the repetition rules and endings."""

from drawing import play_on, probe
from games.power_text import act_on, ended
from games.powers.test_rescue import LOSE, begin


def test_a_rescue_resets_both_series_of_crossings():
    for answer, red, blue in (("stop", "two_squares", "two_squares"), ("+lieutenant@a2", None, None)):
        play = begin(two_squares=1)
        act_on(play, f"b4xb5 j5-j4 e9-e10 {answer}")
        assert probe(play, "j4-j5") == blue
        play_on(play, "j4-j3")
        assert probe(play, "e10-e9") == red


def test_a_rescue_ends_the_chases():
    """The move to the back row is the first threat of a chase; the position after it must not come back."""
    board = """
        10 bF .. .. .. .. b3 .. .. .. ..
         9 .. .. .. .. r4 .. .. .. .. ..
         5 .. b8 ~~ ~~ .. .. ~~ ~~ .. ..
         4 .. r5 .. .. .. .. .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. ..
    """
    for answer, rule in (("stop", "more_squares"), ("+lieutenant@a2", None)):
        play = begin(board, more_squares="chase")
        act_on(play, f"b4xb5 b5-b6 e9-e10 {answer} f10-f9 e10-e9 f9-f8 e9-e8 f8-f9 e8-e9 f9-f10")
        assert probe(play, "e9-e10") == rule


def test_no_rescue_after_the_flag_or_the_last_movable_piece():
    board = """
        10 .. .. .. .. {foe} .. .. .. .. {rest}
         9 .. .. .. .. r4 .. .. .. .. ..
         5 .. b8 ~~ ~~ .. .. ~~ ~~ .. ..
         4 .. r8 .. .. .. .. .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. ..
    """
    play = begin(board.format(foe="bF", rest="b4"))
    act_on(play, "b4xb5 j10-j9 e9xe10")
    assert (ended(play), play.phase, play.to_act) == ("red flag_taken", "turn", ())
    play = begin(board.format(foe="b3", rest="..").replace("4 .. r8", "4 r8 .."))
    act_on(play, "a4-b4 b5xb4 e9xe10")
    assert (ended(play), play.to_act) == ("red no_pieces", ())


def test_limits_are_checked_when_the_turn_is_over():
    play = begin(max_plies=3)
    act_on(play, f"{LOSE} e9-e10")
    assert (play.outcome, play.plies) == (None, 3)
    act_on(play, "+lieutenant@a2")
    assert ended(play) == "None ply_limit"


def test_the_opponents_moves_are_checked_when_the_turn_is_over():
    """Blue's only move would cross a border too often: a rescue resets the rule, declining does not."""
    board = """
        10 bF .. .. .. .. .. .. .. bB b4
         9 .. .. .. .. r4 .. .. .. bB ..
         8 .. .. .. .. .. .. .. .. .. bB
         7 .. .. .. .. .. .. .. .. .. r5
         1 rF .. .. .. .. .. .. .. .. ..
    """
    for answer, ending in (("stop", "red no_moves"), ("+lieutenant@a2", None)):
        play = begin(board, two_squares=1)
        act_on(play, "j7xj8 j10-j9 e9-e10")
        assert (play.phase, play.outcome) == ("rescue", None)
        act_on(play, answer)
        assert ended(play) == ending
