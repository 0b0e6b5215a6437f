"""Frames: the game as a viewer may see it after one act, as a plain value, with its facts in sentences."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import cast

from msgspec import Struct

from arbiter.games.notation import write_action
from arbiter.record import ActEntry, Record
from arbiter.show.boards import NO_MARKS, Marks
from arbiter.show.language import ENGLISH, SentenceWriter
from arbiter.show.replay.knowledge import Banks, View, Viewer, sees_secrets_of
from arbiter.show.text import number, plain
from arbiter.tournament.standings.stored_game import find_forfeiters
from protocol.messages import BoardShape
from protocol.words import OPPONENT, SEATS, AnyFact, Drew, Peeked, Place, Placed, RankId, Removed, Revealed, Seat

Piece = tuple[Seat, Place]


def describe_facts(
    facts: Iterable[AnyFact], before: View, after: View, viewer: Viewer, sentences: SentenceWriter | None = None
) -> tuple[str, ...]:
    """Describe an act by its visible facts, in sentences; a plain move has none.

    `before` and `after` are the views of the viewer.  Default for `sentences`: English.
    """
    ranks = {(piece.seat, piece.place): piece.rank for view in (after, before) for piece in view.pieces}
    return describe_act(tuple(facts), ranks, viewer, sentences or SentenceWriter())


def describe_act(
    facts: Sequence[AnyFact], ranks: Mapping[Piece, RankId | None], viewer: Viewer, sentences: SentenceWriter
) -> tuple[str, ...]:
    """Describe an act as above; `ranks` are those of the pieces that it names, before it or else after it."""
    described = [fact for fact in facts if sentences.has(_tag(type(fact)))]
    if not described:
        return ()
    of_this_turn = takewhile(lambda fact: not isinstance(fact, Drew), facts)  # a draw starts the next turn
    shown = {(fact.seat, fact.place): fact.rank for fact in of_this_turn if isinstance(fact, Revealed)}
    removed = frozenset((fact.seat, fact.place) for fact in facts if isinstance(fact, Removed))
    writer = _FactWriter(viewer, sentences, {**ranks, **shown}, shown, removed)
    return tuple(plain(writer.write(fact)) for fact in described)  # the record may be forged


@cache
def _tag(fact: type[AnyFact]) -> str:
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
        names = fact.__struct_fields__
        values = {name: value for name in names if isinstance(value := getattr(fact, name), str)}
        values |= {"seat": self.sentences.write_seat(fact.seat), "foe": self.sentences.write_seat(foe)}
        if "place" in values:
            values["piece"] = self._write_piece(fact.seat, values["place"])
        if "src" in values:
            values["attacker"] = self._write_piece(fact.seat, values["src"])
        if "dst" in values:
            values["defender"] = self._write_piece(foe, values["dst"])
        if "rank" in values:
            values["name"] = self.sentences.write_name(foe, cast("RankId", values["rank"]))
        ending = self._find_ending(fact, values)
        values |= {name: self.sentences.write_place(values[name]) for name in ("place", "src", "dst") if name in values}
        tag = _tag(type(fact))
        key = tag + ending if self.sentences.has(tag + ending) else tag
        addressed = foe if "src" in values else fact.seat
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
                values["places"] = self.sentences.write("and").join(map(self.sentences.write_place, what))
                return f"{'_hand' * (what == 'hand')}{'_seen' * bool(cards)}"
            case Drew(_, places):
                values["count"] = str(len(places))
                return "_several" * (len(places) > 1)
        is_lost = (fact.seat, values.get("src")) in self.removed
        is_taken = (foe, values.get("dst")) in self.removed
        return "_both" if is_lost and is_taken else "_lost" * is_lost + "_taken" * is_taken


class Frame(Struct, frozen=True, kw_only=True):
    """The game as a viewer may see it after an act.  All texts are safe to print."""

    ply: int
    """Plies played so far; 0 for the setup."""
    seat: Seat | None
    """The player that acted; None for the setup."""
    action: str
    story: tuple[str, ...] = ()
    """The facts of the act, in sentences."""
    shape: BoardShape | None
    """The board; None in a card game."""
    view: View
    marks: Marks = NO_MARKS
    ms: dict[Seat, float] = {}
    """Milliseconds that the act was charged; empty if the record does not contain them."""
    banks: Banks = {}
    """Milliseconds left on both clocks; empty if the record does not contain all times."""
    notes: dict[Seat, str] = {}
    """Notes of the bots, with the act."""
    evals: dict[Seat, float] = {}
    """Evaluations of the bots, with the act."""
    stderr: dict[Seat, tuple[str, ...]] = {}
    """Lines that the bots wrote to stderr since they were asked for the act, if the log contains them."""
    known: tuple[Place, ...] = ()
    """Places of the pieces whose rank the opponent of their owner knows: all for the arbiter, its own for a player.

    That of a card begins with its owner: `red/line:0`.
    """
    ran: tuple[Place, ...] = ()
    """Places of the pieces that have moved over several squares at once."""
    ending: tuple[str, ...] = ()
    """Result and reason; only in the last frame."""


def write_visible_action(entry: ActEntry, viewer: Viewer) -> str:
    """Write the action of an act; only its player and the arbiter see its secrets, e.g. the rank of a rescued piece."""
    return plain(write_action(entry.action, hides_secrets=not sees_secrets_of(viewer, entry.seat)))


def find_marks(facts: Iterable[AnyFact]) -> Marks:
    """Return the squares that an act went from and to, and whether it attacked."""
    for fact in facts:
        src, dst = (getattr(fact, name, None) for name in ("src", "dst"))
        if src is not None:
            return Marks(src, dst, attack=fact.is_fight)
        if isinstance(fact, Placed):
            return Marks(dst=fact.place)
    return NO_MARKS


def get_notes(entry: ActEntry, viewer: Viewer) -> dict[Seat, str]:
    """Return the note of an act by its seat, if there is one and the viewer may see it."""
    return {entry.seat: plain(entry.note)} if entry.note and sees_secrets_of(viewer, entry.seat) else {}


def get_evaluation(entry: ActEntry, viewer: Viewer) -> dict[Seat, float]:
    """Return the evaluation of an act by its seat, if there is one and the viewer may see it."""
    return {} if entry.eval is None or not sees_secrets_of(viewer, entry.seat) else {entry.seat: entry.eval}


# --- the end --------------------------------------------------------------------------------------


def describe_ending(record: Record, viewer: Viewer, sentences: SentenceWriter = ENGLISH) -> tuple[str, ...]:
    """Describe how a game ended, and why as far as the viewer may know."""
    end = record.result
    if end is None:
        return (sentences.write("no_result"),)
    seats = record.header.seats
    names = {seat: seats[seat].name if seat in seats else sentences.write_seat(seat) for seat in SEATS}
    lines = [plain(sentences.describe_result(end.winner, end.ending, end.reason, names))]
    forfeiters = find_forfeiters(end.winner, end.ending)
    # The reason of a forfeit may name hidden pieces of the loser.
    if forfeiters and end.reason and all(sees_secrets_of(viewer, seat) for seat in forfeiters):
        lines.append(plain(sentences.write_reason(end.reason)))
    if end.points:
        points = ", ".join(f"{plain(names[seat])} {number(won)}" for seat, won in end.points.items())
        lines.append(sentences.write("points_won", points=points))
    return tuple(lines)
