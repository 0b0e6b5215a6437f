"""Another program as our child: lines to it and from it while the arbiter waits for us, and its end with ours.

It knows no protocol, neither the arbiter's nor the program's.
"""

import contextlib
import os
import select
import subprocess
from collections.abc import Iterator, Sequence
from signal import Signals
from typing import Final

from protocol.codec import quote

MAX_LINE: Final = 65536  # bytes of one line of the program
GRACE_S: Final = 1  # for the program to leave by itself, where no arbiter ends us before
_EXIT_SHOWS_S: Final = 0.1
_CHUNK: Final = 65536


class Failure(Exception):
    """The program cannot be played on with; the text is a sentence for its author."""


class Lines:
    """Lines that arrive on a descriptor; iterating waits for them until its end."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._buffer = b""

    def __iter__(self) -> Iterator[bytes]:
        while True:
            while (line := self.take()) is not None:
                yield line
            if not self.read():
                return

    @property
    def pending(self) -> bytes:
        """What has been read and not been taken."""
        return self._buffer

    def take(self) -> bytes | None:
        """Return the next line that has been read whole, without its newline."""
        line, newline, rest = self._buffer.partition(b"\n")
        if not newline:
            return None
        self._buffer = rest
        return line

    def read(self) -> bool:
        """Read once, waiting where nothing is there; False at the end."""
        chunk = os.read(self.fd, _CHUNK)
        self._buffer += chunk
        return bool(chunk)


class Child:
    """A program that has been started; `end` must be called whatever happens.

    Once the arbiter says a word, nobody waits for the program any more: its time is up, or the game is over.
    So the arbiter's clock is the only one, and it is quiet from its question to our answer.
    """

    def __init__(self, command: Sequence[str], arbiter: Lines) -> None:
        """Start the program.  Raises Failure."""
        self._arbiter = arbiter
        # Python holds its output back where no terminal reads it, unless it is told not to.
        env = {**os.environ, "PYTHONUNBUFFERED": "1"}
        try:
            # In our own process group: whoever ends us ends it.
            self._process = subprocess.Popen(  # noqa: S603 - starting strangers' programs is the trade
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=env
            )
        except OSError as error:
            raise Failure(f"the program {command[0]} cannot be started: {error.strerror}") from None
        self._lines = Lines(self._process.stdout.fileno())
        os.set_blocking(self._process.stdin.fileno(), False)

    def say(self, *lines: str) -> None:
        """Write lines.  Raises Failure where the program does not read them.

        If it cannot read any more, `hear` will tell: what it wrote before it ended still counts.
        """
        data = _encoded(lines)
        with contextlib.suppress(BrokenPipeError):
            while data:
                self._wait([], [self._process.stdin], "read")
                data = data[os.write(self._process.stdin.fileno(), data) :]

    def hear(self) -> str:
        """Wait for the next line that is not blank; return it without the blanks around it.  Raises Failure."""
        while True:
            while (line := self._lines.take()) is not None:
                if text := line.decode("utf-8", "replace").strip():
                    return text
            if len(self._lines.pending) > MAX_LINE:
                raise Failure(f"the program wrote a line of more than {MAX_LINE} bytes: {quote(self._lines.pending)}")
            self._wait([self._lines.fd], [], "answer")
            if not self._lines.read():
                raise Failure(self._how_it_ended())

    def _wait(self, sources: list[int], sinks: list[object], for_what: str) -> None:
        """Wait for the program, unless the arbiter waits no longer.  Raises Failure."""
        ready = [] if self._arbiter.pending else select.select([self._arbiter.fd, *sources], sinks, [])[0]
        if self._arbiter.pending or self._arbiter.fd in ready:
            raise Failure(f"the program did not {for_what} for as long as the arbiter waited")

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(_EXIT_SHOWS_S)
        except subprocess.TimeoutExpired:
            return "the program closed its stdin or stdout"
        how = f"was ended by {_signal_name(-status)}" if status < 0 else f"ended with status {status}"
        return f"the program {how}"

    def end(self, *lines: str) -> None:
        """Say last words as far as they are read at once, let the program leave, and kill it if it does not."""
        if self._process.stdin.closed:
            return
        with contextlib.suppress(OSError):
            os.write(self._process.stdin.fileno(), _encoded(lines))
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
        self.kill()

    def kill(self) -> None:
        """Kill the program."""
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


def _encoded(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _signal_name(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:  # most real-time signals have no name
        return f"signal {number}"
