"""A question, together with what its player knows at that moment."""

from collections import Counter
from functools import cached_property
from time import perf_counter
from typing import Final

from msgspec import UNSET

from protocol.bot.game import Game
from protocol.messages import Ask, BoardView, CardView
from protocol.words import BLUE, RED, AnyAction, AnyFact, DrawOffered, Place, RankId, Seat

_MS: Final = 1000


class Turn:
    """One question, together with what is known when it is asked.

    Values that are expensive to compute are computed when they are first read.
    """

    def __init__(self, game: Game, ask: Ask, news: list[AnyFact]) -> None:
        self.game = game
        self.seat = game.seat
        self.rules = game.rules
        self.rng = game.rng
        self.phase = ask.phase
        self.clock = ask.clock
        self.news = news
        """The facts since the last question."""
        self.refused: str | None = None
        """The reason why the last answer to this question was refused; None if it was not."""
        self._ask = ask
        self._legal = ask.legal
        self._started = perf_counter()

    @property
    def legal(self) -> list[AnyAction]:
        """The legal actions; empty in phase `setup`.

        Raises ValueError if the bot does not want them.
        """
        if self._legal is UNSET:
            if self.phase == "setup":
                return []
            raise ValueError('the legal actions are only available with wants=["legal"]; pass it to run()')
        return self._legal

    @property
    def draw_offered(self) -> bool:
        """True if the enemy has just offered a draw, which `AcceptDraw()` accepts in phase `turn`."""
        return any(isinstance(fact, DrawOffered) and fact.seat != self.seat for fact in self.news)

    @cached_property
    def view(self) -> BoardView | CardView:
        """The board or the cards as this player may know them."""
        return self.game.knowledge.view()

    # --- the view by sides ------------------------------------------------------------------------

    @cached_property
    def own(self) -> dict[Place, RankId]:
        """The player's pieces, square to rank; in the card game its line and hand, place to rank."""
        return {place: rank for place, rank in self._sides[self.seat].items() if rank}

    @cached_property
    def enemies(self) -> dict[Place, RankId | None]:
        """The enemy's pieces, square to rank, or its line, slot to rank; None if the rank is hidden."""
        return self._sides[self.game.enemy]

    @cached_property
    def _sides(self) -> dict[Seat, dict[Place, RankId | None]]:
        view = self.view
        if isinstance(view, CardView):
            sides = {seat: {card.place: card.rank for card in line} for seat, line in view.line.items()}
            sides[self.seat].update((card.place, card.rank) for card in view.hand)
            return sides
        sides = {RED: {}, BLUE: {}}
        for piece in view.pieces:
            sides[piece.seat][piece.place] = piece.rank
        return sides

    @cached_property
    def movers(self) -> frozenset[Place]:
        """The squares of enemy pieces that have moved, so they are no bombs and no flag."""
        view = self.view
        if isinstance(view, CardView):
            return frozenset()
        return frozenset(piece.place for piece in view.pieces if piece.moved and piece.seat == self.game.enemy)

    @cached_property
    def hidden(self) -> Counter[str]:
        """The ranks of the enemy's hidden pieces or cards: its army without the lost and the known ones.

        If the enemy lost pieces of unknown rank (`view.captured` counts them as `unknown`), these are still included.
        """
        left: dict[str, int] = dict(self.rules.army.items())
        for rank, lost in self.view.captured[self.game.enemy].items():
            if rank in left:
                left[rank] -= lost
        for known in self.enemies.values():
            if known and known in left:
                left[known] -= 1
        return Counter({rank: count for rank, count in left.items() if count > 0})

    # --- time -------------------------------------------------------------------------------------

    @property
    def seconds_left(self) -> float:
        """The time that this answer may still take; it decreases while the bot thinks."""
        bank = self.clock.red_ms if self.seat == RED else self.clock.blue_ms
        cap = self.clock.move_ms
        if cap is None:
            allowed = bank
        elif self.phase == "setup" and self._ask.ask == 1:  # it has its own time; after a regroup the bank counts
            allowed = cap
        else:
            allowed = min(cap, bank)
        return allowed / _MS - (perf_counter() - self._started)

    def log(self, *words: object) -> None:
        """Write a line to stderr, which the arbiter keeps for the author."""
        self.game.log(*words)

    def refuse(self, action: AnyAction, why: str) -> None:
        """Note that an action was refused, and remove it from the legal actions."""
        self.refused = why
        if self._legal is not UNSET:
            self._legal = [other for other in self._legal if other != action]
