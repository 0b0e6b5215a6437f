"""Positions for people and programs: the board, whose turn it is, and which ranks each player does not know."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import msgspec
from msgspec import Struct

from arbiter.errors import ConfigError, write_count
from arbiter.games.board.diagram import Diagram, PlacedPiece, write_piece, write_rows
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.chance import SeededChance
from arbiter.games.ranks import RANKS
from arbiter.languages.sentences import write_reason
from arbiter.record import Record
from arbiter.show.boards import write_lost
from arbiter.show.replay.frame import describe_ending
from arbiter.show.replay.knowledge import Viewer, sees_secrets_of
from arbiter.show.replay.replay import Replay
from arbiter.show.text import plain
from protocol.messages import BoardView
from protocol.words import OPPONENT, SEATS, Place, RankId, Seat

ALL_SEEING: Final[Viewer] = "arbiter"


class ShownPiece(Struct, frozen=True, omit_defaults=True):
    """A piece of a position as a viewer sees it."""

    place: Place
    seat: Seat
    rank: RankId | None
    """None if the viewer does not know it."""
    moved: bool = False
    """True if it has moved since the start of the game."""
    known: bool = False
    """True if its owner's opponent knows the rank."""


class ShownPosition(Struct, frozen=True, kw_only=True):
    """A position as a viewer sees it."""

    rules: BoardRules
    viewer: Viewer
    pieces: Sequence[ShownPiece]
    to_move: Seat | None
    """None if the game is over."""
    ply: int | None = None
    """Plies of a game that led to the position."""
    hidden: Mapping[Seat, Mapping[RankId, int]] = {}
    """By owner: how many pieces of each rank the opponent does not know."""
    ending: str = ""
    """Reason why the game is over; empty if it is not."""

    def letters(self) -> str:
        """Write the position as letters.  Raises ConfigError if the viewer does not know all ranks."""
        board = self.rules.board
        placed = []
        for piece in self.pieces:
            if piece.rank is None:
                raise ConfigError(
                    f"--as {self.viewer}: does not know all ranks; only the arbiter's position has letters"
                )
            placed.append(PlacedPiece(board.names.index(piece.place), piece.seat, piece.rank, piece.known))
        return Diagram(tuple(placed), self.to_move).write(board)

    def rows(self) -> str:
        """Draw the position as rows."""
        signs = {
            piece.place: write_piece(piece.seat, piece.rank, moved=piece.moved, known=piece.known)
            for piece in self.pieces
        }
        return write_rows(signs, self.rules.board, self.to_move)


def show_start(rules: BoardRules) -> ShownPosition:
    """Show the position that a rule set starts from.  Raises ConfigError if a side has more pieces than its army."""
    if rules.position is None:
        raise ConfigError("there is no position")
    placed = rules.position.pieces
    for seat in SEATS:
        counts = Counter(piece.rank for piece in placed if piece.seat == seat)
        for rank, count in counts.items():
            if count > rules.army.get(rank, 0):
                raise ConfigError(
                    f"position: {seat} has {count} pieces of rank {rank}, but an army of {rules.name} has "
                    f"{rules.army.get(rank, 0)}; remove some, or change the army (--set army.{rank}={count})"
                )
    names = rules.board.names
    play = rules.start(SeededChance(0))
    outcome = play.outcome
    return ShownPosition(
        rules=rules,
        viewer=ALL_SEEING,
        pieces=[ShownPiece(names[one.square], one.seat, one.rank, known=one.is_known) for one in placed],
        to_move=None if outcome else play.first,
        hidden={seat: Counter(one.rank for one in placed if one.seat == seat and not one.is_known) for seat in SEATS},
        ending=write_reason(outcome.reason) if outcome else "",
    )


def show_ply(record: Record, ply: int | None, viewer: Viewer) -> ShownPosition:
    """Show the position of a game after a ply, or at its end.  Raises ConfigError and RecordError."""
    rules = record.header.game()
    if not isinstance(rules, BoardRules):
        raise ConfigError(f"{rules.name} has no board and therefore no position; `arbiter replay` shows its games")
    replay = Replay(record)
    number = replay.last if ply is None else replay.find_ply(replay.check_ply(ply))
    views = {seat: cast("BoardView", replay.view(number, seat)) for seat in SEATS}
    ranks = {seat: {piece.place: piece.rank for piece in view.pieces} for seat, view in views.items()}
    pieces = []
    hidden: dict[Seat, Counter[RankId]] = {seat: Counter() for seat in SEATS}
    for piece in cast("BoardView", replay.view(number, ALL_SEEING)).pieces:
        owner = piece.seat
        is_known = ranks[OPPONENT[owner]].get(piece.place) is not None
        if piece.rank is not None and not is_known:
            hidden[owner][piece.rank] += 1
        rank = piece.rank if is_known or sees_secrets_of(viewer, owner) else None
        pieces.append(ShownPiece(piece.place, owner, rank, moved=piece.moved, known=is_known))
    next_act = replay.act(number + 1) if number < replay.last else None
    last_act = replay.act(number)
    first = replay.record.header.first or rules.first
    to_move = next_act.entry.seat if next_act else OPPONENT[last_act.entry.seat] if last_act else first
    is_over = number == replay.last and not replay.in_progress
    result = record.result
    return ShownPosition(
        rules=rules,
        viewer=viewer,
        pieces=pieces,
        to_move=None if is_over else to_move,
        ply=replay.ply(number),
        hidden=hidden,
        ending="; ".join(describe_ending(record, viewer)) if is_over and result else "",
    )


def write_position(position: ShownPosition) -> str:
    """Write a position for people: rows, and as comments the pieces and what each player does not know."""
    lines = [position.rows()]
    if position.ending:
        lines.append(f"# the game is over: {plain(position.ending)}")
    for seat in SEATS:
        count = sum(piece.seat == seat for piece in position.pieces)
        unknown = position.hidden.get(seat, {})
        ranks = {str(rank): unknown[rank] for rank in RANKS if unknown.get(rank)}
        hidden = f"{OPPONENT[seat]} does not know {write_lost(ranks)}" if ranks else f"{OPPONENT[seat]} knows them all"
        lines.append(f"# {seat} has {write_count(count, 'piece')}; {hidden}")
    return "\n".join(lines)


def position_object(position: ShownPosition) -> dict[str, Any]:
    """Return a position as a JSON object."""
    is_complete = all(piece.rank is not None for piece in position.pieces)
    return {
        "type": "position",
        "rules": position.rules.name,
        "options": list(position.rules.options),
        "as": position.viewer,
        "ply": position.ply,
        "to_move": position.to_move,
        "ending": position.ending or None,
        "letters": position.letters() if is_complete else None,
        "rows": position.rows().splitlines(),
        "pieces": [msgspec.to_builtins(piece) for piece in position.pieces],
        "hidden": {seat: dict(position.hidden.get(seat, {})) for seat in SEATS},
    }
