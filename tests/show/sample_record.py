"""Records of games played from a drawing."""

from drawing import letters_of, moves_of

from arbiter.record import ActEntry, GameHeader, GameResult, PlayerName, Record
from protocol.words import OPPONENT

FEW = """
    10 .. .. .. .. .. .. .. .. .. bF
     7 .. bB b1 .. bM .. .. .. .. ..
     6 .. r3 ~~ ~~ r2 .. ~~ ~~ .. ..
     4 r9 .. .. rM .. .. .. .. .. ..
     1 rF .. .. .. .. .. .. .. .. ..
"""
SEATS = {"red": PlayerName("hunter"), "blue": PlayerName("mine")}


def acts_of(text, seat="red", **first):
    """Make moves by turns; what is given by name stands on the first act."""
    acts = []
    for move, _ in moves_of(text):
        acts.append(ActEntry(seat=seat, action=move, **({} if acts else first)))
        seat = OPPONENT[seat]
    return tuple(acts)


def record(text, *, drawing=FEW, result=None, **first):
    """Make the record of moves from a drawing."""
    header = GameHeader(rules="original", position=letters_of(drawing), seats=SEATS, id="r1-hunter-mine")
    return Record(header, acts_of(text, **first), result and GameResult(**result))
