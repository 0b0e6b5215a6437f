"""Facts in sentences, as a viewer may see them."""

from collections.abc import Iterable
from itertools import takewhile

from msgspec import Struct

from arbiter.show.cards import CardTable, list_cards
from arbiter.show.replay.knowledge import View, Viewer
from arbiter.show.sentences import ENGLISH, SentenceWriter
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


def describe_facts(
    facts: Iterable[AnyFact], before: View, after: View, viewer: Viewer, sentences: SentenceWriter = ENGLISH
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
    writer = _FactWriter(viewer, sentences, {**ranks, **shown}, shown, removed)
    return tuple(plain(writer.write(fact)) for fact in described)  # the record may be forged


class _FactWriter(Struct, frozen=True):
    """Writes the facts of one act; a piece is a seat and a place."""

    viewer: Viewer
    sentences: SentenceWriter
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
                key = "strikes_falls" if (foe, fact.dst) in self.removed else "strikes_stays"
                return self._write_contact(key, fact)
            case Looked():
                return self._write_contact("looks", fact)
            case Guessed():
                key = "names_rightly" if fact.right else "names_wrongly"
                attacker = self.sentences.write_piece(fact.seat, "infiltrator", self.viewer)
                name = self.sentences.write_name(foe, fact.rank)
                return self._write_to(foe, key, attacker=attacker, src=fact.src, dst=fact.dst, name=name)
            case Placed():
                return self.sentences.write("returns", piece=self._piece(fact.seat, fact.place), dst=fact.place)
            case Peeked():
                return self._write_peek(fact)
            case Regrouped():
                owner = "your" if fact.seat == self.viewer else f"{fact.seat}'s"
                return f"{owner} line, hand and deck are shuffled together"
            case Drew():
                player = "you draw" if fact.seat == self.viewer else f"{fact.seat} draws"
                return f"{player} {len(fact.places)} card{'s' * (len(fact.places) > 1)}"
            case DrawOffered():
                return "you offer a draw" if fact.seat == self.viewer else f"{fact.seat} offers a draw"

    def _piece(self, seat: Seat, place: Place) -> str:
        return self.sentences.write_piece(seat, self.ranks.get((seat, place)), self.viewer)

    def _write_to(self, foe: Seat, key: str, **values: str) -> str:
        """Write a sentence about what is done to a seat."""
        return self.sentences.write(key, is_yours=foe == self.viewer, foe=self.sentences.write_seat(foe), **values)

    def _write_contact(self, key: str, fact: Attacked | Struck | Looked) -> str:
        """Write a sentence about two pieces."""
        return self.sentences.write(
            key,
            attacker=self._piece(fact.seat, fact.src),
            defender=self._piece(OPPONENT[fact.seat], fact.dst),
            src=fact.src,
            dst=fact.dst,
        )

    def _write_attack(self, fact: Attacked) -> str:
        match (fact.seat, fact.src) in self.removed, (OPPONENT[fact.seat], fact.dst) in self.removed:
            case True, True:
                key = "both_fall"
            case True, False:
                key = "falls"
            case False, True:
                key = "takes"
            case _:
                key = "both_stay"
        return self._write_contact(key, fact)

    def _write_peek(self, fact: Peeked) -> str:
        foe = OPPONENT[fact.seat]
        is_hand = fact.what == "hand"
        cards = [
            self.sentences.write_name(seat, rank)
            for (seat, place), rank in self.shown.items()
            if seat == foe and (place.startswith("hand:") if is_hand else place in fact.what)
        ]
        values = {"attacker": self._piece(fact.seat, fact.src), "src": fact.src, "cards": ", ".join(cards)}
        if not is_hand:
            values["places"] = self.sentences.write("and").join(fact.what)
        return self._write_to(foe, f"peeks{'_hand' * is_hand}{'_sees' * bool(cards)}", **values)
