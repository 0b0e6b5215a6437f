"""`arbiter doctor`: the abilities of machines that matter for untrusted bots."""

import sys
from typing import Any, Final

import click

from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.options import command, format_options
from arbiter.cli.terminal import print_sheets
from arbiter.director.venue import require_dask
from arbiter.sandbox.select import diagnose
from arbiter.show.tables.checks import machines_sheet
from arbiter.show.tables.sheet import Column, Sheet

_TITLES: Final = {
    "full": "This machine supports the sandbox",
    "process": "This machine does not support the sandbox: play only trusted bots",
}
_POINTS: Final[tuple[Column[tuple[str, Any]], ...]] = (
    Column("point", value=lambda one: one[0], align="left"),
    Column("found", value=lambda one: one[1], align="left"),
)


@command
@click.option(
    "--cluster",
    metavar="ADDRESS|FILE",
    help="Check the machines of a running cluster instead: the address of its scheduler, or its scheduler file.",
)
@format_options
def doctor(cluster: str | None, form: str) -> None:
    """Check if this machine supports the sandbox, and show what to install or change if not.

    Exit code: 0 if it supports the sandbox, 1 if not.  For a cluster: 1 if something is missing on a machine.
    """
    if cluster is not None:
        require_dask("--cluster")
        from arbiter.cluster.machines import list_machines  # noqa: PLC0415 - slow to import, and not always installed

        machines = list_machines(cluster)
        print_sheets([machines_sheet(cluster, machines)], form)
        if any(one["missing"] for one in machines):
            sys.exit(EXIT_NEGATIVE)
        return
    found = diagnose()
    points = {"sandbox": found.sandbox, "why": found.why, "cure": found.cure} | found.points
    rows = tuple((name, value) for name, value in points.items() if value)
    sheet = Sheet(title=_TITLES[found.sandbox], columns=_POINTS, items=rows, data=(points,))
    print_sheets([sheet], form)
    if found.why:
        sys.exit(EXIT_NEGATIVE)
