"""A person at the table: the arbiter's messages shown, what he types sent back.  He knows what a bot would know."""

from typing import BinaryIO, Final

from msgspec import UNSET

from arbiter.show.person.scene import Scene
from arbiter.show.person.setting_up import Deployment, set_up
from arbiter.show.person.terminal import Terminal
from arbiter.show.person.turn import TypedTurn
from arbiter.show.text import plain
from protocol.bot import Game, deploy_at_random
from protocol.bot import Turn as BotTurn
from protocol.codec import decode_arbiter_line, encode
from protocol.messages import Act, AnyArbiterMessage, AnyBotMessage, Ask, Bye, Hello, News, Over, Ready, Refused, Start
from protocol.words import PROTOCOL_VERSION, AnyAction, AnyFact, DrawOffered, Phase, Resign, Stop

LATER: Final = "later"
INVITATION: Final = "Enter to begin, `later` to put it off: "


class Person:
    """One who plays games at a terminal; his pieces are named in a language of his choice."""

    def __init__(self, terminal: Terminal, name: str, lang: str, *, colour: bool) -> None:
        self._terminal = terminal
        self._name = name
        self._lang = lang
        self._colour = colour
        self._seated: _Seated | None = None

    def invite(self, game: str) -> bool:
        """Ask whether a game may begin; False where it is to be put off, as where nothing more will be typed."""
        self._terminal.say(f"your next game: {plain(game)}")
        try:
            return self._terminal.ask(INVITATION).strip().lower() != LATER
        except EOFError:
            return False

    def converse(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Play until the arbiter says good-bye or nothing more."""
        for line in source:
            message = decode_arbiter_line(line)
            if isinstance(message, Bye):
                return
            if answer := self.receive(message):
                sink.write(encode(answer))

    def receive(self, message: AnyArbiterMessage) -> AnyBotMessage | None:
        """Take a message in and return the answer, if it wants one."""
        match message:
            case Hello():
                return Ready(PROTOCOL_VERSION, self._name, wants=["legal", "news"])
            case Start():
                scene = Scene(message, self._lang, colour=self._colour)
                self._seated = _Seated(message, scene, self._terminal)
            case Ask() if self._seated:
                return self._seated.ask(message)
            case Refused() if self._seated:
                return self._seated.refuse(message)
            case News() if self._seated:
                self._seated.hear(message.news)
            case Over() if self._seated:
                self._seated.end(message)
            case _:
                pass
        return None


class _Seated:
    """A person in one game."""

    def __init__(self, start: Start, scene: Scene, terminal: Terminal) -> None:
        self._rules = start.rules
        self._scene = scene
        self._terminal = terminal
        self._game = Game(start)
        self._answered: AnyAction | None = None
        self._question: Ask | None = None
        self._is_offered_draw = False
        terminal.say(f"{start.rules.id}: you are {start.seat}, {start.rules.first} begins; `help` tells what to type")

    def hear(self, news: list[AnyFact]) -> None:
        """Note what happened, and tell it."""
        if self._answered is not None:  # it was not refused, so it was accepted
            self._scene.did(self._answered)
            self._answered = None
        self._is_offered_draw |= any(isinstance(fact, DrawOffered) and fact.seat != self._scene.seat for fact in news)
        for sentence in self._scene.hear(news):
            self._terminal.say(sentence)

    def ask(self, ask: Ask) -> Act:
        """Let the person answer a question."""
        self.hear(ask.news)
        self._question = ask
        return self._asked(ask)

    def _asked(self, ask: Ask) -> Act:
        if ask.phase == "setup":
            return self._answer(ask, set_up(self._rules, self._scene, self._terminal, lambda: self._drawn(ask)))
        self._terminal.say(self._scene.drawing())
        return self._choose(ask)

    def refuse(self, refused: Refused) -> Act | None:
        """Tell that an answer was refused, and let the person answer again."""
        self._answered = None
        self._terminal.say(f"refused: {plain(refused.why)}")
        return None if self._question is None else self._asked(self._question)

    def _drawn(self, ask: Ask) -> Deployment:
        deploy = deploy_at_random(BotTurn(self._game, ask, []))
        return {} if deploy.pieces is UNSET else deploy.pieces

    def _choose(self, ask: Ask) -> Act:
        legal = [] if ask.legal is UNSET else ask.legal
        turn = TypedTurn(ask.phase, legal, self._scene.drawing, is_offered_draw=self._is_offered_draw)
        offers_draw = False
        while True:
            try:
                said = turn.read(self._terminal.ask(_prompt(self._scene, ask.phase)))
            except EOFError:
                return self._answer(ask, _way_out(ask.phase, legal))
            offers_draw |= said.offers_draw
            if said.show:
                self._terminal.say(said.show)
            if said.action is not None:
                return self._answer(ask, said.action, offers_draw=offers_draw)

    def _answer(self, ask: Ask, action: AnyAction, *, offers_draw: bool = False) -> Act:
        self._answered, self._is_offered_draw = action, False
        return Act(ask.ask, action, offer_draw=offers_draw)

    def end(self, over: Over) -> None:
        """Tell how the game ended."""
        self.hear(over.news)
        self._terminal.say(self._scene.drawing())
        result = {"win": "you win", "loss": "you lose", "draw": "a draw", "void": "the game does not count"}
        self._terminal.say(f"{result[over.result]} ({over.ending.replace('_', ' ')}): {plain(over.why)}")


def _prompt(scene: Scene, phase: Phase) -> str:
    return f"{scene.seat}, your {'move' if phase == 'turn' else phase}: "


def _way_out(phase: Phase, legal: list[AnyAction]) -> AnyAction:
    """Leave a game in which nothing more will be typed: resign, as soon as that may be."""
    if phase == "turn":
        return Resign()
    return next((action for action in legal if isinstance(action, Stop)), legal[0])
