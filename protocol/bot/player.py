"""What a bot is: a function that chooses, or a class that remembers; and how to deploy without a plan."""

from collections.abc import Callable

from msgspec import UNSET, Struct

from protocol.bot.game import Game
from protocol.bot.turn import Turn
from protocol.messages import CardView, Over
from protocol.words import AnyAction, AnyFact, Deploy, Place


class Choice(Struct, frozen=True):
    """An action with what may be said beside it.

    `note` is for the record, at most 200 characters (the rest is cut off); `offer_draw` offers a draw.
    """

    action: AnyAction
    note: str | None = None
    offer_draw: bool = False


Chooser = Callable[[Turn], AnyAction | Choice]


def deploy_at_random(turn: Turn) -> Deploy:
    """Deploy the army on any squares of one's own rows, or any cards of the hand in the line."""
    if isinstance(turn.view, CardView):
        return Deploy(line=_any_cards(turn, turn.view))
    if turn.rules.deploy is UNSET:
        raise ValueError(f"{turn.rules.id!r} tells no squares to deploy on")
    army = [rank for rank, count in turn.rules.army.items() for _ in range(count)]
    squares = turn.rng.sample(turn.rules.deploy[turn.seat], len(army))
    return Deploy(pieces=dict(zip(squares, army, strict=True)))


def _any_cards(turn: Turn, view: CardView) -> list[Place]:
    places = [card.place for card in view.hand]
    slots = len(places) if turn.rules.line is UNSET else turn.rules.line
    return turn.rng.sample(places, min(slots, len(places)))


class Player:
    """A bot that remembers: one object a game.  A subclass overrides `choose` and what else it needs."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def deploy(self, turn: Turn) -> AnyAction | Choice:
        """Answer a question of phase `setup`."""
        return deploy_at_random(turn)

    def choose(self, turn: Turn) -> AnyAction | Choice:
        """Answer any other question."""
        raise NotImplementedError(f"{type(self).__name__} has no method choose(self, turn)")

    def hear(self, fact: AnyFact) -> None:
        """Hear a fact, as soon as it is told."""

    def end(self, over: Over) -> None:
        """Hear how the game ended."""


class Plain(Player):
    """A bot that is two functions."""

    def __init__(self, game: Game, choose: Chooser, deploy: Chooser) -> None:
        super().__init__(game)
        self._choose = choose
        self._deploy = deploy

    def deploy(self, turn: Turn) -> AnyAction | Choice:
        """Ask the function that deploys."""
        return self._deploy(turn)

    def choose(self, turn: Turn) -> AnyAction | Choice:
        """Ask the function that chooses."""
        return self._choose(turn)
