"""The two forms of a bot, a function or a class, and its side of the conversation, also over stdin and stdout."""

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from math import isnan
from random import Random
from typing import BinaryIO, Final

from msgspec import UNSET, Struct

from protocol.bot.game import Game, Turn
from protocol.codec import decode_later_arbiter_line, encode
from protocol.messages import (
    Act,
    AnyArbiterMessage,
    AnyBotMessage,
    Ask,
    Bye,
    CardView,
    Hello,
    News,
    Over,
    Ready,
    Refused,
    Rules,
    Start,
    Want,
)
from protocol.words import MAX_EVAL, PROTOCOL_VERSION, Action, AnyAction, AnyFact, Deploy, Place, Seat

MAX_NOTE: Final = 200  # characters; the arbiter does not accept more


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
        self.choose = choose  # type: ignore[assignment, method-assign]
        self.deploy = deploy  # type: ignore[assignment, method-assign]


# --- the conversation ---------------------------------------------------------------------------------


def run(
    bot: Chooser | type[Player],
    *,
    name: str,
    deploy: Chooser = deploy_at_random,
    wants: Iterable[Want] = (),
    version: str | None = None,
    author: str | None = None,
) -> None:
    """Play game after game over stdin and stdout until `bye` or the end of the input.

    `bot` is a function that chooses, or a subclass of `Player`; `deploy` answers phase `setup` if `bot` is a function.
    While it runs, `print` writes to stderr, because stdout belongs to the protocol.
    """
    new_session(bot, name=name, deploy=deploy, wants=wants, version=version, author=author).run()


def new_session(
    bot: Chooser | type[Player],
    *,
    name: str,
    deploy: Chooser = deploy_at_random,
    wants: Iterable[Want] = (),
    version: str | None = None,
    author: str | None = None,
) -> "Session":
    """Return a new conversation, without streams."""
    ready = Ready(PROTOCOL_VERSION, name, version=version, author=author, wants=list(wants))
    if isinstance(bot, type):
        return Session(bot, ready)
    choose = bot
    return Session(lambda game: FunctionPlayer(game, choose, deploy), ready)


class Session:
    """A conversation of a bot with the arbiter, without streams."""

    def __init__(self, new_player: Callable[[Game], Player], ready: Ready) -> None:
        self._new_player = new_player
        self._ready = ready
        self._game: _PlayedGame | None = None

    def run(self, source: BinaryIO | None = None, sink: BinaryIO | None = None) -> None:
        """Answer the lines of `source` (default: stdin) on `sink` (default: stdout), as the function `run`."""
        lines = source or sys.stdin.buffer
        answers = sink or sys.stdout.buffer
        with redirect_stdout(sys.stderr):
            for line in lines:
                message = decode_later_arbiter_line(line)
                if isinstance(message, Bye):
                    return
                answer = None if message is None else self.receive(message)
                if answer is not None:
                    try:
                        answers.write(encode(answer))
                        answers.flush()
                    except BrokenPipeError:  # the arbiter has exited
                        return

    def receive(self, message: AnyArbiterMessage) -> AnyBotMessage | None:
        """Process a message and return the answer, or None if the message needs none."""
        match message:
            case Hello():
                return self._ready
            case Start():
                game = Game(message)
                self._game = _PlayedGame(game, self._new_player(game))
            case Ask() if self._game:
                return self._game.ask(message)
            case Refused() if self._game:
                return self._game.refuse(message)
            case News() if self._game:
                self._game.add_news(message.news)
            case Over() if self._game:
                self._game.end(message)
                self._game = None
            case _:
                pass
        return None


class _PlayedGame:
    """A game with its player, the open question and the last answer."""

    def __init__(self, game: Game, player: Player) -> None:
        self._game = game
        self._player = player
        self._news: list[AnyFact] = []
        self._turn: Turn | None = None
        self._answered: AnyAction | None = None

    def add_news(self, news: list[AnyFact]) -> None:
        if self._answered is not None:  # it was not refused, so it was accepted
            self._game.knowledge.note_action(self._answered)
            self._answered = None
        for fact in news:
            self._game.knowledge.note_fact(fact)
            self._player.hear(fact)
        self._news += news

    def ask(self, ask: Ask) -> Act:
        self.add_news(ask.news)
        self._turn = Turn(self._game, ask, self._news)
        self._news = []
        return self._answer(self._turn, ask.ask)

    def refuse(self, refused: Refused) -> Act | None:
        if self._turn is None or self._answered is None:
            return None
        self._turn.refuse(self._answered, refused.why)
        return self._answer(self._turn, refused.ask)

    def _answer(self, turn: Turn, number: int) -> Act:
        chooser = self._player.deploy if turn.phase == "setup" else self._player.choose
        chosen = chooser(turn)
        choice = chosen if isinstance(chosen, Choice) else Choice(chosen)
        if not isinstance(choice.action, Action):
            name = getattr(chooser, "__name__", repr(chooser))
            code = getattr(chooser, "__code__", None)
            where = "" if code is None else f" (line {code.co_firstlineno} of {code.co_filename})"
            raise TypeError(
                f"the bot returned {chosen!r} in phase {turn.phase!r} from {name}{where}; "
                "it must return an action or a Choice"
            )
        self._answered = choice.action
        note = choice.note and choice.note[:MAX_NOTE]
        evaluation = choice.eval
        if evaluation is not None:
            evaluation = None if isnan(evaluation) else float(max(-MAX_EVAL, min(MAX_EVAL, evaluation)))
        return Act(number, choice.action, note=note, offer_draw=choice.offer_draw, eval=evaluation)

    def end(self, over: Over) -> None:
        self.add_news(over.news)
        self._player.end(over)
