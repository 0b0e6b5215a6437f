"""Fights: both pieces of an attack as a viewer may know them, and who won."""

from itertools import takewhile
from typing import Any, Literal

from msgspec import Struct

from arbiter.show.boards import write_rank
from arbiter.show.cards import CardTable, list_cards
from arbiter.show.replay.knowledge import Viewer, is_visible
from arbiter.show.replay.replay import Replay
from protocol.messages import ViewPiece
from protocol.words import OPPONENT, Drew, Removed, Revealed

Outcome = Literal["beats", "falls to", "falls with", "attacks"]


class ShownFight(Struct, frozen=True):
    """Two pieces on the squares that they fought from; the rank is None if the viewer does not know it."""

    attacker: ViewPiece
    defender: ViewPiece
    outcome: Outcome
    """The result for the attacker; `attacks` if both pieces stay."""

    def write(self) -> str:
        """Write the fight with the ranks: `8 beats 6`."""
        return f"{write_rank(self.attacker.rank)} {self.outcome} {write_rank(self.defender.rank)}"


def find_fight(replay: Replay, number: int, viewer: Viewer) -> ShownFight | None:
    """Return the fight of a frame; None if its act is not an attack."""
    act = replay.act(number)
    if act is None:
        return None
    visible = [one.fact for one in act.facts if is_visible(viewer, one)]
    # A draw starts the next turn.
    facts = list(takewhile(lambda fact: not isinstance(fact, Drew), visible))
    attack: Any = next((fact for fact in facts if fact.is_fight), None)  # each fight is between `src` and `dst`
    if attack is None:
        return None
    view = replay.view(number - 1, viewer)
    pieces = list_cards(view) if isinstance(view, CardTable) else view.pieces
    ranks = {(piece.seat, piece.place): piece.rank for piece in pieces}
    ranks |= {(fact.seat, fact.place): fact.rank for fact in facts if isinstance(fact, Revealed)}
    removed = {(fact.seat, fact.place) for fact in facts if isinstance(fact, Removed)}
    fighters = ((attack.seat, attack.src), (OPPONENT[attack.seat], attack.dst))
    attacker, defender = (ViewPiece(place, seat, ranks.get((seat, place))) for seat, place in fighters)
    outcomes: dict[tuple[bool, bool], Outcome] = {
        (False, True): "beats",
        (True, False): "falls to",
        (True, True): "falls with",
        (False, False): "attacks",
    }
    return ShownFight(attacker, defender, outcomes[fighters[0] in removed, fighters[1] in removed])
