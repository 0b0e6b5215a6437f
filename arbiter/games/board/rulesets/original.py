"""The classic game of 40 pieces a side: J2011 (its German text first), read with the ISF's rules."""

from typing import Final

from arbiter.games.board.ruleset import Ruleset
from arbiter.games.ranks import CLASSIC

ORIGINAL: Final = Ruleset(
    name="original",
    title="Stratego Original",
    source="2011 booklet (German text first), with the game rules of the International Stratego Federation",
    army={
        "marshal": 1,
        "general": 1,
        "colonel": 2,
        "major": 3,
        "captain": 4,
        "lieutenant": 4,
        "sergeant": 4,
        "miner": 5,
        "scout": 8,
        "spy": 1,
        "bomb": 6,
        "flag": 1,
    },
    ranks=CLASSIC,
)
