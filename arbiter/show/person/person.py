"""The person at a terminal: shows the arbiter's messages and answers with typed actions.

A person gets the same messages as a bot, and so the same knowledge; the kit for bots follows the game.
"""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import BinaryIO, Final, Protocol, cast

from msgspec import UNSET

from arbiter.show.boards import NO_MARKS, CardTable, draw_board, draw_cards, write_rank
from arbiter.show.language import SentenceWriter
from arbiter.show.person.turn import HELP_TO_DEPLOY, HELP_TO_LAY_CARDS, TypedTurn
from arbiter.show.replay.frame import describe_facts, find_marks
from arbiter.show.replay.knowledge import View, combine_views, see
from arbiter.show.text import plain
from protocol.bot import Choice, Game, Player, Session, Turn, deploy_at_random
from protocol.codec import decode_arbiter_line, encode
from protocol.messages import BoardShape, Bye, Captured, News, Over, Ready, ViewPiece
from protocol.words import BLUE, PROTOCOL_VERSION, RED, AnyAction, AnyFact, Deploy, Moved, Place, RankId, Resign, Stop

_WIDTH: Final = 64  # columns of a board; the captured pieces are listed to the right of it
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")


class Scene:
    """The knowledge of a person, drawn with the player's side at the bottom."""

    def __init__(self, game: Game, lang: str, *, colour: bool) -> None:
        self.sentences: Final = SentenceWriter(lang, game.rules.id)
        self._game = game
        self._before = self._view()
        self._marks = NO_MARKS
        self._colour = colour

    def describe(self, facts: Sequence[AnyFact]) -> tuple[str, ...]:
        """Return sentences about the facts that the game has received since the last call."""
        seat = self._game.seat
        before, self._before = self._before, self._view()
        self._marks = find_marks(facts) if facts else self._marks
        foreign = (fact for fact in facts if isinstance(fact, Moved) and fact.seat != seat)
        moves = tuple(f"{fact.seat} moves {fact.src}-{fact.dst}" for fact in foreign)
        return (*moves, *describe_facts(facts, before, self._before, seat, self.sentences))

    def _view(self) -> View:
        game = self._game
        return combine_views(game.seat, {game.seat: see(game.knowledge)}, game.rules)

    def hand(self) -> list[tuple[Place, str]]:
        """List the places and names of the cards in the person's hand; none in a board game."""
        view = self._view()
        cards = view.hands.get(self._game.seat, []) if isinstance(view, CardTable) else []
        return [(card.place, self.sentences.write_name(self._game.seat, card.rank)) for card in cards]

    def draw(self) -> str:
        """Draw the known position; on a board, with the captured pieces to the right."""
        view = self._view()
        if isinstance(view, CardTable):
            return draw_cards(view, self._game.seat, self._marks, colour=self._colour)
        rows = zip_longest(self.draw_pieces(view.pieces).splitlines(), list_captured(view.captured), fillvalue="")
        return "\n".join(f"{row}{' ' * (_WIDTH - len(_COLOURS.sub('', row)))}{note}".rstrip() for row, note in rows)

    def draw_pieces(self, pieces: Sequence[ViewPiece]) -> str:
        """Draw a board with pieces."""
        shape = cast("BoardShape", self._game.rules.board)
        return draw_board(pieces, shape, self._marks, colour=self._colour, bottom=self._game.seat)


def list_captured(captured: Captured) -> list[str]:
    """List the captured pieces of both sides: a line per rank, then the totals."""
    ranks = dict.fromkeys(rank for losses in captured.values() for rank in losses)
    if not ranks:
        return []
    losses = [captured.get(seat, {}) for seat in (RED, BLUE)]
    rows = [(write_rank(cast("RankId", rank)), *(lost.get(rank, 0) for lost in losses)) for rank in ranks]
    rows.append(("all", *(sum(lost.values()) for lost in losses)))
    return ["lost  red blue", *(f"{head:>4}{red or '.':>5}{blue or '.':>5}" for head, red, blue in rows)]


PROMPT: Final = "two squares to swap, `new`, `help`, or Enter to begin: "
CARDS: Final = "numbers of {slots} cards for your line, left to right, or Enter for the first {slots}: "
LATER: Final = "later"
INVITATION: Final = "Enter to begin, `later` to postpone it: "
_RESULTS: Final = {"win": "you win", "loss": "you lose", "draw": "draw", "void": "the game does not count"}


class Terminal(Protocol):
    """Shows text to a person and reads lines."""

    def show(self, text: str) -> None:
        """Show one or more lines."""
        ...

    def ask(self, prompt: str) -> str:
        """Show a prompt and wait for a line.  Raises EOFError at the end of the input."""
        ...


class Person:
    """The person at a terminal."""

    def __init__(self, terminal: Terminal, name: str, lang: str, *, colour: bool) -> None:
        self._terminal = terminal
        self._name = name
        self._lang = lang
        self._colour = colour
        self._player: TypingPlayer | None = None

    def invite(self, game: str) -> bool:
        """Ask if a game may begin.  Return False to postpone it, also at the end of the input."""
        self._terminal.show(f"your next game: {plain(game)}")
        try:
            return self._terminal.ask(INVITATION).strip().lower() != LATER
        except EOFError:
            return False

    def converse(self, source: BinaryIO, sink: BinaryIO) -> None:
        """Play until the arbiter sends `bye` or closes the stream."""

        def begin(game: Game) -> Player:
            self._player = TypingPlayer(game, Scene(game, self._lang, colour=self._colour), self._terminal)
            return self._player

        session = Session(begin, Ready(PROTOCOL_VERSION, self._name, wants=["legal", "news"]))
        for line in source:
            message = decode_arbiter_line(line)
            if isinstance(message, Bye):
                return
            if answer := session.receive(message):
                sink.write(encode(answer))
            if isinstance(message, News) and self._player is not None:
                self._player.show_news()


