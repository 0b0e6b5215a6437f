"""`arbiter verify RECORD...`: check records against the rules."""

import sys
from pathlib import Path

import click
import msgspec

from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.files import read_records
from arbiter.cli.options import json_option
from arbiter.show.text import json_line, plain
from arbiter.verify import Verification
from arbiter.verify import verify as verify_record


@click.command
@click.argument("records", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RECORD...")
@click.option("--no-draw-limits", is_flag=True, help="Ignore the draw limits.")
@json_option
def verify(records: tuple[Path, ...], *, no_draw_limits: bool, as_json: bool) -> None:
    """Play the actions of records again under the rules, and compare every outcome with the record.

    RECORD is a record file, or a results file for all its games. Exit code: 0 if all records are correct, 1 if not.
    """
    all_correct = True
    for name, data in read_records(records):
        found = verify_record(data, draw_limits=not no_draw_limits)
        if as_json:
            values = {key: value for key, value in msgspec.to_builtins(found).items() if value is not None}
            click.echo(json_line({"file": name, **values}))
        else:
            click.echo(f"{plain(name)}: {_describe(found)}")
        all_correct &= found.ok
    if not all_correct:
        sys.exit(EXIT_NEGATIVE)


def _describe(found: Verification) -> str:
    if not found.ok:
        place = "" if found.act is None else f"act {found.act} "
        return plain(f"{place}{found.why}")
    winner = f"{found.winner} wins" if found.winner else "nobody wins"
    return f"ok, {found.plies} plies, {f'{winner} ({found.ending})' if found.ending else 'not finished'}"
