"""Games to watch: finished games, and games in progress that another process plays."""

from contextlib import ExitStack
from pathlib import Path

import click

from arbiter.cli.files import open_results
from arbiter.cli.options import END
from arbiter.director.files import find_results, is_results, read_bytes
from arbiter.errors import ConfigError, write_command
from arbiter.record import Record, RecordError, read_record
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.show.watch.source import ViewSettings, open_game
from arbiter.tournament.results.reader import Results
from arbiter.transcript import GameLog

viewer_option = click.option(
    "--as",
    "viewer",
    type=click.Choice(VIEWERS),
    default="arbiter",
    metavar="VIEW",
    help="arbiter (everything), red, blue or spectator.  [default: arbiter]",
)


def read_game(source: Path, game: str | None) -> tuple[Record, bool]:
    """Read a record file or a game of results; returns the record and True if the game is in progress.

    Raises ConfigError.
    """
    try:
        if not is_results(source):
            return _read_record_file(source, game), False
        with open_results(source) as store:
            if game is None:
                raise ConfigError(f"{store.path}: name a game; `{write_command('games', store.path)}` lists them")
            record, live = open_game(store, game)
            return record, live.in_progress
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None


def read_written_record(source: Path, game: str | None) -> bytes:
    """Return the record of a game as it is written: `read_game` has read it before.  Raises ConfigError."""
    if game is None or not is_results(source):
        return read_bytes(source)
    with Results.read(find_results(source)) as results:
        return results.live_record(game) or results.record(game)


def read_log(source: Path, game: str | None) -> GameLog:
    """Read the log of a game of results; empty for a record file, and for a game in progress.  Raises ConfigError."""
    if game is None or not is_results(source):
        return GameLog()
    with Results.read(find_results(source)) as results:
        return results.log(game)


def watch_on_terminal(path: Path, game: str | None, at: str | None, settings: ViewSettings, *, playing: bool) -> None:
    """Watch a record, a game of results, or games picked from the list of results.

    Errors in the game are reported before the application takes over the screen.  Raises ConfigError.
    """
    from arbiter.show.watch.state import ReplayState  # noqa: PLC0415 - rich is slow to import

    with ExitStack() as closing:
        source = closing.enter_context(open_results(path)) if is_results(path) else None
        state: ReplayState | None = None
        if source is None or game is not None:
            try:
                if source is None or game is None:
                    state = ReplayState(_read_record_file(path, game), settings)
                else:
                    record, live = open_game(source, game)
                    state = ReplayState(record, settings, live, source.log(game))
            except RecordError as error:
                raise ConfigError(f"{path}: {error}") from None
            if at is not None:
                replay = state.replay
                state.go_to(replay.last if at == END else replay.find_ply(replay.check_ply(int(at))))
            elif playing:  # otherwise the replay of a game in progress starts at its latest ply
                state.go_to(0)
        elif at is not None:
            raise ConfigError(f"--at {at}: name the game of {path}")
        from arbiter.show.watch.app import watch  # noqa: PLC0415 - so is textual

        if watch(settings, state, source, playing=playing):
            raise KeyboardInterrupt


def _read_record_file(file: Path, game: str | None) -> Record:
    if game is not None:
        raise ConfigError(f"{file}: is not a results file; leave out the game {game!r}")
    return read_record(read_bytes(file))
