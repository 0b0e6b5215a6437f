"""What the enemy's hidden pieces may be: a chance for each rank, from where they stood and what they did.

In three steps:

1. `Beliefs.follow`: who is who?  Each enemy piece has its own file, which goes where the piece goes.
2. `Suspect.doubt`: what does a move tell?  Who comes close is strong, who goes away is weak, and who neither
   strikes nor flees is rather a bomb.
3. `Beliefs.chances`: each piece is one thing, and there are no more marshals than the army has left; so the
   weights of all pieces are balanced with what is left.
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
from sample_bots.setups import habits

STILL: Final = frozenset({"bomb", "flag"})
SURPRISE: Final = 0.02  # the chance that a setup is nothing like the book
ROUNDS: Final = 8  # of balancing: enough for two digits
BOLD: Final = 0.3  # how much less likely a piece is beaten by the known piece it steps beside
SHY: Final = 0.4  # how much less likely a piece beats the known piece it steps away from
IDLE: Final = 0.6  # ... beats the known piece beside it that it does not strike
CALM: Final = 0.7  # ... is beaten by the known piece beside it that it does not flee
ODD: Final = 0.01  # how likely one runs of whom we did not know that he can
NEVER: Final = 0.0001  # a smaller chance is none

Chances = dict[str, float]


class Suspect:
    """An enemy piece: where it stood at first, what its moves tell for each rank, its `rank` once it is known."""

    __slots__ = ("moved", "ran", "rank", "start", "weights")

    def __init__(self, start: Place, ranks: Iterable[str]) -> None:
        self.start = start
        self.weights = dict.fromkeys(ranks, 1.0)
        self.rank: str | None = None
        self.moved = False
        self.ran = False  # more than one square

    def doubt(self, ranks: Iterable[str], factor: float) -> None:
        """Make ranks less likely."""
        for rank in ranks:
            self.weights[rank] = max(self.weights[rank] * factor, NEVER)

    def weigh(self, ranks: list[str], prior: Mapping[str, float], runners: Collection[str]) -> list[float]:
        """Return the weight of each rank, 0 where it cannot be."""
        return [
            0.0
            if self.moved and rank in STILL
            else prior[rank] * self.weights[rank] * (ODD if self.ran and rank not in runners else 1)
            for rank in ranks
        ]


class Beliefs:
    """What one player believes of the other's pieces."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.enemy = game.enemy
        self.army = Counter(game.rules.army)
        self.beside = game.board.neighbours
        self.habits = habits(game.enemy, game.board.rows)
        self.prior: dict[Place, Chances] = {}  # what may stand where at first
        self.runners = {"scout"}  # who may move more than one square
        self.suspects: dict[Place, Suspect] = {}
        self.gone: list[Suspect] = []  # captured, and we were never told what they were
        self.shown: set[Place] = set()  # own pieces whose rank the enemy knows
        self.stirred: set[Place] = set()  # own pieces that have moved: he knows they are no bombs

    # --- following

    def follow(self, news: list[AnyFact], own: dict[Place, str]) -> None:
        """Read the news; `own` are one's own pieces as they stand after it."""
        for fact in news:
            match fact:
                case Deployed(seat=self.enemy):
                    self.suspects = {place: Suspect(place, self.army) for place in fact.places}
                    self.prior = {place: self._expect(place) for place in fact.places}
                case Attacked():
                    self.shown |= {fact.src, fact.dst}
                case Moved():
                    self._move(fact)
                case Revealed(seat=self.enemy):
                    self.suspects[fact.place].rank = fact.rank
                case Removed():
                    self._remove(fact)
                case Placed(seat=self.enemy):
                    self.suspects[fact.place] = Suspect("", self.army)  # it may have stood anywhere
        self.shown &= own.keys()
        self.stirred &= own.keys()
        if news and isinstance(news[-1], Moved) and news[-1].seat == self.enemy:
            self._judge(news[-1], own)

    def _expect(self, place: Place) -> Chances:
        """Return the chance of each rank to stand on a square at first."""
        stood = self.habits.get(place, Counter())
        seen, size = stood.total() or 1, self.army.total()
        return {rank: stood[rank] / seen + SURPRISE * count / size for rank, count in self.army.items()}

    def _move(self, fact: Moved) -> None:
        ran = fact.dst not in self.beside[fact.src]
        if fact.seat == self.enemy:
            suspect = self.suspects[fact.dst] = self.suspects.pop(fact.src)
            suspect.moved = True
            suspect.ran = suspect.ran or ran
            return
        if fact.src in self.shown or ran:
            self.shown.discard(fact.src)
            self.shown.add(fact.dst)
        self.stirred.discard(fact.src)
        self.stirred.add(fact.dst)

    def _remove(self, fact: Removed) -> None:
        self.shown.discard(fact.place)
        self.stirred.discard(fact.place)
        if fact.seat == self.enemy:
            suspect = self.suspects.pop(fact.place)
            if suspect.rank is None:
                self.gone.append(suspect)

    def _judge(self, move: Moved, own: dict[Place, str]) -> None:
        """Draw conclusions from an enemy's move, for those beside pieces of ours that he knows."""
        for place, rank in own.items():
            if place not in self.shown or rank in STILL:
                continue
            strong, weak = self.parted_by(rank)
            if move.src in self.beside[place]:
                self.suspects[move.dst].doubt(strong, SHY)
            for at in self.beside[place]:
                suspect = self.suspects.get(at)
                if suspect is None:
                    continue
                if at == move.dst:
                    suspect.doubt(weak, BOLD)
                else:
                    suspect.doubt(strong, IDLE)
                    suspect.doubt(weak, CALM)

    def parted_by(self, rank: str) -> tuple[list[str], list[str]]:
        """Part the ranks that move into those that beat a rank and the others."""
        movers = [other for other in self.army if other not in STILL]
        strong = [other for other in movers if self.game.fight(other, rank) == "win"]
        return strong, [other for other in movers if other not in strong]

    # --- chances

    def chances(self, lost: Counter[str]) -> dict[Place, Chances]:
        """Return the chance of each rank for each enemy piece; `lost` counts the captured, some as unknown."""
        del self.gone[lost["unknown"] :]  # the others were brought back
        left = self.army - lost - Counter(suspect.rank for suspect in self.suspects.values() if suspect.rank)
        ranks = [rank for rank in self.army if left[rank] > 0]
        hidden = [suspect for suspect in (*self.suspects.values(), *self.gone) if suspect.rank is None]
        prior = self.expected()
        table = [suspect.weigh(ranks, prior.get(suspect.start, self.army), self.runners) for suspect in hidden]
        rows = balance(table, [left[rank] for rank in ranks])
        found = {id(suspect): _likely(ranks, row) for suspect, row in zip(hidden, rows, strict=True)}
        return {
            place: {suspect.rank: 1.0} if suspect.rank else found[id(suspect)]
            for place, suspect in self.suspects.items()
        }

    def expected(self) -> dict[Place, Chances]:
        """Return the chance of each rank to have stood on each square at first."""
        return self.prior


def _likely(ranks: list[str], row: list[float]) -> Chances:
    return {rank: chance for rank, chance in zip(ranks, row, strict=True) if chance > NEVER}


def balance(table: list[list[float]], left: list[int]) -> list[list[float]]:
    """Scale the columns to what is left of each rank and the rows to 1, in turn, until both nearly hold.

    Where fewer pieces than ranks are left, or more, the ranks' shares count.
    """
    share = len(table) / (sum(left) or 1)
    for _ in range(ROUNDS):
        sums = [sum(column) for column in zip(*table, strict=True)]
        scales = [count * share / total if total else 0.0 for count, total in zip(left, sums, strict=True)]
        table = [_scaled_to_1([weight * scale for weight, scale in zip(row, scales, strict=True)]) for row in table]
    return table


def _scaled_to_1(row: list[float]) -> list[float]:
    total = sum(row)
    return [weight / total for weight in row] if total else row
