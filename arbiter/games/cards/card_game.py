"""The card game of 23 cards a side (CARD)."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.cards.actions import ATTACK, DEPLOY, FILL, PEEK_HAND, PEEK_LINE, REGROUP
from arbiter.games.cards.ruleset import CardRules
from arbiter.games.ranks import CLASSIC, SCOUT, Trait

# The scout of the card game does not run, it looks.
LOOKING_SCOUT: Final = replace(SCOUT, traits=frozenset({Trait.SEER}))

CARD_GAME: Final = CardRules(
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
    ranks=tuple(LOOKING_SCOUT if rank is SCOUT else rank for rank in CLASSIC),
    basic_actions=(DEPLOY, ATTACK, FILL),
    powers=(PEEK_HAND, PEEK_LINE, REGROUP),
    rulings=(
        "The book says 23 cards a side but not which: the army is inferred from the publisher's later list of 24.",
        "The player is asked for a refill whenever a gap can be filled, even if there is only one way.",
        "A spy may look at an empty hand, and a scout at one card if the line has only one.",
        "The gaps of the player that was attacked stay open until the end of its own turn.",
        "A player without an attacker in its line loses on its turn, after drawing; also with an empty line.",
        (
            "A player that regroups with fewer than eight cards is dealt all of them, and lays five or as many "
            "as there are."
        ),
    ),
)
