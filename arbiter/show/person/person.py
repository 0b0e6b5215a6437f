"""A human player at a terminal: shows the arbiter's messages and answers with typed actions.

A person gets the same messages as a bot, and so the same knowledge.
"""

from collections.abc import Callable
from typing import BinaryIO, Final, Protocol, cast

from msgspec import UNSET

from arbiter.show.person.scene import Scene
from arbiter.show.person.turn import TypedTurn
from arbiter.show.text import plain
from protocol.bot import Game, deploy_at_random
from protocol.bot import Turn as BotTurn
from protocol.codec import decode_arbiter_line, encode
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
    Rules,
    Start,
    ViewPiece,
)
from protocol.words import PROTOCOL_VERSION, AnyAction, AnyFact, Deploy, DrawOffered, Place, RankId, Resign, Stop

PROMPT: Final = "two squares to swap, `new` for another deployment, Enter to begin: "
CARDS: Final = "numbers of {slots} cards for your line, left to right, or Enter for the first {slots}: "

Deployment = dict[Place, str]


class Terminal(Protocol):
    """Shows text to a person and reads lines."""

    def show(self, text: str) -> None:
        """Show one or more lines."""
        ...

    def ask(self, prompt: str) -> str:
        """Show a prompt and wait for a line.  Raises EOFError at the end of the input."""
        ...


def ask_deployment(rules: Rules, scene: Scene, terminal: Terminal, draw: Callable[[], Deployment]) -> Deploy:
    """Let a person deploy; `draw` proposes a deployment.  At the end of the input, the shown deployment is taken."""
    if rules.deploy is UNSET:
        return _ask_cards(rules, scene, terminal)
    squares = rules.deploy[scene.seat]
    pieces = draw()
    _show(pieces, scene, terminal)
    while True:
        match _ask(terminal, PROMPT).lower().replace("-", " ").split():
            case []:
                return Deploy(pieces=pieces)
            case ["new"]:
                pieces = draw()
                _show(pieces, scene, terminal)
            case [one, other] if one in squares and other in squares:
                swapped = {**pieces, one: pieces.get(other), other: pieces.get(one)}
                pieces = {place: rank for place, rank in swapped.items() if rank is not None}
                _show(pieces, scene, terminal)
            case _:
                terminal.show("type `new`, or two of your squares such as: a1 b2")


def _show(pieces: Deployment, scene: Scene, terminal: Terminal) -> None:
    terminal.show(
        scene.draw_pieces([ViewPiece(place, scene.seat, cast("RankId", rank)) for place, rank in pieces.items()])
    )


def _ask(terminal: Terminal, prompt: str) -> str:
    try:
        return terminal.ask(prompt)
    except EOFError:
        return ""


def _ask_cards(rules: Rules, scene: Scene, terminal: Terminal) -> Deploy:
    hand = scene.hand()
    slots = min(len(hand), rules.line if rules.line is not UNSET else len(hand))
    cards = ", ".join(f"{number} {name}" for number, (_, name) in enumerate(hand))
    terminal.show(scene.sentences.write("your_hand", cards=cards))
    while True:
        words = _ask(terminal, CARDS.format(slots=slots)).replace(",", " ").split()
        if not words:
            return Deploy(line=[place for place, _ in hand[:slots]])
        chosen = [int(word) for word in words if word.isdecimal() and int(word) < len(hand)]
        if len(words) == len(chosen) == len(set(chosen)) == slots:
            return Deploy(line=[hand[number][0] for number in chosen])
        example = " ".join(map(str, reversed(range(slots))))
        terminal.show(f"type {slots} different numbers from 0 to {len(hand) - 1}, such as: {example}")


LATER: Final = "later"
INVITATION: Final = "Enter to begin, `later` to postpone it: "
_RESULTS: Final = {"win": "you win", "loss": "you lose", "draw": "draw", "void": "the game does not count"}


