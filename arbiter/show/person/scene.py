"""A person's view of a game: drawings of the known position, and sentences about each action."""

import re
from collections.abc import Sequence
from typing import Final, cast

from arbiter.show.boards import NO_MARKS, draw_board, write_rank
from arbiter.show.cards import CardTable, draw_cards
from arbiter.show.language import SentenceWriter
from arbiter.show.replay.frame import find_marks
from arbiter.show.replay.knowledge import View, combine_views
from arbiter.show.replay.story import describe_facts
from protocol.messages import BoardShape, Captured, Start, ViewPiece
from protocol.view import new_knowledge
from protocol.words import BLUE, RED, AnyAction, AnyFact, Moved, Place, RankId

_WIDTH: Final = 64  # columns of a board; the captured pieces are listed to the right of it
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")


class Scene:
    """The knowledge of a human player, drawn with the player's side at the bottom."""

    def __init__(self, start: Start, lang: str, *, colour: bool) -> None:
        self.seat = start.seat
        self.sentences: Final = SentenceWriter(lang, start.rules.id)
        self._shape = start.rules.board
        self._rules = start.rules
        self._knowledge = new_knowledge(start.rules, start.seat)
        self._marks = NO_MARKS
        self._colour = colour

    def add_action(self, action: AnyAction) -> None:
        """Add an action of the person that was accepted; call it before its facts are added."""
        self._knowledge.note_action(action)

    def add_facts(self, facts: Sequence[AnyFact]) -> tuple[str, ...]:
        """Add facts, and return sentences about them."""
        before = self._view()
        for fact in facts:
            self._knowledge.note_fact(fact)
        self._marks = find_marks(facts) if facts else self._marks
        foreign = (fact for fact in facts if isinstance(fact, Moved) and fact.seat != self.seat)
        moves = tuple(f"{fact.seat} moves {fact.src}-{fact.dst}" for fact in foreign)
        return (*moves, *describe_facts(facts, before, self._view(), self.seat, self.sentences))

    def _view(self) -> View:
        return combine_views(self.seat, {self.seat: self._knowledge.view()}, self._rules)

    def hand(self) -> list[tuple[Place, str]]:
        """List the places and names of the cards in the person's hand; none in a board game."""
        view = self._view()
        cards = view.hands.get(self.seat, []) if isinstance(view, CardTable) else []
        return [(card.place, self.sentences.write_name(self.seat, card.rank)) for card in cards]

    def draw(self) -> str:
        """Draw the known position."""
        view = self._view()
        if isinstance(view, CardTable):
            return draw_cards(view, self.seat, self._marks, colour=self._colour)
        return _join_columns(self.draw_pieces(view.pieces), _list_captured(view.captured))

    def draw_pieces(self, pieces: Sequence[ViewPiece]) -> str:
        """Draw a board with pieces."""
        shape = cast("BoardShape", self._shape)
        return draw_board(pieces, shape, self._marks, colour=self._colour, bottom=self.seat)


def _list_captured(captured: Captured) -> list[str]:
    """List the captured pieces of both sides: a line per rank, then the totals."""
    ranks = dict.fromkeys(rank for losses in captured.values() for rank in losses)
    if not ranks:
        return []
    counts = [[captured.get(seat, {}).get(rank, 0) for seat in (RED, BLUE)] for rank in ranks]
    totals = [sum(column) for column in zip(*counts, strict=True)]
    heads = [*(write_rank(cast("RankId", rank)) for rank in ranks), "all"]
    rows = zip(heads, [*counts, totals], strict=True)
    return ["lost  red blue", *(f"{head:>4}{red or '.':>5}{blue or '.':>5}" for head, (red, blue) in rows)]


def _join_columns(left: str, right: Sequence[str]) -> str:
    """Write lines to the right of a drawing."""
    lines = left.splitlines()
    height = max(len(lines), len(right))
    left_column = [*lines, *[""] * (height - len(lines))]
    right_column = [*right, *[""] * (height - len(right))]
    return "\n".join(
        f"{line}{' ' * (_WIDTH - len(_COLOURS.sub('', line)))}{note}".rstrip()
        for line, note in zip(left_column, right_column, strict=True)
    )
