"""A bot's side of the conversation: messages in, answers out, also over stdin and stdout."""

import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from math import isnan
from typing import BinaryIO, Final

from protocol.bot.game import Game
from protocol.bot.player import Choice, Chooser, FunctionPlayer, Player, deploy_at_random
from protocol.bot.turn import Turn
from protocol.codec import decode_later_arbiter_line, encode
from protocol.messages import (
    Act,
    AnyArbiterMessage,
    AnyBotMessage,
    Ask,
    Bye,
    Hello,
    News,
    Over,
    Ready,
    Refused,
    Start,
    Want,
)
from protocol.words import MAX_EVAL, PROTOCOL_VERSION, Action, AnyAction, AnyFact

MAX_NOTE: Final = 200  # characters; the arbiter does not accept more


def run(
    bot: Chooser | type[Player],
    *,
    name: str,
    deploy: Chooser = deploy_at_random,
    wants: Iterable[Want] = (),
    version: str | None = None,
    author: str | None = None,
    source: BinaryIO | None = None,
    sink: BinaryIO | None = None,
) -> None:
    """Play game after game over stdin and stdout until `bye` or the end of the input.

    `bot` is a function that chooses, or a subclass of `Player`; `deploy` answers phase `setup` if `bot` is a function.
    While it runs, `print` writes to stderr, because stdout belongs to the protocol.
    """
    session = new_session(bot, name=name, deploy=deploy, wants=wants, version=version, author=author)
    lines = source or sys.stdin.buffer
    answers = sink or sys.stdout.buffer
    with redirect_stdout(sys.stderr):
        for line in lines:
            message = decode_later_arbiter_line(line)
            if isinstance(message, Bye):
                return
            answer = None if message is None else session.receive(message)
            if answer is not None:
                try:
                    answers.write(encode(answer))
                    answers.flush()
                except BrokenPipeError:  # the arbiter has exited
                    return


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
        chosen = self._player.deploy(turn) if turn.phase == "setup" else self._player.choose(turn)
        choice = chosen if isinstance(chosen, Choice) else Choice(chosen)
        if not isinstance(choice.action, Action):
            raise TypeError(
                f"the bot returned {chosen!r} in phase {turn.phase!r}; it must return an action or a Choice"
            )
        self._answered = choice.action
        note = choice.note and choice.note[:MAX_NOTE]
        return Act(number, choice.action, note=note, offer_draw=choice.offer_draw, eval=_limit(choice.eval))

    def end(self, over: Over) -> None:
        self.add_news(over.news)
        self._player.end(over)


def _limit(evaluation: float | None) -> float | None:
    """Return an evaluation within the bounds of the protocol; None if it is not a number."""
    if evaluation is None or isnan(evaluation):
        return None
    return float(max(-MAX_EVAL, min(MAX_EVAL, evaluation)))
