"""A player of the card game: keeps its flag in the hand, looks before it attacks, and attacks if that gains something.

It works in three steps:

1. `Cards.estimate`: the chance of each rank for a hidden card, from what is left of the enemy's army.
2. `Cards.expected_gain`: the average gain of an attack.
3. `Cards.score`: an attack is worth its expected gain, a look what it may reveal, a regroup what it saves.
   The line gets the cards that fight, and the flag only if nothing else is left.

In board games it plays random legal actions.
"""

from typing import Final

from protocol.bot import Player, Turn, run
from protocol.messages import CardView
from protocol.words import AnyAction, Attack, Deploy, Fill, PeekHand, PeekLine, Place, Regroup

VALUES: Final = {
    "marshal": 12,
    "general": 10,
    "colonel": 8,
    "major": 7,
    "captain": 6,
    "lieutenant": 5,
    "sergeant": 4,
    "miner": 5,
    "scout": 4,
    "spy": 5,
    "bomb": 5,
    "flag": 60,
}
VALUE_IN_LINE: Final = {**VALUES, "spy": 3, "bomb": 2, "flag": -100}
LOOK_AT_CARD: Final = 3.0  # the value of seeing a hidden card of the line
LOOK_AT_HAND: Final = 0.2
FLAG_IN_LINE: Final = 0.2  # how likely the flag is in the line, compared with any other card
REGROUP: Final = 4.0  # the value of removing the flag from the line


class Cards(Player):
    """One game of the card player."""

    def deploy(self, turn: Turn) -> AnyAction:
        """Lay the best cards of the hand in random order."""
        if not isinstance(turn.view, CardView):
            return super().deploy(turn)
        best = sorted(turn.view.hand, key=lambda card: VALUE_IN_LINE.get(card.rank, 0), reverse=True)
        line = [card.place for card in best[: turn.rules.line]]
        turn.rng.shuffle(line)
        return Deploy(line=line)

    def choose(self, turn: Turn) -> AnyAction:
        """Return the action with the highest score, a random one if several have it."""
        if not isinstance(turn.view, CardView):
            return turn.rng.choice(turn.legal)
        self.own = turn.own
        self.enemies = turn.enemies
        self.hidden = turn.hidden
        scored = [(self.score(action), turn.rng.random(), action) for action in turn.legal]
        return max(scored, key=lambda one: one[:2])[2]

    def estimate(self, place: Place) -> dict[str, float]:
        """Return the chance of each rank for an enemy card."""
        if known := self.enemies[place]:
            return {known: 1.0}
        weights = {rank: count * (FLAG_IN_LINE if rank == "flag" else 1) for rank, count in self.hidden.items()}
        total = sum(weights.values()) or 1
        return {rank: weight / total for rank, weight in weights.items()}

    def score(self, action: AnyAction) -> float:
        """Return how good an action is."""
        match action:
            case Attack(src, dst):
                return self.expected_gain(self.own[src], dst)
            case PeekLine(_, slots):
                return LOOK_AT_CARD * sum(self.enemies[slot] is None for slot in slots)
            case PeekHand():
                return LOOK_AT_HAND
            case Regroup():
                return REGROUP
            case Fill(cards):
                return sum(VALUE_IN_LINE.get(self.own[place], 0) for place in cards.values())
        return 0.0

    def expected_gain(self, rank: str, place: Place) -> float:
        """Return the average gain of attacking a place with a card."""
        return sum(chance * self.gain(rank, enemy) for enemy, chance in self.estimate(place).items())

    def gain(self, rank: str, enemy: str) -> float:
        """Return the gain of attacking one card with another."""
        match self.game.fight(rank, enemy):
            case "win":
                return VALUES.get(enemy, 0)
            case "draw":
                return VALUES.get(enemy, 0) - VALUES.get(rank, 0)
        return -VALUES.get(rank, 0)


if __name__ == "__main__":
    run(Cards, name="cards", wants=["legal"])
