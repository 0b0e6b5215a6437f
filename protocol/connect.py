"""`arbiter-connect ADDRESS -- COMMAND`: let a bot on this machine play in a tournament on another one.

It starts the bot as a normal process for each game, or for several games in a row as the tournament asks for it, and
carries its lines unchanged.  If the connection is lost, the bot keeps running, and only the connection is made again.
"""

import argparse
import ipaddress
import os
import queue
import shutil
import ssl
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

import msgspec

from protocol.codec import ProtocolError
from protocol.envelope import (
    BROKEN,
    ENVELOPE_VERSION,
    FINISHED,
    MOST_GAMES,
    SILENCE_S,
    STAY_AWAY,
    TOKEN_PREFIX,
    EnvelopeAck,
    EnvelopeClose,
    EnvelopeExpired,
    EnvelopeLine,
    EnvelopePing,
    EnvelopePong,
    EnvelopeRefused,
    EnvelopeSync,
    PlayProgress,
    pack,
    unpack,
)
from protocol.messages import Over
from protocol.reasons import EndOfProgram, Exited, Signalled
from protocol.words import MAX_LINE

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

TOKEN_VARIABLE: Final = "ARBITER_TOKEN"  # noqa: S105 - the name of a variable
_MOST_MESSAGE: Final = 1 << 24  # bytes: a question with a view and the legal actions has tens of thousands
_OVER: Final = b'{"type":"over",'
_GRACE_S: Final = 1.0  # for a bot to exit at the end of its input
_FIRST_WAIT_S: Final = 0.5
_LONGEST_WAIT_S: Final = 10.0
_OPEN_S: Final = 10.0


def _report(text: str) -> None:
    shown = "".join(char if char.isprintable() else "?" for char in text)  # some of it comes from others
    sys.stderr.write(f"arbiter-connect: {shown}\n")
    sys.stderr.flush()


