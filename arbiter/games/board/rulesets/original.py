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
    rulings=(
        "Two squares counts moves, not round trips; captures count and are refused too; another piece breaks the series.",
        "A scout crosses every border on its way; it is refused where one border was crossed too often.",
        "A chase threatens with every turn and is evaded every time, whatever the ranks, by whichever pieces.",
        "A chasing move to an empty square may not bring back a position of the chase; straight back it may go.",
        "A position is which piece stands where, not which rank: legality never depends on what is hidden.",
        "Having no movable piece left loses at once; having no legal move loses on one's own turn.",
        "The draw limits are the arbiter's own and stand in no book.",
    ),
)
