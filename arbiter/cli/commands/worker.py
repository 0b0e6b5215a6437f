"""`arbiter worker ADDRESS`: play games on this machine for the runs that use a cluster."""

import click

from arbiter.cli.options import Command
from arbiter.cli.terminal import print_notice
from arbiter.director.venue import require_dask


@click.command(cls=Command, context_settings={"ignore_unknown_options": True})
@click.argument("address", metavar="ADDRESS|FILE")
@click.argument("dask_options", metavar="[DASK OPTIONS]", nargs=-1, type=click.UNPROCESSED)
def worker(address: str, dask_options: tuple[str, ...]) -> None:
    """Play games on this machine for the runs that use a cluster.

    ADDRESS is the address of the scheduler, or its scheduler file. This is `dask worker` with settings that suit games;
    all of its options may follow. It waits for the scheduler for up to a minute, and ends with it, or at Ctrl-C.
    """
    require_dask("arbiter worker")
    from arbiter.cluster.addresses import run_worker  # noqa: PLC0415 - Dask is slow to import

    run_worker(address, dask_options, print_notice)
