"""The rules of the United States, with three options of tournaments and the army as printed."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.options import aggressor_advantage, printed_army, rescue, silent_defence
from arbiter.games.board.rulesets.original import ORIGINAL

US: Final = replace(
    ORIGINAL,
    name="us",
    title="Stratego (US)",
    source="US rules with three optional tournament rules",
    two_squares=2,
    more_squares="off",
    immovable_loses=False,
    offers={
        "printed-army": printed_army,
        "aggressor-advantage": aggressor_advantage,
        "silent-defence": silent_defence,
        "rescue": rescue,
    },
    rulings=(
        *ORIGINAL.rulings[:2],
        *ORIGINAL.rulings[5:],
        "The book prints an army of 39 pieces (option printed-army); the 40 of the classic game are played.",
        "Silent defence: neither presence nor order of what is told names a defender, unless a scout attacks.",
        "Rescue: of several captives of one rank the one that the opponent never knew comes back first.",
        "Rescue: both repetition rules begin afresh; a rescued piece moves from the next turn and may rescue later.",
    ),
)
