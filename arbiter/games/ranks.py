"""The ranks and their traits.  Rules ask for traits, never for the name of a rank."""

from enum import Flag, auto
from typing import Final

from msgspec import Struct

from protocol.words import RankId


class Trait(Flag):
    """A property that distinguishes a rank from a plain number."""

    PLAIN = 0
    IMMOVABLE = auto()
    BOMB = auto()
    FLAG = auto()
    SPY = auto()
    SPY_PREY = auto()
    DEFUSER = auto()
    RUNNER = auto()
    INFILTRATOR = auto()
    SEER = auto()
    STRIKER = auto()
    RAGER = auto()


class Rank(Struct, frozen=True):
    id: RankId
    number: int | None
    """None for bomb, flag and infiltrator."""
    traits: Trait = Trait.PLAIN

    def has(self, trait: Trait) -> bool:
        return trait in self.traits


MARSHAL: Final = Rank("marshal", 10, Trait.SPY_PREY)
GENERAL: Final = Rank("general", 9)
COLONEL: Final = Rank("colonel", 8)
MAJOR: Final = Rank("major", 7)
CAPTAIN: Final = Rank("captain", 6)
LIEUTENANT: Final = Rank("lieutenant", 5)
SERGEANT: Final = Rank("sergeant", 4)
MINER: Final = Rank("miner", 3, Trait.DEFUSER)
SCOUT: Final = Rank("scout", 2, Trait.RUNNER)
SPY: Final = Rank("spy", 1, Trait.SPY)
BOMB: Final = Rank("bomb", None, Trait.BOMB | Trait.IMMOVABLE)
FLAG: Final = Rank("flag", None, Trait.FLAG | Trait.IMMOVABLE)
INFILTRATOR: Final = Rank("infiltrator", None, Trait.INFILTRATOR)

# With powers, the marshal and the general have vision, the colonel moves like a scout, one major attacks from a
# distance and one captain rages (CW "Clone Wars Spezialregeln").
SEEING_MARSHAL: Final = Rank("marshal", 10, Trait.SPY_PREY | Trait.SEER)
SEEING_GENERAL: Final = Rank("general", 9, Trait.SEER)
TELEPORTER: Final = Rank("colonel", 8, Trait.RUNNER)
MARKSMAN: Final = Rank("marksman", 7, Trait.STRIKER)
BERSERKER: Final = Rank("berserker", 6, Trait.RAGER)

SIGNS: Final[dict[RankId, str]] = {
    "marshal": "10",
    "general": "9",
    "colonel": "8",
    "major": "7",
    "marksman": "7M",
    "captain": "6",
    "berserker": "6B",
    "lieutenant": "5",
    "sergeant": "4",
    "miner": "3",
    "scout": "2",
    "spy": "S",
    "infiltrator": "I",
    "bomb": "B",
    "flag": "F",
}
"""Signs of the ranks on boards, the highest first."""

CLASSIC: Final = (MARSHAL, GENERAL, COLONEL, MAJOR, CAPTAIN, LIEUTENANT, SERGEANT, MINER, SCOUT, SPY, BOMB, FLAG)
