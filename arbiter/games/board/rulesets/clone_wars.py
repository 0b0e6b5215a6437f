"""The Clone Wars edition of 30 figures a side, without its powers."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.rulesets.original import ISF, ORIGINAL

CLONE_WARS: Final = replace(
    ORIGINAL,
    name="clone-wars",
    title="Stratego: The Clone Wars",
    source=f"rules of the Clone Wars edition; {ISF}",
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
            "major": "Cad Bane, others",
            "captain": "Commando Droid, others",
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
            "major": "Kit Fisto, others",
            "captain": "Commander Cody, others",
            "miner": "Clone Trooper",
            "scout": "Republic Scout",
            "spy": "R2-D2",
            "bomb": "Thermal Detonator",
        },
    },
    edition="clone-wars",
    rulings=(
        *ORIGINAL.rulings,
        "The army is a reconstruction: the book's text has no list of figures.",
        "It is the publisher's army of 30 pieces with a sixth bomb in place of one scout.",
        "Blue is the Republic and red the Separatists: the book's figures are blue and orange.",
        "Figures have names if the text names them. The flag is called the base; only the German word is the book's.",
    ),
)
