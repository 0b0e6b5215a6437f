"""A person's view of a game: drawings of the known position, and sentences about each action."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Final, cast

from arbiter.show.boards import NO_MARKS, draw_board, write_rank
from arbiter.show.cards import CardTable, draw_cards
from arbiter.show.language import SentenceWriter
from arbiter.show.replay.frame import find_marks
from arbiter.show.replay.knowledge import View, combine_views
from arbiter.show.replay.story import describe_facts
from protocol.bot import Game
from protocol.messages import BoardShape, Captured, ViewPiece
from protocol.words import BLUE, RED, AnyFact, Moved, Place, RankId

_WIDTH: Final = 64  # columns of a board; the captured pieces are listed to the right of it
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")


class Scene:
    """The knowledge of a human player, drawn with the player's side at the bottom."""

    def __init__(self, game: Game, lang: str, *, colour: bool) -> None:
        self.sentences: Final = SentenceWriter(lang, game.rules.id)
        self._game = game
        self._before = self._view()
        self._marks = NO_MARKS
        self._colour = colour

    def describe(self, facts: Sequence[AnyFact]) -> tuple[str, ...]:
        """Return sentences about the facts that the game has received since the last call."""
        seat, before = self._game.seat, self._before
        self._before = self._view()
        self._marks = find_marks(facts) if facts else self._marks
        foreign = (fact for fact in facts if isinstance(fact, Moved) and fact.seat != seat)
        moves = tuple(f"{fact.seat} moves {fact.src}-{fact.dst}" for fact in foreign)
        return (*moves, *describe_facts(facts, before, self._before, seat, self.sentences))

    def _view(self) -> View:
        game = self._game
        return combine_views(game.seat, {game.seat: game.knowledge.view()}, game.rules)

    def hand(self) -> list[tuple[Place, str]]:
        """List the places and names of the cards in the person's hand; none in a board game."""
        view, seat = self._view(), self._game.seat
        cards = view.hands.get(seat, []) if isinstance(view, CardTable) else []
        return [(card.place, self.sentences.write_name(seat, card.rank)) for card in cards]

    def draw(self) -> str:
        """Draw the known position; on a board, with the captured pieces to the right."""
        view = self._view()
        if isinstance(view, CardTable):
            return draw_cards(view, self._game.seat, self._marks, colour=self._colour)
        rows = zip_longest(self.draw_pieces(view.pieces).splitlines(), list_captured(view.captured), fillvalue="")
        return "\n".join(f"{row}{' ' * (_WIDTH - len(_COLOURS.sub('', row)))}{note}".rstrip() for row, note in rows)

    def draw_pieces(self, pieces: Sequence[ViewPiece]) -> str:
        """Draw a board with pieces."""
        shape = cast("BoardShape", self._game.rules.board)
        return draw_board(pieces, shape, self._marks, colour=self._colour, bottom=self._game.seat)


def list_captured(captured: Captured) -> list[str]:
    """List the captured pieces of both sides: a line per rank, then the totals."""
    ranks = dict.fromkeys(rank for losses in captured.values() for rank in losses)
    if not ranks:
        return []
    losses = [captured.get(seat, {}) for seat in (RED, BLUE)]
    rows = [(write_rank(cast("RankId", rank)), *(lost.get(rank, 0) for lost in losses)) for rank in ranks]
    rows.append(("all", *(sum(lost.values()) for lost in losses)))
    return ["lost  red blue", *(f"{head:>4}{red or '.':>5}{blue or '.':>5}" for head, red, blue in rows)]
