"""Alpha-beta search of the fights in one possible world: a board on which every piece has a rank.

Squares and pieces are small numbers; values are gains of ours from a position on.  Each side acts on what it knows:

- We know our ranks but not the enemy's.  Within the search, our attack on a hidden piece is worth its average over all
  worlds, so that the search does not use ranks that we cannot know ("strategy fusion": Frank and Basin, 1998).
- The enemy knows its own ranks.  It attacks a piece that it does not know only with some probability.

Only pieces near an enemy move; any other move counts as a pass.  After the full depth, only attacks are searched
("quiescence search").
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from sample_bots.beliefs import IMMOVABLE


def read_setting(name: str, default: float) -> float:
    """Return the number in the environment variable SEARCHER_name, so that `arbiter tune` can find a better one."""
    return float(os.environ.get(f"SEARCHER_{name}", str(default)))


PER_TURN: Final = read_setting("PER_TURN", 0.97)  # the value of a gain that comes one turn later
BOLDNESS: Final = read_setting("BOLDNESS", 0.9)  # how often the enemy attacks what it does not know
SECRECY: Final = read_setting("SECRECY", 0.25)  # the cost of showing a rank, as a part of its value
QUIESCENCE: Final = -2  # the depth at which attacks are not searched any more
NODES_PER_CHECK: Final = 50  # reading the clock takes time


class OutOfTimeError(Exception):
    """The search has used up its positions or its time."""


class World(Struct, frozen=True):
    """All pieces near each other, with a rank for each; first ours, then those of the enemy."""

    ours: int
    """Number of our pieces."""
    squares: Sequence[int]
    ranks: Sequence[str]
    worth: Sequence[float]
    """The values of the pieces."""
    shown: Sequence[bool]
    """True for pieces that their opponent knows."""
    near: Sequence[bool]
    """True for pieces that may move."""
    averages: Sequence[Mapping[str, float]]
    """For each enemy piece, the average gain of an attack by each rank of ours."""
    runs: bool
    """True if scouts take part everywhere, and also run without an attack."""


class Lookahead:
    """A search on one board."""

    def __init__(
        self,
        neighbours: Sequence[Sequence[int]],
        rays: Sequence[Sequence[Sequence[int]]],
        fights: Mapping[tuple[str, str], int],
    ) -> None:
        """Set the board; `fights` has 1, 0 or -1 for each attacker and defender."""
        self.neighbours = neighbours
        self.rays = rays
        self.fights = fights
        self.nodes = 0

    def begin(self, runners: frozenset[str], is_over: Callable[[int], bool]) -> None:
        """Begin the search of a turn, until `is_over` returns True for a number of positions."""
        self.runners = runners
        self.is_over = is_over
        self.nodes = 0

    def set_up(self, world: World) -> None:
        """Set up a world."""
        self.ours = world.ours
        self.at = list(world.squares)
        self.board = [-1] * len(self.neighbours)
        for piece, square in enumerate(self.at):
            self.board[square] = piece
        self.ranks = world.ranks
        self.shown = list(world.shown)
        self.worth = world.worth
        self.averages = world.averages
        self.runs = world.runs
        movers = [
            piece
            for piece, rank in enumerate(self.ranks)
            if rank not in IMMOVABLE and (world.near[piece] or (self.runs and rank in self.runners))
        ]
        self.own_movers = [piece for piece in movers if piece < self.ours]
        self.enemy_movers = [piece for piece in movers if piece >= self.ours]

    def own_turn(self, depth: int, alpha: float, beta: float) -> float:
        """Return our best gain if it is our turn."""
        self._count()
        best = PER_TURN * self.enemy_turn(depth - 1, alpha / PER_TURN, beta / PER_TURN) if depth > 0 else 0.0
        if depth <= QUIESCENCE:
            return best
        for piece in self.own_movers:
            if best >= beta:
                break
            for square in self._targets(piece, steps=depth > 0):
                best = max(best, self.own_move(piece, square, depth, max(alpha, best), beta))
                if best >= beta:
                    break
        return best

    def own_move(
        self, piece: int, square: int, depth: int, alpha: float, beta: float, *, is_first: bool = False
    ) -> float:
        """Return the gain of a move of ours and of what follows; `is_first` if it is the move to be chosen."""
        other = self.board[square]
        if other < 0:
            return self._after_step(piece, square, depth, alpha, beta)
        rank = self.ranks[piece]
        if not self.shown[other] and not is_first:
            return self.averages[other][rank]
        result = self.fights[rank, self.ranks[other]]
        gain = self.averages[other][rank] if not self.shown[other] else self._stake(other, piece, result)
        if result > 0 and not self.shown[piece]:
            gain -= SECRECY * self.worth[piece]
        if self.ranks[other] == "flag":
            return gain
        return gain + self._after_fight(piece, square, result, depth, (alpha - gain, beta - gain))

    def enemy_turn(self, depth: int, alpha: float, beta: float) -> float:
        """Return our gain after the enemy's best answer."""
        self._count()
        quiet = PER_TURN * self.own_turn(depth - 1, alpha / PER_TURN, beta / PER_TURN) if depth > 0 else 0.0
        best = quiet
        if depth <= QUIESCENCE:
            return best
        for piece in self.enemy_movers:
            if best <= alpha:
                break
            for square in self._targets(piece, steps=depth > 0):
                best = min(best, self._enemy_move(piece, square, depth, (alpha, min(beta, best)), quiet))
                if best <= alpha:
                    break
        return best

    def _enemy_move(self, piece: int, square: int, depth: int, window: tuple[float, float], quiet: float) -> float:
        """Return our gain after a move of the enemy; `quiet` is that after a pass."""
        alpha, beta = window
        other = self.board[square]
        if other < 0:
            return self._after_step(piece, square, depth, alpha, beta)
        result = self.fights[self.ranks[piece], self.ranks[other]]
        gain = -self._stake(other, piece, result)
        if result > 0 and not self.shown[piece]:
            gain += SECRECY * self.worth[piece]
        is_certain = self.shown[other]
        if self.ranks[other] != "flag":
            window = (alpha - gain, beta - gain) if is_certain else (-float("inf"), float("inf"))
            gain += self._after_fight(piece, square, result, depth, window)
        return gain if is_certain else BOLDNESS * gain + (1 - BOLDNESS) * quiet

    def _stake(self, target: int, attacker: int, result: int) -> float:
        """Return what the attacker's side gains at once."""
        return (self.worth[target] if result >= 0 else 0.0) - (self.worth[attacker] if result <= 0 else 0.0)

    def _targets(self, piece: int, *, steps: bool) -> list[int]:
        """List the squares that a piece can move to: attacks, and then steps if they are wanted."""
        board = self.board
        start = self.at[piece]
        if start < 0:
            return []
        ours = self.ours
        is_ours = piece < ours
        attacks = []
        quiet = []
        for square in self.neighbours[start]:
            other = board[square]
            if other < 0:
                quiet.append(square)
            elif (other < ours) is not is_ours:
                attacks.append(square)
        if self.ranks[piece] in self.runners:
            for ray in self.rays[start]:
                end = next((number for number, square in enumerate(ray) if board[square] >= 0), len(ray))
                if 0 < end < len(ray) and (board[ray[end]] < ours) is not is_ours:
                    attacks.append(ray[end])
                if self.runs:
                    quiet += ray[1:end]
        return attacks + quiet if steps else attacks

    def _after_step(self, piece: int, square: int, depth: int, alpha: float, beta: float) -> float:
        """Return the gain after a step, and take it back."""
        answer = self.enemy_turn if piece < self.ours else self.own_turn
        at, board = self.at, self.board
        start = at[piece]
        board[start], board[square], at[piece] = -1, piece, square
        try:
            return PER_TURN * answer(depth - 1, alpha / PER_TURN, beta / PER_TURN)
        finally:
            board[start], board[square], at[piece] = piece, -1, start

    def _after_fight(self, piece: int, square: int, result: int, depth: int, window: tuple[float, float]) -> float:
        """Return the gain after a fight with a result, and take it back."""
        answer = self.enemy_turn if piece < self.ours else self.own_turn
        at, board, shown = self.at, self.board, self.shown
        start, other = at[piece], board[square]
        before = shown[piece], shown[other]
        shown[piece] = shown[other] = True
        board[start] = -1
        if result > 0:
            at[piece], at[other], board[square] = square, -1, piece
        elif result < 0:
            at[piece] = -1
        else:
            at[piece], at[other], board[square] = -1, -1, -1
        try:
            return PER_TURN * answer(depth - 1, window[0] / PER_TURN, window[1] / PER_TURN)
        finally:
            at[piece], at[other], board[start], board[square] = start, square, piece, other
            shown[piece], shown[other] = before

    def _count(self) -> None:
        """Count a position.  Raises OutOfTimeError."""
        self.nodes += 1
        if self.nodes % NODES_PER_CHECK == 0 and self.is_over(self.nodes):
            raise OutOfTimeError
