"""A game as its player receives it at the start, the squares of its board, and a question with what is known then."""

import sys
from collections import Counter
from functools import cached_property, lru_cache
from random import Random
from time import perf_counter
from typing import Final, Literal

from msgspec import UNSET

from protocol.messages import Ask, BoardShape, BoardView, CardView, Start
from protocol.view import new_knowledge
from protocol.words import BLUE, OPPONENT, RED, AnyAction, AnyFact, DrawOffered, Place, RankId, Seat

AGGRESSOR_ADVANTAGE: Final = "aggressor-advantage"  # the option with which the attacker wins if ranks are equal
_MS: Final = 1000
_DIRECTIONS: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))


class Board:
    """The squares of a board game, without pieces; it never changes."""

    def __init__(self, shape: BoardShape) -> None:
        self.files = shape.files
        self.rows = shape.rows
        points = [(file, row) for row in range(shape.rows) for file in range(shape.files)]
        names = {(file, row): f"{chr(ord('a') + file)}{row + 1}" for file, row in points}
        land = {point: place for point, place in names.items() if place not in shape.lakes}
        self.squares: tuple[Place, ...] = tuple(land.values())
        """All squares except the lakes, from a1, row by row."""
        self.rays: dict[Place, tuple[tuple[Place, ...], ...]] = {
            place: tuple(ray for direction in _DIRECTIONS if (ray := _ray(point, direction, land)))
            for point, place in land.items()
        }
        """For each square, the straight lines of squares up to a lake or the edge, nearest first."""
        self.neighbours: dict[Place, tuple[Place, ...]] = {
            place: tuple(ray[0] for ray in rays) for place, rays in self.rays.items()
        }
        """For each square, the squares next to it."""
        self._steps: dict[Place, dict[Place, int]] = {}

    def steps(self, start: Place) -> dict[Place, int]:
        """Return the number of steps from a square to each square that can be reached, around the lakes."""
        if start not in self._steps:
            steps = {start: 0}
            queue = [start]
            for place in queue:
                for neighbour in self.neighbours[place]:
                    if neighbour not in steps:
                        steps[neighbour] = steps[place] + 1
                        queue.append(neighbour)
            self._steps[start] = steps
        return self._steps[start]

    def depth(self, place: Place, seat: Seat) -> int:
        """Return the number of rows between a square and the seat's back row, which is 0."""
        row = int(place[1:])
        return row - 1 if seat == RED else self.rows - row


@lru_cache(4)
def _find_board(files: int, rows: int, lakes: tuple[Place, ...]) -> Board:
    """Return the board of this shape; games of one process share it."""
    return Board(BoardShape(files, rows, list(lakes)))


def _ray(start: tuple[int, int], direction: tuple[int, int], land: dict[tuple[int, int], Place]) -> tuple[Place, ...]:
    file, row = start
    right, up = direction
    ray: list[Place] = []
    while (place := land.get((file + right * (len(ray) + 1), row + up * (len(ray) + 1)))) is not None:
        ray.append(place)
    return tuple(ray)


class Game:
    """One game as its player sees it; values that change with each move are in `Turn`."""

    def __init__(self, start: Start) -> None:
        self.id = start.game
        """Any text."""
        self.seat = start.seat
        """The player's own seat."""
        self.enemy = OPPONENT[start.seat]
        """The other seat."""
        self.rules = start.rules
        self.opponent = start.opponent
        """Name of the opponent; None unless the organiser shows names."""
        self.time = start.time
        self.rng = Random(start.seed)
        """A generator for random choices, with the seed of this game and seat."""
        self.number: dict[RankId, int] = {rank.id: rank.rank or 0 for rank in start.rules.ranks}
        """The number of each rank, 0 if it has none."""
        self.knowledge = new_knowledge(start.rules, start.seat)
        """Everything known so far; `knowledge.view()` returns it, also between turns."""

    @cached_property
    def board(self) -> Board | None:
        """The squares of the board; None in the card game."""
        shape = self.rules.board
        return None if shape is UNSET else _find_board(shape.files, shape.rows, tuple(shape.lakes))

    def fight(self, attacker: RankId, defender: RankId) -> Literal["win", "draw", "loss"]:
        """Return the result of an attack for the attacker; in a draw both leave.

        Strikes and the later attacks of a rage follow rules of their own.
        """
        if defender == "flag":
            return "win"
        if defender == "bomb":
            return "win" if attacker == "miner" else "loss"
        if (attacker, defender) == ("spy", "marshal"):
            return "win"
        difference = self.number[attacker] - self.number[defender]
        if not difference:
            return "win" if AGGRESSOR_ADVANTAGE in self.rules.options else "draw"
        return "win" if difference > 0 else "loss"

    def log(self, *words: object) -> None:
        """Write a line to stderr, which the arbiter keeps for the author."""
        print(*words, file=sys.stderr, flush=True)  # noqa: T201 - the only place that prints


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
        """The squares of enemy pieces that have moved, so they are neither bombs nor the flag."""
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
