"""The Clone Wars edition with its powers: vision, teleport, remote attack, rage."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.powers.rage import RAGE, RAGE_ATTACK, RAGE_STOP
from arbiter.games.board.powers.remote_attack import REMOTE_ATTACK
from arbiter.games.board.powers.vision import VISION
from arbiter.games.board.rulesets.clone_wars import CLONE_WARS
from arbiter.games.ranks import (
    BERSERKER,
    BOMB,
    CAPTAIN,
    FLAG,
    LIEUTENANT,
    MAJOR,
    MARKSMAN,
    MINER,
    SCOUT,
    SEEING_GENERAL,
    SEEING_MARSHAL,
    SERGEANT,
    SPY,
    TELEPORTER,
)

CLONE_WARS_POWERS: Final = replace(
    CLONE_WARS,
    name="clone-wars-powers",
    title="Stratego: The Clone Wars, with powers",
    army={**CLONE_WARS.army, "major": 2, "marksman": 1, "captain": 2, "berserker": 1},
    ranks=(
        SEEING_MARSHAL,
        SEEING_GENERAL,
        TELEPORTER,
        MAJOR,
        MARKSMAN,
        CAPTAIN,
        BERSERKER,
        LIEUTENANT,
        SERGEANT,
        MINER,
        SCOUT,
        SPY,
        BOMB,
        FLAG,
    ),
    powers=(VISION, REMOTE_ATTACK, RAGE_ATTACK, RAGE_STOP),
    follow_ups=(RAGE,),
)
