"""The German edition of March 2000: five crossings, no more-squares rule, moving a bomb is only illegal."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.rulesets.original import ISF, ORIGINAL

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
