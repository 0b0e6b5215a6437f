"""Fights: an ordered tuple of small rules, of which the first with an opinion decides.

A rule takes attacker and defender and returns a verdict or None; `decide` runs the tuple.
What a fight shows to whom is data beside the verdict (`Disclosure`).
"""

from collections.abc import Callable
from enum import Enum

from msgspec import Struct

from arbiter.games.ranks import Rank, Trait


class FightResult(Enum):
    """Who stays: the attacker, the defender, neither; or the flag falls."""

    ATTACKER = "attacker"
    DEFENDER = "defender"
    NEITHER = "neither"
    FLAG = "flag"


class Disclosure(Struct, frozen=True):
    """Which ranks a fight makes known to the other player."""

    attacker: bool
    defender: bool


FightRule = Callable[[Rank, Rank], FightResult | None]
DisclosureRule = Callable[[Rank, Rank, FightResult], Disclosure]


class Fight(Struct, frozen=True):
    """A fight as decided: the verdict and what it shows."""

    verdict: FightResult
    shows: Disclosure


def flag_falls(attacker: Rank, defender: Rank) -> FightResult | None:
    """Let any movable piece take the flag (J2011-D "Fahne", O2000 "Die Fahne")."""
    return FightResult.FLAG if defender.has(Trait.FLAG) else None


def bomb_holds(attacker: Rank, defender: Rank) -> FightResult | None:
    """Let a bomb destroy every attacker but a miner, who clears it (O2000 "Bomben")."""
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
    """Remove both of equal number (O2000 "Eine gegnerische Figur angreifen")."""
    return FightResult.NEITHER if attacker.number == defender.number else None


def infiltrator_falls(attacker: Rank, defender: Rank) -> FightResult | None:
    """Let the infiltrator lose to everything, and both leave where two meet (J2011-D "Infiltrator")."""
    attacks, defends = attacker.has(Trait.INFILTRATOR), defender.has(Trait.INFILTRATOR)
    if attacks and defends:
        return FightResult.NEITHER
    if attacks:
        return FightResult.DEFENDER
    return FightResult.ATTACKER if defends else None


def attacker_prevails(attacker: Rank, defender: Rank) -> FightResult | None:
    """Let the attacker win among equals, spies too (US "Angreifer-Vorteil")."""
    return FightResult.ATTACKER if attacker.number == defender.number else None


CLASSIC_FIGHTS: tuple[FightRule, ...] = (flag_falls, bomb_holds, spy_strikes_first, higher_wins, equals_fall)


def show_both(attacker: Rank, defender: Rank, verdict: FightResult) -> Disclosure:
    """Make both ranks known (O2000 "Eine gegnerische Figur angreifen")."""
    return Disclosure(attacker=True, defender=True)


def keep_defender_secret(attacker: Rank, defender: Rank, verdict: FightResult) -> Disclosure:
    """Make only the attacker's rank known, the defender's too where a scout attacks (US "Schweigende Verteidigung")."""
    return Disclosure(attacker=True, defender=attacker.has(Trait.RUNNER))


def decide(rules: tuple[FightRule, ...], disclosure: DisclosureRule, attacker: Rank, defender: Rank) -> Fight:
    """Decide one fight.

    Raises LookupError where no rule has an opinion: then the rule set is incomplete.
    """
    for rule in rules:
        verdict = rule(attacker, defender)
        if verdict is not None:
            return Fight(verdict, disclosure(attacker, defender, verdict))
    raise LookupError(f"no rule decides {attacker.id} against {defender.id}")
