"""The remote attack: the marksman hits a weaker piece up to two squares away in a line, and stays."""

import pytest
from drawing import PIECES, drawn, pieces_of, start
from games.power_text import act_on, ended, listed, news, refusal, targets

from arbiter.languages.sentences import write_reason
from protocol.words import Strike

RULES = "clone-wars-powers"
LINES = """
    10 bF .. .. .. .. .. .. .. .. b5
     9 .. .. .. .. b6 .. .. .. .. ..
     8 .. .. .. .. b2 b3 .. .. .. ..
     7 .. .. b4 r2 rR bB b7 b1 .. ..
     6 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
     5 .. .. ~~ ~~ bM .. ~~ ~~ .. ..
     1 rF rR .. .. .. .. .. .. .. ..
"""


def test_it_reaches_two_squares_in_a_line_even_over_pieces():
    play = start(LINES, RULES)
    assert targets(play, "e7", Strike) == "e5 c7 f7 g7 e8 e9"
    assert listed(play, Strike) == sorted(f"e7*{dst}" for dst in ["e5", "c7", "f7", "g7", "e8", "e9"])


def duel(target, gap=1):
    """Draw a marksman and a piece `gap` squares north of it."""
    rows = {8: "..", 9: ".."} | {7 + gap: f"b{target}"}
    return f"""
        10 bF .. .. .. .. .. .. .. .. b5
         9 .. .. .. .. {rows[9]} .. .. .. .. ..
         8 .. .. .. .. {rows[8]} .. .. .. .. ..
         7 .. .. .. .. rR .. .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. r5
    """


NAMES = {sign: PIECES[sign] for sign in "123456Z7R89MB"}


@pytest.mark.parametrize("gap", [1, 2])
@pytest.mark.parametrize("target", NAMES)
def test_only_a_lower_rank_is_removed(target, gap):
    play = start(duel(target, gap), RULES)
    place = f"e{7 + gap}"
    falls = target in "123456Z"
    facts = f"struck red e7 {place} / blue< revealed red e7 marksman / red< revealed blue {place} {NAMES[target]}"
    assert news(act_on(play, f"e7*{place}")) == facts + (f" / removed blue {place}" if falls else "")
    left = pieces_of(drawn(play))
    assert left["e7"] == ("red", "marksman")
    assert (place in left) == (not falls)
    assert [play.position.rank_id(piece) for piece in play.position.captured] == ([NAMES[target]] if falls else [])
    assert (play.to_act, play.phase, play.plies, play.quiet_plies) == (("blue",), "turn", 1, 0)


def test_a_remote_attack_takes_the_flag():
    play = start(duel("F", 2), RULES)
    facts = news(act_on(play, "e7*e9"))
    assert facts == ("struck red e7 e9 / blue< revealed red e7 marksman / red< revealed blue e9 flag / removed blue e9")
    assert ended(play) == "red flag_taken"
    assert write_reason(play.outcome.reason) == "red took the flag on e9"
    assert (play.plies, play.to_act, play.legal_actions("blue")) == (1, (), [])


def test_the_last_piece_that_could_move():
    play = start(duel("6").replace("b5", ".."), RULES)
    act_on(play, "e7*e8")
    assert ended(play) == "red no_pieces"


@pytest.mark.parametrize(
    "act",
    [
        "e7*f8",  # not in a line
        "e7*h7",  # three away
        "e7*e7",
        "e7*d7",  # an own piece
        "e7*e6",  # nothing there
        "e7*e11",
        "b1*b2",
        "d7*c7",  # a scout
        "a1*a2",
        "e8*e7",  # an enemy piece
        "a5*e7",
    ],
)
def test_other_aims_are_refused(act):
    assert refusal(start(LINES, RULES), act) == "power"


@pytest.mark.parametrize("piece", ["M", "9", "8", "7", "6", "5", "4", "3", "2", "1", "B", "F", "Z"])
def test_no_other_piece_strikes(piece):
    play = start(duel("4").replace("rR", f"r{piece}"), RULES)
    assert listed(play, Strike) == []
    assert refusal(play, "e7*e8") == "power"


@pytest.mark.parametrize("rules", ["clone-wars", "original", "us", "infiltrator"])
def test_rule_sets_without_powers_have_no_remote_attack(rules):
    assert refusal(start(duel("4").replace("rR", "r7"), rules), "e7*e8") == "turn"


def test_a_remote_attack_that_removes_nothing_resets_the_count():
    play = start(duel("8"), RULES, no_attack_plies=3)
    act_on(play, "j1-j2 j10-j9 e7*e8 j9-j10")
    assert (play.outcome, play.quiet_plies) == (None, 1)
    act_on(play, "j2-j1 j10-j9")
    assert ended(play) == "None no_attack_limit"


def test_the_marksman_moves_and_attacks_as_a_seven():
    play = start(duel("8"), RULES)
    assert news(act_on(play, "e7xe8")) == (
        "attacked red e7 e8 / blue< revealed red e7 marksman / red< revealed blue e8 colonel / removed red e7"
    )
    play = start(duel("7"), RULES)
    assert news(act_on(play, "e7xe8")).endswith("/ removed red e7 / removed blue e8")
