"""`arbiter certificates FOLDER`: write certificates for the connections of a cluster."""

from importlib.util import find_spec
from pathlib import Path

import click

from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import print_facts
from arbiter.errors import ConfigError


@command
@click.argument("folder", type=PATH)
@click.option(
    "--days", type=click.IntRange(1, 3650), default=90, show_default=True, help="Validity of the certificates."
)
@click.option(
    "--place",
    type=PATH,
    metavar="PATH",
    help="Absolute path of the folder on each machine to which the files of its role are copied. Default: the path at "
    "which they are written.",
)
@format_options
def certificates(folder: Path, days: int, place: Path | None, form: str) -> None:
    """Write certificates for encrypted connections of a cluster into a new FOLDER.

    It gets a folder each for the scheduler, the workers and the client, which is `arbiter run`. Copy each to its
    machine, and set DASK_CONFIG to it. Each of them gives control of the whole cluster.
    """
    if find_spec("cryptography") is None:
        raise ConfigError(
            'arbiter certificates: needs cryptography; install it with: pip install "stratego-arbiter[cluster]"'
        )
    if place is not None and not place.is_absolute():
        raise ConfigError(f"--place {place}: must be an absolute path, such as /etc/arbiter-tls")
    from arbiter.cluster.certificates import ROLES, write_certificates  # noqa: PLC0415 - slow to import

    write_certificates(folder, days, place)
    starts = {
        "scheduler": "dask scheduler --protocol tls --host HOST",
        "worker": "arbiter worker tls://HOST:8786",
        "client": "arbiter run FILE --cluster tls://HOST:8786",
    }
    commands = {role: f"DASK_CONFIG={place or (folder / role).absolute()} {starts[role]}" for role in ROLES}
    listed = "\n".join(f"    {command}" for command in commands.values())
    text = f"Wrote {folder}. They are valid for {days} days. Copy each folder to its machine, readable only for you:"
    facts = [{"role": role, "folder": str(folder / role), "start": start} for role, start in commands.items()]
    print_facts("Certificates", facts, form, lambda: f"{text}\n\n{listed}")
