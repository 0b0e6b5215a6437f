"""`arbiter kit [FOLDER]`: write the kit for bots in Python as a wheel."""

import shlex
from pathlib import Path

import click

from arbiter.cli.options import command, format_options
from arbiter.cli.terminal import print_facts
from arbiter.director.files import write_bytes
from arbiter.kit import FILE, make_wheel


@command
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@format_options
def kit(folder: Path, form: str) -> None:
    """Write the kit for bots in Python as a wheel into FOLDER, and show how to install it.

    Bots with a Python environment of their own need it there; the Python that runs the arbiter has it already.
    The wheel contains the package `protocol` and needs only msgspec. Default: the current folder.
    """
    path = folder / FILE
    write_bytes(path, make_wheel())
    shown = path if path.is_absolute() else f"./{path}"
    install = f"venv/bin/python -m pip install {shlex.quote(str(shown))}"
    text = f"Wrote {path}. To install it in the environment `venv` of a bot:\n\n    {install}"
    print_facts("Kit", [{"file": str(path), "install": install}], form, lambda: text)
