"""The facts of moves and fights for each player, in the order of the protocol."""

from itertools import chain

import msgspec
import pytest
from drawing import play_on, start

from arbiter.games.base import visible_to
from protocol.words import SEATS

BOARD = """
    10 .. .. .. .. .. .. .. .. .. b5
     7 bF .. .. .. .. .. .. .. .. ..
     5 b4 b6 ~~ ~~ bB .. ~~ ~~ bM b1
     4 r6 r6 .. .. r3 r2 .. .. r1 rM
     3 r2 .. .. .. .. .. .. .. .. ..
"""
# The last move; then the facts for both players, with the ranks for one seat in their place.
CASES = {
    "a step": ("b4-c4", "moved red b4 c4"),
    "a long move": ("f4-f9", "moved red f4 f9"),
    "the attacker wins": ("a4xa5", "attacked red a4 a5 / blue: revealed red a4 captain / red: revealed blue a5 sergeant / removed blue a5 / moved red a4 a5"),
    "the defender wins": ("a3-b3 a5-a6 b4-c4 b5-b4 b3xb4", "attacked red b3 b4 / blue: revealed red b3 scout / red: revealed blue b4 captain / removed red b3"),
    "both leave": ("b4xb5", "attacked red b4 b5 / blue: revealed red b4 captain / red: revealed blue b5 captain / removed red b4 / removed blue b5"),
    "a miner removes a bomb": ("e4xe5", "attacked red e4 e5 / blue: revealed red e4 miner / red: revealed blue e5 bomb / removed blue e5 / moved red e4 e5"),
    "an attacker is lost to a bomb": ("f4-f5 j10-j9 f5xe5", "attacked red f5 e5 / blue: revealed red f5 scout / red: revealed blue e5 bomb / removed red f5"),
    "the spy beats the marshal": ("i4xi5", "attacked red i4 i5 / blue: revealed red i4 spy / red: revealed blue i5 marshal / removed blue i5 / moved red i4 i5"),
    "the flag is taken": (
        "a4xa5 j10-j9 a5-a6 j9-j8 a6xa7",
        "attacked red a6 a7 / blue: revealed red a6 captain / red: revealed blue a7 flag / removed blue a7 / moved red a6 a7",
    ),
    "blue attacks": ("f4-f5 i5xi4", "attacked blue i5 i4 / red: revealed blue i5 marshal / blue: revealed red i4 spy / removed red i4 / moved blue i5 i4"),
}  # fmt: skip


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize(("moves", "news"), CASES.values(), ids=CASES)
def test_the_facts_for_each_seat(moves, news, seat):
    facts = play_on(start(BOARD), moves)[-1]
    lines = [line.split(": ") for line in news.split(" / ")]
    assert [words(fact) for fact in visible_to(seat, facts)] == [
        words_of for *only, words_of in lines if not only or only == [seat]
    ]


def words(fact):
    """Write the values of a fact in the order of the protocol."""
    return " ".join(msgspec.to_builtins(fact).values())


@pytest.mark.parametrize("seat", SEATS)
def test_own_pieces_are_never_revealed_to_their_player(seat):
    facts = play_on(start(BOARD), "a4xa5 j10-j9 b4xb5 j9-j8 i4xi5 j8-j7 e4xe5 j5xj4")
    for fact in visible_to(seat, [*chain.from_iterable(facts)]):
        assert (type(fact).__name__, fact.seat) != ("Revealed", seat)


def test_before_the_first_action_each_seat_gets_only_its_own_ranks():
    play = start(BOARD)
    for seat in SEATS:
        shown = [fact for fact in visible_to(seat, play.opening) if fact.__struct_config__.tag == "revealed"]
        assert {fact.seat for fact in shown} == {seat}
        assert len(shown) == sum(standing.seat == seat for standing in play.position.placed_pieces())
