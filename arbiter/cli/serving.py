"""Showing a tournament to spectators while it is played: by a process of its own, which ends with this one."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

import click
from msgspec import Struct

from arbiter.cli.commands.serve import listening
from arbiter.cli.spectators import Address, Spectators

_PARTING_S: Final = 10


class Serving(Struct, frozen=True):
    """Where a tournament is shown, and how."""

    at: Address
    spectators: Spectators


@contextmanager
def serving(results: Path | None, wanted: Serving | None) -> Iterator[str | None]:
    """Show a tournament until the block ends, if that is wanted; yields where.  Raises ConfigError.

    Whatever befalls the pages, the games go on; it is told at the end.
    """
    if results is None or wanted is None:
        yield None
        return
    from arbiter.serve.server import address_of  # noqa: PLC0415 - a web server is slow to import

    with tempfile.TemporaryFile() as errors:
        with listening(wanted.at) as place:
            address, server = address_of(place), _started(results, place.fileno(), wanted.spectators, errors)
        try:
            yield address
        finally:
            _part(server)
        if server.returncode:
            errors.seek(0)
            told = errors.read().decode(errors="replace").strip().splitlines() or ["it says nothing"]
            click.echo(f"arbiter: the pages were not shown to the end: {told[-1]}", err=True)


def _started(results: Path, place: int, shown: Spectators, errors: IO[bytes]) -> "subprocess.Popen[bytes]":
    """Start the server; it has the socket alone, so that nobody waits in vain where it has ended."""
    words = ["--socket", str(place), "--delay", str(shown.delay), "--lang", shown.lang]
    return subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "arbiter", "serve", str(results), *words, *(["--show-all"] * shown.show_all)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        pass_fds=[place],
        start_new_session=True,  # Ctrl-C is for us; it ends when its stdin does
    )


def _part(server: "subprocess.Popen[bytes]") -> None:
    """Let spectators see the end, and end the server."""
    assert server.stdin is not None  # noqa: S101 - a pipe was asked for
    with suppress(BrokenPipeError):
        server.stdin.close()
    try:
        server.wait(_PARTING_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
