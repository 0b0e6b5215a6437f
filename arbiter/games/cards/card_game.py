"""The card game of 23 cards a side (CARD)."""

from typing import Final

from arbiter.games.cards.attack import ATTACK
from arbiter.games.cards.looks import PEEK_HAND, PEEK_LINE
from arbiter.games.cards.refill import FILL
from arbiter.games.cards.regroup import REGROUP
from arbiter.games.cards.ruleset import CardRuleset
from arbiter.games.cards.setup import SET_UP
from arbiter.games.ranks import (
    BOMB,
    CAPTAIN,
    COLONEL,
    FLAG,
    GENERAL,
    LIEUTENANT,
    MAJOR,
    MARSHAL,
    MINER,
    SERGEANT,
    SPY,
    Rank,
    Trait,
)

# Here the scout does not run, it looks.
LOOKING_SCOUT: Final = Rank("scout", 2, Trait.SEER)

CARD_GAME: Final = CardRuleset(
    name="card-game",
    title="Stratego Card Game",
    source="Stratego, Das Kartenspiel (German rules)",
    army={
        "marshal": 1,
        "general": 1,
        "colonel": 1,
        "major": 1,
        "captain": 2,
        "lieutenant": 2,
        "sergeant": 2,
        "miner": 4,
        "scout": 4,
        "spy": 1,
        "bomb": 3,
        "flag": 1,
    },
    ranks=(MARSHAL, GENERAL, COLONEL, MAJOR, CAPTAIN, LIEUTENANT, SERGEANT, MINER, LOOKING_SCOUT, SPY, BOMB, FLAG),
    acts=(SET_UP, ATTACK, FILL),
    powers=(PEEK_HAND, PEEK_LINE, REGROUP),
    rulings=(
        "The book says 23 cards a side and not which: the army is inferred from the publisher's later list of 24.",
        "A refill is asked whenever a gap can be filled, even where there is only one way.",
        "Looking at an empty hand is allowed, and at one card of a line that has no more.",
        "The gaps of the one who was attacked stay open until the end of his own turn.",
        "A player without an attacker in his line loses at his turn, after drawing; also with an empty line.",
        "Who regroups with fewer than eight cards is dealt all of them, and lays as many as there are, up to five.",
    ),
)
