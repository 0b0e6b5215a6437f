"""Better estimates: the enemy's deployment in the book, and its style of moving.

Two steps more than `beliefs`:

1. `Insight.estimate_start`: each known piece makes some deployments of the book more likely than others, or makes it
   more likely that the enemy's deployment is not in the book.
2. `Insight._judge`: strong pieces move early and come close, weak pieces stay and step aside.

The tables describe what the bots here do, counted over some dozen of their games.
"""

from collections import Counter
from math import exp, log
from typing import Final

from protocol.bot import Game
from protocol.words import AnyFact, Moved, Place
from sample_bots.beliefs import IMMOVABLE, IMPOSSIBLE, Beliefs, Chances, EnemyPiece
from sample_bots.setups import list_deployments

OWN_DEPLOYMENT: Final = 0.5  # the chance, before anything is known, that a deployment is not in the book
CHANGED: Final = 0.1  # the part of a deployment of the book that may have been changed
OPENING: Final = 150  # turns in which the first move of a piece shows something
# The factor for the weight of ranks that a piece of ours, known to the enemy, would ...
APPROACH: Final = 0.1  # ... beat, if the enemy piece steps next to it
RETREAT: Final = 0.1  # ... lose to, if the enemy piece steps away from it
NO_ATTACK: Final = 0.8  # ... lose to, if the enemy piece next to it does not attack
NO_ESCAPE: Final = 0.5  # ... beat, if the enemy piece next to it has moved before but does not flee
# Factors for pieces that move early,
MOVES_EARLY: Final = {
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
# that step next to a piece whose rank they do not know, but which is no bomb,
COMES_CLOSE: Final = {
    "captain": 0.84,
    "lieutenant": 0.77,
    "sergeant": 0.63,
    "miner": 0.32,
    "scout": 0.32,
    "spy": 0.28,
}
# and that step away from such a piece.
STEPS_ASIDE: Final = {
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
    """One player's estimates of the other player's pieces, from everything seen since the deployment."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        army = Counter(game.rules.army)
        self.book = [one for one in list_deployments(game.enemy, game.board.rows) if Counter(one.values()) == army]
        self.turns = 0
        self.all_pieces: list[EnemyPiece] = []
        """All enemy pieces of the start, including captured ones."""

    # --- the enemy's deployment -------------------------------------------------------------------

    def estimate_start(self) -> dict[Place, Chances]:
        """Return the chance of each rank on each square at the start, from the deployments that are still possible."""
        if not self.book or self.prior.keys() != self.book[0].keys():  # a game may start from a position
            return self.prior
        if not self.all_pieces:
            self.all_pieces = list(self.pieces.values())
        *fits, not_in_book = self._deployment_chances()
        in_book = 1 - not_in_book
        mixed = {
            place: {rank: chance * (not_in_book + CHANGED * in_book) for rank, chance in prior.items()}
            for place, prior in self.prior.items()
        }
        for fit, deployment in zip(fits, self.book, strict=True):
            if fit > IMPOSSIBLE:
                for place, rank in deployment.items():
                    mixed[place][rank] += fit * (1 - CHANGED)
        return mixed

    def _deployment_chances(self) -> list[float]:
        """Return the chance of each deployment of the book, and last that of any other."""
        scores = [log((1 - OWN_DEPLOYMENT) / len(self.book))] * len(self.book)
        not_in_book = log(OWN_DEPLOYMENT)
        for piece in self.all_pieces:
            if piece.rank:
                ranks = [piece.rank]
            else:
                ranks = [rank for rank in self.army if not (piece.moved and rank in IMMOVABLE)]
            chance = sum(self.prior[piece.start].get(rank, IMPOSSIBLE) for rank in ranks)
            fits = log(1 - CHANGED + CHANGED * chance)
            fails = log(CHANGED * chance)
            not_in_book += log(chance)
            scores = [
                score + (fits if deployment[piece.start] in ranks else fails)
                for score, deployment in zip(scores, self.book, strict=True)
            ]
        best = max(*scores, not_in_book)
        parts = [exp(score - best) for score in (*scores, not_in_book)]
        return [part / sum(parts) for part in parts]

    # --- what moves show --------------------------------------------------------------------------

    def follow(self, news: list[AnyFact], own: dict[Place, str]) -> None:
        """Read the news; `own` are our pieces after it."""
        self.turns += 1
        super().follow(news, own)

    def _move(self, fact: Moved) -> None:
        is_first = fact.seat == self.enemy and not self.pieces[fact.src].moved
        super()._move(fact)
        if is_first:
            self._apply(MOVES_EARLY, self.pieces[fact.dst], max(0.0, 1 - self.turns / OPENING))

    def _judge(self, move: Moved, own: dict[Place, str]) -> None:
        for place, rank in own.items():
            if place in self.exposed and rank not in IMMOVABLE:
                self._judge_near_exposed(move, place, rank)
            elif place in self.moved:
                if place in self.neighbours[move.dst]:
                    self._apply(COMES_CLOSE, self.pieces[move.dst])
                elif place in self.neighbours[move.src]:
                    self._apply(STEPS_ASIDE, self.pieces[move.dst])

    def _judge_near_exposed(self, move: Moved, place: Place, rank: str) -> None:
        """Draw conclusions for enemy pieces next to a piece of ours that the enemy knows."""
        stronger, others = self.split_by_strength(rank)
        if place in self.neighbours[move.src]:
            self.pieces[move.dst].reduce(stronger, RETREAT)
        for at in self.neighbours[place]:
            if at == move.dst:
                self.pieces[at].reduce(others, APPROACH)
            elif at in self.pieces:
                self.pieces[at].reduce(stronger, NO_ATTACK)
                self.pieces[at].reduce(others, NO_ESCAPE if self.pieces[at].moved else 1)

    @staticmethod
    def _apply(factors: Chances, piece: EnemyPiece, power: float = 1) -> None:
        for rank, factor in factors.items():
            if rank in piece.weights:
                piece.reduce([rank], factor**power)
