"""`arbiter verify RECORD...`: referee records again from their acts alone."""

import sys
from pathlib import Path

import click
import msgspec

from arbiter.cli.failures import ANSWER_IS_NO
from arbiter.cli.files import named_records
from arbiter.cli.printing import json_option
from arbiter.show.text import json_line, plain
from arbiter.verify import Verification
from arbiter.verify import verify as verify_record


@click.command
@click.argument("records", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RECORD...")
@click.option("--no-draw-limits", is_flag=True, help="Switch the draw limits off.")
@json_option
def verify(records: tuple[Path, ...], *, no_draw_limits: bool, as_json: bool) -> None:
    """Referee records again from their acts alone, and compare what they say with what comes out.

    A RECORD is a file, or a results file for all of its games. Exit code 0 only if all are well.
    """
    all_well = True
    for name, data in named_records(records):
        verdict = verify_record(data, draw_limits=not no_draw_limits)
        click.echo(_as_json(name, verdict) if as_json else f"{plain(name)}: {_in_words(verdict)}")
        all_well &= verdict.ok
    if not all_well:
        sys.exit(ANSWER_IS_NO)


def _as_json(name: str, verdict: Verification) -> str:
    found = {key: value for key, value in msgspec.to_builtins(verdict).items() if value is not None}
    return json_line({"file": name, **found})


def _in_words(verdict: Verification) -> str:
    if not verdict.ok:
        where = "" if verdict.act is None else f"act {verdict.act} "
        return plain(f"{where}{verdict.why}")
    winner = f"{verdict.winner} wins" if verdict.winner else "nobody wins"
    ending = f"{winner} ({verdict.ending})" if verdict.ending else "not over"
    return f"ok, {verdict.plies} plies, {ending}"
