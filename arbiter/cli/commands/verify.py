"""`arbiter verify RECORD|RESULTS...`: check records against the rules, and results against their records."""

import sys
from pathlib import Path

import click
import msgspec
from msgspec.structs import asdict

from arbiter.cli.failures import EXIT_NEGATIVE
from arbiter.cli.files import results_option
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import print_each
from arbiter.director.files import find_source, is_results, read_bytes
from arbiter.director.verification import VerifiedResults, verify_results
from arbiter.errors import ConfigError, write_count
from arbiter.games.ending_words import write_ending
from arbiter.show.text import list_counts, plain
from arbiter.verify import Verification
from arbiter.verify import verify as verify_record


@command
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="RECORD|RESULTS...")
@click.option("--no-draw-limits", is_flag=True, help="Ignore the draw limits.")
@click.option(
    "--digest", metavar="HEX", help="Check that RESULTS still contains all that this published digest covers."
)
@results_option
@format_options
def verify(files: tuple[Path, ...], digest: str | None, place: Path | None, form: str, *, no_draw_limits: bool) -> None:
    """Play the actions of records again under the rules, and compare every outcome with the record.

    RECORD is the record file of a game. RESULTS is a results file, a folder with one results file, or the tournament
    file: then every stored row is compared with its record, with the schedule and with the hash chain of the file,
    and the digest of the whole event is shown. Exit code: 0 if everything is correct, 1 if not.
    """
    all_correct = True
    with print_each("Verified", form) as show:
        for file in (find_source(file, place) for file in files):
            if is_results(file):
                verified = verify_results(file, digest, draw_limits=not no_draw_limits)
                show({"ok": verified.ok, **asdict(verified)}, _describe_results(verified))
                all_correct &= verified.ok
                continue
            if digest is not None:
                raise ConfigError(f"--digest: is the digest of results, but {file} is a record")
            found = verify_record(read_bytes(file), draw_limits=not no_draw_limits)
            values = {key: value for key, value in msgspec.to_builtins(found).items() if value is not None}
            show({"file": str(file), **values}, f"{plain(str(file))}: {_describe(found)}")
            all_correct &= found.ok
    if not all_correct:
        sys.exit(EXIT_NEGATIVE)


def _describe(found: Verification) -> str:
    if not found.ok:
        place = "" if found.act is None else f"act {found.act} "
        return plain(f"{place}{found.why}")
    winner = f"{found.winner} wins" if found.winner else "nobody wins"
    end = f"{winner} ({write_ending(found.ending)})" if found.ending else "not finished"
    return f"ok, {write_count(found.plies or 0, 'ply')}, {end}"


def _describe_results(found: VerifiedResults) -> str:
    """Describe verified results as lines: the faults, a summary, and the digest."""
    faults = write_count(len(found.faults), "fault") if found.faults else "ok"
    parts = [f"{faults}: {write_count(found.games, 'game')}"]
    if found.missing:
        parts.append(f"{found.missing} not played yet")
    if found.unchecked:
        endings = list_counts(found.unchecked, write_ending)
        parts.append(f"endings that no record can prove: {endings}")
    if found.first and found.ok:
        parts.append(f"first: {found.first}")
    parts.append(f"chain of {found.links} links")
    lines = (*found.faults, "; ".join(parts), f"digest {found.digest}")
    return "\n".join(plain(f"{found.file}: {line}") for line in lines)
