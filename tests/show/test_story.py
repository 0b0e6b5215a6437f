"""The description of an act for each viewer."""

import pytest

from arbiter.show.replay.frame import describe_facts
from protocol.messages import BoardView, ViewPiece
from protocol.words import Attacked, DrawOffered, Guessed, Looked, Moved, Placed, Removed, Revealed, Struck

NOTHING = {"red": {}, "blue": {}}


def view(**pieces):
    """Make a view: square = 'red miner', 'blue ?'."""
    words = {place: text.split() for place, text in pieces.items()}
    found = [ViewPiece(place, seat, None if rank == "?" else rank) for place, (seat, rank) in words.items()]
    return BoardView(found, NOTHING)


OPEN = view(e6="red miner", e7="blue bomb")
OF_BLUE = view(e6="red ?", e7="blue bomb")
ATTACKED = Attacked("red", "e6", "e7")
TAKEN = [ATTACKED, Removed("blue", "e7"), Moved("red", "e6", "e7")]


BOTH = [ATTACKED, Removed("red", "e6"), Removed("blue", "e7")]
STRUCK = Struck("red", "e6", "e7")
LOOKED = [Looked("red", "e6", "e7"), Revealed("blue", "e7", "bomb")]
WRONG = [Guessed("red", "e6", "e7", "flag", right=False), Revealed("red", "e6", "infiltrator")]
RIGHT = [Guessed("red", "e6", "e7", "bomb", right=True), Removed("blue", "e7")]
SPY = view(e6="red infiltrator", e7="blue ?")


@pytest.mark.parametrize(
    ("viewer", "before", "facts", "sentence"),
    [
        ("arbiter", OPEN, TAKEN, "red's miner takes blue's bomb on e7"),
        ("red", OPEN, TAKEN, "your miner takes blue's bomb on e7"),
        ("blue", OF_BLUE, [TAKEN[0], Revealed("red", "e6", "miner"), *TAKEN[1:]], "red's miner takes your bomb on e7"),
        ("blue", OF_BLUE, TAKEN, "red's unknown piece takes your bomb on e7"),
        ("arbiter", OPEN, [ATTACKED, Removed("red", "e6")], "red's miner falls to blue's bomb on e7"),
        ("arbiter", OPEN, BOTH, "red's miner and blue's bomb both fall on e7"),
        ("arbiter", OPEN, [ATTACKED], "red's miner attacks blue's bomb on e7, and both stay"),
        ("red", OPEN, [STRUCK, Removed("blue", "e7")], "your miner on e6 strikes blue's bomb on e7, which falls"),
        ("red", OPEN, [STRUCK], "your miner on e6 strikes blue's bomb on e7, which stays"),
        ("red", view(e6="red general", e7="blue ?"), LOOKED, "your general on e6 looks at blue's bomb on e7"),
        ("blue", OF_BLUE, WRONG, "red's infiltrator on e6 names your piece on e7 a flag, wrongly"),
        ("red", SPY, RIGHT, "your infiltrator on e6 names blue's piece on e7 a bomb, rightly, and it falls"),
        ("red", OPEN, [DrawOffered("red")], "you offer a draw"),
        ("arbiter", OPEN, [DrawOffered("red")], "red offers a draw"),
    ],
)
def test_an_act_in_words(viewer, before, facts, sentence):
    assert describe_facts(facts, before, before, viewer) == (sentence,)


def test_a_rescued_piece_is_named_to_whom_it_is_known():
    facts = [Placed("red", "a1")]
    assert describe_facts(facts, view(), view(a1="red major"), "red") == ("your major comes back on a1",)
    assert describe_facts(facts, view(), view(a1="red ?"), "blue") == ("red's unknown piece comes back on a1",)


def test_a_plain_move_needs_no_words():
    assert describe_facts([Moved("red", "e6", "e5")], OPEN, OPEN, "red") == ()
