"""`arbiter verify RECORD|RESULTS...`: check records against the rules, and results against their records."""

import sys
from pathlib import Path

import click
import msgspec

from arbiter.cli.audit import audit_results
from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.files import results_option
from arbiter.cli.options import json_option
from arbiter.director.files import find_source, is_results, read_bytes
from arbiter.errors import ConfigError
from arbiter.games.ending_words import write_ending
from arbiter.show.text import json_line, plain
from arbiter.verify import Verification
from arbiter.verify import verify as verify_record


@click.command
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RECORD|RESULTS...")
@click.option("--no-draw-limits", is_flag=True, help="Ignore the draw limits.")
@click.option(
    "--digest", metavar="HEX", help="Check that RESULTS still contains all that this published digest covers."
)
@results_option
@json_option
def verify(
    files: tuple[Path, ...], digest: str | None, place: Path | None, *, no_draw_limits: bool, as_json: bool
) -> None:
    """Play the actions of records again under the rules, and compare every outcome with the record.

    RECORD is the record file of a game. RESULTS is a results file, a folder with one results file, or the tournament
    file: then every stored row is compared with its record, with the schedule and with the hash chain of the file,
    and the digest of the whole event is shown. Exit code: 0 if everything is correct, 1 if not.
    """
    all_correct = True
    for file in (find_source(file, place) for file in files):
        if is_results(file):
            report = audit_results(file, digest, draw_limits=not no_draw_limits)
            click.echo(json_line(report.as_object()) if as_json else report.as_text())
            all_correct &= not report.faults
            continue
        if digest is not None:
            raise ConfigError(f"--digest: is the digest of results, but {file} is a record")
        found = verify_record(read_bytes(file), draw_limits=not no_draw_limits)
        if as_json:
            values = {key: value for key, value in msgspec.to_builtins(found).items() if value is not None}
            click.echo(json_line({"file": str(file), **values}))
        else:
            click.echo(f"{plain(str(file))}: {_describe(found)}")
        all_correct &= found.ok
    if not all_correct:
        sys.exit(EXIT_NEGATIVE)


def _describe(found: Verification) -> str:
    if not found.ok:
        place = "" if found.act is None else f"act {found.act} "
        return plain(f"{place}{found.why}")
    winner = f"{found.winner} wins" if found.winner else "nobody wins"
    return f"ok, {found.plies} plies, {f'{winner} ({write_ending(found.ending)})' if found.ending else 'not finished'}"
