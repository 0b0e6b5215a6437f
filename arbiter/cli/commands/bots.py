"""`arbiter bots`: the sample bots."""

import click

from arbiter.cli.printing import json_option, print_sheets
from arbiter.show.tables.sheet import Sheet
from sample_bots import SAMPLE_BOTS


@click.command
@json_option
def bots(*, as_json: bool) -> None:
    """List the sample bots: a tournament file or a match names them by name."""
    rows = tuple((bot.name, bot.description) for bot in SAMPLE_BOTS.values())
    objects = tuple({"name": name, "description": description} for name, description in rows)
    sheet = Sheet(title="Sample bots", head=("name", "what it does"), rows=rows, objects=objects)
    print_sheets([sheet], "json" if as_json else "table")
