"""`arbiter status RESULTS`: the status of a tournament running in another shell."""

import socket
import time
from pathlib import Path

import click

from arbiter.cli.event_data import list_details
from arbiter.cli.files import open_results, results_argument
from arbiter.cli.options import json_option, wide_option
from arbiter.cli.output import print_sheets
from arbiter.cli.watching import ResultsReader
from arbiter.show.tables.groups import with_titles
from arbiter.show.tables.standings import standings_sheet
from arbiter.show.tables.status import Status, status_object, write_status
from arbiter.show.text import json_line
from arbiter.tournament.live_values import LiveStatus
from arbiter.tournament.results.live_files import read_live_status


@click.command
@results_argument
@wide_option
@json_option
def status(results: Path, *, as_json: bool) -> None:
    """Show the status of the tournament of RESULTS, which may be running in another shell.

    The status includes the process that plays it, the progress, the games in progress, forfeits, rulings
    and voided attempts, and the standings.
    """
    with open_results(results) as store:
        manifest = store.manifest
        plan = store.schedule()
        games = plan.history.in_order
        hint = ResultsReader(store).hint()
        holder = store.lock_owner()
        attempts = tuple(store.attempts().values())
        rulings = len(plan.history.in_force)
    found = Status(
        name=manifest.tournament.name,
        total=plan.total,
        games=games,
        finished=plan.finished,
        seed=manifest.seed,
        secret=manifest.secret if plan.finished else None,
        holder=holder,
        live_status=LiveStatus() if holder is None else read_live_status(results),
        live=bool(hint),
        now=time.monotonic() if holder is not None and holder.host == socket.gethostname() else None,
        attempts=attempts,
        rulings=rulings,
    )
    if as_json:
        click.echo(json_line(status_object(found)))
        return
    for line in write_status(found):
        click.echo(line)
    if hint:
        click.echo(hint)
    click.echo()
    print_sheets([with_titles(standings_sheet(plan.rank(plan.stages[-1])), list_details(manifest))], "table")
