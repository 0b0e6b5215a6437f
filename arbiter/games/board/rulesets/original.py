"""The classic game of 40 pieces a side: J2011 (its German text first), with the rules of the ISF; and as of 2000."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.ruleset import BoardRules
from arbiter.games.ranks import CLASSIC

ORIGINAL: Final = BoardRules(
    name="original",
    title="Stratego Original",
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

ORIGINAL_2000: Final = replace(
    ORIGINAL,
    name="original-2000",
    title="Original Stratego (2000)",
    two_squares=5,
    more_squares="off",
    immovable_loses=False,
    rulings=("original_2000",),
)
"""The German edition of March 2000: five crossings, no more-squares rule, moving a bomb is only illegal."""
