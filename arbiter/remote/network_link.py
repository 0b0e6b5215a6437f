"""The link to a player over the network: a remote program, or a person in a browser.

It carries what a process on this machine would have on its pipes: one game, or several one after the other.  Lines wait
for a player whose connection is lost, and are repeated until it has them; what it sends twice counts once.
"""

import secrets
from collections import deque
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import msgspec
import trio
from msgspec import UNSET

from arbiter.clock import NetworkTimes, TimeSettings
from arbiter.remote.compensation import Compensation
from arbiter.remote.kept_lines import KeptLines, SentLine
from arbiter.sandbox.isolation import ProgramEnd
from arbiter.sandbox.streams import LineTooLong, StreamEnd
from protocol.codec import ProtocolError
from protocol.envelope import (
    EnvelopeAck,
    EnvelopeClose,
    EnvelopeExpired,
    EnvelopeLine,
    EnvelopePing,
    EnvelopeRefused,
    EnvelopeSent,
)
from protocol.reasons import ClosedStreams, EndOfProgram, LeftGame, NotRestarted
from protocol.words import MAX_LINE

if TYPE_CHECKING:
    from arbiter.remote.hub import Hub

MOST_UNREAD: Final = 1 << 16  # bytes that a program may send without being asked, as much as a pipe holds
MOST_UNACKNOWLEDGED: Final = 1 << 20  # bytes
WINDOW: Final = 1 << 18  # bytes that are sent before the connection in use has acknowledged them
MOST_DIGESTS: Final = 4096  # lines for which a different one of the same number is noticed
_QUESTION: Final = b'{"type":"ask"'
_DIGEST: Final = 8  # bytes
_GAME_BYTES: Final = 8
_ASK_ACK: Final = EnvelopePing(0)  # a client acknowledges what it has when it answers a ping


class Reader:
    """The lines of a remote program, with the times at which they arrived at this machine."""

    def __init__(self) -> None:
        self.arrived_at = 0.0
        """Time of trio's clock at which the line that was returned last has arrived."""
        self._lines: deque[tuple[bytes, float]] = deque()
        self._size = 0
        self._rest: bytes | None = None
        """The unfinished last line at the end of the output; None before the end."""
        self._changed = trio.Event()

    def add(self, line: bytes, at: float) -> bool:
        """Add a line, unless there are more than MOST_UNREAD: the bot loses for the first of these.  True if added."""
        if self._size > MOST_UNREAD:
            return False
        self._size += len(line) + 1
        self._lines.append((line, at))
        self._changed.set()
        return True

    def end(self, rest: bytes = b"") -> None:
        """Note the end of the output."""
        self._rest = rest
        self._changed.set()

    async def line(self) -> bytes:
        """Wait for a line and return it without its newline.  Raises StreamEnd and LineTooLong."""
        while not self._lines:
            if self._rest is not None:
                raise StreamEnd(self._rest)
            self._changed = trio.Event()
            await self._changed.wait()
        line, self.arrived_at = self._lines.popleft()
        self._size = max(0, self._size - len(line) - 1)
        if len(line) >= MAX_LINE:
            raise LineTooLong(line)
        return line

    async def line_before(self, deadline: float) -> bytes | None:
        """Wait for a line that arrives before a time of trio's clock; return None if there is none by then.

        Raises StreamEnd and LineTooLong.
        """
        with trio.CancelScope(deadline=deadline):
            return await self.line()
        return await self.line() if self._lines and self._lines[0][1] <= deadline else None

    def unsolicited(self) -> bytes:
        """Return what has arrived without being waited for."""
        return b"".join(line + b"\n" for line, _ in self._lines)

    def take(self) -> bytes:
        """Return what has arrived, and forget it."""
        taken = self.unsolicited()
        self._lines.clear()
        self._size = 0
        return taken


class Writer:
    """Writes lines to a remote program."""

    def __init__(self, link: "NetworkLink") -> None:
        self._link = link
        self._has_room = trio.Event()
        self.unsent = b""
        """Nothing: the hub keeps what is to be sent."""

    def send_now(self, data: bytes) -> bool:
        """Send a line; return True if the program has room for more."""
        if data:
            self._link.send(data.removesuffix(b"\n"))
        return self.unread() <= MOST_UNACKNOWLEDGED

    async def send(self, data: bytes) -> None:
        """Send a line, and wait until the program has room for more."""
        while not self.send_now(data):
            data = b""
            self._has_room = trio.Event()
            await self._has_room.wait()

    def unread(self) -> int:
        """Return the number of bytes that were sent but not acknowledged yet."""
        return self._link.unacknowledged

    def wake(self) -> None:
        """Continue to send: lines were acknowledged."""
        self._has_room.set()


