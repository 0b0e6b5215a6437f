"""A bot's side of the conversation without streams: messages in, answers out."""

from collections.abc import Callable, Iterable
from typing import Final

from protocol.bot.game import Game
from protocol.bot.player import Choice, Chooser, Plain, Player, deploy_at_random
from protocol.bot.turn import Turn
from protocol.messages import Act, AnyAnswer, AnySaid, Ask, Hello, News, Over, Ready, Refused, Start, Want
from protocol.words import PROTOCOL_VERSION, Action, AnyAction, AnyFact

MAX_NOTE: Final = 200  # characters; a longer note would lose the game


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
        if not isinstance(choice.action, Action):
            raise TypeError(f"the bot returned {chosen!r} in phase {turn.phase!r}, where an action belongs or a Choice")
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
    return Session(lambda game: Plain(game, choose, deploy), ready)
