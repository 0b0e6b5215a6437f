"""Typed lines select exactly the actions that they describe."""

import pytest

from arbiter.show.person.turn import find_actions
from protocol.words import Attack, Fill, Infiltrate, Look, Move, PeekHand, PeekLine, Rescue, Stop

STEP, LOOK, OTHER = Move("a4", "a5"), Look("a4", "a5"), Move("b4", "b10")
SPY, SCOUT = Infiltrate("a4", "a7", "spy"), Infiltrate("a4", "a7", "scout")
RESCUE, STOP = Rescue("scout", "b2"), Stop()
PEEK, HAND, ATTACK = PeekLine("line:1", ["line:0", "line:2"]), PeekHand("line:1"), Attack("line:0", "line:1")
FILL = Fill({"line:0": "hand:2"})
LEGAL = [STEP, LOOK, OTHER, SPY, SCOUT, RESCUE, STOP, PEEK, HAND, ATTACK, FILL]

MEANT = {
    "a4 a5": [STEP],
    "a4-a5": [STEP],
    "A4A5": [STEP],
    " a4,a5 ": [STEP],
    "b4b10": [OTHER],
    "b4": [OTHER],
    "a4": [STEP, LOOK, SPY, SCOUT],
    "a4 a7": [SPY, SCOUT],
    "infil spy": [SPY],
    "a4 look a5": [LOOK],
    "a4 looks at a5": [],
    "rescue scout": [RESCUE],
    "stop": [STOP],
    "look hand": [HAND],
    "look 0 2": [PEEK],
    "0x1": [ATTACK],
    "0\N{MULTIPLICATION SIGN}1": [ATTACK],
    "line:0 line:1": [ATTACK],
    "fill": [FILL],
    "a5 a4": [],
    "b1": [],
    "s": [],
    "": [],
    "🙂": [],
}


@pytest.mark.parametrize(("text", "meant"), MEANT.items())
def test_typed_actions(text, meant):
    assert find_actions(text, LEGAL) == meant
