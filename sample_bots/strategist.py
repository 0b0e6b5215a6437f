"""A bot that searches ahead: its attacks and escapes, the enemy's answers, and so on, as far as its budget allows.

It extends the tracker in two ways:

1. `insight` gives better estimates of the hidden pieces.
2. `Strategist.expect` looks not only at the enemy's best answer but also at our answer to that, and so on.  A fight
   between uncertain ranks branches into all its outcomes, each with its chance.  Only pieces next to an enemy fight or
   flee; all other moves count as one quiet move.

`Strategist.find_best` searches one turn of each side deeper as long as the budget lasts, and drops an unfinished
search. The budget is a number of positions, so the bot plays the same game on a busy machine.  A search is cut short
by time only in an emergency.
"""

from time import process_time
from typing import Final

from protocol.bot import Game, Turn, run
from protocol.words import RED, AnyAction
from sample_bots.beliefs import IMMOVABLE, Beliefs
from sample_bots.fights import Foe
from sample_bots.insight import Insight
from sample_bots.tracker import BOLDNESS, Contact, Foes, Own, Tracker, weigh

DISCOUNT: Final = 0.93  # the value of a gain that comes one turn later
MAX_DEPTH: Final = 4  # turns to search after the move itself
MAX_NODES: Final = 600  # positions of a search
NODES_PER_CLOCK_CHECK: Final = 50  # reading the clock takes time
MAX_SECONDS: Final = 0.1  # processor time of a search: far more than these positions take
PART_OF_BANK: Final = 0.02  # or this part of the bank, if it is less
PART_OF_TURN: Final = 0.2  # or this part of the time for the answer
MIN_CHANCE_TO_WIN: Final = 0.1  # with a smaller chance a piece does not attack
CHANCE_TO_FLEE: Final = 0.25  # a piece of ours flees if its chance to be beaten is higher
ENEMY_CHANCE_TO_FLEE: Final = 0.5  # an enemy piece flees if our chance to beat it is higher


class BudgetSpentError(Exception):
    """The search has used up its positions or its time."""


class Strategist(Tracker):
    """One game of the strategist."""

    def new_beliefs(self, game: Game) -> Beliefs:
        """Return the estimates that this bot uses."""
        return Insight(game)

    def find_best(self, turn: Turn) -> AnyAction:
        """Return the best action of the deepest finished search."""
        self.nodes = 0
        self.depth = 0
        self.deadline = process_time() + allowed_seconds(turn)
        action = super().find_best(turn)
        try:
            while self.depth < MAX_DEPTH:
                self.depth += 2
                action = super().find_best(turn)
        except BudgetSpentError:
            pass
        return action

    def _count_node(self) -> None:
        """Count a position; the first search, of the enemy's answers alone, is always finished.

        Raises BudgetSpentError.
        """
        self.nodes += 1
        is_late = self.nodes % NODES_PER_CLOCK_CHECK == 0 and process_time() > self.deadline
        if self.depth and (self.nodes > MAX_NODES or is_late):
            raise BudgetSpentError

    def expect(self, own: Own, foes: Foes) -> float:
        """Return the expected result if it is the enemy's turn."""
        return self.search_enemy_turn(own, foes, self.depth)

    # --- the enemy's turn -------------------------------------------------------------------------

    def search_enemy_turn(self, own: Own, foes: Foes, turns: int) -> float:
        """Return the result of the enemy's best answer, searching a number of turns after it."""
        self._count_node()
        contacts = self.contacts(own, foes)
        if not contacts:
            return 0.0
        quiet = self.search_own_turn(own, foes, turns - 1) if turns else 0.0
        answers = [quiet]
        answers += [
            self._search_attack(own, foes, contact, turns, quiet) for contact in contacts if foes[contact[0]].mobile
        ]
        if turns:
            fleeing = dict.fromkeys(at for at, place in contacts if _flees(foes[at], *own[place]))
            for at in fleeing:
                foe = foes[at]
                for there in self.neighbours[at]:
                    if there not in own and there not in foes:
                        elsewhere = {there if one == at else one: other for one, other in foes.items()}
                        escaped = self.search_own_turn(own, elsewhere, turns - 1)
                        answers.append(foe.mobile * escaped + (1 - foe.mobile) * quiet)
        return DISCOUNT * min(answers)

    def _search_attack(self, own: Own, foes: Foes, contact: Contact, turns: int, quiet: float) -> float:
        """Return the result of an enemy's attack; an enemy that would lose makes a quiet move instead."""
        at, place = contact
        rank, exposed = own[place]
        odds = foes[at].odds_as_attacker(rank)
        at_once = self.defend(own, foes, at, place)
        if not turns:
            return at_once
        without = {one: piece for one, piece in own.items() if one != place}
        gone = {one: foe for one, foe in foes.items() if one != at}
        after = (
            weigh(odds.lose, lambda: self.search_own_turn(without, {**gone, place: odds.survivor}, turns - 1))
            + weigh(odds.tie, lambda: self.search_own_turn(without, gone, turns - 1))
            + (1 - odds.lose - odds.tie) * quiet
        )
        boldness = 1 if exposed else BOLDNESS
        return at_once + boldness * after + (1 - boldness) * quiet

    # --- our turn ---------------------------------------------------------------------------------

    def search_own_turn(self, own: Own, foes: Foes, turns: int) -> float:
        """Return the result of our best answer, searching a number of turns after it."""
        self._count_node()
        contacts = [(at, place) for at, place in self.contacts(own, foes) if own[place][0] not in IMMOVABLE]
        answers = [self.search_enemy_turn(own, foes, turns - 1)]
        for at, place in contacts:
            if foes[at].odds_as_target(own[place][0]).win > MIN_CHANCE_TO_WIN:
                answers.append(
                    self.attack(
                        own, foes, place, at, lambda mine, theirs: self.search_enemy_turn(mine, theirs, turns - 1)
                    )
                )
        fleeing = dict.fromkeys(
            place for at, place in contacts if foes[at].odds_as_attacker(own[place][0]).lose > CHANCE_TO_FLEE
        )
        for place in fleeing:
            for there in self.neighbours[place]:
                if there not in own and there not in foes:
                    elsewhere = {there if one == place else one: piece for one, piece in own.items()}
                    answers.append(self.search_enemy_turn(elsewhere, foes, turns - 1))
        return DISCOUNT * max(answers)


def allowed_seconds(turn: Turn) -> float:
    """Return the seconds that a search may take."""
    bank = (turn.clock.red_ms if turn.seat == RED else turn.clock.blue_ms) / 1000
    return min(MAX_SECONDS, PART_OF_BANK * bank, PART_OF_TURN * turn.seconds_left)


def _flees(foe: Foe, rank: str, exposed: bool) -> bool:
    """Return True if an enemy runs away from a piece of ours, when one of them knows the other."""
    return (
        (exposed or foe.known)
        and rank not in IMMOVABLE
        and min(foe.mobile, foe.odds_as_target(rank).win) > ENEMY_CHANCE_TO_FLEE
    )


if __name__ == "__main__":
    run(Strategist, name="strategist", wants=["legal"])
