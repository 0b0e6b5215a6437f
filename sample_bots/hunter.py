"""A bot that scores every move by its expected gain and keeps attacking.

It works in three steps:

1. `HiddenRanks`: the chance of each rank for a hidden piece.  It counts what is left of the enemy's army; a piece that
   has moved is no bomb and no flag; the flag is probably on the back row.
2. `Hunter.expected_gain`: the average gain of an attack on a piece.
3. `Hunter.score`: an attack is worth its expected gain; a step is worth the distance it gains towards the best
   attack, and the danger that it escapes.

The longer there was no attack, the less a loss counts, so it never moves back and forth until the draw.
"""

import os
from collections import Counter
from typing import Final

from protocol.bot import Board, Choice, Game, Player, Turn, run
from protocol.messages import ViewPiece
from protocol.words import (
    AnyAction,
    Attacked,
    Deploy,
    Infiltrate,
    Look,
    Move,
    Place,
    Rescue,
    Strike,
)

VALUES: Final = {
    "marshal": 100,
    "general": 80,
    "colonel": 55,
    "major": 40,
    "captain": 28,
    "marksman": 45,
    "berserker": 35,
    "lieutenant": 20,
    "sergeant": 15,
    "miner": 22,
    "scout": 8,
    "spy": 20,
    "infiltrator": 20,
    "bomb": 15,
    "flag": 200,
}
DEFAULT_VALUE: Final = 25  # of a rank that is not listed
DEPLOYMENT_ORDER: Final = {"flag": 0, "bomb": 1}  # then the others, on the remaining squares
PREFERRED_ROW: Final = {"miner": 1, "spy": 1, "scout": 2.5, "marshal": 2, "general": 2.5}  # 0 = back row; others: 2
FLAG_ROWS: Final = (4, 2, 1, 1)  # relative chance of the flag on the 1st .. 4th row


def read_setting(name: str, default: float) -> float:
    """Return the number in the environment variable HUNTER_name, so that `arbiter tune` can find a better one."""
    return float(os.environ.get(f"HUNTER_{name}", default))


PER_STEP: Final = read_setting("PER_STEP", 0.85)  # the part of an attack's value that remains for each step of distance
PATIENCE: Final = read_setting("PATIENCE", 60)  # turns without an attack after which losses count nothing
INFORMATION: Final = read_setting("INFORMATION", 4)  # the value of seeing a hidden piece
EXPOSURE: Final = read_setting("EXPOSURE", 5)  # the cost of showing a rank by using a power
STEP_BACK: Final = read_setting("STEP_BACK", 3)  # the cost of returning to the square that the piece came from
UNREACHABLE: Final = 99  # the distance of a square to which no path leads


class HiddenRanks:
    """The chance of each rank for the enemy's hidden pieces."""

    def __init__(self, hidden: list[ViewPiece], left: Counter[str], board: Board) -> None:
        immovable = {"bomb", "flag"}
        moved = sum(piece.moved for piece in hidden)
        movable = sum(count for rank, count in left.items() if rank not in immovable) or 1
        self._if_moved = {rank: count / movable for rank, count in left.items() if rank not in immovable}
        unmoved = max(len(hidden) - moved, 1)
        self._if_unmoved = {rank: chance * max(movable - moved, 0) / unmoved for rank, chance in self._if_moved.items()}
        self._if_unmoved["bomb"] = left["bomb"] / unmoved
        weights = {
            piece.place: FLAG_ROWS[min(board.depth(piece.place, piece.seat), len(FLAG_ROWS) - 1)]
            for piece in hidden
            if not piece.moved
        }
        self._flag = {place: left["flag"] * weight / sum(weights.values()) for place, weight in weights.items()}

    def chances(self, piece: ViewPiece) -> dict[str, float]:
        """Return the chance of each rank for a piece."""
        if piece.rank:
            return {piece.rank: 1.0}
        if piece.moved:
            return self._if_moved
        return {**self._if_unmoved, "flag": self._flag[piece.place]}


