"""`arbiter status RESULTS`: the status of a tournament running in another shell."""

import socket
import time
from pathlib import Path

import click

from arbiter.cli.files import open_results, results_argument
from arbiter.cli.options import json_option, wide_option
from arbiter.cli.output import print_sheets
from arbiter.show.tables.groups import with_details
from arbiter.show.tables.standings import standings_sheet
from arbiter.show.tables.status import Status, status_object, write_status
from arbiter.show.text import json_line, plain


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
        found = store.snapshot()
        hint = store.describe_watching()
        holder = store.lock_owner()
        live_status = store.live_status()
    manifest, plan = found.manifest, found.plan
    shown = Status(
        name=manifest.tournament.name,
        total=plan.total,
        games=found.games,
        finished=plan.finished,
        seed=manifest.seed,
        secret=manifest.secret if plan.finished else None,
        holder=holder,
        live_status=live_status,
        live=bool(hint),
        now=time.monotonic() if holder is not None and holder.host == socket.gethostname() else None,
        attempts=found.attempts,
        rulings=len(plan.history.in_force),
    )
    if as_json:
        click.echo(json_line(status_object(shown)))
        return
    for line in write_status(shown):
        click.echo(line)
    if hint:
        click.echo(plain(hint))
    click.echo()
    print_sheets([with_details(standings_sheet(plan.rank(plan.stages[-1])), found.bots)], "table")