class NetworkLink:
    """The link to a player over the network."""

    process: Final = None

    def __init__(self, hub: "Hub", bot: str, settings: TimeSettings, *, is_person: bool = False) -> None:
        """Open the link; a person's browser may lose everything, so that its own lines are kept for it too."""
        self._is_person: Final = is_person
        self.game: Final = secrets.token_hex(_GAME_BYTES)
        self.bot: Final = bot
        self.received = 0
        """Number of lines that have arrived."""
        self.unacknowledged = 0
        """Bytes of the lines that were not acknowledged."""
        self.unread = b""
        """Output after the last answer that was waited for; known at the end."""
        self.reader = Reader()
        self.writer = Writer(self)
        self.hub: Final = hub
        self._settings = settings
        self.compensation = Compensation(settings)
        self._digests: deque[bytes] = deque(maxlen=MOST_DIGESTS)
        """Hashes of the latest lines that have arrived."""
        self._sent = KeptLines()
        self._acknowledged = 0
        self._confirmed = 0
        """Number of the last line that was acknowledged on the connection in use."""
        self._delivered = 0
        """Number of the last line that was sent on it."""
        self._in_flight: deque[int] = deque()
        """The sizes of the lines between these two."""
        self._in_flight_bytes = 0
        self._resumed = 0
        self._own: list[bytes] = []
        """Lines that have arrived from a person."""
        self._question = 0
        """Number of the last question to a person."""
        self._end: EndOfProgram | None = None
        """The end of the program; None before."""

    # --- lines ----------------------------------------------------------------------------------------

    def send(self, line: bytes | None) -> None:
        """Send a line, or None for the end of the input."""
        sent = SentLine(line, self.compensation.last)
        self.compensation.last = None
        self.unacknowledged += sent.size
        self._sent.append(sent, self._acknowledged)
        if self._is_person and line is not None and line.startswith(_QUESTION):
            # Leave the legal actions out of the question before this one: it is kept only to show the game again.
            number, self._question = self._question, self._sent.last
            if self._sent.first <= number <= self._acknowledged:
                earlier = self._sent[number]
                fields = msgspec.json.decode(earlier.line or b"{}")
                fields.pop("legal", None)
                self._sent.replace(number, SentLine(msgspec.json.encode(fields), earlier.times))
        self._deliver_more()

    def _deliver_more(self) -> None:
        """Deliver lines until those that the connection has not acknowledged fill the window."""
        while self._delivered < self._sent.last and self._in_flight_bytes <= WINDOW:
            self._delivered += 1
            sent = self._sent[self._delivered]
            self._in_flight.append(sent.size)
            self._in_flight_bytes += sent.size
            charged, compensated = sent.times or (UNSET, UNSET)
            envelope = (
                EnvelopeClose(self.game, self._delivered)
                if sent.line is None
                else EnvelopeLine(self.game, self._delivered, self.received, charged, compensated)
            )
            self.hub.deliver(self.bot, envelope, sent.line)
            if self._in_flight_bytes > WINDOW:
                self.hub.deliver(self.bot, _ASK_ACK)

    def resume(self, received: int) -> None:
        """Continue on a new connection: repeat the lines after those that the program has received."""
        self._resumed += 1
        if received + 1 < self._sent.first:
            self.hub.deliver(self.bot, EnvelopeExpired(self.game))
            return
        self._delivered = self._confirmed = min(received, self._sent.last)
        self._in_flight.clear()
        self._in_flight_bytes = 0
        if not received:
            for seq, line in enumerate(self._own, 1):
                self.hub.deliver(self.bot, EnvelopeSent(self.game, seq), line)
        self._acknowledge(received)

    def take(
        self,
        envelope: EnvelopeLine | EnvelopeAck | EnvelopeClose | EnvelopeExpired | EnvelopeRefused,
        line: bytes,
        at: float,
    ) -> None:
        """Take a message of the program.  Raises ProtocolError if a line is missing."""
        match envelope:
            case EnvelopeAck(seq=seq):
                self._acknowledge(seq)
            case EnvelopeLine(seq=seq, ack=ack):
                self._acknowledge(ack)
                if self._is_next(seq, line) and self.reader.add(line, at) and self._is_person:
                    self._own.append(line)
            case EnvelopeClose(seq=seq, end=end):
                if self._is_next(seq, line):
                    self.hub.deliver(self.bot, EnvelopeAck(self.game, seq))
                    self._end = end or ClosedStreams()
                    self.reader.end(line)
            case _:
                self._end = NotRestarted()
                self.reader.end()

    def _acknowledge(self, seq: int) -> None:
        """Note that the program has all lines up to a number."""
        for number in range(self._acknowledged + 1, min(seq, self._sent.last) + 1):
            self.unacknowledged -= self._sent[number].size
            self._acknowledged = number
        while self._confirmed < min(seq, self._delivered):
            self._confirmed += 1
            self._in_flight_bytes -= self._in_flight.popleft()
        self._deliver_more()
        if self.unacknowledged <= MOST_UNACKNOWLEDGED:
            self.writer.wake()

    def _is_next(self, seq: int, line: bytes) -> bool:
        """Return True for the next line; acknowledge one that came before, and refuse one that differs from it."""
        digest = blake2b(line, digest_size=_DIGEST).digest()
        if seq == self.received + 1:
            self.received += 1
            self._digests.append(digest)
            return True
        if not 0 < seq <= self.received:
            raise ProtocolError(f"line {self.received + 1} of game {self.game} is missing before line {seq}")
        age = self.received - seq + 1
        is_same = age > len(self._digests) or self._digests[-age] == digest
        self.hub.deliver(self.bot, (EnvelopeAck if is_same else EnvelopeRefused)(self.game, seq))
        return False

    # --- time -----------------------------------------------------------------------------------------

    def allow_ms(self) -> float:
        """Return the most that is not charged for the next answer, for the way over the network."""
        return self.compensation.allow(self.hub.round_trip_ms(self.bot))

    def summarise(self) -> NetworkTimes:
        """Return the times of the game."""
        return self.compensation.summarise(self.hub.round_trip_ms(self.bot), self._resumed)

    # --- games and the end ----------------------------------------------------------------------------

    async def find_end(self) -> ProgramEnd:
        """Return how the program ended, as its client has reported."""
        return ProgramEnd(self._end or LeftGame())

    @property
    def has_exited(self) -> bool:
        """True if the program is known to have ended."""
        return self._end is not None

    def begin_next_game(self) -> None:
        """Begin another game with the same program."""
        self.compensation = Compensation(self._settings)
        self._resumed = 0
        self.hub.note_game(self.bot)

    async def end(self, _grace_s: float) -> None:
        """End the input of the program, and forget the link."""
        self.unread = self.reader.take()
        if not self.has_exited:
            self.send(None)
        self.hub.end(self)
