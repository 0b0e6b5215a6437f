"""The knowledge of both sides about a square, in sentences."""

from collections.abc import Iterator

from msgspec import UNSET

from arbiter.games.ranks import RANKS, Trait
from arbiter.show.boards import write_counts, write_rank
from arbiter.show.cards import CardTable, list_cards
from arbiter.show.grid import Square
from arbiter.show.replay.knowledge import View, Viewer, sees_secrets_of
from arbiter.show.replay.replay import Replay
from arbiter.show.theme import HIDDEN, KNOWN
from protocol.messages import Rules, ViewPiece
from protocol.words import OPPONENT, Seat


def count_possible_ranks(view: View, rules: Rules, seat: Seat, *, moved: bool = False) -> dict[str, int]:
    """Count the ranks that a hidden piece of a seat can still have for the player with a view.

    They are those of the army without the pieces of known rank; a piece that has moved is not a bomb or a flag.
    """
    left: dict[str, int] = {str(rank): count for rank, count in rules.army.items()}
    for rank, count in view.captured.get(seat, {}).items():
        left[rank] = left.get(rank, 0) - count
    for piece in list_cards(view) if isinstance(view, CardTable) else view.pieces:
        if piece.seat == seat and piece.rank is not None:
            left[piece.rank] -= 1
    return {
        rank: left[rank] for rank in rules.army if left[rank] > 0 and not (moved and RANKS[rank].has(Trait.IMMOVABLE))
    }


def describe_square(replay: Replay, number: int, viewer: Viewer, square: Square) -> str:
    """Describe what a viewer sees on a square at a frame, and what both sides know about the piece there."""
    write = replay.sentences.write
    place = f"{square.seat} {square.place}" if square.seat else square.place
    piece = square.piece
    if piece is None:
        return write("square_lake" if square.is_lake else "square_empty", place=place)
    seat = replay.sentences.write_seat(piece.seat)
    moved = [write("has_moved")] if piece.moved else []
    if piece.rank is None:
        possible = count_possible_ranks(replay.view(number, viewer), replay.rules, piece.seat, moved=piece.moved)
        ranks = write("possible", ranks=write_counts(possible))
        return " ".join([write("square_unknown", place=place, seat=seat), *moved, ranks])
    name = f"{replay.labels[piece.seat][piece.rank]} ({write_rank(piece.rank)})"
    knows = _describe_knowledge(replay, number, viewer, piece)
    return " ".join([write("square_piece", place=place, seat=seat, name=name), *moved, *knows])


def _describe_knowledge(replay: Replay, number: int, viewer: Viewer, piece: ViewPiece) -> Iterator[str]:
    """Describe what the opponent of its owner knows about a piece, if the viewer may know that."""
    if replay.rules.board is UNSET or not sees_secrets_of(viewer, piece.seat):
        return
    opponent = OPPONENT[piece.seat]
    write, foe = replay.sentences.write, replay.sentences.write_seat(opponent)
    if piece.place in replay.known_places(number, viewer):
        yield write("known_by", sign=KNOWN, foe=foe)
        return
    yield write("hidden_from", sign=HIDDEN, foe=foe)
    if viewer != piece.seat:
        possible = count_possible_ranks(replay.view(number, opponent), replay.rules, piece.seat, moved=piece.moved)
        yield write("possible_for", foe=foe, ranks=write_counts(possible))
