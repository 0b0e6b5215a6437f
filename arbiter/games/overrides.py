"""What a tournament may change of a rule set, flat and typed."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.words import MoreSquares

Count = Annotated[int, Meta(ge=0, le=1_000_000)]


class Overrides(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Changes to a rule set: counts of the army, repetition rules, draw limits in plies (0 = off)."""

    army: dict[str, Count] | UnsetType = UNSET
    two_squares: Count | UnsetType = UNSET
    more_squares: MoreSquares | UnsetType = UNSET
    no_attack_plies: Count | UnsetType = UNSET
    max_plies: Count | UnsetType = UNSET


NO_OVERRIDES = Overrides()
