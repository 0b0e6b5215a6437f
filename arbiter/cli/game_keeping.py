"""What is kept of games while they are played: results on the disk, or nothing but a count."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from msgspec import Struct

from arbiter.tournament.arena import Keep
from arbiter.tournament.results.live_files import LiveGames, remove_live_games
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame


class Kept(Struct):
    """Where games are kept: `games` are those that are over, and grow; `ask_withdrawn` returns the withdrawn bots.

    `live` writes the records of games in progress, if they can be watched.
    """

    manifest: Manifest
    games: list[StoredGame]
    keep: Keep | None = None
    ask_withdrawn: Callable[[], Collection[str]] | None = None
    live: LiveGames | None = None


@contextmanager
def keeping(results: Path | None, manifest: Manifest, *, live: bool) -> Iterator[Kept]:
    """Open a results file, a new one or that of the same tournament; without one nothing is kept.  Raises ConfigError."""
    if results is None:
        yield Kept(manifest, [])
        return
    with (
        Store.create_or_resume(results, manifest) as store,
        Store.read(results) as reader,  # it never waits for what is being written
        LiveGames(results) if live else nullcontext() as live_games,
    ):
        if live_games is None:
            remove_live_games(results)
        yield Kept(store.manifest, store.games(), store.add, reader.withdrawn, live_games)
