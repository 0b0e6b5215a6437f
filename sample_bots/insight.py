"""Beliefs that go further: which setup of the book this is, and what the enemy's way of moving tells.

Two steps more than `beliefs`:

1. `Insight.expected`: a setup of the book gives itself away piece by piece.  Each one, and that it is none of them,
   has a chance; what is known of the pieces makes some likelier than others.
2. `Insight._judge`: strong pieces come first and come close, weak ones stay and step aside.

The tables are what the bots here do, counted over some dozen of their games.
"""

from collections import Counter
from math import exp, log
from typing import Final

from protocol.bot import Game
from protocol.words import AnyFact, Moved, Place
from sample_bots.beliefs import NEVER, STILL, Beliefs, Chances, Suspect
from sample_bots.setups import all_setups

STRANGE: Final = 0.5  # the chance, before anything is known, that a setup is none of the book
SLIP: Final = 0.1  # how much of a setup of the book may have been changed
HURRY: Final = 150  # turns in which the first move of a piece tells something of it
BOLD: Final = 0.1  # how much less likely a piece is beaten by the known piece it steps beside
SHY: Final = 0.1  # how much less likely a piece beats the known piece it steps away from
IDLE: Final = 0.8  # ... beats the known piece beside it that it does not strike
CALM: Final = 0.5  # ... and once it has moved, is beaten by the known piece beside it that it does not flee
COMES_FIRST: Final = {
    "marshal": 1.0,
    "general": 0.65,
    "colonel": 1.0,
    "major": 1.0,
    "captain": 0.65,
    "lieutenant": 0.24,
    "sergeant": 0.24,
    "miner": 0.05,
    "scout": 0.1,
    "spy": 0.1,
}
COMES_CLOSE: Final = {  # to a piece that it does not know, and that is no bomb
    "captain": 0.84,
    "lieutenant": 0.77,
    "sergeant": 0.63,
    "miner": 0.32,
    "scout": 0.32,
    "spy": 0.28,
}
STEPS_ASIDE: Final = {  # from such a piece
    "marshal": 0.09,
    "general": 0.16,
    "colonel": 0.1,
    "major": 0.13,
    "captain": 0.18,
    "lieutenant": 0.34,
    "sergeant": 0.51,
    "miner": 0.77,
    "scout": 0.65,
    "spy": 0.85,
}


class Insight(Beliefs):
    """What one player believes of the other's pieces, from all that it has seen of them since the setup."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        army = Counter(game.rules.army)
        self.setups = [one for one in all_setups(game.enemy, game.board.rows) if Counter(one.values()) == army]
        self.turns = 0
        self.pieces: list[Suspect] = []  # all there were, captured ones too

    # --- whose setup is this?

    def expected(self) -> dict[Place, Chances]:
        """Return the chance of each rank to have stood on each square, by the setups that it may have been."""
        if not self.setups or self.prior.keys() != self.setups[0].keys():  # a game may begin from a position
            return self.prior
        if not self.pieces:
            self.pieces = list(self.suspects.values())
        *fits, strange = self._fits()
        known = 1 - strange
        mixed = {
            place: {rank: chance * (strange + SLIP * known) for rank, chance in prior.items()}
            for place, prior in self.prior.items()
        }
        for fit, setup in zip(fits, self.setups, strict=True):
            if fit > NEVER:
                for place, rank in setup.items():
                    mixed[place][rank] += fit * (1 - SLIP)
        return mixed

    def _fits(self) -> list[float]:
        """Return the chance of each setup of the book, and at last that of none."""
        scores = [log((1 - STRANGE) / len(self.setups))] * len(self.setups)
        strange = log(STRANGE)
        for piece in self.pieces:
            ranks = self._may_have_been(piece)
            chance = sum(self.prior[piece.start].get(rank, NEVER) for rank in ranks)
            fits, fails = log(1 - SLIP + SLIP * chance), log(SLIP * chance)
            strange += log(chance)
            scores = [
                score + (fits if setup[piece.start] in ranks else fails)
                for score, setup in zip(scores, self.setups, strict=True)
            ]
        best = max(*scores, strange)
        parts = [exp(score - best) for score in (*scores, strange)]
        return [part / sum(parts) for part in parts]

    def _may_have_been(self, piece: Suspect) -> list[str]:
        if piece.rank:
            return [piece.rank]
        return [rank for rank in self.army if not (piece.moved and rank in STILL)]

    # --- what do moves tell?

    def follow(self, news: list[AnyFact], own: dict[Place, str]) -> None:
        """Read the news; `own` are one's own pieces as they stand after it."""
        self.turns += 1
        super().follow(news, own)

    def _move(self, fact: Moved) -> None:
        first = fact.seat == self.enemy and not self.suspects[fact.src].moved
        super()._move(fact)
        if first:
            self._favour(self.suspects[fact.dst], COMES_FIRST, max(0.0, 1 - self.turns / HURRY))

    def _judge(self, move: Moved, own: dict[Place, str]) -> None:
        for place, rank in own.items():
            if place in self.shown and rank not in STILL:
                self._judge_by_known(move, place, rank)
            elif place in self.stirred:
                self._judge_by_unknown(move, place)

    def _judge_by_known(self, move: Moved, place: Place, rank: str) -> None:
        """Draw conclusions for those beside a piece of ours that the enemy knows."""
        strong, weak = self.parted_by(rank)
        if place in self.beside[move.src]:
            self.suspects[move.dst].doubt(strong, SHY)
        for at in self.beside[place]:
            if at == move.dst:
                self.suspects[at].doubt(weak, BOLD)
            elif at in self.suspects:
                self.suspects[at].doubt(strong, IDLE)
                self.suspects[at].doubt(weak, CALM if self.suspects[at].moved else 1)

    def _judge_by_unknown(self, move: Moved, place: Place) -> None:
        """Draw conclusions from a move beside a piece of ours of which the enemy knows only that it is no bomb."""
        if place in self.beside[move.dst]:
            self._favour(self.suspects[move.dst], COMES_CLOSE)
        elif place in self.beside[move.src]:
            self._favour(self.suspects[move.dst], STEPS_ASIDE)

    @staticmethod
    def _favour(suspect: Suspect, table: Chances, power: float = 1) -> None:
        for rank, factor in table.items():
            if rank in suspect.weights:
                suspect.doubt([rank], factor**power)
