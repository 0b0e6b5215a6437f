"""Records of games played from a drawing."""

import msgspec
from drawing import letters_of, moves_of
from msgspec.structs import replace

from arbiter.clock import TimeSettings
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
    return Record(header, acts_of(text, **first), result and msgspec.convert(result, GameResult))


def watched_game():
    """Make the record of six plies, two of them attacks, with clocks, notes and evaluations of red."""
    found = record("b6xb7 c7xb7 a4-a5 e7-d7 a5-a6 d7-e7", ms=12.5, note="a bomb?")
    acts = tuple(
        replace(act, ms=act.ms or 1000.0, eval=float(number) if act.seat == "red" else None)
        for number, act in enumerate(found.acts)
    )
    return Record(replace(found.header, time=TimeSettings(bank_s=60, increment_s=0)), acts, None)
