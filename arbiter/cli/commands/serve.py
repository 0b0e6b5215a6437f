"""`arbiter serve RESULTS`: a tournament's pages, live, for any browser."""

import os
import socket
from pathlib import Path
from typing import Any

import click

from arbiter.cli.files import results_path
from arbiter.cli.served import Served
from arbiter.cli.signals import Stop, do_heeding_signals
from arbiter.cli.spectators import Address, AddressType, Spectators, spectators_options
from arbiter.errors import ConfigError
from arbiter.tournament.results.store import Store


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "--at",
    type=AddressType(),
    default="8000",
    show_default=True,
    help="A port of this machine alone, or an address that others reach.",
)
@click.option("--socket", "inherited", type=int, hidden=True, help="Serve at a socket that is there, while stdin is.")
@spectators_options
def serve(results: Path, at: Address, inherited: int | None, **spectators: Any) -> None:  # noqa: ANN401 - the options of `spectators_options`
    """Show the tournament of RESULTS to any browser, also while it is played; Ctrl-C ends it.

    Games under way are shown when they are played with `--live`. Nothing can be changed from a page.
    """
    from arbiter.serve import server  # noqa: PLC0415 - a web server is slow to import
    from arbiter.serve.source import spectator_settings  # noqa: PLC0415

    path, shown = results_path(results), Spectators(**spectators)
    with Store.read(path) as store, listening(at) if inherited is None else socket.socket(fileno=inherited) as place:
        server.step_back()
        if inherited is None:
            click.echo(f"{results} is shown at {server.address_of(place)}")
        until = server.for_ever if inherited is None else server.until_stdin_ends

        async def work(_: Stop) -> None:
            on_terms = spectator_settings(show_all=shown.show_all, delay=shown.delay, lang=shown.lang)
            await server.serve(Served(store), on_terms, place, until)

        do_heeding_signals(work)


def listening(at: Address) -> socket.socket:
    """Open a socket.  Raises ConfigError."""
    from arbiter.serve.server import listen  # noqa: PLC0415

    try:
        return listen(at.host, at.port)
    except OSError as error:
        why = error.strerror or os.strerror(error.errno or 0)
        raise ConfigError(f"{at.host}:{at.port}: no page can be shown there: {why}; choose another") from None
