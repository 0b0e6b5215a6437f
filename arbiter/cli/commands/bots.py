"""`arbiter bots`: the sample bots."""

import click

from arbiter.cli.options import json_option, wide_option
from arbiter.cli.output import print_sheets
from arbiter.show.tables.sheet import Sheet
from sample_bots import SAMPLE_BOTS


@click.command
@wide_option
@json_option
def bots(*, as_json: bool) -> None:
    """List the sample bots.

    Tournament files and commands refer to them by name.
    """
    rows = tuple((bot.name, bot.description) for bot in SAMPLE_BOTS.values())
    objects = tuple({"name": name, "description": description} for name, description in rows)
    sheet = Sheet(title="Sample bots", head=("name", "description"), rows=rows, objects=objects)
    print_sheets([sheet], "json" if as_json else "table")
