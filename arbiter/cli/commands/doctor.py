"""`arbiter doctor`: the abilities of this machine that matter for untrusted bots."""

import sys
from typing import Final

import click

from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.options import json_option
from arbiter.cli.output import print_sheets
from arbiter.sandbox.diagnose import diagnose
from arbiter.show.tables.sheet import Sheet

_TITLES: Final = {
    "full": "This machine supports the sandbox",
    "process": "This machine does not support the sandbox: play only trusted bots",
}


@click.command
@json_option
def doctor(*, as_json: bool) -> None:
    """Check if this machine supports the sandbox, and show what to install or change if not.

    Exit code: 0 if it supports the sandbox, 1 if not.
    """
    found = diagnose()
    points = {"sandbox": found.sandbox, "why": found.why, "cure": found.cure} | found.points
    rows = tuple((name, value) for name, value in points.items() if value)
    sheet = Sheet(title=_TITLES[found.sandbox], head=("point", "found"), rows=rows, objects=(points,))
    print_sheets([sheet], "json" if as_json else "table")
    if found.why:
        sys.exit(EXIT_NEGATIVE)
