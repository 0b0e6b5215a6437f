"""The classic game with an infiltrator in place of one scout."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.powers.aimed import INFILTRATION
from arbiter.games.board.rulesets.original import ORIGINAL
from arbiter.games.fights import CLASSIC_FIGHTS, flag_falls, infiltrator_falls
from arbiter.games.ranks import CLASSIC
from arbiter.games.ranks import INFILTRATOR as INFILTRATOR_RANK

INFILTRATOR: Final = replace(
    ORIGINAL,
    name="infiltrator",
    title="Stratego Infiltrator",
    army={**ORIGINAL.army, "scout": 7, "infiltrator": 1},
    ranks=(*CLASSIC[:-2], INFILTRATOR_RANK, *CLASSIC[-2:]),
    fights=(flag_falls, infiltrator_falls, *CLASSIC_FIGHTS[1:]),
    powers=(INFILTRATION,),
    rulings=("infiltrator", "powers"),
)
