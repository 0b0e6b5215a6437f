"""The rules of the edition sold in the United States, with three optional tournament rules and the army as printed."""

from typing import Final

from msgspec.structs import replace

from arbiter.games.board.powers.follow_ups import RESCUE, RESCUE_DECLINED, RESCUE_PIECE
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.board.rulesets.original import ORIGINAL
from arbiter.games.fights import attacker_prevails, equals_fall, keep_defender_secret


def printed_army(ruleset: BoardRules) -> BoardRules:
    """Play with the 39 pieces that the book prints: 5 sergeants and 6 scouts (US "Komponenten")."""
    return replace(ruleset, army={**ruleset.army, "sergeant": 5, "scout": 6})


def aggressor_advantage(ruleset: BoardRules) -> BoardRules:
    """Let the attacker win against an equal number, also spy against spy (US "Angreifer-Vorteil")."""
    before = ruleset.fights.index(equals_fall)
    return replace(ruleset, fights=(*ruleset.fights[:before], attacker_prevails, *ruleset.fights[before:]))


def silent_defence(ruleset: BoardRules) -> BoardRules:
    """Keep the defender's rank secret, unless a scout attacks (US "Schweigende Verteidigung").

    A defender that loses leaves the board without being shown; the attacking player does not learn if it was a bomb.
    """
    return replace(ruleset, disclosure=keep_defender_secret)


def rescue(ruleset: BoardRules) -> BoardRules:
    """Let a piece that reaches the opponent's back row bring back a captured one (US "Rettung").

    The opponent's back row is row 10 for red and row 1 for blue.  The player may choose any captured piece but a bomb
    or the flag, and puts it on a free square of their own half (rows 1 to 5 for red, 6 to 10 for blue).  The opponent
    sees the square, and the rank only if it knew it before.  A scout cannot rescue.  A piece rescues only once, a
    player at most twice.  A rescue may be declined, which does not count.
    """
    return replace(
        ruleset,
        powers=(*ruleset.powers, RESCUE_PIECE, RESCUE_DECLINED),
        follow_ups=(*ruleset.follow_ups, RESCUE),
        rulings=(*ruleset.rulings, "rescue"),
    )


US: Final = replace(
    ORIGINAL,
    name="us",
    title="Stratego (US)",
    two_squares=2,
    more_squares="off",
    immovable_loses=False,
    offers={
        "printed-army": printed_army,
        "aggressor-advantage": aggressor_advantage,
        "silent-defence": silent_defence,
        "rescue": rescue,
    },
    rulings=("us_army",),
)
