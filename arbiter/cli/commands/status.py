"""`arbiter status RESULTS`: the status of a tournament running in another shell."""

import socket
import time
from pathlib import Path

from arbiter.cli.files import open_results, results_argument
from arbiter.cli.options import command, format_options
from arbiter.cli.terminal import print_facts, print_sheets
from arbiter.show.tables.event import with_details
from arbiter.show.tables.run.status import Status, status_object, write_status
from arbiter.show.tables.standings import standings_sheet
from arbiter.show.text import plain


@command
@results_argument
@format_options
def status(results: Path, form: str) -> None:
    """Show the status of the tournament of RESULTS, which may be running in another shell.

    The status includes the process that plays it, the progress, the games in progress, the machines, forfeits, rulings
    and voided attempts, and the standings.
    """
    with open_results(results) as store:
        found = store.snapshot(condensed=True)
        by_host = None if found.latest is None else store.count_games_by_host()
        hint = store.describe_watching()
        holder = store.lock_owner()
        live_status = store.live_status()
    manifest = found.manifest
    plan = found.plan
    shown = Status(
        name=manifest.tournament.name,
        total=plan.total,
        endless=plan.is_endless,
        played=plan.played,
        games=found.games,
        by_host=by_host,
        rated=found.rated,
        forfeits=found.count_forfeits(),
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
    lines = [*write_status(shown), *([plain(hint)] if hint else []), ""]
    print_facts("Status", [status_object(shown)], form, lambda: "\n".join(lines))
    if form == "table":
        sheets = [*(sheet for sheet in shown.sheets if sheet.items)] if holder else []
        print_sheets([*sheets, with_details(standings_sheet(plan.rank(plan.stages[-1])), found.bots)], form)
