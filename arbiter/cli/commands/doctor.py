"""`arbiter doctor`: what this machine can promise about the bots that are played on it."""

import sys
from typing import Final

import click

from arbiter.cli.failures import ANSWER_IS_NO
from arbiter.cli.printing import json_option, print_sheets
from arbiter.sandbox.diagnose import diagnose
from arbiter.show.tables.sheet import Sheet

_TITLES: Final = {
    "full": "Bots can be kept in a sandbox here",
    "process": "There is no sandbox here: only trusted bots are played",
}


@click.command
@json_option
def doctor(*, as_json: bool) -> None:
    """Tell whether bots can be kept in a sandbox here, and what to install or to set where they cannot.

    Exits with 0 where they can and with 1 where they cannot.
    """
    found = diagnose()
    verdict = {"sandbox": found.sandbox, "why": found.why, "cure": found.cure}
    rows = tuple((name, value) for name, value in (verdict | found.points).items() if value)
    sheet = Sheet(title=_TITLES[found.sandbox], head=("point", "found"), rows=rows, objects=(verdict | found.points,))
    print_sheets([sheet], "json" if as_json else "table")
    if found.why:
        sys.exit(ANSWER_IS_NO)
