"""A web server in another process, which serves a tournament while it is played."""

import errno
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct

from arbiter.errors import ConfigError

FAREWELL: Final = b"end\n"  # on stdin: end after the last changes
_SHUTDOWN_S: Final = 10
_PORT_WAIT_S: Final = 6.0  # the server of an arbiter that was just killed needs a moment to end


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 chooses a free port.  Raises OSError."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listening = socket.socket(family, kind)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def make_address(listening: socket.socket, *, is_encrypted: bool = False) -> str:
    """Return the address of a socket for a browser."""
    host, port = listening.getsockname()[:2]
    return f"http{'s' * is_encrypted}://{f'[{host}]' if ':' in host else host}:{port}/"


def open_socket(host: str, port: int) -> socket.socket:
    """Open a listening socket.  Raises ConfigError."""
    until = time.monotonic() + _PORT_WAIT_S
    while True:
        try:
            return listen(host, port)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and time.monotonic() < until:
                time.sleep(_PORT_WAIT_S / 20)
                continue
            why = error.strerror or os.strerror(error.errno or 0)
            raise ConfigError(f"{host}:{port}: cannot serve pages there: {why}; choose another port") from None


class BackgroundServer(Struct, frozen=True):
    """A web server in another process."""

    address: str
    is_running: Callable[[], bool]


@contextmanager
def serve_in_background(
    results: Path, host: str, port: int, words: Sequence[str], notify: Callable[[str], object]
) -> Iterator[BackgroundServer]:
    """Serve a tournament by `arbiter serve` with more `words`, until the block ends.

    If the server fails, the games continue, and `notify` receives the failure at the end.  Raises ConfigError.
    """
    with tempfile.TemporaryFile() as errors:
        # Only the server keeps the socket: if it has ended, browsers get an error instead of waiting.
        with open_socket(host, port) as listener:
            address = make_address(listener, is_encrypted="--tls-cert" in words)
            command = [sys.executable, "-m", "arbiter", "serve", str(results), "--socket", str(listener.fileno())]
            server = subprocess.Popen(  # noqa: S603 - our own program
                [*command, *words],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=[listener.fileno()],
                start_new_session=True,  # Ctrl-C is for the parent; the server ends when its stdin is closed
            )
        try:
            yield BackgroundServer(address, lambda: server.poll() is None)
        finally:
            is_slow = not _shut_down(server)
        if is_slow:
            notify(f"the web server did not end within {_SHUTDOWN_S} s of the last game, and was killed")
        elif server.returncode:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines() or ["no error message"]
            notify(f"the web server failed: {lines[-1]}")


@contextmanager
def examine_in_background(results: Path, hidden: Sequence[Path]) -> Iterator[None]:
    """Examine the programs that authors submit, in another process with low priority, until the block ends.

    They cannot read the results and the `hidden` files.
    """
    examiner = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "arbiter.submissions.examiner", str(results), *map(str, hidden)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the parent; the examiner ends when its stdin is closed
    )
    try:
        yield
    finally:
        _shut_down(examiner)


async def run_table(
    command: Sequence[str], link: int, *, task_status: "trio.TaskStatus[trio.Process]" = trio.TASK_STATUS_IGNORED
) -> None:
    """Run the table of a guest in another process, which inherits a link to the gateway; it ends if its stdin does."""
    await trio.run_process(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
        pass_fds=[link],
        task_status=task_status,
    )


@contextmanager
def open_gateway(
    invitations: Path, host: str, port: int, words: Sequence[str], *, option: str = "--gateway", insecure: bool = False
) -> Iterator[tuple[str, socket.socket]]:
    """Run the gateway of remote programs in another process until the block ends; yield its address and the link to it.

    The link belongs to the hub.  `option` names the place in errors.  With `insecure`, other machines may connect
    without encryption.  Raises ConfigError.
    """
    near, far = socket.socketpair()
    with near, far, open_socket(host, port) as listener:
        if not (insecure or ip_address(listener.getsockname()[0]).is_loopback or "--tls-cert" in words):
            raise ConfigError(
                f"{option} {host}:{port}: everybody on the way could read the tokens; add --tls-cert and --tls-key, "
                "or listen at 127.0.0.1 behind a proxy with TLS"
            )
        scheme = "wss" if "--tls-cert" in words else "ws"
        address = scheme + make_address(listener).removeprefix("http")
        sockets = ["--socket", str(listener.fileno()), "--link", str(far.fileno())]
        gateway = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "arbiter.serve.gateway_process", str(invitations), *sockets, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno(), far.fileno()],
            start_new_session=True,  # Ctrl-C is for the parent; the gateway ends when its link is closed
        )
        far.close()
        listener.close()
        try:
            yield address, near
        finally:
            near.close()
            try:
                gateway.wait(_SHUTDOWN_S)
            except subprocess.TimeoutExpired:
                gateway.kill()
                gateway.wait()


def _shut_down(server: "subprocess.Popen[bytes]") -> bool:
    """End the server after it has sent the last changes to spectators; return False if it had to be killed.

    If this process is killed, stdin of the server ends without a farewell, and the server exits at once.
    """
    assert server.stdin is not None  # noqa: S101 - a pipe was asked for
    with suppress(BrokenPipeError):
        server.stdin.write(FAREWELL)
        server.stdin.close()
    try:
        server.wait(_SHUTDOWN_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        return False
    return True
