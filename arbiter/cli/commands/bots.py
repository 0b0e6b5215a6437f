"""`arbiter bots`: the sample bots."""

from arbiter.cli.options import command, format_options
from arbiter.cli.terminal import print_sheets
from arbiter.show.tables.sheet import Column, Sheet
from sample_bots.catalogue import SAMPLE_BOTS, SampleBot


@command
@format_options
def bots(form: str) -> None:
    """List the sample bots.

    Tournament files and commands refer to them by name.
    """
    columns = [Column[SampleBot](field, align="left") for field in ("name", "description")]
    print_sheets([Sheet(title="Sample bots", columns=columns, items=tuple(SAMPLE_BOTS.values()))], form)
