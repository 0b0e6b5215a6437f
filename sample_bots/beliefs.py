"""Estimates of the enemy's hidden pieces: a probability for each rank, from where they started and how they moved.

Three steps:

1. `Beliefs.follow` tracks each enemy piece from square to square.
2. `EnemyPiece.reduce` applies what a move shows.  A piece that comes close is strong, a piece that goes away is weak,
   and a piece that neither attacks nor flees is probably a bomb.
3. `Beliefs.estimate` balances the weights of all pieces: each piece has one rank, and the enemy has no more pieces of
   a rank than are left.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from protocol.bot import Game
from protocol.words import (
    AnyFact,
    Attacked,
    Deployed,
    Moved,
    Place,
    Placed,
    Removed,
    Revealed,
)
from sample_bots.setups import count_ranks

IMMOVABLE: Final = frozenset({"bomb", "flag"})
NOT_IN_BOOK: Final = 0.02  # the chance that a deployment is not like the book at all
ROUNDS: Final = 8  # of balancing: enough for two digits
IMPOSSIBLE: Final = 0.0001  # smaller chances count as none
# The factor for the weight of ranks that a piece of ours, known to the enemy, would ...
APPROACH: Final = 0.3  # ... beat, if the enemy piece steps next to it
RETREAT: Final = 0.4  # ... lose to, if the enemy piece steps away from it
NO_ATTACK: Final = 0.6  # ... lose to, if the enemy piece next to it does not attack
NO_ESCAPE: Final = 0.7  # ... beat, if the enemy piece next to it does not flee
UNKNOWN_RUNNER: Final = 0.01  # the factor for ranks that are not known to run, if the piece has run

Chances = dict[str, float]


class EnemyPiece:
    """An enemy piece and what its moves have shown."""

    __slots__ = ("has_run", "moved", "rank", "start", "weights")

    def __init__(self, start: Place, ranks: Iterable[str]) -> None:
        self.start = start
        """Its first square."""
        self.weights = dict.fromkeys(ranks, 1.0)
        """A factor for each rank, from its moves."""
        self.rank: str | None = None
        """Its rank, once it is known."""
        self.moved = False
        self.has_run = False
        """True if it has moved more than one square at once."""

    def reduce(self, ranks: Iterable[str], factor: float) -> None:
        """Make ranks less likely."""
        for rank in ranks:
            self.weights[rank] = max(self.weights[rank] * factor, IMPOSSIBLE)

    def weigh(self, ranks: list[str], prior: Mapping[str, float], runners: Collection[str]) -> list[float]:
        """Return the weight of each rank, 0 if it is impossible."""
        return [
            0.0
            if self.moved and rank in IMMOVABLE
            else prior[rank] * self.weights[rank] * (UNKNOWN_RUNNER if self.has_run and rank not in runners else 1)
            for rank in ranks
        ]


class Beliefs:
    """One player's knowledge and estimates of the other player's pieces."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.enemy = game.enemy
        self.army = Counter(game.rules.army)
        self.neighbours = game.board.neighbours
        self.book_ranks = count_ranks(game.enemy, game.board.rows)
        self.prior: dict[Place, Chances] = {}
        """The chance of each rank on each square at the start."""
        self.runners = {"scout"}
        """The ranks that may move more than one square."""
        self.pieces: dict[Place, EnemyPiece] = {}
        self.unknown_losses: list[EnemyPiece] = []
        """Captured pieces whose ranks were never revealed."""
        self.exposed: set[Place] = set()
        """Squares of our pieces whose ranks the enemy knows."""
        self.moved: set[Place] = set()
        """Squares of our pieces that have moved: the enemy knows that they are no bombs."""

    # --- tracking ---------------------------------------------------------------------------------

    def follow(self, news: list[AnyFact], own: dict[Place, str]) -> None:
        """Read the news; `own` are our pieces after it."""
        for fact in news:
            match fact:
                case Deployed(seat=self.enemy):
                    self._start(fact.places)
                case Attacked():
                    self.exposed |= {fact.src, fact.dst}
                case Moved():
                    self._move(fact)
                case Revealed(seat=self.enemy):
                    self.pieces[fact.place].rank = fact.rank
                case Removed():
                    self.exposed.discard(fact.place)
                    self.moved.discard(fact.place)
                    lost = self.pieces.pop(fact.place) if fact.seat == self.enemy else None
                    if lost is not None and lost.rank is None:
                        self.unknown_losses.append(lost)
                case Placed(seat=self.enemy):
                    self.pieces[fact.place] = EnemyPiece("", self.army)  # its first square is unknown
        self.exposed &= own.keys()
        self.moved &= own.keys()
        if news and isinstance(news[-1], Moved) and news[-1].seat == self.enemy:
            self._judge(news[-1], own)

    def _start(self, places: list[Place]) -> None:
        """Set up the enemy's pieces, with the chance of each rank by the book."""
        self.pieces = {place: EnemyPiece(place, self.army) for place in places}
        for place in places:
            in_book = self.book_ranks.get(place, Counter())
            drawings = in_book.total() or 1
            self.prior[place] = {
                rank: in_book[rank] / drawings + NOT_IN_BOOK * count / self.army.total()
                for rank, count in self.army.items()
            }

    def _move(self, fact: Moved) -> None:
        has_run = fact.dst not in self.neighbours[fact.src]
        if fact.seat == self.enemy:
            piece = self.pieces[fact.dst] = self.pieces.pop(fact.src)
            piece.moved = True
            piece.has_run = piece.has_run or has_run
            return
        if fact.src in self.exposed or has_run:
            self.exposed.discard(fact.src)
            self.exposed.add(fact.dst)
        self.moved.discard(fact.src)
        self.moved.add(fact.dst)

    def _judge(self, move: Moved, own: dict[Place, str]) -> None:
        """Draw conclusions from an enemy's move, for enemy pieces next to pieces of ours that the enemy knows."""
        for place, rank in own.items():
            if place not in self.exposed or rank in IMMOVABLE:
                continue
            stronger, others = self.split_by_strength(rank)
            if move.src in self.neighbours[place]:
                self.pieces[move.dst].reduce(stronger, RETREAT)
            for at in self.neighbours[place]:
                piece = self.pieces.get(at)
                if piece is None:
                    continue
                if at == move.dst:
                    piece.reduce(others, APPROACH)
                else:
                    piece.reduce(stronger, NO_ATTACK)
                    piece.reduce(others, NO_ESCAPE)

    def split_by_strength(self, rank: str) -> tuple[list[str], list[str]]:
        """Split the movable ranks into those that beat a rank, and the others."""
        movable = [other for other in self.army if other not in IMMOVABLE]
        stronger = [other for other in movable if self.game.fight(other, rank) == "win"]
        return stronger, [other for other in movable if other not in stronger]

    # --- estimates --------------------------------------------------------------------------------

    def estimate(self, lost: Counter[str]) -> dict[Place, Chances]:
        """Return the chance of each rank for each enemy piece; `lost` counts the captured pieces, some as unknown."""
        del self.unknown_losses[lost["unknown"] :]  # the others were rescued
        left = self.army - lost - Counter(piece.rank for piece in self.pieces.values() if piece.rank)
        ranks = [rank for rank in self.army if left[rank] > 0]
        hidden = [piece for piece in (*self.pieces.values(), *self.unknown_losses) if piece.rank is None]
        prior = self.estimate_start()
        table = [piece.weigh(ranks, prior.get(piece.start, self.army), self.runners) for piece in hidden]
        rows = balance(table, [left[rank] for rank in ranks])
        estimates = {
            id(piece): {rank: chance for rank, chance in zip(ranks, row, strict=True) if chance > IMPOSSIBLE}
            for piece, row in zip(hidden, rows, strict=True)
        }
        return {
            place: {piece.rank: 1.0} if piece.rank else estimates[id(piece)] for place, piece in self.pieces.items()
        }

    def estimate_start(self) -> dict[Place, Chances]:
        """Return the chance of each rank on each square at the start."""
        return self.prior


def balance(table: list[list[float]], left: list[int]) -> list[list[float]]:
    """Scale the columns to the number of pieces left of each rank and the rows to 1, in turn, until both nearly hold.

    If there are fewer or more pieces than ranks left, the columns are scaled in proportion.
    """
    if not table:
        return table
    share = len(table) / (sum(left) or 1)
    for _ in range(ROUNDS):
        sums = [sum(column) for column in zip(*table, strict=True)]
        scales = [count * share / total if total else 0.0 for count, total in zip(left, sums, strict=True)]
        scaled = [[weight * scale for weight, scale in zip(row, scales, strict=True)] for row in table]
        totals = [sum(row) or 1 for row in scaled]
        table = [[weight / total for weight in row] for row, total in zip(scaled, totals, strict=True)]
    return table
