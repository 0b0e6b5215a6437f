"""The knowledge of both sides about a square, in sentences; fights, with both pieces as a viewer may know them."""

from itertools import takewhile
from typing import Any, Literal

from msgspec import Struct

from arbiter.games.ranks import RANKS, Trait
from arbiter.show.boards import Square, write_counts, write_rank
from arbiter.show.replay.knowledge import View, Viewer, is_visible, name_place, sees_secrets_of
from arbiter.show.replay.replay import Replay
from arbiter.show.theme import HIDDEN, KNOWN
from protocol.messages import Rules, ViewPiece
from protocol.words import OPPONENT, Drew, RankId, Removed, Revealed, Seat


def count_possible_ranks(
    view: View, rules: Rules, seat: Seat, *, moved: bool = False, ran: bool = False
) -> dict[str, int]:
    """Count the ranks that a hidden piece of a seat can still have for the player with a view.

    They are those of the army without the pieces of known rank; a piece that has moved is not a bomb or a flag, and one
    that has moved over several squares at once is a runner.
    """
    left: dict[str, int] = {str(rank): count for rank, count in rules.army.items()}
    for rank, count in view.captured.get(seat, {}).items():
        left[rank] = left.get(rank, 0) - count
    for piece in view.pieces:
        if piece.seat == seat and piece.rank is not None:
            left[piece.rank] -= 1

    def allows(rank: RankId) -> bool:
        return RANKS[rank].has(Trait.RUNNER) if ran else not (moved and RANKS[rank].has(Trait.IMMOVABLE))

    return {rank: left[rank] for rank in rules.army if left[rank] > 0 and allows(rank)}


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
        possible = _count_for(replay, number, viewer, piece)
        ranks = write("possible", ranks=write_counts(possible))
        return " ".join([write("square_unknown", place=place, seat=seat), *moved, ranks])
    name = f"{replay.labels[piece.seat][piece.rank]} ({write_rank(piece.rank)})"
    knows = []
    if sees_secrets_of(viewer, piece.seat):
        opponent = OPPONENT[piece.seat]
        foe = replay.sentences.write_seat(opponent)
        is_known = name_place(piece) in replay.known_places(number, viewer)
        knows.append(write("known_by", sign=KNOWN, foe=foe) if is_known else write("hidden_from", sign=HIDDEN, foe=foe))
        if not is_known and viewer != piece.seat:
            possible = _count_for(replay, number, opponent, piece)
            knows.append(write("possible_for", foe=foe, ranks=write_counts(possible)))
    return " ".join([write("square_piece", place=place, seat=seat, name=name), *moved, *knows])


def _count_for(replay: Replay, number: int, viewer: Viewer, piece: ViewPiece) -> dict[str, int]:
    """Count the ranks that a hidden piece can have for a viewer."""
    ran = piece.place in replay.runner_places(number)
    return count_possible_ranks(replay.view(number, viewer), replay.rules, piece.seat, moved=piece.moved, ran=ran)


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
    ranks = {(piece.seat, piece.place): piece.rank for piece in view.pieces}
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
