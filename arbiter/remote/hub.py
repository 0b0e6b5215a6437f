"""The hub: the links to all players over the network of one run, and the connections that carry their lines."""

import itertools
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import trio
from msgspec import Struct

from arbiter.clock import TimeSettings
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
from arbiter.remote.network_link import NetworkLink
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
    PlayProgress,
    pack,
    unpack,
)

_END_S: Final = 2.0  # for the last messages
_GATEWAY_S: Final = 60.0  # after which a gateway that does not work is given up

OnStall = Callable[[float, float], object]
"""Receives the times of trio's clock at which the gateway did not work."""


class _Player(Struct):
    """A player and its connection."""

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
    """The links to players over the network.  `run` must be running while games are played."""

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
        self._players: dict[str, _Player] = {}
        self._links: dict[str, NetworkLink] = {}
        self._outages = Outages(authors or {})
        self._alive: dict[int, trio.Event] = {}
        """For each question if the gateway works, an event that is set by the answer."""
        self._numbers = itertools.count()
        self._is_empty = trio.Event()
        """Set when no player is connected any more, while the hub is closed."""
        self._on_change: Callable[[], None] = lambda: None
        self.on_stall: OnStall = lambda _begin, _end: None
        self.on_presence: Callable[[str, bool], object] | None = None
        """Receives a player, and if it can play now or has lost its connection; not while the hub closes."""

    async def run(self, on_change: Callable[[], None]) -> None:
        """Carry lines until the gateway ends; `on_change` is called if a player has come or gone."""
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
            for bot, player in self._players.items():
                self._drop(bot, player, trio.current_time())

    async def close(self) -> None:
        """Inform all players that no more games are played."""
        self.on_presence = None
        connected = [player for player in self._players.values() if player.connection is not None]
        if not connected:
            return
        self._is_empty = trio.Event()
        for player in connected:
            if player.connection is not None:
                self._send(Close(player.connection, FINISHED, "no more games are played"))
        with trio.move_on_after(_END_S, shield=True):
            await self._is_empty.wait()

    # --- for the referee ------------------------------------------------------------------------------

    def open_link(self, bot: str, settings: TimeSettings) -> NetworkLink:
        """Open the link to a player."""
        link = NetworkLink(self, bot, settings, is_person=bot in self._people)
        self.note_game(bot)
        self._links[link.game] = link
        return link

    def note_game(self, bot: str) -> None:
        """Note that a game begins: a person has to be ready again for the next one."""
        if bot in self._people and bot in self._players:
            self._players[bot].wants_game = False
            self._describe_table()

    def end(self, link: NetworkLink) -> None:
        """Forget a link: what still arrives for it has expired."""
        self._links.pop(link.game, None)

    def is_ready(self, bot: str, games: int = 0) -> bool:
        """Return True if a game can begin with a player that plays so many: it is connected, answers, and has room."""
        player = self._players.get(bot)
        has_room = player is not None and player.is_ready and games < player.most_games
        return has_room and (bot not in self._people or (player is not None and player.wants_game))

    def is_connected(self, bot: str) -> bool:
        """Return True if a player is connected."""
        return bot in self._players and self._players[bot].connection is not None

    def round_trip_ms(self, bot: str) -> float:
        """Return a low percentile of the latest round trips to a player; 0 if it is not known."""
        return self._players[bot].round_trip_ms if bot in self._players else 0.0

    def explain_delay(self, bot: str, since: float) -> bool:
        """Return True if a player is late with the answer to a question because of the arbiter's side."""
        return self._link is None or self._outages.explain(bot, since, filter(self.is_connected, self._players))

    async def wait_for_gateway(self) -> None:
        """Wait until the gateway has reported its stalls and all that arrived before this call.

        Raises RuntimeError if the gateway does not answer.
        """
        if self._link is None:
            return
        number = next(self._numbers)
        answered = trio.Event()
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
        """Send a message to a player, if it is connected."""
        player = self._players.get(bot)
        if player is not None and player.connection is not None:
            self._send(Send(player.connection, pack(envelope, line)))

    def _send(self, order: Order) -> None:
        if self._link is not None:
            self._link.send(order)

    def _describe_table(self) -> None:
        """Inform all people at a shared table about the others."""
        for person in self._people if self._is_shared else ():
            others = [other for other in self._people if other != person]
            ready = {other for other in others if other in self._players and self._players[other].wants_game}
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
        player = self._players.setdefault(report.bot, _Player())
        if isinstance(report, Connected):
            player.connection = report.connection
            player.is_ready = False
            self._outages.note_return(report.bot, trio.current_time())
            player.most_games = 1 if report.bot in self._people else report.most_games
            player.wants_game = False
            self._synchronise(report.bot, {one.game: one.seq for one in report.games})
            self._describe_table()
        elif report.connection != player.connection:  # it was replaced
            return
        elif isinstance(report, Received):
            self._read(report.bot, report.connection, report.message, report.at + shift_s)
        elif isinstance(report, Measured):
            player.round_trip_ms = report.round_trip_ms
            if not player.is_ready:
                player.is_ready = True
                self._report_presence(report.bot, player)
                self._on_change()
        elif isinstance(report, Lost):
            self._drop(report.bot, player, report.at + shift_s)

    def _drop(self, bot: str, player: _Player, at: float) -> None:
        if player.connection is not None:
            player.connection = None
            player.is_ready = False
            self._outages.note_loss(bot, at)
            self._describe_table()
            self._report_presence(bot, player)
        if all(one.connection is None for one in self._players.values()):
            self._is_empty.set()

    def _report_presence(self, bot: str, player: _Player) -> None:
        if self.on_presence is not None and player.is_present != player.is_ready:
            player.is_present = player.is_ready
            self.on_presence(bot, player.is_ready)

    def _synchronise(self, bot: str, received: dict[str, int]) -> None:
        """Continue all links to a player that has received so many lines of each."""
        own = [one for one in self._links.values() if one.bot == bot]
        games = [PlayProgress(one.game, one.received) for one in own]
        self.deliver(bot, EnvelopeSync(games, ENVELOPE_VERSION, name=bot))
        for link in own:
            link.resume(received.pop(link.game, 0))
        for game in received:
            self.deliver(bot, EnvelopeExpired(game))

    def _read(self, bot: str, connection: int, message: bytes, at: float) -> None:
        try:
            envelope, line = unpack(message)
        except ProtocolError as error:
            self._send(Close(connection, BROKEN, str(error)))
            return
        if isinstance(envelope, EnvelopeReady) and not self._players[bot].wants_game:
            self._players[bot].wants_game = True
            self._describe_table()
            self._on_change()
        if not isinstance(envelope, EnvelopeLine | EnvelopeAck | EnvelopeClose | EnvelopeExpired | EnvelopeRefused):
            return
        link = self._links.get(envelope.game)
        if link is None or link.bot != bot:  # over, or not its own: it does not learn which
            if isinstance(envelope, EnvelopeLine | EnvelopeClose):
                self.deliver(bot, EnvelopeExpired(envelope.game))
            return
        try:
            link.take(envelope, line, at)
        except ProtocolError as error:
            self._send(Close(connection, BROKEN, str(error)))


class NetworkPlayer(Struct, frozen=True):
    """A program that plays over the network, or a person in a browser."""

    name: str
    hub: Hub
    is_timed: bool = True
    """False for a person whose time is not limited."""
