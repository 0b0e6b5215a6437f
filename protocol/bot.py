"""The kit for bots in Python: read, follow the game, choose, answer.  Imports nothing of the arbiter.

A bot is a function from a `Turn` to an action, or a subclass of `Player` where it has to remember:

    run(lambda turn: turn.rng.choice(turn.legal), name="random", wants=["legal"])
"""

import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import cached_property
from random import Random
from typing import BinaryIO, Final

from msgspec import UNSET, Struct

from protocol.codec import encode
from protocol.lenient import read_said
from protocol.messages import (
    Act,
    AnyAnswer,
    AnySaid,
    Ask,
    BoardView,
    Bye,
    CardView,
    Hello,
    News,
    Over,
    Ready,
    Refused,
    Start,
    Want,
)
from protocol.view import new_fold
from protocol.words import PROTOCOL_VERSION, AnyAction, AnyFact, Deploy, Place

MAX_NOTE: Final = 200  # characters; a longer note would lose the game


class Choice(Struct, frozen=True):
    """An action with what may be said beside it: a note for the record, an offer of a draw."""

    action: AnyAction
    note: str | None = None
    offer_draw: bool = False


class Game:
    """One game as its player sees it: the seat, the rules, the clock, a generator of one's own."""

    def __init__(self, start: Start) -> None:
        self.id = start.game
        self.seat = start.seat
        self.rules = start.rules
        self.opponent = start.opponent
        self.time = start.time
        self.rng = Random(start.seed)
        self.fold = new_fold(start.rules, start.seat)


class Turn:
    """One question and what is known when it is asked.

    `news` holds the facts since the last question, `refused` says why the last answer to this very
    question was refused (None as a rule).
    """

    def __init__(self, game: Game, ask: Ask, news: list[AnyFact]) -> None:
        self.game = game
        self.seat = game.seat
        self.rules = game.rules
        self.rng = game.rng
        self.phase = ask.phase
        self.clock = ask.clock
        self.news = news
        self.refused: str | None = None
        self._legal = ask.legal

    @property
    def legal(self) -> list[AnyAction]:
        """The legal actions; empty in the setup.

        Raises ValueError unless the bot `wants` them.
        """
        if self._legal is UNSET:
            if self.phase == "setup":
                return []
            raise ValueError('the legal actions are told only to a bot that runs with wants=["legal"]')
        return self._legal

    @cached_property
    def view(self) -> BoardView | CardView:
        """The board, or the cards, as this player may know them."""
        return self.game.fold.view()

    def log(self, *words: object) -> None:
        """Write a line to stderr, where the arbiter keeps it for the author."""
        print(*words, file=sys.stderr, flush=True)  # noqa: T201 - the one place that prints

    def refuse(self, action: AnyAction, why: str) -> None:
        """Note that an action was refused, and why."""
        self.refused = why
        if self._legal is not UNSET:
            self._legal = [other for other in self._legal if other != action]


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
        raise NotImplementedError

    def hear(self, fact: AnyFact) -> None:
        """Hear a fact, as soon as it is told."""

    def end(self, over: Over) -> None:
        """Hear how the game ended."""


class _Plain(Player):
    """A bot that is two functions."""

    def __init__(self, game: Game, choose: Chooser, deploy: Chooser) -> None:
        super().__init__(game)
        self._choose = choose
        self._deploy = deploy

    def deploy(self, turn: Turn) -> AnyAction | Choice:
        return self._deploy(turn)

    def choose(self, turn: Turn) -> AnyAction | Choice:
        return self._choose(turn)


class _Seated:
    """A player at its game: what it was asked, what it answered, what it heard since."""

    def __init__(self, game: Game, player: Player) -> None:
        self._game = game
        self._player = player
        self._news: list[AnyFact] = []
        self._turn: Turn | None = None
        self._answered: AnyAction | None = None

    def hear(self, news: list[AnyFact]) -> None:
        if self._answered is not None:  # it was not refused, so it was accepted
            self._game.fold.did(self._answered)
            self._answered = None
        for fact in news:
            self._game.fold.hear(fact)
            self._player.hear(fact)
        self._news += news

    def ask(self, ask: Ask) -> Act:
        self.hear(ask.news)
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
        self._answered = choice.action
        note = choice.note and choice.note[:MAX_NOTE]
        return Act(number, choice.action, note=note, offer_draw=choice.offer_draw)

    def end(self, over: Over) -> None:
        self.hear(over.news)
        self._player.end(over)


class Session:
    """A bot's side of the conversation without streams: messages in, answers out."""

    def __init__(self, new_player: Callable[[Game], Player], ready: Ready) -> None:
        self._new_player = new_player
        self._ready = ready
        self._seated: _Seated | None = None

    def receive(self, message: AnySaid) -> AnyAnswer | None:
        """Take a message in and return the answer, if it wants one."""
        match message:
            case Hello():
                return self._ready
            case Start():
                game = Game(message)
                self._seated = _Seated(game, self._new_player(game))
            case Ask() if self._seated:
                return self._seated.ask(message)
            case Refused() if self._seated:
                return self._seated.refuse(message)
            case News() if self._seated:
                self._seated.hear(message.news)
            case Over() if self._seated:
                self._seated.end(message)
                self._seated = None
            case _:
                pass
        return None


def new_session(
    bot: Chooser | type[Player],
    *,
    name: str,
    deploy: Chooser = deploy_at_random,
    wants: Iterable[Want] = (),
    version: str | None = None,
    author: str | None = None,
) -> Session:
    """Begin a bot's side of a conversation."""
    ready = Ready(PROTOCOL_VERSION, name, version=version, author=author, wants=list(wants))
    if isinstance(bot, type):
        return Session(bot, ready)
    choose = bot
    return Session(lambda game: _Plain(game, choose, deploy), ready)


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

    While it runs, `print` goes to stderr: stdout is the arbiter's.
    """
    session = new_session(bot, name=name, deploy=deploy, wants=wants, version=version, author=author)
    lines, answers = source or sys.stdin.buffer, sink or sys.stdout.buffer
    with redirect_stdout(sys.stderr):
        for line in lines:
            message = read_said(line)
            if isinstance(message, Bye):
                return
            answer = None if message is None else session.receive(message)
            if answer is not None and not _send(answers, answer):
                return


def _send(answers: BinaryIO, answer: AnyAnswer) -> bool:
    """Write an answer; False where the arbiter is gone."""
    try:
        answers.write(encode(answer))
        answers.flush()
    except BrokenPipeError:
        return False
    return True
