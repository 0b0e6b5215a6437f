"""Weighs every move by what it may win, and keeps coming.

How it thinks, in three steps, each a function below:

1. `Guess`: what may a hidden piece be?  What is left of the enemy's army, counted; what has moved is
   no bomb and no flag; the flag likes the back row.
2. `Hunter.worth`: what does an attack on a piece gain on the average?
3. `Hunter.score`: an attack is worth what it gains; a step is worth the way it makes towards the best
   attack, and what it escapes from.

The longer nothing was attacked, the less it minds a loss: so it never shuffles until the draw.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from protocol.bot import Board, Game, Player, Turn, run
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
PLAIN_VALUE: Final = 25  # of a rank that is not listed
SETUP_ORDER: Final = {"flag": 0, "bomb": 1}  # then the others, which take what is left
LIKES_ROW: Final = {"miner": 1, "spy": 1, "scout": 2.5, "marshal": 2, "general": 2.5}  # 0 = the back row, else 2
FLAG_ROWS: Final = (4, 2, 1, 1)  # how much likelier a flag stands on the 1st .. 4th row
NEARER: Final = 0.85  # what an attack one step further away is worth
PATIENCE: Final = 60  # turns without an attack after which losses count nothing
NEWS: Final = 4  # what it is worth to see a hidden piece
EXPOSURE: Final = 5  # what it costs to show oneself by a power
HESITATION: Final = 3  # what it costs to go back where one came from
FAR: Final = 99


# --- what the hidden pieces may be ----------------------------------------------------------------


class Guess:
    """What the enemy's hidden pieces may be: a chance for each rank, for those that moved and the others."""

    def __init__(self, hidden: list[ViewPiece], left: Counter[str], board: Board) -> None:
        still = {"bomb", "flag"}
        moved = sum(piece.moved for piece in hidden)
        movable = sum(count for rank, count in left.items() if rank not in still) or 1
        self.mover = {rank: count / movable for rank, count in left.items() if rank not in still}
        waiting = max(len(hidden) - moved, 1)
        self.other = {rank: chance * max(movable - moved, 0) / waiting for rank, chance in self.mover.items()}
        self.other["bomb"] = left["bomb"] / waiting
        self._flag = self._flag_chances([piece for piece in hidden if not piece.moved], left["flag"], board)

    @staticmethod
    def _flag_chances(waiting: list[ViewPiece], flags: int, board: Board) -> dict[Place, float]:
        likes = {
            piece.place: FLAG_ROWS[min(board.depth(piece.place, piece.seat), len(FLAG_ROWS) - 1)] for piece in waiting
        }
        return {place: flags * like / sum(likes.values()) for place, like in likes.items()}

    def chances(self, piece: ViewPiece) -> dict[str, float]:
        """Return the chance of each rank that a piece may be."""
        if piece.rank:
            return {piece.rank: 1.0}
        if piece.moved:
            return self.mover
        return {**self.other, "flag": self._flag[piece.place]}


# --- the player -----------------------------------------------------------------------------------


