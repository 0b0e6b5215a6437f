"""`arbiter certificates FOLDER`: write certificates for the connections of a cluster."""

import shlex
from importlib.util import find_spec
from pathlib import Path

import click

from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import print_facts
from arbiter.director.venue import require_dask
from arbiter.errors import ConfigError


@command
@click.argument("folder", type=PATH)
@click.option(
    "--days", type=click.IntRange(1, 3650), default=90, show_default=True, help="Validity of the certificates."
)
@format_options
def certificates(folder: Path, days: int, form: str) -> None:
    """Write certificates for encrypted connections of a cluster into a new FOLDER, which the option --tls names.

    It has a folder each for the scheduler, the workers and the client, which is `arbiter run`. Copy each to its
    machines; --tls also takes such a copy. Each of them gives control of the whole cluster.
    """
    require_dask("arbiter certificates")
    if find_spec("cryptography") is None:
        raise ConfigError(
            'arbiter certificates: needs cryptography; install it with: pip install "stratego-arbiter[cluster]"'
        )
    from arbiter.certificates import write_certificates  # noqa: PLC0415 - slow to import
    from arbiter.cluster.addresses import FILES, ROLES  # noqa: PLC0415 - as above

    write_certificates(folder, ROLES, FILES, days)
    starts = {
        "scheduler": "arbiter scheduler --host HOST",
        "worker": "arbiter worker tls://HOST:8786",
        "client": "arbiter run FILE --cluster tls://HOST:8786",
    }
    commands = {role: f"{start} --tls {shlex.quote(str(folder))}" for role, start in starts.items()}
    listed = "\n".join(f"    {command}" for command in commands.values())
    text = (
        f"Wrote {folder}. The certificates are valid for {days} days. Copy each folder to its machines, readable only "
        "for you, and name the copy there:"
    )
    facts = [{"role": role, "folder": str(folder / role), "start": start} for role, start in commands.items()]
    print_facts("Certificates", facts, form, lambda: f"{text}\n\n{listed}")
