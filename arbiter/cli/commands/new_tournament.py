"""`arbiter new-tournament --from FILE`: write the tournament file of the next event."""

from pathlib import Path

import click
from msgspec.structs import asdict

from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.terminal import print_facts
from arbiter.director.files import TOML, results_file, write_new_file
from arbiter.errors import ConfigError, write_command
from arbiter.show.text import plain
from arbiter.tournament.config.entrants import read_tournament_file
from arbiter.tournament.config.next_event import count_up, write_next_event
from arbiter.tournament.config.typed_toml import parse_toml


@command
@click.argument("file", required=False, type=PATH)
@click.option("--from", "last", type=PATH, required=True, metavar="LAST", help="Tournament file of the last event.")
@click.option("--name", help="Name of the new event. Default: that of the last one, counted up.")
@click.option("--dates", help="Dates of the new event, as people write them. Default: none.")
@format_options
def new_tournament(file: Path | None, last: Path, name: str | None, dates: str | None, form: str) -> None:
    """Write the tournament file of the next event from that of the last one.

    Bots, rules, format, clocks and comments stay as they are. Name and dates are new, and the seed and the absences
    of bots are removed; the secret and the results of an event are always new. FILE is in the folder of LAST, because
    the paths in it are relative to that. Default: the name of LAST, counted up, as in club-2.toml. Existing files
    are never overwritten.
    """
    read_tournament_file(last)
    _, text = parse_toml(last)
    path = file or last.with_name(f"{count_up(last.stem).replace(' ', '-')}{TOML}")
    if path.suffix != TOML:
        raise ConfigError(f"{path}: must end in {TOML}; name it {path.stem}{TOML}")
    if path.absolute().parent != last.absolute().parent:
        raise ConfigError(
            f"{path}: must be in the folder of {last}, because paths in it are relative; "
            f"name {last.with_name(path.name)}"
        )
    results = results_file(path, None)
    if results.exists():
        raise ConfigError(f"{path}: would continue the results of another event at {results}; name another file")
    try:
        written = write_next_event(text, name, dates)
    except ConfigError as error:
        raise ConfigError(f"{last}: {error}") from None
    write_new_file(path, written.text.encode())
    facts = {"file": str(path), **{key: value for key, value in asdict(written).items() if key != "text"}}
    lines = [f"Wrote {path}: {plain(written.name)}."]
    if written.removed:
        lines.append(f"Removed, because they belong to one event: {', '.join(written.removed)}.")
    if written.kept:
        lines.append(f"Check these keys of the last event, which share a line with others: {', '.join(written.kept)}.")
    lines.append(f"\n    {write_command('run', path)}")
    print_facts("Tournament", [facts], form, lambda: "\n".join(lines))
