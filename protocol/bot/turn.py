"""A question, and what its player knows when it is asked."""

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
    """One question and what is known when it is asked.

    `game`, and of it `seat`, `rules` and `rng`; `phase` and `clock` as they were told; `news` holds the facts
    since the last question; `refused` says why the last answer to this very question was refused (None as a rule).
    What is costly to know is worked out when it is first read.
    """

    def __init__(self, game: Game, ask: Ask, news: list[AnyFact]) -> None:
        self.game = game
        self.seat = game.seat
        self.rules = game.rules
        self.rng = game.rng
        self.phase = ask.phase
        self.clock = ask.clock
        self.news = news
        self.refused: str | None = None
        self._ask = ask
        self._legal = ask.legal
        self._begun = perf_counter()

    @property
    def legal(self) -> list[AnyAction]:
        """The legal actions; empty in the setup.

        Raises ValueError unless the bot `wants` them.
        """
        if self._legal is UNSET:
            if self.phase == "setup":
                return []
            raise ValueError('the legal actions are told only to a bot that runs with wants=["legal"]')
        return self._legal

    @property
    def draw_offered(self) -> bool:
        """Whether the enemy has just offered a draw, which `AcceptDraw()` accepts in phase `turn`."""
        return any(isinstance(fact, DrawOffered) and fact.seat != self.seat for fact in self.news)

    @cached_property
    def view(self) -> BoardView | CardView:
        """The board, or the cards, as this player may know them."""
        return self.game.fold.view()

    # --- the view by sides ------------------------------------------------------------------------

    @cached_property
    def own(self) -> dict[Place, RankId]:
        """One's own pieces by square; in the card game one's own line and hand by place."""
        return {place: rank for place, rank in self._sides[self.seat].items() if rank}

    @cached_property
    def enemies(self) -> dict[Place, RankId | None]:
        """The enemy's pieces by square, or his line by slot; None where the rank is hidden."""
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
        """Where the enemy's pieces stand that have moved, and so are no bomb and no flag."""
        view, enemy = self.view, self.game.enemy
        if isinstance(view, CardView):
            return frozenset()
        return frozenset(piece.place for piece in view.pieces if piece.moved and piece.seat == enemy)

    @cached_property
    def hidden(self) -> Counter[str]:
        """How many of each rank the enemy's hidden pieces or cards are: his army without what is lost or known.

        Where he lost pieces whose rank was never told (`view.captured` counts them as `unknown`), it is so
        many more than he has.
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
        """How long this answer may still take; it runs down while the bot thinks."""
        return self._allowed_s - (perf_counter() - self._begun)

    @cached_property
    def _allowed_s(self) -> float:
        bank = self.clock.red_ms if self.seat == RED else self.clock.blue_ms
        cap = self.clock.move_ms
        if cap is None:
            return bank / _MS
        # The setup at the start has time of its own; that after a regroup runs on the bank.
        is_first_setup = self.phase == "setup" and self._ask.ask == 1
        return (cap if is_first_setup else min(cap, bank)) / _MS

    def log(self, *words: object) -> None:
        """Write a line to stderr, where the arbiter keeps it for the author."""
        self.game.log(*words)

    def refuse(self, action: AnyAction, why: str) -> None:
        """Note that an action was refused, and why."""
        self.refused = why
        if self._legal is not UNSET:
            self._legal = [other for other in self._legal if other != action]
