"""Fights: an ordered tuple of small rules; the first rule that applies decides.

A rule takes attacker and defender and returns a result, or None if it does not apply.
A fight reveals the attacker's rank; a second rule decides whether it reveals the defender's (`DisclosureRule`).
"""

from collections.abc import Callable
from enum import Enum

from arbiter.games.ranks import Rank, Trait


class FightResult(Enum):
    """The piece that stays; FLAG = the attacker stays and has taken the flag."""

    ATTACKER = "attacker"
    DEFENDER = "defender"
    NEITHER = "neither"
    FLAG = "flag"


FightRule = Callable[[Rank, Rank], FightResult | None]
DisclosureRule = Callable[[Rank, Rank], bool]


def flag_falls(attacker: Rank, defender: Rank) -> FightResult | None:
    """Let any movable piece take the flag (J2011-D "Die Ränge", O2000 "Die Fahne")."""
    return FightResult.FLAG if defender.has(Trait.FLAG) else None


def bomb_holds(attacker: Rank, defender: Rank) -> FightResult | None:
    """Let a bomb destroy every attacker except a miner, which removes it (O2000 "Bomben")."""
    if not defender.has(Trait.BOMB):
        return None
    return FightResult.ATTACKER if attacker.has(Trait.DEFUSER) else FightResult.DEFENDER


def spy_strikes_first(attacker: Rank, defender: Rank) -> FightResult | None:
    """Let the spy beat the marshal, but only when it attacks (O2000 "Der Spion")."""
    strikes = attacker.has(Trait.SPY) and defender.has(Trait.SPY_PREY)
    return FightResult.ATTACKER if strikes else None


def higher_wins(attacker: Rank, defender: Rank) -> FightResult | None:
    """Let the higher number win (O2000 "Die Ränge")."""
    if attacker.number is None or defender.number is None or attacker.number == defender.number:
        return None
    return FightResult.ATTACKER if attacker.number > defender.number else FightResult.DEFENDER


def equals_fall(attacker: Rank, defender: Rank) -> FightResult | None:
    """Remove both pieces of equal number (O2000 "Eine gegnerische Figur angreifen")."""
    return FightResult.NEITHER if attacker.number == defender.number else None


def infiltrator_falls(attacker: Rank, defender: Rank) -> FightResult | None:
    """Let the infiltrator lose to everything; of two infiltrators both leave (J2011-D "Der Infiltrant")."""
    if not attacker.has(Trait.INFILTRATOR):
        return FightResult.ATTACKER if defender.has(Trait.INFILTRATOR) else None
    return FightResult.NEITHER if defender.has(Trait.INFILTRATOR) else FightResult.DEFENDER


def attacker_prevails(attacker: Rank, defender: Rank) -> FightResult | None:
    """Let the attacker win among equals, including spies (US "Angreifer-Vorteil")."""
    return FightResult.ATTACKER if attacker.number == defender.number else None


CLASSIC_FIGHTS: tuple[FightRule, ...] = (flag_falls, bomb_holds, spy_strikes_first, higher_wins, equals_fall)


def show_both(attacker: Rank, defender: Rank) -> bool:
    """Reveal both ranks (O2000 "Eine gegnerische Figur angreifen")."""
    return True


def keep_defender_secret(attacker: Rank, defender: Rank) -> bool:
    """Reveal the attacker's rank, and the defender's only to an attacking scout (US "Schweigende Verteidigung")."""
    return attacker.has(Trait.RUNNER)


def decide(rules: tuple[FightRule, ...], attacker: Rank, defender: Rank) -> FightResult:
    """Decide one fight.

    Raises LookupError if no rule applies: then the rule set is incomplete.
    """
    for rule in rules:
        result = rule(attacker, defender)
        if result is not None:
            return result
    raise LookupError(f"no rule decides {attacker.id} against {defender.id}")