class TypingPlayer(Player):
    """A person in one game."""

    def __init__(self, game: Game, scene: Scene, terminal: Terminal) -> None:
        super().__init__(game)
        self._scene = scene
        self._terminal = terminal
        self._heard: list[AnyFact] = []
        rules = game.rules
        terminal.show(f"{rules.id}: you are {game.seat}, {rules.first} moves first; `help` lists the commands")

    def hear(self, fact: AnyFact) -> None:
        self._heard.append(fact)

    def show_news(self) -> None:
        """Show sentences about the facts that are new."""
        for sentence in self._scene.describe(self._heard):
            self._terminal.show(sentence)
        self._heard = []

    def _begin_answer(self, turn: Turn) -> None:
        self.show_news()
        if turn.refused is not None:
            self._terminal.show(f"refused: {plain(turn.refused)}")

    def choose(self, turn: Turn) -> AnyAction | Choice:
        """Let the person answer a question; at the end of the input, resign as soon as possible."""
        self._begin_answer(turn)
        self._terminal.show(self._scene.draw())
        typed = TypedTurn(turn, self._scene.draw)
        prompt = f"{turn.seat}, your {'move' if turn.phase == 'turn' else turn.phase}: "
        offers_draw = False
        while True:
            try:
                line = self._terminal.ask(prompt)
            except EOFError:
                if turn.phase == "turn":
                    return Resign()
                return next((action for action in turn.legal if isinstance(action, Stop)), turn.legal[0])
            reply = typed.read(line)
            offers_draw |= reply.offers_draw
            if reply.show:
                self._terminal.show(reply.show)
            if reply.action is not None:
                return Choice(reply.action, offer_draw=offers_draw)

    def deploy(self, turn: Turn) -> Deploy:
        """Propose a random deployment, and let the person change it; at the end of the input, take the one shown."""
        self._begin_answer(turn)
        if turn.rules.deploy is UNSET:
            return self._lay_cards(turn)
        squares = turn.rules.deploy[turn.seat]
        pieces = self._propose(turn)
        while True:
            match self._ask(PROMPT).lower().replace("-", " ").split():
                case []:
                    return Deploy(pieces=pieces)
                case ["new"]:
                    pieces = self._propose(turn)
                case ["help" | "?"]:
                    self._terminal.show(HELP_TO_DEPLOY)
                case ["board"]:
                    self._show_deployment(pieces)
                case [one, other] if one in squares and other in squares:
                    swapped = {**pieces, one: pieces.get(other), other: pieces.get(one)}
                    pieces = {place: rank for place, rank in swapped.items() if rank is not None}
                    self._show_deployment(pieces)
                case _:
                    self._terminal.show("type two of your squares such as: a1 b2; `help` lists all commands")

    def _propose(self, turn: Turn) -> dict[Place, str]:
        pieces = deploy_at_random(turn).pieces
        assert pieces is not UNSET  # noqa: S101 - not in a card game
        self._show_deployment(pieces)
        return pieces

    def _show_deployment(self, pieces: dict[Place, str]) -> None:
        shown = [ViewPiece(place, self.game.seat, cast("RankId", rank)) for place, rank in pieces.items()]
        self._terminal.show(self._scene.draw_pieces(shown))

    def _lay_cards(self, turn: Turn) -> Deploy:
        hand = self._scene.hand()
        slots = min(len(hand), turn.rules.line if turn.rules.line is not UNSET else len(hand))
        cards = ", ".join(f"{number} {name}" for number, (_, name) in enumerate(hand))
        listed = self._scene.sentences.write("your_hand", cards=cards)
        self._terminal.show(listed)
        while True:
            words = self._ask(CARDS.format(slots=slots)).lower().replace(",", " ").split()
            if not words:
                return Deploy(line=[place for place, _ in hand[:slots]])
            if words in (["help"], ["?"], ["board"]):
                self._terminal.show(listed if words == ["board"] else HELP_TO_LAY_CARDS)
                continue
            chosen = [int(word) for word in words if word.isdecimal() and int(word) < len(hand)]
            if len(words) == len(chosen) == len(set(chosen)) == slots:
                return Deploy(line=[hand[number][0] for number in chosen])
            example = " ".join(map(str, reversed(range(slots))))
            self._terminal.show(f"type {slots} different numbers from 0 to {len(hand) - 1}, such as: {example}")

    def _ask(self, prompt: str) -> str:
        try:
            return self._terminal.ask(prompt)
        except EOFError:
            return ""

    def end(self, over: Over) -> None:
        """Show the end of the game."""
        self.show_news()
        self._terminal.show(self._scene.draw())
        self._terminal.show(f"{_RESULTS[over.result]}: {plain(over.why)}")
