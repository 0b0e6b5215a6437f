"""Plays the card game: keeps its flag in the hand, looks before it attacks, and attacks where it pays.

How it thinks, a function each:

1. `Cards.chances`: what may a hidden card be?  What is left of the enemy's army, counted.
2. `Cards.worth`: what does an attack gain on the average?
3. `Cards.score`: an attack is worth what it gains, a look what there is to learn, a regroup what it saves;
   into the line goes what fights, and the flag only where nothing else is left.

It knows no board: there it plays anything legal.
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
IN_LINE: Final = {**VALUES, "spy": 3, "bomb": 2, "flag": -100}  # what a card is worth in the line
LOOK: Final = 3.0  # what it is worth to see a hidden card
SHY: Final = 0.2  # how much less likely the flag stands in the line than any other card
LOOK_AT_HAND: Final = 0.2
REGROUP: Final = 4.0  # what it is worth to take the flag out of the line


class Cards(Player):
    """One game of the card player."""

    # --- lines

    def deploy(self, turn: Turn) -> AnyAction:
        """Lay the best of the hand in any order."""
        if not isinstance(turn.view, CardView):
            return super().deploy(turn)
        best = sorted(turn.view.hand, key=lambda card: IN_LINE.get(card.rank, 0), reverse=True)
        line = [card.place for card in best[: turn.rules.line]]
        turn.rng.shuffle(line)
        return Deploy(line=line)

    # --- a turn

    def choose(self, turn: Turn) -> AnyAction:
        """Choose the action of the highest score; of equal ones any."""
        if not isinstance(turn.view, CardView):
            return turn.rng.choice(turn.legal)
        self._look(turn)
        scored = [(self.score(action), turn.rng.random(), action) for action in turn.legal]
        return max(scored, key=lambda one: one[:2])[2]

    def _look(self, turn: Turn) -> None:
        """Read the table: one's own cards, the enemy's line, and what its hidden cards may be."""
        self.own, self.enemies, self.hidden = turn.own, turn.enemies, turn.hidden

    def chances(self, place: Place) -> dict[str, float]:
        """Return the chance of each rank that an enemy card may be."""
        if known := self.enemies[place]:
            return {known: 1.0}
        likely = {rank: count * (SHY if rank == "flag" else 1) for rank, count in self.hidden.items()}
        left = sum(likely.values()) or 1
        return {rank: count / left for rank, count in likely.items()}

    def score(self, action: AnyAction) -> float:
        """Say how good an action is."""
        match action:
            case Attack(src, dst):
                return self.worth(self.own[src], dst)
            case PeekLine(_, slots):
                return LOOK * sum(self.enemies[slot] is None for slot in slots)
            case PeekHand():
                return LOOK_AT_HAND
            case Regroup():
                return REGROUP
            case Fill(cards):
                return sum(IN_LINE.get(self.own[place], 0) for place in cards.values())
        return 0.0

    def worth(self, rank: str, place: Place) -> float:
        """Return what the attack of a card on a place gains on the average."""
        return sum(chance * self.gain(rank, enemy) for enemy, chance in self.chances(place).items())

    def gain(self, rank: str, enemy: str) -> float:
        """Return what the attack of one card on another gains."""
        match self.game.fight(rank, enemy):
            case "win":
                return VALUES.get(enemy, 0)
            case "draw":
                return VALUES.get(enemy, 0) - VALUES.get(rank, 0)
        return -VALUES.get(rank, 0)


if __name__ == "__main__":
    run(Cards, name="cards", wants=["legal"])
