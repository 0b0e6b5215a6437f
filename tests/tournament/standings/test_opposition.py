"""Tie-breaks with unplayed rounds by FIDE Handbook C.07, article 16: examples worked out by hand."""

import pytest
from tournament.standings.test_tie_breaks import read_rounds
from tournament.stored_games import game

from arbiter.tournament.fixture import RoundBye
from arbiter.tournament.schedule.swiss import SWISS
from arbiter.tournament.standings.crosstable import build_crosstable
from arbiter.tournament.standings.table import rank_bots
from arbiter.tournament.standings.tie_breaks import TIE_BREAKS


def compute(name, bots, games, byes, total_rounds=3):
    return TIE_BREAKS[name](build_crosstable(bots, games, byes, total_rounds), bots, 0)


def make_bye(number, bot, score=1.0, *, requested=False):
    """Make the bye of a round of one game, worth so much of a win."""
    return RoundBye(number, bot, points=6 * score, games=1, share=0.5 if requested else 1.0, requested=requested)


# b leaves before round 2, in which c wins by walkover; e and d have the byes.
# Scores: a 2½, b 0, c ½ + 1 + ½ = 2, d ½ + 1 + 1 = 2½, e 1.
# For its opponents b has ½: it is not paired in round 3, which is a requested bye at the end (16.3.2).
# Draws in all three rounds are worth 1½, so the bye of d counts 1½ (16.4.2); that of e counts its own score, 1.
# The walkover of c counts ½, the score of b; that of b counts 0, its own score (16.4.1).
LEFT = [
    *read_rounds("1 a b 1-0\n1 c d 1/2\n2 a e 1-0\n3 a c 1/2\n3 d e 1-0"),
    game("c", "b", "red", "walkover", pair=9, round_=2),
]
LEFT_BYES = [make_bye(1, "e"), make_bye(2, "d")]
NOT_PAIRED = make_bye(3, "b", 0, requested=True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("buchholz", {"a": 0.5 + 1 + 2, "b": 2.5 + 0 + 0, "c": 2.5 + 0.5 + 2.5, "d": 2 + 1.5 + 1, "e": 1 + 2.5 + 2.5}),
        ("buchholz-cut-1", {"a": 1 + 2, "b": 2.5 + 0, "c": 2.5 + 2.5, "d": 2 + 1.5, "e": 2.5 + 2.5}),
        ("buchholz-median", {"a": 1, "b": 0, "c": 2.5, "d": 1.5, "e": 2.5}),
        (
            "sonneborn-berger",
            {"a": 0.5 + 1 + 0.5 * 2, "b": 0, "c": 0.5 * 2.5 + 0.5 + 0.5 * 2.5, "d": 0.5 * 2 + 1.5 + 1, "e": 1},
        ),
        ("wins", {"a": 2, "b": 0, "c": 1, "d": 2, "e": 1}),
        ("won-on-board", {"a": 2, "b": 0, "c": 0, "d": 1, "e": 0}),
    ],
)
def test_a_bot_that_left(name, expected):
    assert compute(name, "abcde", LEFT, [*LEFT_BYES, NOT_PAIRED]) == expected


def test_walkovers_count_as_played_in_other_formats():
    """The opponent of the walkover is b, with 0 or, for its opponents in a Swiss tournament, with ½."""
    for total_rounds, walkover, byes in ((None, 0, LEFT_BYES), (3, 0.5, [*LEFT_BYES, NOT_PAIRED])):
        table = build_crosstable("abcde", LEFT, byes, total_rounds)
        assert [one.value for one in table.opposition.list_contributions("c")] == [2.5, walkover, 2.5]


# a is absent in round 3: as its second absence, without points.
# Scores: a 2, but 2½ for its opponents; b 1½, c 1½, d 1 with its bye.
ABSENT = read_rounds("1 a b 1-0\n1 c d 1-0\n2 a c 1-0\n2 b d 1-0\n3 b c 1/2")


def test_an_absence_at_the_end_is_a_draw_for_the_opponents():
    byes = [make_bye(3, "a", 0, requested=True), make_bye(3, "d")]
    assert compute("buchholz", "abcd", ABSENT, byes) == {
        "a": 1.5 + 1.5 + 1.5,
        "b": 2.5 + 1 + 1.5,
        "c": 1 + 2.5 + 1.5,
        "d": 1.5 + 1.5 + 1,
    }


def test_an_absence_in_the_middle_keeps_its_points():
    byes = [make_bye(2, "a", 0, requested=True)]
    games = read_rounds("1 a b 1-0\n2 b c 1-0\n3 a c 1-0")  # scores: a 2, b 1, c 0
    assert compute("buchholz", "abc", games, byes)["b"] == 2 + 0


def test_a_voluntarily_unplayed_round_is_cut_before_a_lower_one():
    games = read_rounds("1 a b 1-0\n1 c d 1-0\n2 a c 1-0\n2 d b 1-0\n3 c b 1-0")
    byes = [make_bye(3, "a", 0.5, requested=True), make_bye(3, "d")]  # scores: a 2½, b 0, c 2, d 2
    assert compute("buchholz", "abcd", games, byes)["a"] == 0 + 2 + 1.5
    assert compute("buchholz-cut-1", "abcd", games, byes)["a"] == 0 + 2


def test_a_round_of_which_a_game_took_place_is_played():
    half = [*read_rounds("1 a b 1-0\n1 c d 1-0\n2 a c 1-0"), game("a", "c", "red", "walkover", pair=7, round_=2)]
    assert compute("buchholz", "abcd", half, [])["a"] == 0 + 1


def test_a_bye_does_not_lose_ties_in_the_default_order():
    """By wins without byes, f had lost against d, which won as many points."""
    games = read_rounds("1 a d 1-0\n1 b e 1-0\n1 c f 1-0\n2 a c 1-0\n2 d e 1-0")
    table = rank_bots("abcdef", games, ["points", "wins"], byes=[make_bye(2, "f")], total_rounds=2)
    assert {one.bot: one.rank for one in table if one.bot in "cdf"} == {"c": 2, "d": 2, "f": 2}


def test_buchholz_comes_before_wins_in_a_swiss_tournament():
    assert SWISS.tie_breaks.index("buchholz") < SWISS.tie_breaks.index("wins")
