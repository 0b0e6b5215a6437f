"""The classic game of 40 pieces a side: J2011 (its German text first), with the rules of the ISF; and as of 2000."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.ruleset import BoardRules
from arbiter.games.ranks import CLASSIC

ISF: Final = "for repetition: game rules of the International Stratego Federation"

ORIGINAL: Final = BoardRules(
    name="original",
    title="Stratego Original",
    source=f"2011 booklet (German text first); {ISF}",
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
    rulings=(
        "Two squares: each move counts, there and back are two moves; captures count and are refused too.",
        "A scout crosses every border on its way; its move is refused if one of them was crossed too often.",
        "A chase may change pieces: any of your pieces may threaten, and any threatened piece may move away.",
        (
            "The books and the ISF count positions from before the chase too; recorded games do not. A tournament "
            "file can change this with more_squares."
        ),
        "No rule on repetition looks at ranks, so that no refused move reveals a hidden rank.",
        "A side with no movable piece left loses at once; a player with no legal move loses on its turn.",
        "The draw limits are the arbiter's own; no book contains them.",
    ),
)

ORIGINAL_2000: Final = replace(
    ORIGINAL,
    name="original-2000",
    title="Original Stratego (2000)",
    source=f"German rules of Original Stratego, 03/2000; {ISF}",
    two_squares=5,
    more_squares="off",
    immovable_loses=False,
    rulings=(
        "The book allows five moves between two squares; the sixth is refused. It has no rule against chases.",
        *ORIGINAL.rulings[:2],
        *ORIGINAL.rulings[5:],
    ),
)
"""The German edition of March 2000: five crossings, no more-squares rule, moving a bomb is only illegal."""
