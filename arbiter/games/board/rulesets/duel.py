"""The short games of ten and of eight pieces a side."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.rulesets.original import ORIGINAL

DUEL: Final = replace(
    ORIGINAL,
    name="duel",
    title="Stratego Duel",
    army={"marshal": 1, "general": 1, "miner": 2, "scout": 2, "spy": 1, "bomb": 2, "flag": 1},
)

BARRAGE: Final = replace(
    ORIGINAL,
    name="barrage",
    title="Stratego Barrage",
    army={"marshal": 1, "general": 1, "miner": 1, "scout": 2, "spy": 1, "bomb": 1, "flag": 1},
    immovable_loses=False,
)
"""The quick game of eight pieces a side, as federations and online servers play it."""
