"""Play a tuning: the games of its iterations, in this process, in worker processes or on a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace

from arbiter.director.journal import Journal
from arbiter.director.programs import ProgramGuard
from arbiter.director.run import Run, RunOutcome
from arbiter.director.venue import Bots, Notify, PlaySettings, Venue, open_venue
from arbiter.games.chance import Key
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.tournament.arena import Arena, ArenaSettings
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.entries import open_entries
from arbiter.tournament.execution.tuning import PLUS, TuningGames
from arbiter.tournament.new_results import KeptLogs
from arbiter.tournament.programs import ProgramDigest, ProgramDigests
from arbiter.tournament.results.manifest import new_manifest


class TuningVenue(Struct, frozen=True):
    """The place where the games of a tuning are played."""

    venue: Venue
    program: ProgramDigest | None
    """The program that is tuned; None if it has no files."""
    tournament: Tournament
    guard: ProgramGuard


class TuningRun(Run):
    """One run of a tuning; the same secret gives the same games."""

    def __init__(self, place: TuningVenue, games: TuningGames, secret: Key) -> None:
        executor, tournament = place.venue.executor, place.tournament
        manifest = new_manifest(tournament, executor.isolation, secret)
        journal = Journal(manifest)
        settings = ArenaSettings(logs=KeptLogs(), identify=place.guard.identify, choose_values=games.choose_values)
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
def open_tuning_venue(
    tournament: Tournament, settings: PlaySettings, hidden: HiddenFiles, notify: Notify
) -> Iterator[TuningVenue]:
    """Prepare the place where both sides of a tuning play; `notify` receives what the operator should know about it.

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
        yield TuningVenue(venue, digests.digest(PLUS), replace(tournament, programs=venue.programs), guard)
