"""`arbiter doctor`: the abilities of machines that matter for untrusted bots."""

import platform
import socket
import sys
from collections import Counter
from collections.abc import Mapping
from operator import methodcaller
from typing import Any, Final

import click
from msgspec.structs import asdict

from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.options import command, format_options
from arbiter.cli.printing import print_sheets
from arbiter.director.venue import require_dask
from arbiter.sandbox.probe import diagnose
from arbiter.show.tables.sheet import Column, Sheet

_TITLES: Final = {
    "full": "This machine supports the sandbox",
    "process": "This machine does not support the sandbox: play only trusted bots",
}
_POINTS: Final[tuple[Column[tuple[str, Any]], ...]] = (
    Column("point", value=lambda one: one[0], align="left"),
    Column("found", value=lambda one: one[1], align="left"),
)
_MACHINES: Final[tuple[Column[Mapping[str, Any]], ...]] = (
    Column("host", align="left"),
    Column("workers"),
    *(Column(key, value=methodcaller("get", key)) for key in ("cores", "slots", "speed")),
    Column("sandbox", value=methodcaller("get", "sandbox"), align="left"),
    Column("python", "Python", align="left"),
    Column("arbiter", align="left"),
    Column(
        "interpreters",
        value=lambda one: [f"{name} {version}".strip() for name, version in one.get("interpreters", {}).items()],
        align="left",
    ),
    Column(
        "missing",
        value=lambda one: "; ".join([f"{one['worker']}: {one['missing'][0]}"] if "worker" in one else one["missing"]),
        align="left",
    ),
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
        sheet = _check_cluster(cluster)
        print_sheets([sheet], form)
        if any(one["missing"] for one in sheet.objects):
            sys.exit(EXIT_NEGATIVE)
        return
    found = diagnose()
    points = {"sandbox": found.sandbox, "why": found.why, "cure": found.cure} | found.points
    rows = tuple((name, value) for name, value in points.items() if value)
    sheet = Sheet(title=_TITLES[found.sandbox], columns=_POINTS, items=rows, data=(points,))
    print_sheets([sheet], form)
    if found.why:
        sys.exit(EXIT_NEGATIVE)


def _check_cluster(address: str) -> Sheet:
    """Make the sheet of the machines of a cluster.  Raises ConfigError."""
    require_dask("--cluster")
    from arbiter.cluster.connect import open_running  # noqa: PLC0415 - slow to import, and not always installed
    from arbiter.cluster.machines import find_missing, survey_workers  # noqa: PLC0415

    with open_running(address) as cluster:
        survey = survey_workers(cluster, tuple(cluster.list_workers()), list_interpreters=True)
        # Of the standard library, so that workers without the arbiter can answer too.
        hosts = cluster.ask(socket.gethostname, workers=tuple(survey.faults))
        pythons = cluster.ask(platform.python_version, workers=tuple(survey.faults))
    workers = Counter(machine.id for machine in survey.machines.values())
    objects: list[dict[str, Any]] = [
        {**asdict(machine), "workers": workers[machine.id], "missing": list(find_missing(machine))}
        for machine in {machine.id: machine for machine in survey.machines.values()}.values()
    ]
    objects += [
        {
            "host": hosts.get(worker),
            "worker": worker,
            "workers": 1,
            "python": pythons.get(worker),
            "arbiter": survey.versions.get(worker),
            "missing": [fault],
        }
        for worker, fault in survey.faults.items()
    ]
    return Sheet(title=f"Machines of {address}", columns=_MACHINES, items=objects, data=objects)
