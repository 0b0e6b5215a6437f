"""`arbiter scheduler`: run the scheduler of a cluster."""

from pathlib import Path

import click

from arbiter.cli.options import Command
from arbiter.cli.play_options import make_protection_options
from arbiter.cli.terminal import print_notice
from arbiter.director.venue import require_dask


@click.command(cls=Command, context_settings={"ignore_unknown_options": True})
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="HOST",
    help="Address of this machine to listen at; the default is only reached from this machine.",
)
@click.option("--port", type=click.IntRange(0, 65_535), default=8786, show_default=True, help="0 for any free port.")
@make_protection_options(click.option)
@click.argument("dask_options", metavar="[DASK OPTIONS]", nargs=-1, type=click.UNPROCESSED)
def scheduler(host: str, port: int, tls: Path | None, dask_options: tuple[str, ...], *, insecure: bool) -> None:
    """Run the scheduler of a cluster, to which `arbiter worker` and `arbiter run --cluster` connect.

    Anyone who reaches it controls the cluster, so other machines need certificates: see `arbiter certificates`.

    This is `dask scheduler` without its dashboard; its options may follow, such as --scheduler-file FILE or
    --dashboard.
    """
    require_dask("arbiter scheduler")
    from arbiter.cluster.addresses import Access  # noqa: PLC0415 - Dask is slow to import
    from arbiter.cluster.processes import run_scheduler  # noqa: PLC0415

    access = Access(role="scheduler", option="arbiter scheduler --host", given=host, tls=tls, insecure=insecure)
    run_scheduler(access, port, dask_options, print_notice)
