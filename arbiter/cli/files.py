"""Options for results, and results opened with a warning if games may be missing."""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import click

from arbiter.cli.options import add_options
from arbiter.director.files import SUFFIX, find_results, find_source, is_results, read_bytes
from arbiter.show.text import plain
from arbiter.tournament.results.reader import Results

results_option = click.option(
    "--results",
    "place",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help=f"Results file (*{SUFFIX}), or the folder for it.",
)


def results_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument RESULTS and the option --results; the command receives the path of the results file."""

    @wraps(command)
    def with_results(*, results: Path, place: Path | None, **others: object) -> object:
        return command(results=find_results(results, place), **others)

    argument = click.argument("results", type=click.Path(path_type=Path))
    return add_options(argument, results_option)(with_results)


def open_results(path: Path) -> Results:
    """Open a results file for reading, and warn if games may be missing.  Raises ConfigError."""
    results = Results.read(path)
    warn_if_incomplete(results)
    return results


def warn_if_incomplete(results: Results) -> None:
    """Warn if games may be missing."""
    if results.incomplete:
        click.echo(f"arbiter: {plain(results.incomplete)}", err=True)


def read_records(paths: Iterable[Path], place: Path | None) -> Iterator[tuple[str, bytes]]:
    """Read record files, and all games of results as in `find_results`; yields names and records.  Raises ConfigError."""
    for path in (find_source(path, place) for path in paths):
        if not is_results(path):
            yield str(path), read_bytes(path)
            continue
        with open_results(path) as store:
            for game in store.games_as_played():
                yield f"{path}:{game.id}", store.record(game.id)