class Person:
    """A human player at a terminal."""

    def __init__(self, terminal: Terminal, name: str, lang: str, *, colour: bool) -> None:
        self._terminal = terminal
        self._name = name
        self._lang = lang
        self._colour = colour
        self._game: _PersonsGame | None = None

    def invite(self, game: str) -> bool:
        """Ask if a game may begin.  Return False to postpone it, also at the end of the input."""
        self._terminal.show(f"your next game: {plain(game)}")
        try:
            return self._terminal.ask(INVITATION).strip().lower() != LATER
        except EOFError:
            return False

    def converse(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Play until the arbiter sends `bye` or closes the stream."""
        for line in source:
            message = decode_arbiter_line(line)
            if isinstance(message, Bye):
                return
            if answer := self.receive(message):
                sink.write(encode(answer))

    def receive(self, message: AnyArbiterMessage) -> AnyBotMessage | None:
        """Process a message and return the answer, if it needs one."""
        match message:
            case Hello():
                return Ready(PROTOCOL_VERSION, self._name, wants=["legal", "news"])
            case Start():
                scene = Scene(message, self._lang, colour=self._colour)
                self._game = _PersonsGame(message, scene, self._terminal)
            case Ask() if self._game:
                return self._game.ask(message)
            case Refused() if self._game:
                return self._game.ask_again(message)
            case News() if self._game:
                self._game.show_news(message.news)
            case Over() if self._game:
                self._game.end(message)
            case _:
                pass
        return None


class _PersonsGame:
    """One game of a person."""

    def __init__(self, start: Start, scene: Scene, terminal: Terminal) -> None:
        self._rules = start.rules
        self._scene = scene
        self._terminal = terminal
        self._game = Game(start)
        self._answered: AnyAction | None = None
        self._question: Ask | None = None
        self._is_offered_draw = False
        terminal.show(
            f"{start.rules.id}: you are {start.seat}, {start.rules.first} moves first; `help` lists the commands"
        )

    def show_news(self, news: list[AnyFact]) -> None:
        """Add news to the scene and show sentences about them."""
        if self._answered is not None:  # it was not refused, so it was accepted
            self._scene.add_action(self._answered)
            self._answered = None
        self._is_offered_draw |= any(isinstance(fact, DrawOffered) and fact.seat != self._scene.seat for fact in news)
        for sentence in self._scene.add_facts(news):
            self._terminal.show(sentence)

    def ask(self, ask: Ask) -> Act:
        """Let the person answer a question."""
        self.show_news(ask.news)
        self._question = ask
        return self._ask_action(ask)

    def ask_again(self, refused: Refused) -> Act | None:
        """Show why an answer was refused, and let the person answer again."""
        self._answered = None
        self._terminal.show(f"refused: {plain(refused.why)}")
        return None if self._question is None else self._ask_action(self._question)

    def _ask_action(self, ask: Ask) -> Act:
        if ask.phase == "setup":

            def draw() -> Deployment:
                deploy = deploy_at_random(BotTurn(self._game, ask, []))
                return {} if deploy.pieces is UNSET else deploy.pieces

            return self._answer(ask, ask_deployment(self._rules, self._scene, self._terminal, draw))
        self._terminal.show(self._scene.draw())
        legal = [] if ask.legal is UNSET else ask.legal
        turn = TypedTurn(ask.phase, legal, self._scene.draw, is_offered_draw=self._is_offered_draw)
        prompt = f"{self._scene.seat}, your {'move' if ask.phase == 'turn' else ask.phase}: "
        offers_draw = False
        while True:
            try:
                line = self._terminal.ask(prompt)
            except EOFError:  # resign as soon as possible
                if ask.phase == "turn":
                    return self._answer(ask, Resign())
                return self._answer(ask, next((action for action in legal if isinstance(action, Stop)), legal[0]))
            reply = turn.read(line)
            offers_draw |= reply.offers_draw
            if reply.show:
                self._terminal.show(reply.show)
            if reply.action is not None:
                return self._answer(ask, reply.action, offers_draw=offers_draw)

    def _answer(self, ask: Ask, action: AnyAction, *, offers_draw: bool = False) -> Act:
        self._answered = action
        self._is_offered_draw = False
        return Act(ask.ask, action, offer_draw=offers_draw)

    def end(self, over: Over) -> None:
        """Show the end of the game."""
        self.show_news(over.news)
        self._terminal.show(self._scene.draw())
        self._terminal.show(f"{_RESULTS[over.result]}: {plain(over.why)}")
