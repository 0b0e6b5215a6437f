"""What a person sees of the game he plays, and what he is told of each act."""

import re
from collections.abc import Sequence
from typing import Final, cast

from arbiter.show.boards import NO_MARKS, draw_board, write_rank
from arbiter.show.cards import CardTable, draw_cards
from arbiter.show.names import make_naming
from arbiter.show.replay.frame import find_marks
from arbiter.show.replay.knowledge import View, combine_views
from arbiter.show.replay.story import describe_facts
from protocol.messages import BoardShape, Captured, Start, ViewPiece
from protocol.view import new_knowledge
from protocol.words import BLUE, RED, AnyAction, AnyFact, Moved, Place, RankId

_WIDE: Final = 64  # columns of a board; what was lost stands right of it
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")


class Scene:
    """The growing knowledge of one person at the table, drawn with his side at the bottom."""

    def __init__(self, start: Start, lang: str, *, colour: bool) -> None:
        self.seat = start.seat
        self.name = make_naming(start.rules.id, lang)
        self._shape = start.rules.board
        self._rules = start.rules
        self._known = new_knowledge(start.rules, start.seat)
        self._marks = NO_MARKS
        self._colour = colour

    def did(self, action: AnyAction) -> None:
        """Note an act of the person's own, once it is accepted and before its facts are heard."""
        self._known.note_action(action)

    def hear(self, facts: Sequence[AnyFact]) -> tuple[str, ...]:
        """Note what happened, and tell it."""
        before = self._view()
        for fact in facts:
            self._known.note_fact(fact)
        self._marks = find_marks(facts) if facts else self._marks
        foreign = (fact for fact in facts if isinstance(fact, Moved) and fact.seat != self.seat)
        moves = tuple(f"{fact.seat} moves {fact.src}-{fact.dst}" for fact in foreign)
        return (*moves, *describe_facts(facts, before, self._view(), self.seat, self.name))

    def _view(self) -> View:
        return combine_views(self.seat, {self.seat: self._known.view()}, self._rules)

    def pieces(self) -> list[ViewPiece]:
        """List the pieces on the board; none in a card game."""
        view = self._view()
        return [] if isinstance(view, CardTable) else view.pieces

    def hand(self) -> list[tuple[Place, str]]:
        """List the cards of the person's hand by their names; none in a board game."""
        view = self._view()
        cards = view.hands.get(self.seat, []) if isinstance(view, CardTable) else []
        return [(card.place, self.name(self.seat, card.rank) if card.rank else "unknown") for card in cards]

    def drawing(self) -> str:
        """Draw what is known now."""
        view = self._view()
        if isinstance(view, CardTable):
            return draw_cards(view, self.seat, self._marks, colour=self._colour)
        return beside(self.draw(view.pieces), lost(view.captured))

    def draw(self, pieces: Sequence[ViewPiece]) -> str:
        """Draw a board."""
        shape = cast("BoardShape", self._shape)
        return draw_board(pieces, shape, self._marks, colour=self._colour, bottom=self.seat)


def lost(captured: Captured) -> list[str]:
    """List what each side has lost: a line a rank, then how many."""
    ranks = dict.fromkeys(rank for losses in captured.values() for rank in losses)
    if not ranks:
        return []
    counts = [[captured.get(seat, {}).get(rank, 0) for seat in (RED, BLUE)] for rank in ranks]
    rows = [_row(write_rank(cast("RankId", rank)), *count) for rank, count in zip(ranks, counts, strict=True)]
    return ["lost  red blue", *rows, _row("all", *map(sum, zip(*counts, strict=True)))]


def _row(head: str, red: int, blue: int) -> str:
    return f"{head:>4}{red or '.':>5}{blue or '.':>5}"


def beside(left: str, right: Sequence[str]) -> str:
    """Set lines beside a drawing."""
    lines = left.splitlines()
    rows = max(len(lines), len(right))
    padded = [*lines, *[""] * (rows - len(lines))]
    return "\n".join(
        f"{line}{' ' * (_WIDE - _width(line))}{note}".rstrip()
        for line, note in zip(padded, [*right, *[""] * (rows - len(right))], strict=True)
    )


def _width(line: str) -> int:
    return len(_COLOURS.sub("", line))
