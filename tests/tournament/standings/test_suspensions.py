"""Suspensions: forfeits in a row, and what ends a row."""

import pytest
from msgspec.structs import replace
from tournament.stored_games import games

from arbiter.tournament.standings.stored_game import Suspensions

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
        ([FORFEIT, FORFEIT, "a b void -", FORFEIT], 3, True),
        ([FORFEIT, FORFEIT, "a b ruling red", FORFEIT], 3, False),
    ],
)
def test_forfeits_in_a_row(lines, most, suspended):
    suspensions = Suspensions(most, play(*lines))
    assert suspensions.is_suspended("b") is suspended
    assert not suspensions.is_suspended("a")


def test_stored_games_count_in_the_order_in_which_they_started():
    stored = play("a b 1-0", FORFEIT, FORFEIT, starts=(9, 1, 2))
    assert not Suspensions(2, stored).is_suspended("b")
    assert Suspensions(2, stored[1:]).is_suspended("b")


def test_games_before_a_reinstatement_do_not_count():
    stored = play(*[FORFEIT] * 4)
    first = frozenset(game.id for game in stored[:2])
    assert Suspensions(2, stored, {"b": first}).is_suspended("b")
    assert not Suspensions(3, stored, {"b": first}).is_suspended("b")
    assert Suspensions(3, stored, {"a": first}).is_suspended("b")
