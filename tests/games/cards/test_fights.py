"""Every fight of two cards, as in the book."""

from itertools import product

import pytest
from games.cards.card_text import CARDS, act_on, drawn, table, tidy

# attacker against defender: A the attacker stays, D the defender, = neither, ! the flag falls
FIGHTS = """
      M 9 8 7 6 5 4 3 2 S B F
    M = A A A A A A A A A D !
    9 D = A A A A A A A A D !
    8 D D = A A A A A A A D !
    7 D D D = A A A A A A D !
    6 D D D D = A A A A A D !
    5 D D D D D = A A A A D !
    4 D D D D D D = A A A D !
    3 D D D D D D D = A A A !
    2 D D D D D D D D = A D !
    S A D D D D D D D D = D !
"""
ROWS = [row.split() for row in FIGHTS.strip().splitlines()]
CASES = [(row[0], defender, verdict) for row in ROWS[1:] for defender, verdict in zip(ROWS[0], row[1:], strict=True)]


@pytest.mark.parametrize(("attacker", "defender", "verdict"), CASES)
def test_a_fight(attacker, defender, verdict):
    play = table(f"red line {attacker} 4\nblue line {defender} 4")
    act_on(play, "0x0")
    red = "." if verdict in "D=" else attacker
    blue = "." if verdict in "A=!" else defender
    assert drawn(play) == tidy(f"red line {red} 4\nblue line {blue} 4"), "the winner stays in its own slot"
    assert (play.outcome is not None and play.outcome.ending == "flag_taken") == (verdict == "!")


def test_the_table_contains_every_fight():
    movable = [sign for sign in CARDS if sign not in "BF"]
    assert [(attacker, defender) for attacker, defender, _ in CASES] == list(product(movable, CARDS))