class _Game:
    """A running bot, and the numbers of its lines.  The lock of the client guards what it has."""

    def __init__(self, client: "Client", name: str, skip: int) -> None:
        """Start the bot; its first `skip` lines have arrived already, from an earlier process that was lost."""
        self.name = name
        self.received = 0
        """Number of the last line from the server."""
        self.acknowledged = 0
        """Number of the last line from the server that was acknowledged."""
        self.written = skip
        """Number of the last line of the bot."""
        self.unsent: deque[tuple[int, EndOfProgram | None, bytes]] = deque()
        """The lines that the server has not acknowledged: number, end of the bot if it is the last one, line."""
        self.is_over = False
        self.answers = 0
        """Number of answers whose times the server has sent."""
        self.charged_ms = self.compensated_ms = 0.0
        self._client = client
        self._skip = skip
        self._input: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._process = subprocess.Popen(client.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - the author's own bot
        for task in (self._feed, self._read):
            threading.Thread(target=task, daemon=True).start()

    def write(self, line: bytes) -> None:
        """Give the bot a line, as soon as it reads."""
        self._input.put(line + b"\n")

    def note_times(self, charged_ms: float, compensated_ms: float) -> None:
        """Note what the clock was charged for an answer, and what was not charged for the way over the network."""
        self.answers += 1
        self.charged_ms += charged_ms
        self.compensated_ms += compensated_ms

    def end(self) -> None:
        """End the input of the bot, and kill it if it does not exit soon."""
        self.is_over = True
        self._input.put(None)
        timer = threading.Timer(_GRACE_S, self.kill)
        timer.daemon = True
        timer.start()

    def kill(self) -> None:
        """Kill the bot."""
        with suppress(OSError):
            self._process.kill()

    def _feed(self) -> None:
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        with suppress(OSError):  # the bot has closed its input; its end is noticed at its output
            while (line := self._input.get()) is not None:
                self._process.stdin.write(line)
                self._process.stdin.flush()
        with suppress(OSError):
            self._process.stdin.close()

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        rest = b""
        while line := self._process.stdout.readline(2 * MAX_LINE):
            if not line.endswith(b"\n") and len(line) < 2 * MAX_LINE:
                rest = line
            elif self._skip:
                self._skip -= 1
            else:
                self._client.send_line(self, line.removesuffix(b"\n"))
        status = self._process.wait()
        self._client.send_line(self, rest, Exited(status) if status >= 0 else Signalled(f"signal {-status}"))


class Client:
    """The connection of one bot to a tournament, which is made again whenever it is lost."""

    def __init__(
        self,
        address: str,
        token: str,
        command: Sequence[str],
        trusted: ssl.SSLContext | None = None,
        most_games: int = MOST_GAMES,
    ) -> None:
        """Prepare the connection to an address; the client plays at most so many games at a time."""
        self.command = list(command)
        self._most_games = most_games
        self._address = address
        self._token = token
        self._trusted = trusted
        self._is_welcome = False
        """True if the server has let this client in on its current or last connection."""
        self._lock = threading.Lock()
        self._games: dict[str, _Game] = {}
        self._running: set[_Game] = set()
        """The games whose bots have not ended, over or not."""
        self._outgoing: queue.SimpleQueue[bytes | None] | None = None
        """Messages for the sender of the current connection; None if there is none."""

    def run(self) -> int:
        """Play until the tournament is over or refuses the token; return the exit code."""
        wait_s = _FIRST_WAIT_S
        reported = ""
        try:
            while True:
                self._is_welcome = False
                code, why = self._connect()
                if code in STAY_AWAY:
                    _report(why)
                    return 0 if code == FINISHED else 1
                if self._is_welcome:
                    wait_s = _FIRST_WAIT_S
                    reported = ""
                if why != reported:  # a server may be away for days
                    _report(f"not connected ({why}); trying again until it is")
                    reported = why
                time.sleep(wait_s * (0.5 + os.urandom(1)[0] / 512))  # so that not all clients come at once
                wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
        finally:
            with self._lock:
                for game in self._running:
                    game.kill()

    def _connect(self) -> tuple[int, str]:
        """Connect once and carry lines until the connection ends; return the code of its end and a reason."""
        from websockets.exceptions import ConnectionClosed, WebSocketException  # noqa: PLC0415 - an extra
        from websockets.sync.client import connect  # noqa: PLC0415

        try:
            with connect(
                self._address,
                compression=None,
                open_timeout=_OPEN_S,
                close_timeout=1,
                ping_interval=None,
                max_size=_MOST_MESSAGE,
                ssl=self._trusted,
            ) as connection:
                outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
                threading.Thread(target=_send_all, args=(connection, outgoing), daemon=True).start()
                try:
                    with self._lock:
                        games = [
                            PlayProgress(one.name, one.received) for one in self._games.values() if not one.is_over
                        ]
                        outgoing.put(pack(EnvelopeSync(games, ENVELOPE_VERSION, self._token, self._most_games)))
                        self._outgoing = outgoing
                    while True:
                        message = connection.recv(SILENCE_S)
                        self._take(message.encode() if isinstance(message, str) else message)
                finally:
                    with self._lock:
                        self._outgoing = None
                    outgoing.put(None)
        except TimeoutError:
            return 0, "nothing was heard for too long"
        except ConnectionClosed as error:
            closed = error.rcvd
            return (closed.code, closed.reason) if closed else (0, "the connection was lost")
        except ssl.SSLCertVerificationError as error:
            why = f"the certificate of the server is not valid: {error.verify_message}"
            return 0, f"{why}; to trust a certificate, add --ca FILE"
        except (OSError, WebSocketException) as error:
            return 0, str(error) or type(error).__name__
        except ProtocolError as error:
            return BROKEN, f"the server sent {error}; install the kit of the tournament"

    def _send(self, message: bytes) -> None:
        if self._outgoing is not None:
            self._outgoing.put(message)

    def send_line(self, game: _Game, line: bytes, end: EndOfProgram | None = None) -> None:
        """Send a line of a bot, or with `end` an unfinished line and the end of the bot."""
        with self._lock:
            if end is not None:
                self._running.discard(game)
            if not game.is_over:
                game.written += 1
                game.unsent.append((game.written, end, line))
                self._send_from(game, len(game.unsent) - 1)

    def _send_from(self, game: _Game, first: int) -> None:
        """Send the lines that the server has not acknowledged, from the index `first` on."""
        for seq, end, line in list(game.unsent)[first:]:
            close = None if end is None else EnvelopeClose(game.name, seq, end)
            self._send(pack(close or EnvelopeLine(game.name, seq, game.received), line))
            game.acknowledged = game.received

    def _take(self, message: bytes) -> None:
        """Take a message of the server.  Raises ProtocolError."""
        envelope, line = unpack(message)
        with self._lock:
            match envelope:
                case EnvelopePing(number=number):
                    self._send(pack(EnvelopePong(number)))
                    for game in self._games.values():  # with lines to which no line of the bot was an answer
                        if game.acknowledged < game.received:
                            game.acknowledged = game.received
                            self._send(pack(EnvelopeAck(game.name, game.received)))
                case EnvelopeSync():
                    self._synchronise(envelope)
                case EnvelopeLine() | EnvelopeClose():
                    self._continue(envelope, line)
                case EnvelopeAck(game=name, seq=seq) | EnvelopeRefused(game=name, seq=seq) if name in self._games:
                    self._forget(self._games[name], seq)
                case EnvelopeExpired(game=name):
                    self._end(name)

    def _synchronise(self, sync: EnvelopeSync) -> None:
        self._is_welcome = True
        _report(f"connected as {sync.name}")
        listed = {one.game: one.seq for one in sync.games}
        for name in [name for name in self._games if name not in listed]:
            self._end(name)
        for name, received in listed.items():
            if (game := self._games.get(name)) is not None:
                self._forget(game, received)
                self._send_from(game, 0)
            else:  # the process of an earlier client is lost: the server repeats everything to a new one
                self._start(name, received)

    def _continue(self, envelope: EnvelopeLine | EnvelopeClose, line: bytes) -> None:
        """Give a line, or the end of its input, to the bot that plays the game."""
        game = self._games.get(envelope.game)
        if game is None:
            if envelope.seq != 1 or isinstance(envelope, EnvelopeClose):
                self._send(pack(EnvelopeExpired(envelope.game)))
                return
            game = self._start(envelope.game, 0)
        if envelope.seq != game.received + 1:  # it has come before
            return
        game.received += 1
        if isinstance(envelope, EnvelopeClose):
            self._end(envelope.game)
            return
        if isinstance(envelope.charged_ms, float) and isinstance(envelope.compensated_ms, float):
            game.note_times(envelope.charged_ms, envelope.compensated_ms)
        self._forget(game, envelope.ack)
        game.write(line)
        if line.startswith(_OVER):
            with suppress(msgspec.MsgspecError):
                over = msgspec.json.decode(line, type=Over)
                _report(f"{over.game}: {over.result}, {over.why}")

    def _start(self, name: str, skip: int) -> _Game:
        game = self._games[name] = _Game(self, name, skip)
        self._running.add(game)
        return game

    def _forget(self, game: _Game, seq: int) -> None:
        """Forget the lines that the server has acknowledged, and the game after the last one."""
        while game.unsent and game.unsent[0][0] <= seq:
            _, end, _ = game.unsent.popleft()
            if end is not None:
                game.is_over = True
                self._games.pop(game.name, None)

    def _end(self, name: str) -> None:
        if (game := self._games.pop(name, None)) is not None:
            charged = f"{game.charged_ms / 1000:.1f} s"
            compensated = f"{game.compensated_ms / 1000:.1f} s"
            _report(f"over: {game.answers} answers, {charged} on the clock; {compensated} for the network not charged")
            game.end()


def _send_all(connection: "ClientConnection", outgoing: "queue.SimpleQueue[bytes | None]") -> None:
    """Send messages until the connection ends; only lines that are not UTF-8 are sent as bytes."""
    from websockets.exceptions import ConnectionClosed  # noqa: PLC0415 - an extra

    with suppress(ConnectionClosed, OSError):
        while (message := outgoing.get()) is not None:
            try:
                connection.send(message.decode())
            except UnicodeDecodeError:
                connection.send(message)


def _find_address(parts: SplitResult) -> str:
    """Return the address to connect to, without the token.  Raises ValueError."""
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise ValueError("is not an address such as wss://club.example/#sab_...")
    is_local = parts.hostname == "localhost"
    with suppress(ValueError):  # a name
        is_local |= ipaddress.ip_address(parts.hostname).is_loopback
    if parts.scheme == "ws" and not is_local:
        raise ValueError("is not encrypted: everybody on the way could read the token; use wss://")
    return parts._replace(fragment="", path=parts.path or "/").geturl()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="arbiter-connect",
        usage="%(prog)s [--games N] [--ca FILE] ADDRESS -- COMMAND ...",
        description="Let a bot on this machine play in a tournament on another one, until that is over.",
    )
    parser.add_argument("address", metavar="ADDRESS", help="the address with the token, from the organiser")
    parser.add_argument(
        "--games", type=int, default=MOST_GAMES, metavar="N", help="play at most N games at a time, each with a bot"
    )
    parser.add_argument("--ca", metavar="FILE", help="trust this certificate too, in PEM")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help="the bot and its arguments")
    options = parser.parse_args(arguments)
    if not 1 <= options.games <= MOST_GAMES:
        parser.error(f"--games: is not a number from 1 to {MOST_GAMES}")
    parts = urlsplit(options.address)
    token = parts.fragment or os.environ.get(TOKEN_VARIABLE, "")
    try:
        address = _find_address(parts)
        if not token.startswith(TOKEN_PREFIX):
            raise ValueError(f"has no token; add #{TOKEN_PREFIX}... to it, or set {TOKEN_VARIABLE}")
        trusted = None
        if parts.scheme == "wss":
            trusted = ssl.create_default_context()
            if options.ca:
                trusted.load_verify_locations(options.ca)
    except (OSError, ValueError) as error:
        _report(f"{options.ca or parts._replace(fragment='').geturl()}: {error}")
        return 2
    if shutil.which(options.command[0]) is None:
        _report(f"there is no program {options.command[0]}, or it cannot be executed")
        return 2
    try:
        import websockets  # noqa: F401, PLC0415 - an extra
    except ModuleNotFoundError:
        _report("needs websockets; install it with: pip install websockets")
        return 2
    try:
        return Client(address, token, options.command, trusted, options.games).run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
