"""`arbiter doctor`: the abilities of machines that matter for untrusted bots."""

import sys
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import click

from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.game_options import machine_option
from arbiter.cli.options import command, format_options
from arbiter.cli.play_options import make_protection_options
from arbiter.cli.terminal import print_sheets
from arbiter.director.venue import require_dask
from arbiter.errors import ConfigError
from arbiter.sandbox.select import diagnose
from arbiter.show.tables.checks import machines_sheet, ports_sheet
from arbiter.show.tables.sheet import Column, Sheet

_TITLES: Final = {
    "full": "This machine supports the sandbox",
    "process": "This machine does not support the sandbox: play only trusted bots",
}
_POINTS: Final[tuple[Column[tuple[str, Any]], ...]] = (
    Column("point", value=lambda one: one[0], align="left"),
    Column("found", value=lambda one: one[1], align="left"),
)
_LOGS: Final[tuple[Column[tuple[str, str, str]], ...]] = (
    Column("worker", value=itemgetter(0), align="left"),
    Column("level", value=itemgetter(1), align="left"),
    Column("line", value=itemgetter(2), align="left"),
)


@command
@click.option(
    "--cluster",
    metavar="ADDRESS|FILE",
    help="Check the machines of a running cluster instead: the address of its scheduler, or its scheduler file.",
)
@machine_option(
    "--logs",
    metavar="WORKER",
    help="With --cluster: show the last lines of the log of a worker, or of all workers of a machine, by its name or "
    "address.",
)
@make_protection_options(machine_option)
@format_options
def doctor(cluster: str | None, logs: str | None, tls: Path | None, form: str, *, insecure: bool) -> None:
    """Check if this machine supports the sandbox, and show what to install or change if not.

    Exit code: 0 if it supports the sandbox, 1 if not.  For a cluster: 1 if something is missing on a machine,
    or if other machines can reach a port that is not encrypted.
    """
    if logs is not None and cluster is None:
        raise ConfigError("--logs: is for the workers of a cluster; add --cluster ADDRESS")
    if cluster is not None:
        require_dask("--cluster")
        from arbiter.cluster.addresses import Access  # noqa: PLC0415 - slow to import, and not always installed
        from arbiter.cluster.survey import examine_cluster, read_logs  # noqa: PLC0415

        access = Access(role="client", option="--cluster", given=cluster, tls=tls, insecure=insecure)
        if logs is not None:
            print_sheets([Sheet(title=f"Logs of {logs}", columns=_LOGS, items=read_logs(access, logs))], form)
            return
        machines, ports = examine_cluster(access)
        print_sheets([machines_sheet(cluster, machines), ports_sheet(ports)], form)
        if any(one["missing"] for one in (*machines, *ports)):
            sys.exit(EXIT_NEGATIVE)
        return
    found = diagnose()
    points = {"sandbox": found.sandbox, "why": found.why, "cure": found.cure} | found.points
    rows = tuple((name, value) for name, value in points.items() if value)
    sheet = Sheet(title=_TITLES[found.sandbox], columns=_POINTS, items=rows, data=(points,))
    print_sheets([sheet], form)
    if found.why:
        sys.exit(EXIT_NEGATIVE)
