"""The knowledge of both sides about a square, in sentences."""

from typing import Final

from msgspec import UNSET

from arbiter.games.ranks import CLASSIC, Trait
from arbiter.show.boards import write_counts
from arbiter.show.cards import CardTable, list_cards
from arbiter.show.grid import Square
from arbiter.show.replay.knowledge import View, Viewer, sees_secrets_of
from arbiter.show.replay.replay import Replay
from arbiter.show.replay.story import possessive
from arbiter.show.theme import HIDDEN, KNOWN
from protocol.messages import Rules
from protocol.words import OPPONENT, Seat

_IMMOVABLE: Final = frozenset(rank.id for rank in CLASSIC if rank.has(Trait.IMMOVABLE))


def count_possible_ranks(view: View, rules: Rules, seat: Seat, *, moved: bool = False) -> dict[str, int]:
    """Count the ranks that a hidden piece of a seat can still have for the player with a view.

    They are those of the army without the pieces of known rank; a piece that has moved is no bomb and no flag.
    """
    left: dict[str, int] = {str(rank): count for rank, count in rules.army.items()}
    for rank, count in view.captured.get(seat, {}).items():
        left[rank] = left.get(rank, 0) - count
    for piece in list_cards(view) if isinstance(view, CardTable) else view.pieces:
        if piece.seat == seat and piece.rank is not None:
            left[piece.rank] -= 1
    return {rank: left[rank] for rank in rules.army if left[rank] > 0 and not (moved and rank in _IMMOVABLE)}


def describe_square(replay: Replay, number: int, viewer: Viewer, square: Square) -> str:
    """Describe what a viewer sees on a square at a frame, and what both sides know about the piece there."""
    place = f"{square.seat} {square.place}" if square.seat else square.place
    piece = square.piece
    if piece is None:
        return f"{place}: {'a lake' if square.is_lake else 'empty'}"
    foe = OPPONENT[piece.seat]
    name = replay.naming(piece.seat, piece.rank) if piece.rank else "unknown piece"
    what = f"{place}: {possessive(piece.seat, viewer)} {name}{', which has moved' if piece.moved else ''}"
    if piece.rank is None:
        possible = count_possible_ranks(replay.view(number, viewer), replay.rules, piece.seat, moved=piece.moved)
        return f"{what}. Still possible: {write_counts(possible)}"
    if replay.rules.board is UNSET or not sees_secrets_of(viewer, piece.seat):
        return what
    if piece.place in replay.known_places(number, viewer):
        return f"{what}. {KNOWN} {foe} knows its rank"
    if viewer == piece.seat:
        return f"{what}. {HIDDEN} {foe} does not know its rank"
    possible = count_possible_ranks(replay.view(number, foe), replay.rules, piece.seat, moved=piece.moved)
    return f"{what}. {HIDDEN} {foe} does not know its rank; still possible for {foe}: {write_counts(possible)}"
