"""The hub: all conversations with remote programs of one run, and the connections that carry them."""

import itertools
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import trio
from msgspec import Struct

from arbiter.clock import TimeSettings
from arbiter.remote.conversation import Conversation
from arbiter.remote.link import (
    Alive,
    AskAlive,
    Close,
    Connected,
    Link,
    Lost,
    Measured,
    Order,
    Received,
    Report,
    Send,
    Stalled,
)
from arbiter.remote.outages import Outages
from protocol.codec import ProtocolError
from protocol.envelope import (
    BROKEN,
    ENVELOPE_VERSION,
    FINISHED,
    AnyEnvelope,
    EnvelopeAck,
    EnvelopeClose,
    EnvelopeExpired,
    EnvelopeLine,
    EnvelopeReady,
    EnvelopeRefused,
    EnvelopeSync,
    EnvelopeTable,
    Neighbour,
    Progress,
    pack,
    unpack,
)

_END_S: Final = 2.0  # for the last messages
_GATEWAY_S: Final = 60.0  # after which a gateway that does not work is given up

OnStall = Callable[[float, float], object]
"""Receives the times of trio's clock at which the gateway did not work."""


class _Program(Struct):
    """A remote program and its connection."""

    connection: int | None = None
    is_ready: bool = False
    """True if it has answered a ping on this connection."""
    most_games: int = 0
    """Number of games that it plays at a time."""
    round_trip_ms: float = 0.0
    wants_game: bool = False
    """True if a person is ready for the next game."""
    is_present: bool = False
    """The state that `on_presence` received last."""


