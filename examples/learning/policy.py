"""A small policy: the score of a move is linear in a hundred features; moves are drawn by softmax.

Imported by train.py, which trains it, and by player.py, which plays it as a bot.
"""

import json
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace

import numpy as np

from arbiter.api import ConfigError
from arbiter.learning.actions import ActionTable, find_board_game
from arbiter.learning.planes import Layout, Observation

EMPTY, HIDDEN, HIDDEN_MOVED, WEAKER, EQUAL, STRONGER = range(6)
TARGETS = 6
EXTRAS = 5


@cache
def _tables(rules: str) -> SimpleNamespace:
    """Compute the arrays that all policies for a rule set share."""
    game = find_board_game(rules)
    if game.powers:
        raise ConfigError(f"{rules} has powers, and this policy knows only moves; choose a rule set without powers")
    board = game.board
    layout = Layout(game)
    # The actions of red, because red sees the board as it is.
    moves = ActionTable(game).actions["red"]
    rows, files = np.divmod(np.arange(board.size), board.files)
    ranks = len(game.ranks)
    targets = np.zeros((ranks, 2, ranks + 2), np.intp)  # class of a target: own rank, moved?, code of the target
    targets[:, 0, ranks + 1] = HIDDEN
    targets[:, 1, ranks + 1] = HIDDEN_MOVED
    targets[:, :, 1 : ranks + 1] = [[[compare(one, two) for two in game.ranks]] * 2 for one in game.ranks]
    return SimpleNamespace(
        ranks=ranks,
        moved=layout.index["moved"],
        src=np.array([board.square[move.src] for move in moves]),
        dst=np.array([board.square[move.dst] for move in moves]),
        rows=rows,
        distance=abs(rows[:, None] - rows) + abs(files[:, None] - files),
        neighbours=np.array([(*near, *[board.size] * (4 - len(near))) for near in board.neighbours]),
        targets=targets,
        stronger=targets[:, 0] == STRONGER,
    )


def compare(attacker, defender) -> int:
    """Return the class of a target of known rank."""
    if defender.id == "flag" or (attacker.id, defender.id) in {("miner", "bomb"), ("spy", "marshal")}:
        return WEAKER
    if defender.id == "bomb":
        return STRONGER
    difference = (attacker.number or 0) - (defender.number or 0)
    return WEAKER if difference > 0 else EQUAL if difference == 0 else STRONGER


class LinearPolicy:
    """A policy for a rule set without powers."""

    def __init__(self, rules: str, weights: np.ndarray | None = None) -> None:
        self.rules = rules
        self._tables = _tables(rules)
        self.size = self._tables.ranks * (TARGETS + 2) + EXTRAS
        self.weights = np.zeros(self.size) if weights is None else weights

    def features(self, observation: Observation) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of the legal moves, and a row of features for each of them."""
        tables = self._tables
        ranks = tables.ranks
        (legal,) = observation["action_mask"].nonzero()
        planes = observation["observation"].reshape(len(tables.rows), -1)
        src, dst = tables.src[legal], tables.dst[legal]
        own = planes[src, :ranks].argmax(1)
        enemies = planes[:, ranks : 2 * ranks + 1]  # a plane for each rank, and one for hidden pieces
        codes = np.zeros(len(planes) + 1, np.intp)  # the last is for squares off the board
        codes[:-1] = (enemies.argmax(1) + 1) * enemies.any(1)
        moved = planes[:, tables.moved]
        hidden = codes == ranks + 1
        found = np.zeros((len(legal), self.size))
        row = np.arange(len(legal))
        found[row, own * TARGETS + tables.targets[own, moved[dst], codes[dst]]] = 1
        base = ranks * TARGETS
        found[row, base + own] = self._approach(src, dst, codes[:-1] > 0)
        found[row, base + ranks + own] = self._approach(src, dst, hidden[:-1] & (moved == 0))
        near_src, near_dst = tables.neighbours[src], tables.neighbours[dst]
        found[:, -5] = tables.stronger[own[:, None], codes[near_dst]].any(1)
        found[:, -4] = tables.stronger[own[:, None], codes[near_src]].any(1)
        found[:, -3] = hidden[near_dst].any(1)
        found[:, -2] = (tables.rows[dst] - tables.rows[src]) / len(tables.rows)
        found[:, -1] = moved[src]
        return legal, found

    def _approach(self, src: np.ndarray, dst: np.ndarray, places: np.ndarray) -> np.ndarray:
        """Return 1 for a move towards the nearest of some squares, -1 for a move away from it, 0 for the others."""
        (squares,) = places.nonzero()
        if not len(squares):
            return np.zeros(len(src))
        distance = self._tables.distance[:, squares].min(1)
        return np.sign(distance[src] - distance[dst])

    def probabilities(self, found: np.ndarray) -> np.ndarray:
        """Return the probability of each move."""
        scores = found @ self.weights
        chances = np.exp(scores - scores.max())
        return chances / chances.sum()

    def __call__(self, observation: Observation, rng: Random) -> int:
        """Draw a legal move."""
        legal, found = self.features(observation)
        return int(legal[rng.choices(range(len(legal)), self.probabilities(found))[0]])

    def save(self, path: Path) -> None:
        path.write_text(json.dumps({"rules": self.rules, "weights": self.weights.round(4).tolist()}), "utf-8")

    @classmethod
    def load(cls, path: Path) -> "LinearPolicy":
        stored = json.loads(path.read_text("utf-8"))
        return cls(stored["rules"], np.array(stored["weights"]))
