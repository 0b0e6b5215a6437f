"""Options: each turns a rule set into another."""

from msgspec.structs import replace

from arbiter.games.board.powers.rescue import RESCUE, RESCUE_DECLINED, RESCUE_PIECE
from arbiter.games.board.ruleset import Ruleset
from arbiter.games.fights import attacker_prevails, equals_fall, keep_defender_secret


def aggressor_advantage(ruleset: Ruleset) -> Ruleset:
    """Let the attacker win among equals (US "Angreifer-Vorteil")."""
    before = ruleset.fights.index(equals_fall)
    fights = (*ruleset.fights[:before], attacker_prevails, *ruleset.fights[before:])
    return replace(ruleset, fights=fights)


def silent_defence(ruleset: Ruleset) -> Ruleset:
    """Keep the defender's rank secret unless a scout attacks (US "Schweigende Verteidigung")."""
    return replace(ruleset, disclosure=keep_defender_secret)


def rescue(ruleset: Ruleset) -> Ruleset:
    """Let a piece that reaches the opponent's back row bring a captured one back (US "Rettung")."""
    return replace(
        ruleset,
        powers=(*ruleset.powers, RESCUE_PIECE, RESCUE_DECLINED),
        follow_ups=(*ruleset.follow_ups, RESCUE),
    )


def printed_army(ruleset: Ruleset) -> Ruleset:
    """Play with the army as the book prints it: 39 pieces."""
    return replace(ruleset, army={**ruleset.army, "sergeant": 5, "scout": 6})
