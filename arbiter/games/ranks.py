"""The ranks: their numbers, traits and signs.  Rules ask for traits, never for the name of a rank."""

from collections.abc import Iterable
from enum import StrEnum, auto
from typing import Final, Self

from msgspec import Struct
from msgspec.structs import replace

from protocol.words import RankId


class Trait(StrEnum):
    """The properties that distinguish a rank from a plain number; a rule set may add others, as plain strings."""

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
    TELEPORTER = auto()
    """Moves like a runner, by a power."""


class Rank(Struct, frozen=True):
    id: RankId
    number: int | None
    """None for bomb, flag and infiltrator."""
    sign: str
    """One character, for boards and in books of deployments."""
    letters: str
    """Two characters, for red's and blue's piece in a position written as letters."""
    traits: frozenset[str] = frozenset()
    drawing: str = ""
    """A path of SVG in a square of 24 units, if `arbiter/show/theme.toml` has none; without both, the sign is drawn."""

    def has(self, trait: str) -> bool:
        return trait in self.traits

    def with_trait(self, trait: str) -> Self:
        """Return the rank with another trait: the same piece, which can do more."""
        return replace(self, traits=self.traits | {trait})


MARSHAL: Final = Rank("marshal", 10, "M", "LX", frozenset({Trait.SPY_PREY}))
GENERAL: Final = Rank("general", 9, "9", "KW")
COLONEL: Final = Rank("colonel", 8, "8", "JV")
MAJOR: Final = Rank("major", 7, "7", "IU")
CAPTAIN: Final = Rank("captain", 6, "6", "HT")
LIEUTENANT: Final = Rank("lieutenant", 5, "5", "GS")
SERGEANT: Final = Rank("sergeant", 4, "4", "FR")
MINER: Final = Rank("miner", 3, "3", "EQ", frozenset({Trait.DEFUSER}))
SCOUT: Final = Rank("scout", 2, "2", "DP", frozenset({Trait.RUNNER}))
SPY: Final = Rank("spy", 1, "S", "CO", frozenset({Trait.SPY}))
BOMB: Final = Rank("bomb", None, "B", "BN", frozenset({Trait.BOMB, Trait.IMMOVABLE}))
FLAG: Final = Rank("flag", None, "F", "MY", frozenset({Trait.FLAG, Trait.IMMOVABLE}))
INFILTRATOR: Final = Rank("infiltrator", None, "I", "12", frozenset({Trait.INFILTRATOR}))

# With powers, the marshal and the general have vision, the colonel moves like a scout, one major attacks from a
# distance and one captain rages (CW "Clone Wars Spezialregeln").
SEEING_MARSHAL: Final = MARSHAL.with_trait(Trait.SEER)
SEEING_GENERAL: Final = GENERAL.with_trait(Trait.SEER)
TELEPORTER: Final = COLONEL.with_trait(Trait.RUNNER).with_trait(Trait.TELEPORTER)
MARKSMAN: Final = Rank("marksman", 7, "R", "34", frozenset({Trait.STRIKER}))
BERSERKER: Final = Rank("berserker", 6, "Z", "56", frozenset({Trait.RAGER}))

CLASSIC: Final = (MARSHAL, GENERAL, COLONEL, MAJOR, CAPTAIN, LIEUTENANT, SERGEANT, MINER, SCOUT, SPY, BOMB, FLAG)

RANKS: Final[dict[RankId, Rank]] = {}
"""A rank for each identifier in any rule set, the highest first; traits differ between rule sets."""


def add_ranks(ranks: Iterable[Rank]) -> None:
    """Add the ranks of a rule set to RANKS.

    Raises ValueError if another rank has the same sign or letter.
    """
    for rank in ranks:
        for other in RANKS.values():
            if other.id != rank.id and (other.sign == rank.sign or set(other.letters) & set(rank.letters)):
                raise ValueError(f"{rank.id} and {other.id} have the same sign or letter")
        RANKS.setdefault(rank.id, rank)
    ordered = sorted(RANKS.values(), key=lambda rank: (-(rank.number or 0), rank.has(Trait.IMMOVABLE)))
    RANKS.clear()
    RANKS.update((rank.id, rank) for rank in ordered)


def read_sign(sign: str) -> RankId | None:
    """Return the rank with a sign; None if there is none."""
    return next((rank.id for rank in RANKS.values() if rank.sign == sign), None)


add_ranks((*CLASSIC, INFILTRATOR, MARKSMAN, BERSERKER))
