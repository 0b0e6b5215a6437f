"""How a card game ends.  The order on one ply: flag, nobody can attack, no attacker, no removal, too many plies."""

from typing import TYPE_CHECKING

from arbiter.games.base import Outcome
from arbiter.games.cards.aims import attackers
from arbiter.games.ranks import Trait
from protocol.words import OPPONENT, SEATS, Seat

if TYPE_CHECKING:
    from arbiter.games.cards.play import CardPlay


def ending_in_turn(play: "CardPlay") -> Outcome | None:
    """End the game at once where nobody owns an attacker any more, in line, hand or deck."""
    if any(_owns_attacker(play, seat) for seat in SEATS):
        return None
    return Outcome(None, "both_immobile", "neither side has a card left that can attack")


def _owns_attacker(play: "CardPlay", seat: Seat) -> bool:
    return any(not play.ranks[card].has(Trait.IMMOVABLE) for card in play.sides[seat].cards())


def ending_before(play: "CardPlay", seat: Seat) -> Outcome | None:
    """Let a seat lose that has no attacker in its line when it is to act (CARD "Der Sieger")."""
    if attackers(play, seat):
        return None
    return Outcome(OPPONENT[seat], "no_moves", f"{seat} has no card in its line that can attack")


def limit_reached(play: "CardPlay") -> Outcome | None:
    """End the game at the arbiter's own limits, which stand in no book."""
    ruleset = play.ruleset
    if 0 < ruleset.no_attack_plies <= play.quiet_plies:
        return Outcome(None, "no_attack_limit", f"{play.quiet_plies} turns without a card removed")
    if 0 < ruleset.max_plies <= play.plies:
        return Outcome(None, "ply_limit", f"{play.plies} plies played")
    return None