class Hub:
    """The conversations with remote programs.  `run` must be running while games are played."""

    def __init__(
        self,
        link: socket.socket,
        people: Sequence[str] = (),
        authors: Mapping[str, str] | None = None,
        *,
        is_shared: bool = False,
    ) -> None:
        """Take over the connected socket that leads to the gateway.

        `people` are those of the players that are no programs, `authors` those of players by name.  Default: each has
        its own.  With `is_shared`, the people sit at one table, and each sees if the others are there.
        """
        self._people = people
        self._is_shared = is_shared
        self._end = link
        self._link: Link[Report] | None = None
        self._programs: dict[str, _Program] = {}
        self._conversations: dict[str, Conversation] = {}
        self._outages = Outages(authors or {})
        self._alive: dict[int, trio.Event] = {}
        """For each question if the gateway works, an event that is set by the answer."""
        self._numbers = itertools.count()
        self._is_empty = trio.Event()
        """Set when no program is connected any more, while the hub is closed."""
        self._on_change: Callable[[], None] = lambda: None
        self.on_stall: OnStall = lambda _begin, _end: None
        self.on_presence: Callable[[str, bool], object] | None = None
        """Receives a program, and if it can play now or has lost its connection; not while the hub closes."""

    async def run(self, on_change: Callable[[], None]) -> None:
        """Carry lines until the gateway ends; `on_change` is called if a program has come or gone."""
        self._on_change = on_change
        shift_s = trio.current_time() - time.perf_counter()
        link: Link[Report] = Link(self._end, Report)
        self._link = link
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(link.carry)
                while (report := await link.receive()) is not None:
                    self._take(report, shift_s)
                nursery.cancel_scope.cancel()
        finally:
            self._link = None
            link.close()
            for bot, program in self._programs.items():
                self._drop(bot, program, trio.current_time())

    async def close(self) -> None:
        """Inform all programs that no more games are played."""
        self.on_presence = None
        connected = [program for program in self._programs.values() if program.connection is not None]
        if not connected:
            return
        self._is_empty = trio.Event()
        for program in connected:
            if program.connection is not None:
                self._send(Close(program.connection, FINISHED, "no more games are played"))
        with trio.move_on_after(_END_S, shield=True):
            await self._is_empty.wait()

    # --- for the referee ------------------------------------------------------------------------------

    def open(self, bot: str, settings: TimeSettings) -> Conversation:
        """Begin a conversation with a program or a person."""
        conversation = Conversation(self, bot, settings, is_person=bot in self._people)
        self.note_game(bot)
        self._conversations[conversation.game] = conversation
        return conversation

    def note_game(self, bot: str) -> None:
        """Note that a game begins: a person has to be ready again for the next one."""
        if bot in self._people and bot in self._programs:
            self._programs[bot].wants_game = False
            self._describe_table()

    def end(self, conversation: Conversation) -> None:
        """Forget a conversation: what still arrives for it has expired."""
        self._conversations.pop(conversation.game, None)

    def is_ready(self, bot: str, games: int = 0) -> bool:
        """Return True if a game can begin with a program that plays so many: it is connected, answers, and has room."""
        program = self._programs.get(bot)
        has_room = program is not None and program.is_ready and games < program.most_games
        return has_room and (bot not in self._people or (program is not None and program.wants_game))

    def is_connected(self, bot: str) -> bool:
        """Return True if a program is connected."""
        return bot in self._programs and self._programs[bot].connection is not None

    def round_trip_ms(self, bot: str) -> float:
        """Return a low percentile of the latest round trips to a program; 0 if it is not known."""
        return self._programs[bot].round_trip_ms if bot in self._programs else 0.0

    def explain_delay(self, bot: str, since: float) -> bool:
        """Return True if a program is late with the answer to a question because of the arbiter's side."""
        return self._link is None or self._outages.explain(bot, since, filter(self.is_connected, self._programs))

    async def wait_for_gateway(self) -> None:
        """Wait until the gateway has reported its stalls and all that arrived before this call.

        Raises RuntimeError if the gateway does not answer.
        """
        if self._link is None:
            return
        number, answered = next(self._numbers), trio.Event()
        self._alive[number] = answered
        self._send(AskAlive(number))
        try:
            with trio.move_on_after(_GATEWAY_S) as waiting:
                await answered.wait()
        finally:
            del self._alive[number]
        if waiting.cancelled_caught:
            raise RuntimeError("the gateway of remote programs does not answer")

    def deliver(self, bot: str, envelope: AnyEnvelope, line: bytes | None = None) -> None:
        """Send a message to a program, if it is connected."""
        program = self._programs.get(bot)
        if program is not None and program.connection is not None:
            self._send(Send(program.connection, pack(envelope, line)))

    def _send(self, order: Order) -> None:
        if self._link is not None:
            self._link.send(order)

    def _describe_table(self) -> None:
        """Inform all people at a shared table about the others."""
        for person in self._people if self._is_shared else ():
            others = [other for other in self._people if other != person]
            ready = {other for other in others if other in self._programs and self._programs[other].wants_game}
            self.deliver(
                person, EnvelopeTable([Neighbour(one, self.is_connected(one), one in ready) for one in others])
            )

    # --- from the gateway -----------------------------------------------------------------------------

    def _take(self, report: Report, shift_s: float) -> None:
        """Take a report; `shift_s` added to its times gives those of trio's clock."""
        if isinstance(report, Stalled):
            stall = report.begin + shift_s, report.end + shift_s
            self.on_stall(*stall)
            self._outages.note_stall(*stall)
            return
        if isinstance(report, Alive):
            if report.number in self._alive:
                self._alive[report.number].set()
            return
        program = self._programs.setdefault(report.bot, _Program())
        if isinstance(report, Connected):
            program.connection, program.is_ready = report.connection, False
            self._outages.note_return(report.bot, trio.current_time())
            program.most_games = 1 if report.bot in self._people else report.most_games
            program.wants_game = False
            self._synchronise(report.bot, {one.game: one.seq for one in report.games})
            self._describe_table()
        elif report.connection != program.connection:  # it was replaced
            return
        elif isinstance(report, Received):
            self._read(report.bot, report.connection, report.message, report.at + shift_s)
        elif isinstance(report, Measured):
            program.round_trip_ms = report.round_trip_ms
            if not program.is_ready:
                program.is_ready = True
                self._report_presence(report.bot, program)
                self._on_change()
        elif isinstance(report, Lost):
            self._drop(report.bot, program, report.at + shift_s)

    def _drop(self, bot: str, program: _Program, at: float) -> None:
        if program.connection is not None:
            program.connection, program.is_ready = None, False
            self._outages.note_loss(bot, at)
            self._describe_table()
            self._report_presence(bot, program)
        if all(one.connection is None for one in self._programs.values()):
            self._is_empty.set()

    def _report_presence(self, bot: str, program: _Program) -> None:
        if self.on_presence is not None and program.is_present != program.is_ready:
            program.is_present = program.is_ready
            self.on_presence(bot, program.is_ready)

    def _synchronise(self, bot: str, received: dict[str, int]) -> None:
        """Continue all conversations of a program that has received so many lines of each."""
        own = [one for one in self._conversations.values() if one.bot == bot]
        games = [Progress(one.game, one.received) for one in own]
        self.deliver(bot, EnvelopeSync(games, ENVELOPE_VERSION, name=bot))
        for conversation in own:
            conversation.resume(received.pop(conversation.game, 0))
        for game in received:
            self.deliver(bot, EnvelopeExpired(game))

    def _read(self, bot: str, connection: int, message: bytes, at: float) -> None:
        try:
            envelope, line = unpack(message)
        except ProtocolError as error:
            self._send(Close(connection, BROKEN, str(error)))
            return
        if isinstance(envelope, EnvelopeReady) and not self._programs[bot].wants_game:
            self._programs[bot].wants_game = True
            self._describe_table()
            self._on_change()
        if not isinstance(envelope, EnvelopeLine | EnvelopeAck | EnvelopeClose | EnvelopeExpired | EnvelopeRefused):
            return
        conversation = self._conversations.get(envelope.game)
        if conversation is None or conversation.bot != bot:  # over, or not its own: it does not learn which
            if isinstance(envelope, EnvelopeLine | EnvelopeClose):
                self.deliver(bot, EnvelopeExpired(envelope.game))
            return
        try:
            conversation.take(envelope, line, at)
        except ProtocolError as error:
            self._send(Close(connection, BROKEN, str(error)))


class NetworkPlayer(Struct, frozen=True):
    """A program that plays over the network, or a person in a browser."""

    name: str
    hub: Hub
    is_timed: bool = True
    """False for a person whose time is not limited."""

    def start(self, settings: TimeSettings) -> Conversation:
        """Begin a conversation with it."""
        return self.hub.open(self.name, settings)
