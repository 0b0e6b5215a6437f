"""Games whose results a command keeps itself, as a tuning and a suite do: in this process, in others, on a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from arbiter.director.journal import Journal
from arbiter.director.programs import ProgramGuard
from arbiter.director.run import Run, RunOutcome
from arbiter.director.venue import Bots, Notify, PlaySettings, Venue, open_venue
from arbiter.games.chance import Key
from arbiter.referee.game import GameSpec
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.tournament.arena import Arena, ArenaSettings
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.dispatcher import Dispatcher, FixtureSource
from arbiter.tournament.entries import open_entries
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.new_results import KeptLogs
from arbiter.tournament.programs import ProgramDigests
from arbiter.tournament.result_writer import Keep
from arbiter.tournament.results.manifest import new_manifest


class UnstoredVenue(Struct, frozen=True):
    """The place where the games are played."""

    venue: Venue
    digests: ProgramDigests
    tournament: Tournament
    guard: ProgramGuard


class UnstoredGames(FixtureSource, Protocol):
    """The games, and what differs between them."""

    def adapt(self, fixture: Fixture, spec: GameSpec, /) -> GameSpec:
        """Return a game as it is played."""


class UnstoredRun(Run):
    """One run of these games; the same secret gives the same games."""

    def __init__(self, place: UnstoredVenue, games: UnstoredGames, secret: Key, keep: Keep | None = None) -> None:
        """Play games; `keep` receives their results before `games` does."""
        executor = place.venue.executor
        tournament = place.tournament
        manifest = new_manifest(tournament, executor.isolation, secret)
        journal = Journal(manifest, sink=keep)
        settings = ArenaSettings(logs=KeptLogs(), identify=place.guard.identify, adapt=games.adapt)
        arena = Arena(tournament, manifest.key, executor, journal.keep, settings)
        dispatcher = Dispatcher(games, pairs_apart=tournament.has_revealing_pairs and not executor.plays_pairs)
        self._guard = place.guard
        super().__init__(arena, dispatcher, journal)

    def conclude(self) -> RunOutcome:
        """Return what happened, when nothing is played any more.  Raises ConfigError and OSError."""
        outcome = super().conclude()
        self._guard.end()
        return replace(outcome, changes=self._guard.changes)


@contextmanager
def open_unstored_venue(
    tournament: Tournament, settings: PlaySettings, hidden: HiddenFiles, notify: Notify
) -> Iterator[UnstoredVenue]:
    """Prepare the place where the bots of a tournament play; `notify` receives what the operator should know about it.

    No bot may read the `hidden` files.  Raises ConfigError.
    """
    settings.check(None)
    digests = ProgramDigests(tournament.programs, hidden.files, hidden.folders, has_environments=False)
    with (
        open_entries(None, digests) as entries,
        open_venue(tournament, settings, Bots(digests, entries, hidden, KeptLogs()), notify) as venue,
    ):
        guard = ProgramGuard(
            digests,
            [program.name for program in tournament.programs],
            (),
            lambda _bot, _found, _how: None,
            stops=True,
            load=entries.in_memory.load if settings.cluster is None else lambda _bot: None,
        )
        guard.begin((), {})
        yield UnstoredVenue(venue, digests, replace(tournament, programs=venue.programs), guard)
