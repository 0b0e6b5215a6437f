"""`arbiter serve RESULTS`: serve a tournament to web browsers."""

import socket
import sys
from contextlib import suppress
from pathlib import Path

import click

from arbiter.cli.files import results_argument, warn_if_incomplete
from arbiter.cli.options import PATH, command
from arbiter.cli.play_options import (
    Address,
    AddressType,
    FrontOptions,
    SpectatorOptions,
    front_options,
    spectator_options,
)
from arbiter.cli.signals import Stop, run_until_signal
from arbiter.cli.table import draw_book
from arbiter.director.files import TOML
from arbiter.errors import ConfigError
from arbiter.remote.invitations import SUFFIX as INVITATIONS
from arbiter.remote.invitations import Invitations
from arbiter.submissions.desk import Desk
from arbiter.submissions.store import SUFFIX, Submissions
from arbiter.tournament.config.entrants import read_tournament_file


@command
@results_argument
@click.option(
    "--at",
    type=AddressType(),
    default="8000",
    show_default=True,
    help="Address of the server; a port alone is reachable only from this machine.",
)
@click.option("--socket", "inherited", type=int, hidden=True, help="Inherited socket; serve until stdin ends.")
@click.option("--authors", is_flag=True, hidden=True, help="Let authors submit programs, which a run examines.")
@click.option("--guests", type=PATH, hidden=True, help="Tournament file whose bots guests may play against.")
@spectator_options
@front_options
def serve(
    results: Path,
    at: Address,
    inherited: int | None,
    spectators: SpectatorOptions,
    front: FrontOptions,
    *,
    authors: bool,
    guests: Path | None,
) -> None:
    """Serve the tournament of RESULTS to web browsers until Ctrl-C.

    The pages are updated while the tournament is played; games in progress are shown if it was started with --live.
    With a tournament file as RESULTS, guests play against its bots if the file allows that; otherwise, the pages are
    read-only.
    """
    from arbiter.serve import server  # noqa: PLC0415 - a web server is slow to import
    from arbiter.serve.authors import Authors  # noqa: PLC0415
    from arbiter.serve.background import make_address, open_socket  # noqa: PLC0415
    from arbiter.serve.front import Front, load_tls  # noqa: PLC0415
    from arbiter.serve.guests import Guests  # noqa: PLC0415
    from arbiter.serve.live_games import make_spectator_settings  # noqa: PLC0415
    from arbiter.serve.organisers import Organisers  # noqa: PLC0415
    from arbiter.serve.people import TableSettings  # noqa: PLC0415
    from arbiter.serve.results import ServedResults  # noqa: PLC0415

    front.check()
    named = click.get_current_context().params["results"]
    if guests is None and named.suffix == TOML:
        with suppress(ConfigError):  # the pages need only the results
            guests = named if read_tournament_file(named).people.allowed else None
    tls = load_tls(front.tls_cert, front.tls_key) if front.tls_cert and front.tls_key else None
    with (
        ServedResults.read(results) as served,
        open_socket(at.host, at.port) if inherited is None else socket.socket(fileno=inherited) as place,
    ):
        warn_if_incomplete(served)
        server.restrain_process()
        if inherited is None:
            click.echo(f"{results} is served at {make_address(place, is_encrypted=tls is not None)}")
        wait_for_end = None if inherited is None else server.wait_for_farewell
        settings = make_spectator_settings(
            show_all=spectators.show_all,
            delay=spectators.delay,
            lang=spectators.lang,
            guests_play=guests is not None,
        )

        open_to_authors = organisers = None
        if authors:
            submissions = Submissions(results.with_suffix(SUFFIX))
            table = served.manifest.tournament.submissions
            invitations = Invitations(results.with_suffix(INVITATIONS))
            open_to_authors = Authors(Desk(submissions, table, served), invitations, spectators.lang)
            organisers = Organisers(submissions, invitations, served, table.promote)

        tables = None
        if guests is not None:
            people = served.manifest.tournament.people
            command = [sys.executable, "-m", "arbiter", "play", "--web", "--in", str(guests), "--results", str(results)]
            pages = TableSettings(
                title=served.manifest.tournament.name,
                lang=spectators.lang,
                aids=people.aids,
                timed=False,
                presets=tuple(draw_book()),
            )
            tables = Guests(command, served.list_foes, people.tables, pages)

        async def work(_: Stop) -> None:
            await server.serve(
                served,
                settings,
                place,
                wait_for_end,
                Front(tls, front.proxy),
                authors=open_to_authors,
                guests=tables,
                organisers=organisers,
            )

        run_until_signal(work)
