"""The sentences that several books share, in every rule set of the board; SENTENCES.md names the tests of each."""

import pytest
from bot_games import BOARD_GAMES
from drawing import FILES, drawn, facts, legal_texts, play_on, probe, start, tidy
from games.test_fights import cases, rank_of

from arbiter.games.base import IllegalAction
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.fights import decide
from protocol.words import Deploy, Revealed

pytestmark = pytest.mark.parametrize("rules", BOARD_GAMES)


def begin(drawing, rules):
    """Start from a drawing, with a movable piece and a flag of each side in the corners j1, i1, j10 and i10."""
    corners = " 1 .. .. .. .. .. .. .. .. rF r9\n10 .. .. .. .. .. .. .. .. bF b9"
    return start(f"{drawing.strip()}\n{corners}", rules)


def test_a_piece_moves_one_square_but_not_diagonally(rules):
    play = begin(" 3 .. r3 .. .. .. .. .. .. .. ..", rules)
    moves = [text for text in legal_texts(play) if text.startswith("b3")]
    assert moves == ["b3-a3", "b3-b2", "b3-b4", "b3-c3"]
    assert [probe(play, f"b3-{square}") for square in ("c4", "a2", "b5", "d3")] == ["movement"] * 4


def test_no_piece_jumps_or_shares_a_square(rules):
    play = begin(" 3 r3 r3 .. .. b5 .. r2 .. .. ..", rules)
    assert [probe(play, text) for text in ("a3-b3", "a3-c3", "g3-d3", "g3-h5")] == ["movement"] * 4
    assert probe(play, "g3-e3") is None


def test_no_piece_enters_a_lake_or_jumps_over_one(rules):
    play = begin(" 4 .. .. r3 r2 .. .. .. .. .. ..", rules)
    assert [probe(play, text) for text in ("c4-c5", "d4-d5", "d4-d7")] == ["movement"] * 3


def test_a_turn_is_one_move_of_one_piece(rules):
    play = begin(" 3 .. r3 .. r3 .. .. .. .. .. ..", rules)
    play_on(play, "b3-b4")
    assert play.to_act == ("blue",)
    assert play.legal_actions("red") == []
    play_on(play, "j10-j9")
    assert play.to_act == ("red",)


def test_a_scout_moves_any_distance_in_a_straight_line_and_attacks_in_the_same_turn(rules):
    play = begin(" 3 b1 .. .. .. r2 .. .. .. .. ..", rules)
    assert {"e3-d3", "e3-b3", "e3-j3", "e3-e10", "e3-a3"} <= set(legal_texts(play))
    assert probe(play, "e3-f4") == "movement"
    play_on(play, "e3xa3")
    assert drawn(play).splitlines()[1] == tidy(" 3 r2 .. .. .. .. .. .. .. .. ..")


def test_only_scouts_move_several_squares_and_attack(rules):
    """In the Clone Wars with powers also the colonel, which this test leaves out."""
    for piece in "M976543S".replace("S", "1"):
        play = begin(f" 3 b4 .. .. r{piece} .. .. .. .. .. ..", rules)
        assert [probe(play, text) for text in ("d3-b3", "d3-a3")] == ["movement"] * 2


def test_bombs_and_flags_never_move_in_any_rule_set(rules):
    play = begin(" 3 .. rB .. .. .. .. .. .. .. ..", rules)
    assert [probe(play, text) for text in ("b3-b4", "b3-a3", "i1-i2")] == ["immovable"] * 3


def test_a_piece_attacks_only_the_squares_next_to_it(rules):
    """In front, at the side and behind, but not diagonally."""
    play = begin(
        " 4 .. b4 .. .. .. .. .. .. .. ..\n 3 b4 r3 b4 .. .. .. .. .. .. ..\n 2 b4 b4 b4 .. .. .. .. .. .. ..", rules
    )
    attacks = [text for text in legal_texts(play) if text.startswith("b3")]
    assert attacks == ["b3-a3", "b3-b2", "b3-b4", "b3-c3"]
    assert [probe(play, f"b3-{square}") for square in ("a2", "c2")] == ["movement"] * 2


