"""Keeps track of every piece: what it may be, what a fight with it is worth, how far it is from the flag.

How it thinks, a step each:

1. `setups`: it sets up by the book.
2. `beliefs`: what may each hidden piece be?
3. `fights`: what is a fight worth on the average?  To win costs something too: the enemy learns a rank.
4. `Tracker.expect`: what is the worst that the enemy does next?  A move is only as good as the answer to it.
5. `watch`: who is on his way to our flag, and who stops him?
6. `Tracker.promise`: where nothing is to be won or lost at once, pieces go where something waits for them.

The longer nothing was attacked, the less it minds a loss: so it never shuffles until the draw.
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
from sample_bots.beliefs import STILL, Beliefs
from sample_bots.cards_player import Cards
from sample_bots.fights import Foe, value
from sample_bots.hunter import Hunter
from sample_bots.setups import draw_setup
from sample_bots.watch import FAR, Watch, ways_to

PATIENCE: Final = 80  # turns without an attack after which losses count nothing
VEIL: Final = 0.25  # the part of a piece's value that it costs to show its rank
DARING: Final = 0.9  # how often the enemy attacks what it does not know, where it would win
NEARER: Final = 0.78  # what a fight one step further away is worth
STIR: Final = 1.6  # what it costs to move a piece for the first time: it might have been a bomb
HESITATION: Final = 0.8  # what it costs to go back where one came from
UNLIKELY: Final = 0.04  # a chance that is not worth a thought
EXPOSURE: Final = 5  # what it costs to show oneself by a power

Own = dict[Place, tuple[str, bool]]  # rank, and whether the enemy knows it
Foes = dict[Place, Foe]
Contact = tuple[Place, Place]  # an enemy's and one of ours beside him
Expect = Callable[[Own, Foes], float]


class Tracker(Player):
    """One game of the tracker."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        if game.board is None:  # the card game is another's trade
            self.cards = Cards(game)
            return
        self.beside = game.board.neighbours
        self.beliefs = self.begin_to_believe(game)
        self.quiet = 0  # turns of one's own since the last attack
        self.came_from: dict[Place, Place] = {}

    def begin_to_believe(self, game: Game) -> Beliefs:
        """Begin to follow the enemy's pieces."""
        return Beliefs(game)

    def deploy(self, turn: Turn) -> AnyAction:
        """Set up by the book, or as the hunter does where the book has nothing for the army."""
        if self.game.board is None:
            return self.cards.deploy(turn)
        pieces = draw_setup(self.game)
        return Hunter(self.game).deploy(turn) if pieces is None else Deploy(pieces=pieces)

    def choose(self, turn: Turn) -> AnyAction:
        """Look at the board and choose the best action."""
        if self.game.board is None:
            return self.cards.choose(turn)
        self.look(turn)
        action = self.best(turn)
        self._remember(action)
        return action

    def best(self, turn: Turn) -> AnyAction:
        """Return the action of the highest score; of equal ones any."""
        self.now = self.expect(self.own, self.foes)
        scored = [(self.score(action), turn.rng.random(), action) for action in turn.legal]
        return max(scored, key=lambda one: one[:2])[2]

    # --- what is known

    def look(self, turn: Turn) -> None:
        """Read the board: the own pieces, the enemies, and what each of them may be."""
        fought = any(isinstance(fact, Attacked) for fact in turn.news)
        self.quiet = 0 if fought else self.quiet + 1
        self.caution = max(0.0, 1 - self.quiet / PATIENCE)
        self._learn_runners(turn)
        self.beliefs.follow(turn.news, turn.own)
        chances = self.beliefs.chances(Counter(turn.view.captured[self.game.enemy]))
        self.foes: Foes = {place: Foe(chance, self.game) for place, chance in chances.items()}
        self.own: Own = {place: (rank, place in self.beliefs.shown) for place, rank in turn.own.items()}
        self.watch = Watch(self.beside, turn.own, self.foes)
        self._find_targets(turn.own)

    def _learn_runners(self, turn: Turn) -> None:
        """Learn from what one may do oneself who moves more than one square."""
        moves = (action for action in turn.legal if isinstance(action, Move))
        self.beliefs.runners |= {turn.own[move.src] for move in moves if move.dst not in self.beside[move.src]}

    def _find_targets(self, own: dict[Place, str]) -> None:
        """Find for each rank what it would like to attack, and for each such enemy the ways there."""
        blocked = self.foes.keys() | {place for place, rank in own.items() if rank in STILL}
        self.targets = {
            rank: {place: worth for place, foe in self.foes.items() if (worth := self.worth(rank, foe)) > 0}
            for rank in set(own.values()) - STILL
        }
        sought = {place for targets in self.targets.values() for place in targets}
        self.ways = {place: ways_to(place, self.beside, blocked) for place in sought}

    def _remember(self, action: AnyAction) -> None:
        if isinstance(action, Move):
            self.came_from.pop(action.src, None)
            self.came_from[action.dst] = action.src

    # --- what fights are worth

    def price(self, rank: str) -> float:
        """Return what it costs to lose a piece; in the long run nothing but the flag."""
        return value(rank) * (1 if rank == "flag" else self.caution)

    def worth(self, rank: str, foe: Foe) -> float:
        """Return what an attack gains on the average."""
        odds = foe.attacked_by(rank)
        return odds.spoils + odds.swaps + foe.news - (odds.tie + odds.lose) * self.price(rank)

    def attack(self, own: Own, foes: Foes, src: Place, dst: Place, expect: Expect) -> float:
        """Return what an attack gains on the average, and what is to be expected after it."""
        rank, shown = own[src]
        odds = foes[dst].attacked_by(rank)
        veil = 0 if shown else VEIL * odds.win * self.price(rank)
        without = {place: piece for place, piece in own.items() if place != src}
        beaten = {place: foe for place, foe in foes.items() if place != dst}
        return (
            self.worth(rank, foes[dst])
            - veil
            + likely(odds.win, lambda: expect({**without, dst: (rank, True)}, beaten))
            + likely(odds.tie, lambda: expect(without, beaten))
            + likely(odds.lose, lambda: expect(without, {**beaten, dst: odds.survivor}))
        )

    def expect(self, own: Own, foes: Foes) -> float:
        """Return what the enemy's best answer costs: 0 where it has none."""
        return min((self.suffer(own, foes, at, place) for at, place in self.contacts(own, foes)), default=0.0)

    def contacts(self, own: Own, foes: Foes) -> list[Contact]:
        """List all enemies that stand beside one of ours, each with the place of ours."""
        return [(at, place) for at in foes for place in self.beside[at] if place in own]

    def suffer(self, own: Own, foes: Foes, at: Place, place: Place) -> float:
        """Return what an enemy's attack on one of ours brings us: nothing good, for he knows his own rank."""
        rank, shown = own[place]
        odds = foes[at].attacks(rank)
        loss = (odds.lose + odds.tie) * self.price(rank)
        if shown:  # he strikes only where he does not lose
            return odds.swaps - loss
        return DARING * (odds.spoils + odds.swaps - loss)

    # --- what actions are worth

    def score(self, action: AnyAction) -> float:
        """Say how good an action is."""
        match action:
            case Move():
                return self._score_move(action)
            case Look():
                return self.now + self.foes[action.dst].news
            case Strike():
                return self.now + self._score_strike(self.foes[action.dst])
            case Infiltrate():
                guessed = self.foes[action.dst].chances.get(action.rank, 0.0)
                return self.now + guessed * value(action.rank) - EXPOSURE
            case Rescue():
                return self.now + value(action.rank)
        return self.now

    def _score_strike(self, foe: Foe) -> float:
        reach = self.game.number.get("marksman", 0)
        hits = (rank for rank in foe.chances if rank == "flag" or 0 < self.game.number[rank] < reach)
        return sum(foe.chances[rank] * value(rank) for rank in hits) - EXPOSURE

    def _score_move(self, move: Move) -> float:
        rank, shown = self.own[move.src]
        stir = 0.0 if shown or move.src in self.beliefs.stirred else STIR
        alarm = self.watch.cost(rank, move.src, move.dst)
        if move.dst in self.foes:
            return self.attack(self.own, self.foes, move.src, move.dst, self.expect) - stir - alarm
        back = HESITATION if self.came_from.get(move.src) == move.dst else 0.0
        way = self.promise(rank, move.dst) - self.promise(rank, move.src)
        return self._score_step(move) + way - stir - alarm - back

    def _score_step(self, move: Move) -> float:
        """Return what the enemy's answer to a step costs."""
        if not any(place in self.foes for end in (move.src, move.dst) for place in self.beside[end]):
            return self.now
        rank, shown = self.own[move.src]
        after = {place: piece for place, piece in self.own.items() if place != move.src}
        after[move.dst] = (rank, shown or move.dst not in self.beside[move.src])
        return self.expect(after, self.foes)

    def promise(self, rank: str, place: Place) -> float:
        """Return the best fight that waits for a rank, the less the further away."""
        return max(
            (worth * NEARER ** self.ways[at].get(place, FAR) for at, worth in self.targets[rank].items()), default=0.0
        )


def likely(chance: float, then: Callable[[], float]) -> float:
    """Return a chance's part of what comes then; what is hardly likely is not thought through."""
    return chance * then() if chance > UNLIKELY else 0.0


if __name__ == "__main__":
    run(Tracker, name="tracker", wants=["legal"])