class Hunter(Player):
    """One game of the hunter."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.board = game.board
        if self.board is None:  # in the card game it plays random legal actions
            return
        self.army = Counter(game.rules.army)
        self.quiet = 0  # its turns since the last attack
        self.came_from: dict[Place, Place] = {}

    # --- the deployment ---------------------------------------------------------------------------

    def deploy(self, turn: Turn) -> AnyAction:
        """Put the flag on the back row, bombs around it, and the rest on their preferred rows."""
        if self.board is None:
            return super().deploy(turn)
        free = list(turn.rules.deploy[self.game.seat])
        most_neighbours = max(self.army["bomb"], 2)  # bombs for each of them, or at least a corner
        home = turn.rng.choice(
            [place for place in free if self._row(place) == 0 and len(self.board.neighbours[place]) <= most_neighbours]
        )
        pieces = {}
        for rank in sorted(self.army.elements(), key=lambda rank: DEPLOYMENT_ORDER.get(rank, 2)):
            place = min(free, key=lambda place, rank=rank: self._cost_of_place(place, rank, home))
            pieces[place] = rank
            free.remove(place)
        return Deploy(pieces=pieces)

    def _cost_of_place(self, place: Place, rank: str, home: Place) -> float:
        chance = self.game.rng.random()
        if rank == "flag":
            return self.board.steps(home)[place]
        if rank == "bomb":  # rather in front of the flag than at its side; the more bombs, the less regular
            return self.board.steps(home)[place] - 0.4 * self._row(place) + chance * self.army["bomb"] / 6
        return abs(self._row(place) - PREFERRED_ROW.get(rank, 2)) + 3 * chance

    def _row(self, place: Place) -> int:
        return self.board.depth(place, self.game.seat)

    # --- a turn -----------------------------------------------------------------------------------

    def choose(self, turn: Turn) -> AnyAction | Choice:
        """Return the action with the highest score, a random one if several have it."""
        if self.board is None:
            return turn.rng.choice(turn.legal)
        self._read_board(turn)
        scored = [(self.score(action), turn.rng.random(), action) for action in turn.legal]
        action = max(scored, key=lambda one: one[:2])[2]
        if isinstance(action, Move):
            self.came_from.pop(action.src, None)
            self.came_from[action.dst] = action.src
        return Choice(action, eval=self.evaluate(turn))

    def evaluate(self, turn: Turn) -> float:
        """Return the value of our pieces less that of the enemy's: an evaluation for the replay."""
        enemies = turn.hidden + Counter(self.known.values())
        ours, theirs = (
            sum(VALUES.get(rank, DEFAULT_VALUE) * count for rank, count in army.items())
            for army in (Counter(self.own.values()), enemies)
        )
        return float(ours - theirs)

    def _read_board(self, turn: Turn) -> None:
        """Read our pieces and the enemy's, and estimate the hidden ranks."""
        has_fought = any(isinstance(fact, Attacked) for fact in turn.news)
        self.quiet = 0 if has_fought else self.quiet + 1
        self.caution = max(0.0, 1 - self.quiet / PATIENCE)
        self.own = turn.own
        enemies = [piece for piece in turn.view.pieces if piece.seat == self.game.enemy]
        hidden = HiddenRanks([piece for piece in enemies if not piece.rank], turn.hidden, self.board)
        self.enemies = {piece.place: hidden.chances(piece) for piece in enemies}
        self.known = {piece.place: piece.rank for piece in enemies if piece.rank}
        # For each of our ranks, the enemies that are worth an attack, with the expected gain.
        self.targets = {
            rank: {
                place: gain for place, other in self.enemies.items() if (gain := self.expected_gain(rank, other)) > 0
            }
            for rank in set(self.own.values())
        }

    def expected_gain(self, rank: str, chances: dict[str, float]) -> float:
        """Return the average gain of an attack, from the chance of each rank of the enemy."""
        return sum(chance * self.gain(rank, enemy) for enemy, chance in chances.items())

    def gain(self, rank: str, enemy: str) -> float:
        """Return the gain of attacking one rank with another."""
        mine = VALUES.get(rank, DEFAULT_VALUE)
        theirs = VALUES.get(enemy, DEFAULT_VALUE)
        match self.game.fight(rank, enemy):
            case "win":
                return theirs
            case "draw":
                return theirs - mine * self.caution
        return -mine * self.caution

    def score(self, action: AnyAction) -> float:
        """Return how good an action is."""
        match action:
            case Move():
                return self._score_move(action)
            case Look():
                return INFORMATION * self.caution * (len(self.enemies[action.dst]) > 1)
            case Strike():
                chances = self.enemies[action.dst]
                reach = self.game.number.get("marksman", 0)
                hits = (rank for rank in chances if rank == "flag" or 0 < self.game.number[rank] < reach)
                return sum(chances[rank] * VALUES.get(rank, DEFAULT_VALUE) for rank in hits) - EXPOSURE
            case Infiltrate():
                return self.enemies[action.dst].get(action.rank, 0) * VALUES.get(action.rank, DEFAULT_VALUE) - EXPOSURE
            case Rescue():
                return float(VALUES.get(action.rank, DEFAULT_VALUE))
        return 0.0

    def _score_move(self, action: Move) -> float:
        rank = self.own[action.src]
        escape = self._danger(rank, action.src) - self._danger(rank, action.dst)
        if action.dst in self.enemies:
            return self.expected_gain(rank, self.enemies[action.dst]) + escape
        back = STEP_BACK if self.came_from.get(action.src) == action.dst else 0
        return self._prospect(rank, action.dst) - self._prospect(rank, action.src) + escape - back

    def _prospect(self, rank: str, place: Place) -> float:
        """Return the value of the best attack that a rank can walk to from a square."""
        steps = self.board.steps(place)
        return max(
            (gain * PER_STEP ** steps.get(target, UNREACHABLE) for target, gain in self.targets[rank].items()),
            default=0,
        )

    def _danger(self, rank: str, place: Place) -> float:
        """Return the expected loss to a known stronger enemy next to a square."""
        steps = self.board.steps(place)
        is_beaten = any(
            steps.get(at) == 1 and self.game.fight(enemy, rank) == "win" for at, enemy in self.known.items()
        )
        return VALUES.get(rank, DEFAULT_VALUE) / 2 if is_beaten else 0.0


if __name__ == "__main__":
    run(Hunter, name="hunter", wants=["legal"])
