"""Looks ahead: own attacks and escapes, the enemy's answers, and what comes after, as far as its budget allows.

It thinks as the tracker does, and goes further in two things:

1. `insight`: it knows more of the hidden pieces.
2. `Strategist.expect`: it looks not only at the enemy's best answer but at ours to that, and so on.  A fight of which
   only the chances are known branches into all its ends, each with its chance.  Only pieces that stand beside an
   enemy fight or flee; whatever else a player may do is one move, to let things be.

`Strategist.best` looks one turn of each side further as long as its budget lasts, and forgets what it has not finished.
The budget is a number of positions, so it plays the same game on a busy machine; time ends a look only in need.
"""

from time import process_time
from typing import Final

from protocol.bot import Game, Turn, run
from protocol.words import RED, AnyAction, Place
from sample_bots.beliefs import STILL, Beliefs
from sample_bots.fights import Foe
from sample_bots.insight import Insight
from sample_bots.tracker import DARING, Contact, Foes, Own, Tracker, likely

LATER: Final = 0.93  # what a gain is worth that comes a turn later
HORIZON: Final = 4  # turns to look at after one's own
NODES: Final = 600  # positions to look at
GLANCE: Final = 50  # positions from one look at the clock to the next: to ask for the time takes time
AT_MOST: Final = 0.1  # seconds of the processor for a look: far more than these positions take
OF_THE_BANK: Final = 0.02  # or this part of the bank, if it is less
OF_THE_TURN: Final = 0.2  # or this part of what the answer may take
HOPELESS: Final = 0.1  # a chance to win with which nobody attacks
HUNTED: Final = 0.25  # the chance to be beaten from which on a piece of ours flees
HUNTER: Final = 0.5  # the chance to beat an enemy from which on he flees


class BudgetSpentError(Exception):
    """Nothing is left to look further."""


class Strategist(Tracker):
    """One game of the strategist."""

    def begin_to_believe(self, game: Game) -> Beliefs:
        """Begin to follow the enemy's pieces."""
        return Insight(game)

    def best(self, turn: Turn) -> AnyAction:
        """Return the best action of the furthest look that was finished."""
        self.nodes = self.horizon = 0
        self.stop_at = process_time() + allowance(turn)
        action = super().best(turn)
        try:
            while self.horizon < HORIZON:
                self.horizon += 2
                action = super().best(turn)
        except BudgetSpentError:
            pass
        return action

    def _spend(self) -> None:
        """Count a position; the first look, at the enemy's answers alone, is always finished.  Raises BudgetSpentError."""
        self.nodes += 1
        late = self.nodes % GLANCE == 0 and process_time() > self.stop_at
        if self.horizon and (self.nodes > NODES or late):
            raise BudgetSpentError

    def expect(self, own: Own, foes: Foes) -> float:
        """Return what is to be expected where it is the enemy's turn."""
        return self.theirs(own, foes, self.horizon)

    # --- the enemy's turn

    def theirs(self, own: Own, foes: Foes, turns: int) -> float:
        """Return what the enemy's best answer leads to, in so many turns after it."""
        self._spend()
        contacts = self.contacts(own, foes)
        if not contacts:
            return 0.0
        quiet = self.ours(own, foes, turns - 1) if turns else 0.0
        answers = [quiet]
        answers += [self._struck(own, foes, contact, turns, quiet) for contact in contacts if foes[contact[0]].mobile]
        if turns:
            fleeing = dict.fromkeys(at for at, place in contacts if _flees(foes[at], *own[place]))
            flights = [(at, there) for at in fleeing for there in self.beside[at] if self._is_free(own, foes, there)]
            answers += [self._fled(own, foes, flight, turns, quiet) for flight in flights]
        return LATER * min(answers)

    def _struck(self, own: Own, foes: Foes, contact: Contact, turns: int, quiet: float) -> float:
        """Return what an enemy's attack leads to; where he would lose he rather keeps quiet."""
        at, place = contact
        rank, shown = own[place]
        odds = foes[at].attacks(rank)
        at_once = self.suffer(own, foes, at, place)
        if not turns:
            return at_once
        without = {one: piece for one, piece in own.items() if one != place}
        gone = {one: foe for one, foe in foes.items() if one != at}
        after = (
            likely(odds.lose, lambda: self.ours(without, {**gone, place: odds.survivor}, turns - 1))
            + likely(odds.tie, lambda: self.ours(without, gone, turns - 1))
            + (1 - odds.lose - odds.tie) * quiet
        )
        dares = 1 if shown else DARING
        return at_once + dares * after + (1 - dares) * quiet

    def _fled(self, own: Own, foes: Foes, flight: tuple[Place, Place], turns: int, quiet: float) -> float:
        """Return what an enemy's escape leads to, if he can move at all."""
        at, there = flight
        foe = foes[at]
        elsewhere = {there if one == at else one: other for one, other in foes.items()}
        return foe.mobile * self.ours(own, elsewhere, turns - 1) + (1 - foe.mobile) * quiet

    @staticmethod
    def _is_free(own: Own, foes: Foes, place: Place) -> bool:
        return place not in own and place not in foes

    # --- our turn

    def ours(self, own: Own, foes: Foes, turns: int) -> float:
        """Return what our best answer leads to, in so many turns after it."""
        self._spend()
        contacts = [(at, place) for at, place in self.contacts(own, foes) if own[place][0] not in STILL]
        answers = [self.theirs(own, foes, turns - 1)]
        for at, place in contacts:
            if foes[at].attacked_by(own[place][0]).win > HOPELESS:
                answers.append(self.attack(own, foes, place, at, lambda mine, his: self.theirs(mine, his, turns - 1)))
        hunted = dict.fromkeys(place for at, place in contacts if foes[at].attacks(own[place][0]).lose > HUNTED)
        for place in hunted:
            for there in self.beside[place]:
                if self._is_free(own, foes, there):
                    elsewhere = {there if one == place else one: piece for one, piece in own.items()}
                    answers.append(self.theirs(elsewhere, foes, turns - 1))
        return LATER * max(answers)


def allowance(turn: Turn) -> float:
    """Return how many seconds may be spent on looking ahead."""
    bank = (turn.clock.red_ms if turn.seat == RED else turn.clock.blue_ms) / 1000
    return min(AT_MOST, OF_THE_BANK * bank, OF_THE_TURN * turn.seconds_left)


def _flees(foe: Foe, rank: str, shown: bool) -> bool:
    """Say whether an enemy runs away from a piece of ours, where one of them knows the other."""
    return (shown or foe.known) and rank not in STILL and min(foe.mobile, foe.attacked_by(rank).win) > HUNTER


if __name__ == "__main__":
    run(Strategist, name="strategist", wants=["legal"])
