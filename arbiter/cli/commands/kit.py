"""`arbiter kit [FOLDER]`: write the kit for bots in Python as a wheel."""

import shlex
from pathlib import Path

import click

from arbiter.cli.options import command, format_options
from arbiter.cli.terminal import print_facts
from arbiter.director.files import write_bytes
from arbiter.kit import KIT_FILE, RULES_FILE, make_kit, make_rules


@command
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option("--rules", is_flag=True, help="Write the rules too, for bots that search with them.")
@format_options
def kit(folder: Path, rules: bool, form: str) -> None:
    """Write the kit for bots in Python as a wheel into FOLDER, and show how to install it.

    Bots with a Python environment of their own need it there; the Python that runs the arbiter has it already.
    The wheel contains the package `protocol` and needs only msgspec. Default: the current folder.
    """
    wheels = {KIT_FILE: make_kit()} | ({RULES_FILE: make_rules()} if rules else {})
    paths = [folder / name for name in wheels]
    for path in paths:
        write_bytes(path, wheels[path.name])
    shown = [str(path if path.is_absolute() else f"./{path}") for path in paths]
    install = f"venv/bin/python -m pip install {shlex.join(shown)}"
    what = "them" if rules else "it"
    wrote = f"Wrote {' and '.join(map(str, paths))}. To install {what} in the environment `venv` of a bot:"
    network = f'To play over a network with arbiter-connect, install "{shown[0]}[connect]" instead of {shown[0]}.'
    text = f"{wrote}\n\n    {install}\n\n{network}"
    print_facts("Kit", [{"file": str(paths[0]), "files": [*map(str, paths)], "install": install}], form, lambda: text)