class Hunter(Player):
    """One game of the hunter."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.board = game.board
        if self.board is None:  # there it plays anything legal
            return
        self.army = Counter(game.rules.army)
        self.quiet = 0  # turns of one's own since the last attack
        self.came_from: dict[Place, Place] = {}

    # --- the setup

    def deploy(self, turn: Turn) -> AnyAction:
        """Put the flag on the back row, bombs about it, and the rest where it likes to stand."""
        if self.board is None:
            return super().deploy(turn)
        free = list(turn.rules.deploy[self.game.seat])
        home = turn.rng.choice([place for place in free if self._row(place) == 0 and self._can_be_walled(place)])
        pieces = {}
        for rank in sorted(self.army.elements(), key=lambda rank: SETUP_ORDER.get(rank, 2)):
            place = min(free, key=lambda place, rank=rank: self._dislike(place, rank, home))
            pieces[place] = rank
            free.remove(place)
        return Deploy(pieces=pieces)

    def _can_be_walled(self, place: Place) -> bool:
        """Say whether the bombs reach to stand all about a square; a corner will do in any case."""
        return len(self.board.neighbours[place]) <= max(self.army["bomb"], 2)

    def _dislike(self, place: Place, rank: str, home: Place) -> float:
        luck = self.game.rng.random()
        if rank == "flag":
            return self.board.steps(home)[place]
        if rank == "bomb":  # rather before the flag than beside it; the more bombs, the less regular
            return self.board.steps(home)[place] - 0.4 * self._row(place) + luck * self.army["bomb"] / 6
        return abs(self._row(place) - LIKES_ROW.get(rank, 2)) + 3 * luck

    def _row(self, place: Place) -> int:
        return self.board.depth(place, self.game.seat)

    # --- a turn

    def choose(self, turn: Turn) -> AnyAction:
        """Choose the action of the highest score; of equal ones any."""
        if self.board is None:
            return turn.rng.choice(turn.legal)
        self._look(turn)
        scored = [(self.score(action), turn.rng.random(), action) for action in turn.legal]
        action = max(scored, key=lambda one: one[:2])[2]
        self._remember(action)
        return action

    def _look(self, turn: Turn) -> None:
        """Read the board: the own pieces, the enemies, and what each of them may be."""
        attacks = any(isinstance(fact, Attacked) for fact in turn.news)
        self.quiet = 0 if attacks else self.quiet + 1
        self.caution = max(0.0, 1 - self.quiet / PATIENCE)
        self.own = turn.own
        enemies = [piece for piece in turn.view.pieces if piece.seat == self.game.enemy]
        guess = Guess([piece for piece in enemies if not piece.rank], turn.hidden, self.board)
        self.enemies = {piece.place: guess.chances(piece) for piece in enemies}
        self.strong = {piece.place: piece.rank for piece in enemies if piece.rank}
        self.worths = {rank: self._worths(rank) for rank in set(self.own.values())}

    def _remember(self, action: AnyAction) -> None:
        if isinstance(action, Move):
            self.came_from.pop(action.src, None)
            self.came_from[action.dst] = action.src

    def _worths(self, rank: str) -> dict[Place, float]:
        """Return what a rank's attack on each enemy is worth, where it is worth something."""
        worths = {place: self.worth(rank, chances.items()) for place, chances in self.enemies.items()}
        return {place: worth for place, worth in worths.items() if worth > 0}

    def worth(self, rank: str, chances: Iterable[tuple[str, float]]) -> float:
        """Return what an attack gains on the average, given what the enemy may be."""
        return sum(chance * self.gain(rank, enemy) for enemy, chance in chances)

    def gain(self, rank: str, enemy: str) -> float:
        """Return what the attack of one rank on another gains."""
        mine, theirs = VALUES.get(rank, PLAIN_VALUE), VALUES.get(enemy, PLAIN_VALUE)
        match self.game.fight(rank, enemy):
            case "win":
                return theirs
            case "draw":
                return theirs - mine * self.caution
        return -mine * self.caution

    def score(self, action: AnyAction) -> float:
        """Say how good an action is."""
        match action:
            case Move():
                return self._score_move(action)
            case Look():
                return NEWS * self.caution * (len(self.enemies[action.dst]) > 1)
            case Strike():
                return self._score_strike(self.enemies[action.dst])
            case Infiltrate():
                return self.enemies[action.dst].get(action.rank, 0) * VALUES.get(action.rank, PLAIN_VALUE) - EXPOSURE
            case Rescue():
                return float(VALUES.get(action.rank, PLAIN_VALUE))
        return 0.0

    def _score_strike(self, chances: dict[str, float]) -> float:
        reach = self.game.number.get("marksman", 0)
        hits = (rank for rank in chances if rank == "flag" or 0 < self.game.number[rank] < reach)
        return sum(chances[rank] * VALUES.get(rank, PLAIN_VALUE) for rank in hits) - EXPOSURE

    def _score_move(self, action: Move) -> float:
        rank = self.own[action.src]
        escape = self._danger(rank, action.src) - self._danger(rank, action.dst)
        if action.dst in self.enemies:
            return self.worth(rank, self.enemies[action.dst].items()) + escape
        back = HESITATION if self.came_from.get(action.src) == action.dst else 0
        return self._promise(rank, action.dst) - self._promise(rank, action.src) + escape - back

    def _promise(self, rank: str, place: Place) -> float:
        """Return the best attack that waits for a rank, the less the further away."""
        steps = self.board.steps(place)
        return max((worth * NEARER ** steps.get(target, FAR) for target, worth in self.worths[rank].items()), default=0)

    def _danger(self, rank: str, place: Place) -> float:
        """Return what may be lost to a known stronger enemy beside a square."""
        steps = self.board.steps(place)
        beaten = any(steps.get(at) == 1 and self.game.fight(enemy, rank) == "win" for at, enemy in self.strong.items())
        return VALUES.get(rank, PLAIN_VALUE) / 2 if beaten else 0.0


if __name__ == "__main__":
    run(Hunter, name="hunter", wants=["legal"])
