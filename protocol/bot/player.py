"""The two forms of a bot: a function that chooses, or a class that keeps state.  And a random deployment."""

from collections.abc import Callable

from msgspec import UNSET, Struct

from protocol.bot.game import Game
from protocol.bot.turn import Turn
from protocol.messages import CardView, Over
from protocol.words import AnyAction, AnyFact, Deploy


class Choice(Struct, frozen=True):
    """An action with optional additions."""

    action: AnyAction
    note: str | None = None
    """For the record; cut off after 200 characters."""
    offer_draw: bool = False
    """True to offer a draw together with the action."""
    eval: float | None = None
    """Evaluation of the position, positive if it is good for the player, in any unit; limited to -10000 .. 10000."""


Chooser = Callable[[Turn], AnyAction | Choice]


def deploy_at_random(turn: Turn) -> Deploy:
    """Deploy the army on random squares, or random cards of the hand in the line."""
    if isinstance(turn.view, CardView):
        places = [card.place for card in turn.view.hand]
        slots = len(places) if turn.rules.line is UNSET else turn.rules.line
        return Deploy(line=turn.rng.sample(places, min(slots, len(places))))
    if turn.rules.deploy is UNSET:
        raise ValueError(f"the rules of {turn.rules.id!r} contain no squares to deploy on")
    army = [rank for rank, count in turn.rules.army.items() for _ in range(count)]
    squares = turn.rng.sample(turn.rules.deploy[turn.seat], len(army))
    return Deploy(pieces=dict(zip(squares, army, strict=True)))


class Player:
    """A bot that keeps state, with one object for each game.  A subclass overrides `choose` and what else it needs."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def deploy(self, turn: Turn) -> AnyAction | Choice:
        """Answer a question of phase `setup`."""
        return deploy_at_random(turn)

    def choose(self, turn: Turn) -> AnyAction | Choice:
        """Answer any other question."""
        raise NotImplementedError(f"{type(self).__name__} needs a method choose(self, turn)")

    def hear(self, fact: AnyFact) -> None:
        """Receive a fact, as soon as the arbiter sends it."""

    def end(self, over: Over) -> None:
        """Receive the end of the game."""


class FunctionPlayer(Player):
    """A bot that consists of two functions."""

    def __init__(self, game: Game, choose: Chooser, deploy: Chooser) -> None:
        super().__init__(game)
        self._choose = choose
        self._deploy = deploy

    def deploy(self, turn: Turn) -> AnyAction | Choice:
        return self._deploy(turn)

    def choose(self, turn: Turn) -> AnyAction | Choice:
        return self._choose(turn)
