"""`arbiter worker ADDRESS`: play games on this machine for the runs that use a cluster."""

from pathlib import Path

import click

from arbiter.cli.options import Command
from arbiter.cli.play_options import make_protection_options
from arbiter.cli.terminal import print_notice
from arbiter.clock import TimeSettings
from arbiter.director.venue import require_dask
from arbiter.tournament.machine import choose_jobs


@click.command(cls=Command, context_settings={"ignore_unknown_options": True})
@click.argument("address", metavar="ADDRESS|FILE")
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Games at the same time on this machine. Default: one per two cores.",
)
@click.option("--force-jobs", is_flag=True, help="Play more games at the same time than the machine has cores for.")
@click.option(
    "--host", metavar="HOST", help="Own address to listen at. Default: its address in the network of the scheduler."
)
@make_protection_options(click.option)
@click.argument("dask_options", metavar="[DASK OPTIONS]", nargs=-1, type=click.UNPROCESSED)
def worker(
    address: str,
    jobs: int | None,
    host: str | None,
    tls: Path | None,
    dask_options: tuple[str, ...],
    *,
    force_jobs: bool,
    insecure: bool,
) -> None:
    """Play games on this machine for the runs that use a cluster.

    ADDRESS is the address of the scheduler, or its scheduler file. It waits for the scheduler for up to a minute, joins
    it again if it is lost later, and ends at Ctrl-C. This is `dask worker` with settings that suit games; its other
    options may follow.
    """
    require_dask("arbiter worker")
    from arbiter.cluster.addresses import Access  # noqa: PLC0415 - Dask is slow to import
    from arbiter.cluster.processes import run_worker  # noqa: PLC0415

    chosen = choose_jobs(jobs, TimeSettings(), force=force_jobs)
    if chosen.warning is not None:
        print_notice(chosen.warning)
    access = Access(role="worker", option="arbiter worker", given=address, tls=tls, insecure=insecure)
    run_worker(access, host, chosen.number, dask_options, print_notice)
