"""Infiltration: deep in enemy land the infiltrator names the rank of a piece nearby."""

import pytest
from drawing import drawn, pieces_of, start, tidy
from games.power_text import RANKS, act_on, ended, listed, news, refusal

from arbiter.games.catalogue import find_game
from arbiter.languages.sentences import write_reason
from protocol.words import Infiltrate, Move

RULES = "infiltrator"
DEEP = """
    10 bF .. .. .. b5 .. .. .. .. b9
     9 .. .. .. .. b2 .. .. .. .. ..
     8 .. .. .. .. .. b3 .. .. .. ..
     7 .. .. bB .. rI b6 b1 .. .. ..
     6 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
     5 .. .. ~~ ~~ bM .. ~~ ~~ .. ..
     1 rF .. .. .. .. .. .. .. .. r5
"""
GUESSES = [rank for rank in RANKS if rank not in ("marksman", "berserker")]


def test_it_reaches_two_squares_in_a_line_over_an_empty_one():
    play = start(DEEP, RULES)
    assert listed(play, Infiltrate) == sorted(
        f"e7!{dst}={rank}" for dst in ("c7", "e5", "e9", "f7") for rank in GUESSES
    )
    assert len(GUESSES) == 13


def test_the_guesses_are_the_ranks_of_the_rule_set():
    assert [rank.id for rank in find_game(RULES).describe("red").ranks] == GUESSES


def test_the_infiltrator_replaces_one_scout():
    plain, army = (find_game(rules).describe("red").army for rules in ("original", RULES))
    assert {rank: count for rank, count in army.items() if count != plain.get(rank)} == {"scout": 7, "infiltrator": 1}
    assert sum(army.values()) == 40


def guessed(dst, rank, *, right):
    text = f"guessed red e7 {dst} {rank} {right} / blue< revealed red e7 infiltrator"
    return text + (f" / red< revealed blue {dst} {rank} / removed blue {dst}" if right else "")


@pytest.mark.parametrize(("dst", "rank"), [("c7", "bomb"), ("e5", "marshal"), ("e9", "scout"), ("f7", "captain")])
def test_a_right_guess_removes_the_piece_and_the_infiltrator_stays(dst, rank):
    play = start(DEEP, RULES)
    assert news(act_on(play, f"e7!{dst}={rank}")) == guessed(dst, rank, right=True)
    left = pieces_of(drawn(play))
    assert dst not in left
    assert left["e7"] == ("red", "infiltrator")
    assert [play.position.rank_id(piece) for piece in play.position.captured] == [rank]
    assert (play.to_act, play.phase, play.plies, play.quiet_plies) == (("blue",), "turn", 1, 0)


@pytest.mark.parametrize("rank", [rank for rank in GUESSES if rank != "captain"])
def test_a_wrong_guess_shows_the_infiltrator_and_nothing_else(rank):
    play = start(DEEP, RULES)
    assert news(act_on(play, f"e7!f7={rank}")) == guessed("f7", rank, right=False)
    assert drawn(play) == tidy(DEEP)
    assert play.position.captured == []
    assert (play.to_act, play.plies, play.quiet_plies, play.outcome) == (("blue",), 1, 0, None)


def test_a_guess_may_name_an_infiltrator():
    play = start(DEEP.replace("b6", "bI"), RULES)
    assert news(act_on(play, "e7!f7=infiltrator")) == guessed("f7", "infiltrator", right=True)


def test_guessing_the_flag_wins():
    play = start(DEEP.replace("b6", "bF"), RULES)
    assert news(act_on(play, "e7!f7=flag")) == guessed("f7", "flag", right=True)
    assert ended(play) == "red flag_taken"
    assert write_reason(play.outcome.reason) == "red took the flag on f7"
    assert (play.plies, play.to_act) == (1, ())


def test_a_wrong_guess_of_the_flag_does_not_win():
    play = start(DEEP, RULES)
    act_on(play, "e7!f7=flag")
    assert play.outcome is None


@pytest.mark.parametrize(("row", "deep"), [(5, False), (6, False), (7, True), (8, True), (9, True), (10, True)])
def test_red_infiltrates_from_rows_7_to_10(row, deep):
    assert infiltrates("r", "b", row) == deep


@pytest.mark.parametrize(("row", "deep"), [(6, False), (5, False), (4, True), (3, True), (2, True), (1, True)])
def test_blue_infiltrates_from_rows_4_to_1(row, deep):
    assert infiltrates("b", "r", row) == deep


def infiltrates(seat, foe, row):
    """Return True if an infiltrator on the f file of a row may infiltrate the piece next to it, on the e file."""
    lakes = {5: "~~", 6: "~~"}
    cells = {other: "~~" if other in lakes else ".." for other in range(1, 11)}
    lines = [
        f"{other} .. .. {cells[other]} {cells[other]} {foe + '5' if other == row else '..'} "
        f"{seat + 'I' if other == row else '..'} {cells[other]} {cells[other]} .. {seat + '5' if other == 3 else '..'}"
        for other in range(10, 0, -1)
    ]
    play = start("\n".join(lines), RULES, first={"r": "red", "b": "blue"}[seat])
    if not listed(play, Infiltrate):
        assert refusal(play, f"f{row}!e{row}=spy") == "power"
        return False
    return True


