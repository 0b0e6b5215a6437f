"""Facts in sentences, as a viewer may see them."""

from collections.abc import Iterable
from itertools import takewhile

from msgspec import Struct

from arbiter.show.cards import CardTable, list_cards
from arbiter.show.language import SentenceWriter
from arbiter.show.replay.knowledge import View, Viewer
from arbiter.show.text import plain
from protocol.words import OPPONENT, AnyFact, Drew, Peeked, Place, RankId, Removed, Revealed, Seat

Piece = tuple[Seat, Place]


def describe_facts(
    facts: Iterable[AnyFact], before: View, after: View, viewer: Viewer, sentences: SentenceWriter | None = None
) -> tuple[str, ...]:
    """Describe an act by its visible facts, in sentences; a plain move has none.

    `before` and `after` are the views of the viewer.  Default for `sentences`: English.
    """
    facts = tuple(facts)
    sentences = sentences or SentenceWriter()
    described = [fact for fact in facts if sentences.has(_tag(fact))]
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


def _tag(fact: AnyFact) -> str:
    return str(fact.__struct_config__.tag)


class _FactWriter(Struct, frozen=True):
    """Writes the facts of one act; a piece is a seat and a place.

    The sentence of a fact has its type as key, with an ending for what happened: `attacked_taken`.  Its placeholders
    are the fields of the fact, and what follows from them.
    """

    viewer: Viewer
    sentences: SentenceWriter
    ranks: dict[Piece, RankId | None]
    shown: dict[Piece, RankId]
    """Ranks that the act revealed."""
    removed: frozenset[Piece]

    def write(self, fact: AnyFact) -> str:
        foe = OPPONENT[fact.seat]
        fields = {name: getattr(fact, name) for name in fact.__struct_fields__}
        values = {name: value for name, value in fields.items() if isinstance(value, str)}
        values |= {"seat": self.sentences.write_seat(fact.seat), "foe": self.sentences.write_seat(foe)}
        if "place" in fields:
            values["piece"] = self._write_piece(fact.seat, fields["place"])
        if "src" in fields:
            values["attacker"] = self._write_piece(fact.seat, fields["src"])
        if "dst" in fields:
            values["defender"] = self._write_piece(foe, fields["dst"])
        if "rank" in fields:
            values["name"] = self.sentences.write_name(foe, fields["rank"])
        ending = self._find_ending(fact, values)
        key = _tag(fact) + ending if self.sentences.has(_tag(fact) + ending) else _tag(fact)
        addressed = foe if "src" in fields else fact.seat
        return self.sentences.write(key, is_yours=addressed == self.viewer, **values)

    def _write_piece(self, seat: Seat, place: Place) -> str:
        return self.sentences.write_piece(seat, self.ranks.get((seat, place)), self.viewer)

    def _find_ending(self, fact: AnyFact, values: dict[str, str]) -> str:
        """Return the ending of a sentence's key, and add values that depend on it."""
        foe = OPPONENT[fact.seat]
        match fact:
            case Peeked(_, _, what):
                cards = [
                    self.sentences.write_name(seat, rank)
                    for (seat, place), rank in self.shown.items()
                    if seat == foe and (place.startswith("hand:") if what == "hand" else place in what)
                ]
                values["cards"] = ", ".join(cards)
                values["places"] = self.sentences.write("and").join(what)
                return f"{'_hand' * (what == 'hand')}{'_seen' * bool(cards)}"
            case Drew(_, places):
                values["count"] = str(len(places))
                return "_several" * (len(places) > 1)
        is_lost = (fact.seat, values.get("src")) in self.removed
        is_taken = (foe, values.get("dst")) in self.removed
        return "_both" if is_lost and is_taken else "_lost" * is_lost + "_taken" * is_taken
