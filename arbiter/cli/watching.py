"""Watching on a terminal: whatever can be wrong with a game is found here, before the screen is taken over."""

import sys
from contextlib import ExitStack
from pathlib import Path

from arbiter.cli.files import is_results, open_results
from arbiter.cli.records import END, read_record_in
from arbiter.cli.terminal import is_dumb
from arbiter.cli.watched import Watched
from arbiter.errors import ConfigError
from arbiter.record import RecordError
from arbiter.show.watch.source import open_game
from arbiter.show.watch.state import ReplayState, ViewSettings


def can_watch() -> bool:
    """Say whether there is a terminal that an application can take over."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb()


def watch_on_terminal(path: Path, game: str | None, at: str | None, wishes: ViewSettings, *, playing: bool) -> None:
    """Watch a record, a game of results, or games picked from their list.  Raises ConfigError."""
    with ExitStack() as closing:
        source = Watched(closing.enter_context(open_results(path))) if is_results(path) else None
        if source is not None and game is None:
            if at is not None:
                raise ConfigError(f"--at {at}: name the game of {path}")
            viewing = None
        else:
            viewing = _viewing(path, source, game, wishes)
            _begin(viewing, at, playing=playing)
        _watch(wishes, viewing, source, playing=playing)


def _viewing(path: Path, source: Watched | None, game: str | None, wishes: ViewSettings) -> ReplayState:
    try:
        if source is None or game is None:
            return ReplayState(read_record_in(path, game), wishes)
        record, live = open_game(source, game)
        return ReplayState(record, wishes, live)
    except RecordError as error:
        raise ConfigError(f"{path}: {error}") from None


def _begin(viewing: ReplayState, at: str | None, *, playing: bool) -> None:
    """Go to where one wishes to begin: of a game under way that is the newest act, unless it is to be played."""
    replay = viewing.replay
    if at is not None:
        viewing.go_to(replay.last if at == END else replay.find_ply(replay.check_ply(int(at))))
    elif playing:
        viewing.go_to(0)


def _watch(wishes: ViewSettings, viewing: ReplayState | None, source: Watched | None, *, playing: bool) -> None:
    from arbiter.show.watch.app import watch  # noqa: PLC0415 - textual is slow to import, and plain frames need none

    if watch(wishes, viewing, source, playing=playing):
        raise KeyboardInterrupt
