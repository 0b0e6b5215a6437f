"""Another program as a child process: lines to it and from it, as long as the arbiter waits for an answer.

This module knows neither the arbiter's protocol nor the program's.
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
GRACE_S: Final = 1  # for the program to exit by itself, if the arbiter does not kill us first
_EXIT_DELAY_S: Final = 0.1  # between the end of the output and the exit status
_CHUNK: Final = 65536
_STDERR: Final = 2


class ProgramFailure(Exception):
    """The program cannot play on; the text explains it to the program's author."""


class InputLines:
    """Reads lines from a file descriptor; iterating waits for each line until the end of the input."""

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
        """Bytes that were read but not yet taken."""
        return self._buffer

    def take(self) -> bytes | None:
        """Return the next complete line without its newline, or None if there is none yet."""
        line, newline, rest = self._buffer.partition(b"\n")
        if not newline:
            return None
        self._buffer = rest
        return line

    def read(self) -> bool:
        """Read once, waiting for input; return False at the end of the input."""
        chunk = os.read(self.fd, _CHUNK)
        self._buffer += chunk
        return bool(chunk)


class ChildProgram:
    """A running program; `end` must always be called.

    When the arbiter sends a line, the bridge stops waiting for the program: its time is up, or the game is over.
    So only the arbiter's clock counts; the arbiter sends nothing between its question and our answer.
    """

    def __init__(self, command: Sequence[str], arbiter: InputLines) -> None:
        """Start the program.  Raises ProgramFailure."""
        self._arbiter = arbiter
        # Python buffers its output if it does not write to a terminal, unless this variable is set.
        env = {**os.environ, "PYTHONUNBUFFERED": "1"}
        try:
            # In our own process group, so that the arbiter kills it together with us.
            self._process = subprocess.Popen(  # noqa: S603 - a bridge exists to start other programs
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=env
            )
        except OSError as error:
            raise ProgramFailure(f"the program {command[0]} cannot be started: {error.strerror}") from None
        self._lines = InputLines(self._process.stdout.fileno())
        os.set_blocking(self._process.stdin.fileno(), False)

    def send(self, *lines: str) -> None:
        """Write lines.  Raises ProgramFailure if the program does not read them in time.

        If the program can no longer read, nothing is raised here: its earlier output still counts, and `receive`
        raises after that.
        """
        _log(">", *lines)
        data = _encode(lines)
        with contextlib.suppress(BrokenPipeError):
            while data:
                self._wait([], [self._process.stdin], "read")
                data = data[os.write(self._process.stdin.fileno(), data) :]

    def receive(self) -> str:
        """Wait for the next line that is not blank; return it without the blanks around it.  Raises ProgramFailure."""
        while True:
            while (line := self._lines.take()) is not None:
                if text := line.decode("utf-8", "replace").strip():
                    _log("<", text)
                    return text
            if len(self._lines.pending) > MAX_LINE:
                raise ProgramFailure(
                    f"the program wrote a line of more than {MAX_LINE} bytes: {quote(self._lines.pending)}"
                )
            self._wait([self._lines.fd], [], "answer")
            if not self._lines.read():
                raise ProgramFailure(self._describe_exit())

    def _wait(self, sources: list[int], sinks: list[object], verb: str) -> None:
        """Wait for the program as long as the arbiter waits for us.  Raises ProgramFailure."""
        ready = [] if self._arbiter.pending else select.select([self._arbiter.fd, *sources], sinks, [])[0]
        if self._arbiter.pending or self._arbiter.fd in ready:
            raise ProgramFailure(f"the program did not {verb} while the arbiter waited")

    def _describe_exit(self) -> str:
        try:
            status = self._process.wait(_EXIT_DELAY_S)
        except subprocess.TimeoutExpired:
            return "the program closed its stdin or stdout"
        if status >= 0:
            return f"the program ended with status {status}"
        try:
            name = Signals(-status).name
        except ValueError:  # most real-time signals have no name
            name = f"signal {-status}"
        return f"the program was ended by {name}"

    def end(self, *lines: str) -> None:
        """Send last lines if they can be written at once, let the program exit, and kill it if it does not."""
        if self._process.stdin.closed:
            return
        _log(">", *lines)
        with contextlib.suppress(OSError):
            os.write(self._process.stdin.fileno(), _encode(lines))
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
        self.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


def _log(direction: str, *lines: str) -> None:
    """Copy lines to (>) or from (<) the program to stderr, which the arbiter keeps."""
    text = "".join(f"{direction} {line}\n" for line in lines)
    with contextlib.suppress(OSError):
        os.write(_STDERR, text.encode())


def _encode(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