def test_pieces_may_stay_next_to_each_other_without_an_attack(rules):
    play = begin(" 4 .. b4 .. .. .. .. .. .. .. ..\n 3 .. r5 .. .. .. .. .. .. .. ..", rules)
    play_on(play, "j1-j2 j10-j9 j2-j3 j9-j8 j3-j4 j8-j7")
    assert drawn(play).count("b4") == drawn(play).count("r5") == 1
    assert probe(play, "b3xb4") is None


def test_the_classic_ranks_fight_as_in_the_books(rules):
    """The higher number wins, equals leave, with the exceptions of the spy, the miner, the bomb and the flag."""
    fights = find_game(rules).fights
    wanted = {case.values[:2]: case.values[2] for case in cases()}
    assert {(one, other): decide(fights, rank_of(one), rank_of(other)) for one, other in wanted} == wanted


@pytest.mark.parametrize(
    ("attacker", "defender", "after"),
    [
        ("5", "4", "r5 .."),
        ("4", "5", "b5 .."),
        ("5", "5", ".. .."),
        ("1", "M", "r1 .."),
        ("M", "1", "rM .."),
        ("3", "B", "r3 .."),
        ("M", "B", "bB .."),
        ("2", "B", "bB .."),
    ],
)
def test_the_winner_moves_or_stays_and_the_loser_leaves(rules, attacker, defender, after):
    play = begin(f" 3 b{defender} r{attacker} .. .. .. .. .. .. .. ..", rules)
    play_on(play, "b3xa3")
    row = [line for line in drawn(play).splitlines() if line.startswith(" 3")]
    assert row == ([] if after == ".. .." else [f" 3 {after} .. .. .. .. .. .. .. .."])


def test_an_attack_shows_both_ranks_and_then_the_winner_is_hidden_again(rules):
    play = begin(" 3 b4 r5 .. .. .. .. .. .. .. ..", rules)
    (shown,) = play_on(play, "b3xa3")
    revealed = {(one.fact, one.to) for one in shown if isinstance(one.fact, Revealed)}
    assert revealed == {
        (Revealed("red", "b3", "lieutenant"), ("blue",)),
        (Revealed("blue", "a3", "sergeant"), ("red",)),
    }
    later = [fact for moves in play_on(play, "j10-j9 a3-a4") for fact in facts(moves)]
    assert not any(isinstance(fact, Revealed) for fact in later)


@pytest.mark.parametrize("piece", "M9876543" + "21")
def test_any_movable_piece_takes_the_flag_and_wins(rules, piece):
    play = begin(f" 3 .. r{piece} bF .. .. .. .. .. .. ..", rules)
    play_on(play, "b3xc3")
    assert (play.outcome.winner, play.outcome.ending) == ("red", "flag_taken")


def test_a_scout_takes_the_flag_from_afar(rules):
    play = begin(" 3 r2 .. .. .. .. bF .. .. .. ..", rules)
    play_on(play, "a3xf3")
    assert (play.outcome.winner, play.outcome.ending) == ("red", "flag_taken")


def test_a_player_with_only_bombs_and_the_flag_loses(rules):
    play = start(
        "10 .. .. .. .. .. .. .. bB bF b4\n 9 .. .. .. .. .. .. .. .. .. r5\n 1 .. .. .. .. .. .. .. .. rF r9", rules
    )
    play_on(play, "j9xj10")
    assert (play.outcome.winner, play.outcome.ending) == ("red", "no_pieces")


def test_pieces_deploy_on_the_four_back_rows(rules):
    ruleset = find_game(rules)
    names = ruleset.board.names
    rows = {seat: {names[square] for square in ruleset.deployment(seat)} for seat in ("red", "blue")}
    assert rows["red"] == {f"{file}{row}" for file in FILES for row in (1, 2, 3, 4)}
    assert rows["blue"] == {f"{file}{row}" for file in FILES for row in (7, 8, 9, 10)}
    ranks = [rank for rank, count in ruleset.army.items() for _ in range(count)]
    own = dict(zip(sorted(rows["red"]), ranks, strict=False))
    moved = dict(list(own.items())[1:]) | {"a5": ranks[0]}
    with pytest.raises(IllegalAction, match="'a5' is not one of red's deployment squares"):
        ruleset.start(SeededChance(1)).act("red", Deploy(pieces=moved))
    assert ruleset.start(SeededChance(1)).act("red", Deploy(pieces=own)) == ()
