"""Suspensions: forfeits in a row, and what ends a row."""

import pytest
from msgspec.structs import replace
from tournament.stored_games import games

from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.stored_game import Ruling
from arbiter.tournament.standings.suspensions import Suspensions
from protocol.reasons import Stated

FORFEIT = "a b timeout red"


def play(*lines, starts=None):
    """Make games of a and b from lines; by default each starts a second after the one before."""
    made = games("\n".join(lines))
    starts = starts or range(len(made))
    return [replace(game, started=f"2026-01-01T00:00:{at:02}+00:00") for game, at in zip(made, starts, strict=True)]


@pytest.mark.parametrize(
    ("lines", "most", "suspended"),
    [
        ([FORFEIT] * 2, 3, False),
        ([FORFEIT] * 3, 3, True),
        ([FORFEIT] * 3, 0, False),
        ([FORFEIT, FORFEIT, "a b 1-0", FORFEIT], 3, False),
        ([FORFEIT, "a b 1-0", FORFEIT, "b a crash blue", FORFEIT], 3, True),
        ([FORFEIT, FORFEIT, *["a b walkover red"] * 6], 3, False),
        ([FORFEIT, FORFEIT, *["a b walkover red"] * 6, FORFEIT], 3, True),
        ([FORFEIT, FORFEIT, "a b annulled -", FORFEIT], 3, True),
        ([FORFEIT, FORFEIT, "a b ruling red", FORFEIT], 3, False),
    ],
)
def test_forfeits_in_a_row(lines, most, suspended):
    suspensions = Suspensions(most, History(tuple(play(*lines))))
    assert suspensions.is_suspended("b") is suspended
    assert not suspensions.is_suspended("a")


def rule(number, kind, after, **about):
    """Make a ruling that was made after a number of stored games."""
    return Ruling(number=number, at="", by="ann", reason=Stated("test"), kind=kind, games=after, **about)


def reinstate(number, after):
    return rule(number, "reinstate", after, bot="b")


def undo(number, after, **about):
    return rule(number, "undo", after, undoes=number - 1, **about)


def annul(number, after, game):
    return rule(number, "annul", after, game=game.id, result="annulled")


def is_suspended(games, *rulings, most=2):
    return Suspensions(most, History(tuple(games), rulings)).is_suspended("b")


def test_games_count_in_the_order_in_which_they_were_stored():
    stored = play(FORFEIT, FORFEIT, "a b 1-0", starts=(1, 2, 0))
    assert is_suspended(stored)
    assert not is_suspended([stored[2], stored[0]])


def test_a_suspension_lasts_until_the_bot_is_reinstated():
    stored = play(FORFEIT, FORFEIT, "a b 1-0", FORFEIT)
    assert is_suspended(stored)
    assert not is_suspended(stored, reinstate(1, 3))
    assert is_suspended(stored[:2], reinstate(1, 2), undo(2, 2, bot="b"))


def test_games_before_a_reinstatement_do_not_count():
    stored = play(*[FORFEIT] * 4)
    assert is_suspended(stored, reinstate(1, 2))
    assert not is_suspended(stored, reinstate(1, 2), most=3)
    assert not is_suspended(stored[:3], reinstate(1, 2))


def test_a_ruling_on_a_game_changes_no_suspension():
    stored = play(FORFEIT, FORFEIT, "a b walkover red", "a b walkover red")
    for result in ("none", "draw", "red", "blue"):
        for game in stored:
            assert is_suspended(stored, rule(1, "result", 4, game=game.id, result=result))
    assert is_suspended(stored, annul(1, 4, stored[0]))


def test_games_that_are_annulled_before_a_suspension_do_not_count():
    stored = play(*[FORFEIT] * 3)
    assert is_suspended(stored, most=3)
    assert not is_suspended(stored, annul(1, 2, stored[0]), most=3)
    assert is_suspended(stored, annul(1, 2, stored[0]), undo(2, 2, game=stored[0].id), most=3)


def test_a_game_that_is_counted_already_is_not_counted_again():
    (forfeit,) = play(FORFEIT)
    suspensions = Suspensions(2, History((forfeit,)))
    suspensions.add(forfeit)
    assert not suspensions.is_suspended("b")
