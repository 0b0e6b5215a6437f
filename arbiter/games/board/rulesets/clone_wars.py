"""The Clone Wars edition of 30 figures a side, without and with its powers."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.powers.aimed import REMOTE_ATTACK, VISION
from arbiter.games.board.powers.follow_ups import RAGE, RAGE_ATTACK, RAGE_STOP
from arbiter.games.board.rulesets.original import ORIGINAL
from arbiter.games.ranks import BERSERKER, CAPTAIN, CLASSIC, MAJOR, MARKSMAN, SEEING_GENERAL, SEEING_MARSHAL, TELEPORTER

CLONE_WARS: Final = replace(
    ORIGINAL,
    name="clone-wars",
    title="Stratego: The Clone Wars",
    army={
        "marshal": 1,
        "general": 1,
        "colonel": 2,
        "major": 3,
        "captain": 3,
        "lieutenant": 2,
        "sergeant": 2,
        "miner": 4,
        "scout": 4,
        "spy": 1,
        "bomb": 6,
        "flag": 1,
    },
    first=None,
    figures={
        "red": {
            "marshal": "Count Dooku",
            "general": "General Grievous",
            "colonel": "Asajj Ventress, Whorm Loathsome",
            "major": "Cad Bane, ...",
            "captain": "Commando Droid, ...",
            "lieutenant": "MagnaGuard",
            "miner": "Battle Droid",
            "scout": "Separatist Scout",
            "spy": "R3-S6",
            "bomb": "Thermal Detonator",
        },
        "blue": {
            "marshal": "Yoda",
            "general": "Obi-Wan Kenobi",
            "colonel": "Anakin Skywalker, Mace Windu",
            "major": "Kit Fisto, ...",
            "captain": "Commander Cody, ...",
            "miner": "Clone Trooper",
            "scout": "Republic Scout",
            "spy": "R2-D2",
            "bomb": "Thermal Detonator",
        },
    },
    edition="clone-wars",
    rulings=("clone_wars_army", "clone_wars_sides", "clone_wars_names"),
)

# Of the 7s and 6s, the text names only those with a power.
_FIGURES: Final = {
    seat: {rank: figure for rank, figure in figures.items() if rank not in {"major", "captain"}}
    for seat, figures in CLONE_WARS.figures.items()
}

CLONE_WARS_POWERS: Final = replace(
    CLONE_WARS,
    name="clone-wars-powers",
    title="Stratego: The Clone Wars, with powers",
    army={**CLONE_WARS.army, "major": 2, "marksman": 1, "captain": 2, "berserker": 1},
    ranks=(SEEING_MARSHAL, SEEING_GENERAL, TELEPORTER, MAJOR, MARKSMAN, CAPTAIN, BERSERKER, *CLASSIC[5:]),
    figures={
        "red": {**_FIGURES["red"], "marksman": "Cad Bane", "berserker": "Commando Droid"},
        "blue": {**_FIGURES["blue"], "marksman": "Kit Fisto", "berserker": "Commander Cody"},
    },
    rulings=(*CLONE_WARS.rulings, "clone_wars_limit", "clone_wars_rage", "powers"),
    powers=(VISION, REMOTE_ATTACK, RAGE_ATTACK, RAGE_STOP),
    follow_ups=(RAGE,),
)
"""The Clone Wars edition with its powers: vision, teleport, remote attack, rage."""
