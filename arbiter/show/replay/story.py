"""Facts in sentences, as a viewer may see them."""

from collections.abc import Iterable
from itertools import takewhile

from msgspec import Struct

from arbiter.show.cards import CardTable, list_cards
from arbiter.show.names import PieceNaming, name_by_rank
from arbiter.show.replay.knowledge import View, Viewer
from arbiter.show.text import plain
from protocol.words import (
    OPPONENT,
    AnyFact,
    Attacked,
    DrawOffered,
    Drew,
    Guessed,
    Looked,
    Peeked,
    Place,
    Placed,
    RankId,
    Regrouped,
    Removed,
    Revealed,
    Seat,
    Struck,
)

Piece = tuple[Seat, Place]
_Described = Attacked | Struck | Looked | Guessed | Placed | Peeked | Regrouped | Drew | DrawOffered


def possessive(seat: Seat, viewer: Viewer) -> str:
    """Return whose a piece of a seat is: `your` or `red's`."""
    return "your" if seat == viewer else f"{seat}'s"


def describe_facts(
    facts: Iterable[AnyFact], before: View, after: View, viewer: Viewer, naming: PieceNaming = name_by_rank
) -> tuple[str, ...]:
    """Describe an act by its visible facts, in sentences; a plain move has none.

    `before` and `after` are the views of the viewer.
    """
    facts = tuple(facts)
    described = [fact for fact in facts if isinstance(fact, _Described)]
    if not described:
        return ()
    ranks = {
        (piece.seat, piece.place): piece.rank
        for view in (after, before)
        for piece in (list_cards(view) if isinstance(view, CardTable) else view.pieces)
    }
    of_this_turn = takewhile(lambda fact: not isinstance(fact, Drew), facts)  # a draw starts the next turn
    shown = {(fact.seat, fact.place): fact.rank for fact in of_this_turn if isinstance(fact, Revealed)}
    removed = frozenset((fact.seat, fact.place) for fact in facts if isinstance(fact, Removed))
    writer = _SentenceWriter(viewer, naming, {**ranks, **shown}, shown, removed)
    return tuple(plain(writer.write(fact)) for fact in described)  # the record may be forged


class _SentenceWriter(Struct, frozen=True):
    """Writes the facts of one act; a piece is a seat and a place."""

    viewer: Viewer
    naming: PieceNaming
    ranks: dict[Piece, RankId | None]
    shown: dict[Piece, RankId]
    """Ranks that the act revealed."""
    removed: frozenset[Piece]

    def write(self, fact: _Described) -> str:  # noqa: PLR0911 - one case for each fact
        foe = OPPONENT[fact.seat]
        match fact:
            case Attacked():
                return self._write_attack(fact)
            case Struck():
                end = "which falls" if (foe, fact.dst) in self.removed else "which stays"
                return f"{self._piece(fact.seat, fact.src)} on {fact.src} strikes {self._piece(foe, fact.dst)} on {fact.dst}, {end}"
            case Looked():
                return f"{self._piece(fact.seat, fact.src)} on {fact.src} looks at {self._piece(foe, fact.dst)} on {fact.dst}"
            case Guessed():
                infiltrator = self.naming(fact.seat, "infiltrator")
                guess = f"a {self.naming(foe, fact.rank)}, {'rightly, and it falls' if fact.right else 'wrongly'}"
                return f"{self._owner(fact.seat)} {infiltrator} on {fact.src} names {self._owner(foe)} piece on {fact.dst} {guess}"
            case Placed():
                return f"{self._piece(fact.seat, fact.place)} comes back on {fact.place}"
            case Peeked():
                return self._write_peek(fact)
            case Regrouped():
                return f"{self._owner(fact.seat)} line, hand and deck are shuffled together"
            case Drew():
                player = "you draw" if fact.seat == self.viewer else f"{fact.seat} draws"
                return f"{player} {len(fact.places)} card{'s' * (len(fact.places) > 1)}"
            case DrawOffered():
                return "you offer a draw" if fact.seat == self.viewer else f"{fact.seat} offers a draw"

    def _owner(self, seat: Seat) -> str:
        return possessive(seat, self.viewer)

    def _piece(self, seat: Seat, place: Place) -> str:
        rank = self.ranks.get((seat, place))
        return f"{self._owner(seat)} {self.naming(seat, rank) if rank else 'unknown piece'}"

    def _write_attack(self, fact: Attacked) -> str:
        foe = OPPONENT[fact.seat]
        attacker = self._piece(fact.seat, fact.src)
        defender = self._piece(foe, fact.dst)
        match (fact.seat, fact.src) in self.removed, (foe, fact.dst) in self.removed:
            case True, True:
                return f"{attacker} and {defender} both fall on {fact.dst}"
            case True, False:
                return f"{attacker} falls to {defender} on {fact.dst}"
            case False, True:
                return f"{attacker} takes {defender} on {fact.dst}"
            case _:
                return f"{attacker} attacks {defender} on {fact.dst}, and both stay"

    def _write_peek(self, fact: Peeked) -> str:
        foe = OPPONENT[fact.seat]
        places = "hand" if fact.what == "hand" else " and ".join(fact.what)
        cards = [
            self.naming(seat, rank)
            for (seat, place), rank in self.shown.items()
            if seat == foe and (place.startswith("hand:") if fact.what == "hand" else place in fact.what)
        ]
        sees = f", sees {', '.join(cards)}" if cards else ""
        return f"{self._piece(fact.seat, fact.src)} on {fact.src} looks at {self._owner(foe)} {places}{sees}"
