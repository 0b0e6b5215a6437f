"""The two forms of a bot: a function that chooses, or a class that keeps state.  And a random deployment."""

from collections.abc import Callable, Sequence
from random import Random

from msgspec import UNSET, Struct

from protocol.bot.game import Game
from protocol.bot.turn import Turn
from protocol.messages import CardView, Over, Rules
from protocol.words import AnyAction, AnyFact, Deploy, Place, Seat


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
    hand = [card.place for card in turn.view.hand] if isinstance(turn.view, CardView) else []
    return draw_deployment(turn.rules, turn.seat, turn.rng, hand)


def draw_deployment(rules: Rules, seat: Seat, rng: Random, hand: Sequence[Place] = ()) -> Deploy:
    """Draw a random deployment of a seat; `hand` are the places of its cards in the card game."""
    if rules.line is not UNSET:
        return Deploy(line=rng.sample(hand, min(rules.line, len(hand))))
    if rules.deploy is UNSET:
        raise ValueError(f"the rules of {rules.id!r} contain no squares to deploy on")
    army = [rank for rank, count in rules.army.items() for _ in range(count)]
    squares = rng.sample(rules.deploy[seat], len(army))
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
