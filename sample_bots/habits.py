"""Estimates learned from recorded games: where ranks start, when they move for the first time, and how they move.

`examples/learn_habits.py` counts, and habits.json has the counts.  As in naive Bayes, each thing that an enemy piece
does multiplies the weight of each rank by the share of pieces of that rank that do it.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from protocol.bot import Game
from protocol.words import Moved, Place
from sample_bots.beliefs import IMMOVABLE, Chances, EnemyPiece
from sample_bots.insight import Insight
from sample_bots.lookahead import read_setting

FILE: Final = Path(__file__).with_name("habits.json")
PERIODS: Final = (5, 10, 20, 40, 80, 160)  # turns at which a period of first moves ends
LARGE_ARMY: Final = 20  # pieces; habits of large and small armies are counted apart
SMOOTHING: Final = 2.0  # pieces of each rank that are taken to do each thing, besides those that were counted
TRUST: Final = read_setting("TRUST", 0.3)  # power of the factors: the bots of others may have other habits
STARTS: Final = 0.6  # the part of the learned starts in the chance of each rank on each square


class Counts(Struct, frozen=True):
    """The counts of the games of one size of army."""

    first_moves: dict[str, list[int]]
    """For each rank, pieces whose first move was in each period, or after all of them, and last those without one."""
    moves: dict[str, dict[str, int]]
    """For each rank, moves of hidden pieces by kind: `close`, `aside` or `other`."""
    meetings: dict[str, list[float]]
    """For `chase` and `flee` (moves towards and away from a known piece): how much more often pieces that win against
    that piece do it than a random piece, and how much more often pieces that do not win."""


class HabitTable(Struct, frozen=True):
    """All counts."""

    starts: dict[str, dict[str, dict[str, int]]]
    """For each rule set and rank, pieces by first square: row from the back row, and files from the nearer edge."""
    sizes: dict[str, Counts]
    """By size of army: `small` or `large`."""


@cache
def read_table() -> HabitTable:
    """Read the table."""
    return msgspec.json.decode(FILE.read_bytes(), type=HabitTable)


def start_key(game: Game, place: Place) -> str:
    """Return the key of a first square of the enemy in the table: the same for a square and its mirror image."""
    file = ord(place[0]) - ord("a")
    return f"{game.board.depth(place, game.enemy)} {min(file, game.board.files - 1 - file)}"


def period(turns: int) -> int:
    """Return the number of a period of first moves."""
    return sum(turns > end for end in PERIODS)


class HabitEstimates(Insight):
    """Estimates by the table; deployments of the book are recognised as before."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.size = "large" if self.army.total() >= LARGE_ARMY else "small"
        table = read_table()
        self.starts = table.starts.get(game.rules.id, {})
        self.counts = table.sizes.get(self.size, Counts({}, {}, {}))

    def _start(self, places: list[Place]) -> None:
        super()._start(places)
        if self.starts:
            for place in places:
                key = start_key(self.game, place)
                here = {rank: self.starts.get(rank, {}).get(key, 0) for rank in self.army}
                total = sum(here.values()) + SMOOTHING
                self.prior[place] = {
                    rank: (1 - STARTS) * chance
                    + STARTS * (here[rank] + SMOOTHING * self.army[rank] / self.army.total()) / total
                    for rank, chance in self.prior[place].items()
                }

    def estimate_start(self) -> dict[Place, Chances]:
        """Return the chance of each rank on each square at the start; a piece that never moves is less often mobile."""
        prior = super().estimate_start()
        now = period(self.turns)
        waiting = {
            rank: ((sum(firsts[now:]) + SMOOTHING) / (sum(firsts) + SMOOTHING)) ** TRUST
            for rank, firsts in self.counts.first_moves.items()
        }
        unmoved = {piece.start for piece in self.pieces.values() if not piece.moved}
        return {
            place: {rank: chance * waiting.get(rank, 1.0) for rank, chance in chances.items()}
            if place in unmoved
            else chances
            for place, chances in prior.items()
        }

    def _move(self, fact: Moved) -> None:
        is_first = fact.seat == self.enemy and not self.pieces[fact.src].moved
        super(Insight, self)._move(fact)
        if is_first:
            self.note_first_move(self.pieces[fact.dst], period(self.turns))

    def _judge(self, move: Moved, own: dict[Place, str]) -> None:
        piece = self.pieces[move.dst]
        kind = "other"
        for place, rank in own.items():
            is_close = place in self.neighbours[move.dst]
            if not is_close and place not in self.neighbours[move.src]:
                continue
            if place in self.exposed and rank not in IMMOVABLE:
                self.note_meeting(piece, "chase" if is_close else "flee", rank)
            elif place in self.moved:
                kind = "close" if is_close else "aside"
        self.note_move(piece, kind)

    # --- conclusions, which the script that learns replaces by counting ---------------------------

    def note_first_move(self, piece: EnemyPiece, number: int) -> None:
        """Note the first move of a piece, in a period."""
        self._weigh(piece, {rank: share(firsts, number) for rank, firsts in self.counts.first_moves.items()})

    def note_move(self, piece: EnemyPiece, kind: str) -> None:
        """Note a move of a kind."""
        kinds = ("close", "aside", "other")
        self._weigh(
            piece,
            {
                rank: share([moves.get(one, 0) for one in kinds], kinds.index(kind))
                for rank, moves in self.counts.moves.items()
            },
        )

    def note_meeting(self, piece: EnemyPiece, kind: str, rank: str) -> None:
        """Note that a piece came to or left a known piece of ours."""
        stronger, others = self.split_by_strength(rank)
        for_stronger, for_others = self.counts.meetings[kind]
        self._weigh(piece, dict.fromkeys(stronger, for_stronger) | dict.fromkeys(others, for_others))

    @staticmethod
    def _weigh(piece: EnemyPiece, factors: Mapping[str, float]) -> None:
        """Multiply the weights of the ranks, the most likely one by 1."""
        most = max(factors.values())
        for rank in piece.weights:
            piece.reduce([rank], (factors.get(rank, most) / most) ** TRUST)


def share(counts: list[int], number: int) -> float:
    """Return the share of one of the counts."""
    return (counts[number] + SMOOTHING / len(counts)) / (sum(counts) + SMOOTHING)
