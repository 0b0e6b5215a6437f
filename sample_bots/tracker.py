"""A bot that tracks every piece: its possible ranks, the value of fighting it, and its distance to the flag.

It works in these steps:

1. `setups`: it draws its deployment from a book.
2. `beliefs`: the chance of each rank for a hidden piece.
3. `fights`: the average value of a fight.  A win has a cost too, because the enemy learns a rank.
4. `Tracker.expect`: the enemy's best answer.  A move is only as good as the answer to it.
5. `flag_guard`: the enemies on their way to our flag, and the pieces that can stop them.
6. `Tracker.prospect`: if nothing can be won or lost at once, pieces move towards good fights.

The longer there was no attack, the less a loss counts, so it never moves back and forth until the draw.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

from protocol.bot import Game, Player, Turn, run
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
from sample_bots.beliefs import IMMOVABLE, Beliefs
from sample_bots.cards_player import Cards
from sample_bots.fights import Foe, value
from sample_bots.flag_guard import UNREACHABLE, FlagGuard, count_steps
from sample_bots.hunter import Hunter
from sample_bots.setups import draw_deployment

PATIENCE: Final = 80  # turns without an attack after which losses count nothing
SECRECY: Final = 0.25  # the cost of showing a rank, as a part of the value of the piece
BOLDNESS: Final = 0.9  # how often the enemy attacks a piece that it does not know, if it would win
PER_STEP: Final = 0.78  # the part of a fight's value that remains for each step of distance
FIRST_MOVE: Final = 1.6  # the cost of moving a piece for the first time: until then it could be a bomb
STEP_BACK: Final = 0.8  # the cost of returning to the square that the piece came from
NEGLIGIBLE: Final = 0.04  # smaller chances are ignored
EXPOSURE: Final = 5  # the cost of showing a rank by using a power

Own = dict[Place, tuple[str, bool]]  # rank; True if the enemy knows it
Foes = dict[Place, Foe]
Contact = tuple[Place, Place]  # the squares of an enemy piece and of a piece of ours next to it
Expect = Callable[[Own, Foes], float]


class Tracker(Player):
    """One game of the tracker."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        if game.board is None:  # another bot plays the card game
            self.cards = Cards(game)
            return
        self.neighbours = game.board.neighbours
        self.beliefs = self.new_beliefs(game)
        self.quiet = 0  # its turns since the last attack
        self.came_from: dict[Place, Place] = {}

    def new_beliefs(self, game: Game) -> Beliefs:
        """Return the estimates that this bot uses."""
        return Beliefs(game)

    def deploy(self, turn: Turn) -> AnyAction:
        """Draw a deployment from the book, or deploy like the hunter if the book has none for the army."""
        if self.game.board is None:
            return self.cards.deploy(turn)
        pieces = draw_deployment(self.game)
        return Hunter(self.game).deploy(turn) if pieces is None else Deploy(pieces=pieces)

    def choose(self, turn: Turn) -> AnyAction:
        """Return the best action."""
        if self.game.board is None:
            return self.cards.choose(turn)
        self.read_board(turn)
        action = self.find_best(turn)
        if isinstance(action, Move):
            self.came_from.pop(action.src, None)
            self.came_from[action.dst] = action.src
        return action

    def find_best(self, turn: Turn) -> AnyAction:
        """Return the action with the highest score, a random one if several have it."""
        self.if_quiet = self.expect(self.own, self.foes)
        scored = [(self.score(action), turn.rng.random(), action) for action in turn.legal]
        return max(scored, key=lambda one: one[:2])[2]

    # --- the board --------------------------------------------------------------------------------

    def read_board(self, turn: Turn) -> None:
        """Read our pieces and the enemy's, and estimate the hidden ranks."""
        has_fought = any(isinstance(fact, Attacked) for fact in turn.news)
        self.quiet = 0 if has_fought else self.quiet + 1
        self.caution = max(0.0, 1 - self.quiet / PATIENCE)
        # Our legal moves show which ranks may move more than one square.
        moves = (action for action in turn.legal if isinstance(action, Move))
        self.beliefs.runners |= {turn.own[move.src] for move in moves if move.dst not in self.neighbours[move.src]}
        self.beliefs.follow(turn.news, turn.own)
        chances = self.beliefs.estimate(Counter(turn.view.captured[self.game.enemy]))
        self.foes: Foes = {place: Foe(chance, self.game) for place, chance in chances.items()}
        self.own: Own = {place: (rank, place in self.beliefs.exposed) for place, rank in turn.own.items()}
        self.flag_guard = FlagGuard(self.neighbours, turn.own, self.foes)
        # For each of our ranks, the enemies that are worth an attack, and the distances to them.
        self.targets = {
            rank: {place: gain for place, foe in self.foes.items() if (gain := self.expected_gain(rank, foe)) > 0}
            for rank in set(turn.own.values()) - IMMOVABLE
        }
        blocked = self.foes.keys() | {place for place, rank in turn.own.items() if rank in IMMOVABLE}
        self.distances = {
            place: count_steps(place, self.neighbours, blocked)
            for place in {place for targets in self.targets.values() for place in targets}
        }

    # --- the value of fights ----------------------------------------------------------------------

    def cost_of_loss(self, rank: str) -> float:
        """Return the cost of losing a piece; after a long time without an attack only the flag counts."""
        return value(rank) * (1 if rank == "flag" else self.caution)

    def expected_gain(self, rank: str, foe: Foe) -> float:
        """Return the average gain of an attack."""
        odds = foe.odds_as_target(rank)
        return odds.win_gain + odds.tie_gain + foe.information - (odds.tie + odds.lose) * self.cost_of_loss(rank)

    def attack(self, own: Own, foes: Foes, src: Place, dst: Place, expect: Expect) -> float:
        """Return the average gain of an attack and of what follows it."""
        rank, exposed = own[src]
        odds = foes[dst].odds_as_target(rank)
        secrecy = 0 if exposed else SECRECY * odds.win * self.cost_of_loss(rank)
        without = {place: piece for place, piece in own.items() if place != src}
        beaten = {place: foe for place, foe in foes.items() if place != dst}
        return (
            self.expected_gain(rank, foes[dst])
            - secrecy
            + weigh(odds.win, lambda: expect({**without, dst: (rank, True)}, beaten))
            + weigh(odds.tie, lambda: expect(without, beaten))
            + weigh(odds.lose, lambda: expect(without, {**beaten, dst: odds.survivor}))
        )

    def expect(self, own: Own, foes: Foes) -> float:
        """Return the result of the enemy's best answer: 0 if no enemy piece can attack."""
        return min((self.defend(own, foes, at, place) for at, place in self.contacts(own, foes)), default=0.0)

    def contacts(self, own: Own, foes: Foes) -> list[Contact]:
        """List all pairs of an enemy piece and a piece of ours next to it."""
        return [(at, place) for at in foes for place in self.neighbours[at] if place in own]

    def defend(self, own: Own, foes: Foes, at: Place, place: Place) -> float:
        """Return the result of an enemy's attack for us; mostly a loss, because the enemy knows its own rank."""
        rank, exposed = own[place]
        odds = foes[at].odds_as_attacker(rank)
        loss = (odds.lose + odds.tie) * self.cost_of_loss(rank)
        if exposed:  # the enemy attacks only if it does not lose
            return odds.tie_gain - loss
        return BOLDNESS * (odds.win_gain + odds.tie_gain - loss)

    # --- the value of actions ---------------------------------------------------------------------

    def score(self, action: AnyAction) -> float:
        """Return how good an action is."""
        match action:
            case Move():
                return self._score_move(action)
            case Look():
                return self.if_quiet + self.foes[action.dst].information
            case Strike():
                chances = self.foes[action.dst].chances
                reach = self.game.number.get("marksman", 0)
                hits = (rank for rank in chances if rank == "flag" or 0 < self.game.number[rank] < reach)
                return self.if_quiet + (sum(chances[rank] * value(rank) for rank in hits) - EXPOSURE)
            case Infiltrate():
                guess = self.foes[action.dst].chances.get(action.rank, 0.0)
                return self.if_quiet + guess * value(action.rank) - EXPOSURE
            case Rescue():
                return self.if_quiet + value(action.rank)
        return self.if_quiet

    def _score_move(self, move: Move) -> float:
        rank, exposed = self.own[move.src]
        first_move = 0.0 if exposed or move.src in self.beliefs.moved else FIRST_MOVE
        danger_to_flag = self.flag_guard.cost_of_move(rank, move.src, move.dst)
        if move.dst in self.foes:
            return self.attack(self.own, self.foes, move.src, move.dst, self.expect) - first_move - danger_to_flag
        back = STEP_BACK if self.came_from.get(move.src) == move.dst else 0.0
        approach = self.prospect(rank, move.dst) - self.prospect(rank, move.src)
        return self._expect_after_step(move) + approach - first_move - danger_to_flag - back

    def _expect_after_step(self, move: Move) -> float:
        """Return the result of the enemy's best answer to a step."""
        if not any(place in self.foes for end in (move.src, move.dst) for place in self.neighbours[end]):
            return self.if_quiet
        rank, exposed = self.own[move.src]
        after = {place: piece for place, piece in self.own.items() if place != move.src}
        after[move.dst] = (rank, exposed or move.dst not in self.neighbours[move.src])
        return self.expect(after, self.foes)

    def prospect(self, rank: str, place: Place) -> float:
        """Return the value of the best fight that a rank can walk to from a square."""
        return max(
            (gain * PER_STEP ** self.distances[at].get(place, UNREACHABLE) for at, gain in self.targets[rank].items()),
            default=0.0,
        )


def weigh(chance: float, result: Callable[[], float]) -> float:
    """Return a result multiplied by its chance; the result of a negligible chance is not computed."""
    return chance * result() if chance > NEGLIGIBLE else 0.0


if __name__ == "__main__":
    run(Tracker, name="tracker", wants=["legal"])
