"""Results, games and voided attempts that are named on the command line."""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from arbiter.cli.options import PATH, add_options
from arbiter.director.files import SUFFIX, find_results, find_sources, is_results, read_plain_record
from arbiter.errors import ConfigError, write_command
from arbiter.record import Record, RecordError, read_record
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.show.text import plain
from arbiter.tournament.events import Attempt
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.store import Store
from arbiter.transcript import GameLog

results_option = click.option(
    "--results",
    "place",
    type=PATH,
    metavar="PATH",
    help=f"Results file (*{SUFFIX}), or the folder for it.",
)


def results_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument RESULTS and the option --results; the command receives the path of the results file."""

    @wraps(command)
    def with_results(*, results: Path, place: Path | None, **others: object) -> object:
        return command(results=find_results(results, place), **others)

    argument = click.argument("results", type=PATH)
    return add_options(argument, results_option)(with_results)


def open_results(path: Path, *, follow: bool = False) -> Results:
    """Open a results file for reading, and warn if games may be missing.  Raises ConfigError.

    All reads show the results as they are now; with `follow`, each shows the latest ones.
    """
    results = Results.read(path)
    if not follow:
        results.freeze()
    warn_if_incomplete(results)
    return results


def warn_if_incomplete(results: Results) -> None:
    """Warn if games may be missing."""
    if results.incomplete:
        click.echo(f"arbiter: {plain(results.incomplete)}", err=True)


def read_records(paths: Sequence[Path], place: Path | None) -> Iterator[tuple[str, bytes]]:
    """Yield names and records: of record files, and of all games of results.  Raises ConfigError."""
    for path in find_sources(paths, place):
        if not is_results(path):
            yield str(path), read_plain_record(path)
            continue
        with open_results(path) as store:
            for game in store.games_as_played():
                yield f"{path}:{game.id}", store.record(game.id)


# --- one game ------------------------------------------------------------------------------------


viewer_option = click.option(
    "--as",
    "viewer",
    type=click.Choice(VIEWERS),
    default="arbiter",
    metavar="VIEW",
    help="arbiter (everything), red, blue or spectator.  [default: arbiter]",
)


def find_game_id(store: Store, game: str | None) -> str:
    """Find a game by its id, or by what identifies it.  Raises ConfigError."""
    if game is None:
        raise ConfigError(f"{store.path}: name a game; `{write_command('games', store.path)}` lists them")
    return store.find_id(game)


def read_game(source: Path, game: str | None) -> tuple[Record, bool]:
    """Read a record file or a game of results; returns the record and True if the game is in progress.

    Raises ConfigError.
    """
    from arbiter.show.watch.source import open_game  # noqa: PLC0415 - most commands do not need it

    try:
        if not is_results(source):
            return read_record_file(source, game), False
        with open_results(source) as store:
            record, live = open_game(store, find_game_id(store, game))
            return record, live.in_progress
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None


def read_written_record(source: Path, game: str | None) -> bytes:
    """Return the record of a game as it is written: `read_game` has read it before.  Raises ConfigError."""
    if game is None or not is_results(source):
        return read_plain_record(source)
    with Results.read(find_results(source)) as results:
        found = results.find_id(game)
        return results.live_record(found) or results.record(found)


def read_log(source: Path, game: str | None) -> GameLog:
    """Read the log of a game of results; empty for a record file, and for a game in progress.  Raises ConfigError."""
    if game is None or not is_results(source):
        return GameLog()
    with Results.read(find_results(source)) as results:
        return results.log(results.find_id(game))


def read_record_file(file: Path, game: str | None) -> Record:
    if game is not None:
        raise ConfigError(f"{file}: is not a results file; leave out the game {game!r}")
    return read_record(read_plain_record(file))


# --- voided attempts ------------------------------------------------------------------------------


attempt_option = click.option(
    "--attempt",
    type=click.IntRange(1),
    help="Take the voided attempt of GAME with this number. Default: the last one if the game has no result.",
)


def find_attempt(store: Store, game: str, number: int | None) -> tuple[int, Attempt] | None:
    """Find a voided attempt to play a game and its number; None if the game has a result or was never tried.

    Raises ConfigError if no attempt of the game has the number.
    """
    game = store.find_id(game)
    if number is None and store.has(game):
        return None
    attempts = {key: attempt for key, attempt in store.attempts().items() if attempt.id == game}
    if number is None:
        return max(attempts.items(), default=None)
    if number not in attempts:
        listing = f"`{write_command('games', store.path, '--show', 'void')}` lists the voided attempts"
        raise ConfigError(f"--attempt {number}: is not a voided attempt of {game!r}; {listing}")
    return number, attempts[number]