@pytest.mark.parametrize(
    "act",
    [
        "e7!g7=spy",  # a piece between
        "e7!e10=spy",  # three away
        "e7!f8=miner",  # not in a line
        "e7!d7=spy",  # nothing there
        "e7!e7=infiltrator",
        "e7!c7=marksman",  # not a rank of this game
        "e7!c7=admiral",
        "e7!c7=",
        "e7!z9=spy",
        "j1!j2=spy",
        "a1!e7=flag",
        "e9!e7=infiltrator",  # an enemy piece
        "d7!c7=bomb",  # nothing here
    ],
)
def test_other_aims_and_guesses_are_refused(act):
    assert refusal(start(DEEP, RULES), act) == "power"


def test_an_own_piece_in_between_is_in_the_way():
    play = start(DEEP.replace("bB .. rI", "bB r3 rI"), RULES)
    assert refusal(play, "e7!c7=bomb") == "power"


def test_it_does_not_reach_across_a_lake():
    play = start(
        """
        10 bF .. .. .. .. .. .. .. .. b5
         7 .. .. rI .. .. .. .. .. .. ..
         6 .. b4 ~~ ~~ .. .. ~~ ~~ .. ..
         5 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
         1 rF .. .. .. .. .. .. .. .. r5
        """,
        RULES,
    )
    assert listed(play, Infiltrate) == []
    assert refusal(play, "c7!b6=sergeant") == "power"
    assert refusal(play, "c7!c5=sergeant") == "power"


@pytest.mark.parametrize("piece", ["M", "9", "8", "7", "6", "5", "4", "3", "2", "1", "B", "F"])
def test_no_other_piece_infiltrates(piece):
    play = start(DEEP.replace("rI", f"r{piece}"), RULES)
    assert listed(play, Infiltrate) == []
    assert refusal(play, "e7!f7=captain") == "power"


@pytest.mark.parametrize("rules", ["original", "us", "clone-wars", "clone-wars-powers", "barrage"])
def test_other_rule_sets_have_no_infiltration(rules):
    assert refusal(start(DEEP.replace("rI", "r1"), rules), "e7!f7=captain") == "turn"


@pytest.mark.parametrize("rank", ["captain", "spy"])
def test_a_guess_is_an_attack_for_the_draw_limit(rank):
    play = start(DEEP, RULES, no_attack_plies=3)
    act_on(play, f"j1-j2 j10-j9 e7!f7={rank}")
    assert (play.outcome, play.quiet_plies) == (None, 0)


# --- plain fights ---------------------------------------------------------------------------------

FIGHT = """
    10 bF .. .. .. .. .. .. .. .. b5
     4 .. .. .. .. {defender} .. .. .. .. ..
     3 .. .. .. .. {attacker} .. .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. r5
"""


@pytest.mark.parametrize("other", ["M", "9", "8", "7", "6", "5", "4", "3", "2", "1", "B"])
def test_it_loses_to_every_defender(other):
    play = start(FIGHT.format(defender=f"b{other}", attacker="rI"), RULES)
    facts = news(act_on(play, "e3xe4"))
    assert "blue< revealed red e3 infiltrator / red< revealed blue e4 " in facts
    assert facts.endswith("/ removed red e3")
    assert len(play.position.captured) == 1


@pytest.mark.parametrize("other", ["M", "9", "8", "7", "6", "5", "4", "3", "2", "1"])
def test_it_loses_to_every_attacker(other):
    play = start(FIGHT.format(defender="bI", attacker=f"r{other}"), RULES)
    assert news(act_on(play, "e3xe4")).endswith("/ removed blue e4 / moved red e3 e4")


def test_two_infiltrators_leave_both():
    play = start(FIGHT.format(defender="bI", attacker="rI"), RULES)
    assert news(act_on(play, "e3xe4")).endswith("/ removed red e3 / removed blue e4")


def test_it_takes_the_flag_by_a_plain_move():
    play = start(FIGHT.format(defender="bF", attacker="rI").replace("bF ..", ".. ..", 1), RULES)
    act_on(play, "e3xe4")
    assert ended(play) == "red flag_taken"


def test_it_moves_one_square():
    play = start(FIGHT.format(defender="..", attacker="rI"), RULES)
    assert refusal(play, "e3-e5") == "movement"
    act_on(play, "e3-e4")


# --- endings --------------------------------------------------------------------------------------


def test_a_player_that_can_infiltrate_but_cannot_move_has_lost():
    """A piece that can infiltrate can also move, unless the two-squares rule refuses it."""
    board = """
        10 .. .. .. .. .. .. .. .. b5 bF
         8 .. .. rB .. .. .. .. .. .. ..
         7 bB rI .. rB .. .. .. .. .. ..
         6 .. .. ~~ ~~ .. .. ~~ ~~ .. ..
         1 rF .. .. .. .. .. .. .. .. ..
    """
    play = start(board, RULES, two_squares=1)
    act_on(play, "b7-c7 i10-i9")
    assert ended(play) == "blue no_moves"
    play = start(board, RULES, two_squares=2)
    act_on(play, "b7-c7 i10-i9")
    assert "c7!a7=bomb" in listed(play, Infiltrate)
    assert listed(play, Move) == ["c7-b7"]


def test_the_last_piece_that_could_move():
    board = """
        10 bF .. .. .. .. .. .. .. .. ..
         7 .. .. bB .. rI b6 .. .. .. ..
         1 rF .. .. .. .. .. .. .. .. ..
    """
    play = start(board, RULES)
    act_on(play, "e7!f7=captain")
    assert ended(play) == "red no_pieces"
