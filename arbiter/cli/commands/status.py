"""`arbiter status RESULTS`: how a tournament stands that another shell plays."""

from datetime import UTC, datetime
from pathlib import Path

import click

from arbiter.cli.files import results_path
from arbiter.cli.printing import json_option, print_sheets
from arbiter.cli.watched import Watched
from arbiter.show.tables.standings import standings_sheet
from arbiter.show.tables.status import Status, status_object, write_status
from arbiter.show.text import json_line
from arbiter.tournament.live_values import LiveStatus
from arbiter.tournament.results.live_files import read_live_status
from arbiter.tournament.results.store import Store


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@json_option
def status(results: Path, *, as_json: bool) -> None:
    """Show who plays the tournament of RESULTS, how far it is, what is under way and how the bots stand."""
    path = results_path(results)
    with Store.read(path) as store:
        games = store.games()
        plan = store.manifest.schedule(games, store.withdrawn())
        hint, playing = Watched(store).hint(), store.lock_owner()
    found = Status(
        name=store.manifest.tournament.name,
        total=plan.total,
        games=games,
        finished=plan.finished,
        holder=playing,
        under_way=LiveStatus() if playing is None else read_live_status(path),
        live=bool(hint),
        now=datetime.now(UTC),
    )
    if as_json:
        click.echo(json_line(status_object(found)))
        return
    click.echo("\n".join([*write_status(found), *filter(None, [hint])]))
    click.echo()
    print_sheets([standings_sheet(plan.rank(plan.stages[-1]))], "table")
