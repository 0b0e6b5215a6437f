"""`arbiter bots`: the sample bots."""

import click

from arbiter.cli.options import json_option, wide_option
from arbiter.cli.output import print_sheets
from arbiter.show.tables.sheet import Column, Sheet
from sample_bots import SAMPLE_BOTS, SampleBot


@click.command
@wide_option
@json_option
def bots(*, as_json: bool) -> None:
    """List the sample bots.

    Tournament files and commands refer to them by name.
    """
    columns = [Column[SampleBot](field, align="left") for field in ("name", "description")]
    sheet = Sheet(title="Sample bots", columns=columns, items=tuple(SAMPLE_BOTS.values()))
    print_sheets([sheet], "json" if as_json else "table")
