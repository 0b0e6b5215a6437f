"""The classic game of 40 pieces a side: J2011 (its German text first), with the rules of the ISF."""

from typing import Final

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
        "Two squares counts moves, not round trips; captures count and are refused too; moving another piece ends the series.",
        "A scout crosses every border on its way; its move is refused if one of them was crossed too often.",
        "In a chase every turn threatens a piece and every answer evades, whatever the pieces and ranks.",
        "A chasing move to an empty square may not bring back a position of the chase, unless it goes straight back.",
        "The books and the ISF count earlier positions too; recorded games do not: see more_squares in a tournament file.",
        "In a position each piece counts, not its rank: legality never depends on hidden ranks.",
        "A side with no movable piece left loses at once; a player with no legal move loses on its turn.",
        "The draw limits are the arbiter's own; no book contains them.",
    ),
)
