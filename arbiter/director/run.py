"""One run of a tournament: opened with its results and a place to play, played, and described by its outcome."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter.director.journal import Journal, RulingReader, open_journal
from arbiter.director.programs import ProgramGuard, check_accepted
from arbiter.director.venue import Bots, Notify, PlaySettings, Venue, open_venue
from arbiter.errors import ConfigError
from arbiter.record import NETWORK
from arbiter.remote.hub import Hub, NetworkPlayer
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.isolation import Isolation
from arbiter.tournament.arena import Arena, ArenaSettings, TerminalPlayer
from arbiter.tournament.audits import Audits
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.dispatcher import Dispatcher, FixtureSource
from arbiter.tournament.entries import open_entries
from arbiter.tournament.events import Closing, Event, EventHandler, Finished, Presence, Progress, Ruled, RunBegan, Void
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.new_results import KeptLogs
from arbiter.tournament.programs import ProgramDigests
from arbiter.tournament.result_writer import Keep
from arbiter.tournament.results.database import Patience
from arbiter.tournament.results.manifest import Manifest, new_manifest
from arbiter.tournament.results.snapshot import Matches, OpenMatches
from arbiter.tournament.schedule import FORMATS
from arbiter.tournament.schedule.unrated import MatchQueue
from arbiter.tournament.standings.stored_game import StoredGame

_PROGRESS_EVERY_S: Final = 1.0
_DROP_LOGS_EVERY: Final = 100  # games
_MOST_LOAD: Final = 100  # ranking takes at most a hundredth of the time
_LOOK_EVERY_S: Final = 1.0  # for bots that join, and for what is done between games


class RunOutcome(Struct, frozen=True, kw_only=True):
    """The course of a run besides finished games."""

    stopped: bool
    """The run ended before the last game."""
    voids: Sequence[Void]
    """Games that stay voided; another run plays them."""
    excused: Sequence[StoredGame]
    """Games with answers that would be late if the arbiter had not stalled."""
    held: Sequence[Fixture]
    """Games of paused pairings; another run plays them."""
    postponed: Sequence[Fixture]
    """Games that wait for a person."""
    restarts: Mapping[str, int]
    """For each bot, how often a process that had played a game could not play another one."""
    changes: Sequence[str] = ()
    """Descriptions of programs that have changed during the run."""
    audits: Audits | None = None
    """The games that were played again on other machines."""


class Newcomers(Protocol):
    """The bots that join a tournament while it is played.  Its methods may take seconds, and raise ConfigError."""

    def find(self) -> Tournament | None:
        """Return the tournament with bots that join now; None if there are none."""

    def settle(self) -> None:
        """Do what follows when they have joined."""

    def note(self, game: StoredGame, /) -> None:
        """Note a game that is over; takes no time."""


class Run:
    """Games that are played until none is left, or until the run is stopped."""

    def __init__(self, arena: Arena, dispatcher: Dispatcher, journal: Journal) -> None:
        self.receive: EventHandler | None = None
        """Receives the events.  An OSError that it raises stops the run."""
        self.journal = journal
        self._arena = arena
        self._dispatcher = dispatcher
        self._scope = trio.CancelScope()
        self._failure: OSError | None = None

    @property
    def is_closing(self) -> bool:
        """True if no more games begin."""
        return self._dispatcher.is_closed

    async def play(self) -> None:
        """Play until no game is left.  Raises ConfigError, and OSError if the receiver of events does."""
        with self._scope:
            await self._arena.play(self._dispatcher, self._emit)
        self._check_receiver()

    def stop(self, *, announce: bool = True) -> None:
        """Begin no more games, and announce that: `play` returns when the games in progress are over."""
        if announce and not self.is_closing:
            self._emit(Closing())
        self._dispatcher.close()

    def abort(self) -> None:
        """Stop at once: the games in progress are voided."""
        self._dispatcher.close()
        self._scope.cancel()

    def conclude(self) -> RunOutcome:
        """Return what happened, when nothing is played any more.  Raises ConfigError and OSError."""
        self._check_receiver()
        return RunOutcome(
            stopped=self._dispatcher.is_closed,
            voids=self._arena.voids,
            excused=self._arena.excused,
            held=self._dispatcher.held,
            postponed=self._dispatcher.put_off,
            restarts=self._arena.restarts,
            audits=self._arena.audits,
        )

    def _emit(self, event: Event) -> None:
        self.journal.receive(event)
        if self.receive is None:
            return
        try:
            self.receive(event)
        except OSError as error:  # nobody reads the output any more
            self._failure = error
            self._scope.cancel()

    def _check_receiver(self) -> None:
        if self._failure is not None:
            raise self._failure


class TournamentRun(Run):
    """One run of a tournament.  Open it with `open_run`."""

    def __init__(
        self,
        tournament: Tournament,
        venue: Venue,
        journal: Journal,
        guard: ProgramGuard,
        *,
        matches: Matches | None,
        settings: ArenaSettings,
        hub: Hub | None = None,
        newcomers: Newcomers | None = None,
        notify: Notify = lambda _text: None,
    ) -> None:
        manifest = journal.manifest
        if matches is not None:
            matches.restart(journal.games)
        self.tournament = tournament
        self.venue = venue
        self.matches = matches
        self.schedule = manifest.schedule(journal.history)
        self.reports_progress = True
        """Emit the standings, which takes up to a hundredth of the time."""
        self._guard = guard
        self._newcomers = newcomers
        self._notify = notify
        self._next_progress = 0.0
        self._finished = 0  # since logs were dropped last
        self._lacked_bots = False
        self._decisions = RulingReader(journal, self.schedule, matches)
        arena = Arena(tournament, manifest.key, venue.executor, journal.keep, settings)
        source: FixtureSource = self.schedule if matches is None else OpenMatches(self.schedule, matches)
        unrated = None
        if journal.reader is not None and tournament.file.is_ladder:
            source = unrated = MatchQueue(self.schedule, journal.reader.path, journal.reader.has)
        self._is_ladder = unrated is not None
        dispatcher = Dispatcher(
            source,
            journal.history,
            suspend_after=tournament.file.suspend_after,
            ask_absent=self._decisions.ask_absent,
            pairs_apart=tournament.has_revealing_pairs and not venue.executor.plays_pairs,
            early_ends=() if matches is None else [matches],
            is_ready=None
            if hub is None
            else lambda bot, games: bot not in settings.over_network or hub.is_ready(bot, games),
            met=self.schedule.met,
            retries=self._is_ladder,
            is_endless=lambda: self._is_ladder and self.schedule.is_endless,
        )
        self.schedule.may_choose = dispatcher.may_choose
        if unrated is not None:
            unrated.is_ready = dispatcher.can_begin_with
        if hub is not None:
            hub.on_presence = lambda bot, present: self._emit(Presence(bot, present))
        self._decisions.dispatcher = dispatcher
        self._decisions.ask_absent()
        super().__init__(arena, dispatcher, journal)

    async def play(self) -> None:
        """Play until no game is left.  Raises ConfigError, and OSError if the receiver of events does."""
        self._decisions.emit = self._emit
        self._emit(RunBegan(self.schedule.total, self.schedule.played, self.venue.jobs))
        self._next_progress = time.monotonic() + _PROGRESS_EVERY_S
        if self.journal.store is None:
            await super().play()
            return
        failure: ConfigError | OSError | None = None
        async with trio.open_nursery() as nursery:

            async def tend() -> None:
                nonlocal failure
                while failure is None:
                    await trio.sleep(_LOOK_EVERY_S)
                    try:
                        await self._keep_up()
                        if self._newcomers is not None:
                            await self._admit_newcomers(self._newcomers)
                    except ConfigError as error:
                        failure = error
                nursery.cancel_scope.cancel()

            nursery.start_soon(tend)
            try:
                await super().play()
            except (ConfigError, OSError) as error:  # the nursery would wrap it
                failure = error
            nursery.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _keep_up(self) -> None:
        """Do what is done between games: sum them up and drop logs, in a thread, because both may wait for others.

        Raises ConfigError.
        """
        lacks_bots = self._is_ladder and self.schedule.lacks_bots
        if lacks_bots and not self._lacked_bots:
            self._notify("fewer than two bots are left; the ladder waits until one joins or comes back")
        self._lacked_bots = lacks_bots
        least = self._decisions.find_least()
        if least is not None:
            await trio.to_thread.run_sync(self._decisions.condense, least)
            self._decisions.forget()
        if self._finished >= _DROP_LOGS_EVERY:
            self._finished = 0
            await trio.to_thread.run_sync(self.journal.drop_logs)

    async def _admit_newcomers(self, newcomers: Newcomers) -> None:
        """Let bots join between games, and others leave.

        No bots join if other processes play, which know all bots from the start.
        """
        try:
            found = await trio.to_thread.run_sync(newcomers.find)
            if found is None:
                return
            if self.venue.admit is None:
                names = set(found.file.bot_names).difference(self.tournament.file.bot_names)
                self._notify(
                    f"{', '.join(sorted(names))}: joins when this command is started again, because the workers "
                    "know all bots from the start; without --workers and --cluster, it would join now"
                )
            else:
                enlarged = await trio.to_thread.run_sync(self._prepare, found)
                self.tournament = enlarged
                self._arena.take_over(enlarged)
                self._decisions.enlarge()
            await trio.to_thread.run_sync(newcomers.settle)
        except ConfigError as error:
            self._notify(str(error))

    def _prepare(self, found: Tournament) -> Tournament:
        """Prepare the programs of bots that join, and store that they do.  Raises ConfigError."""
        known = {program.name for program in self.tournament.programs}
        new = [program for program in found.programs if program.name not in known]
        admit = self.venue.admit
        assert admit is not None  # noqa: S101 - asked before
        programs = self._guard.admit(partial(admit, new))
        self.journal.add_bots(found.file)
        return replace(found, programs=(*self.tournament.programs, *programs))

    def conclude(self) -> RunOutcome:
        """Take up the last rulings, and return what happened.  Raises ConfigError and OSError."""
        self._decisions.emit = self._emit
        self._decisions.apply_rulings()
        self._emit_progress()
        outcome = super().conclude()
        stopped = outcome.stopped and not self.schedule.finished
        self._guard.end()
        return replace(outcome, stopped=stopped, changes=self._guard.changes)

    def _emit(self, event: Event) -> None:
        super()._emit(event)
        if isinstance(event, Finished):
            self._finished += 1
            if self._newcomers is not None:
                self._newcomers.note(event.game)
        if isinstance(event, Finished | Ruled) and time.monotonic() >= self._next_progress:
            self._emit_progress()

    def _emit_progress(self) -> None:
        if not self.reports_progress or self.receive is None:
            return
        begun = time.monotonic()
        standings = self.schedule.rank(self.schedule.stages[-1])
        super()._emit(Progress(self.schedule.played, self.schedule.total, standings))
        now = time.monotonic()
        self._next_progress = now + max(_PROGRESS_EVERY_S, (now - begun) * _MOST_LOAD)


@contextmanager
def open_run(
    tournament: Tournament,
    results: Path | None,
    settings: PlaySettings,
    notify: Notify,
    *,
    hidden: Sequence[Path] = (),
    matches: Matches | None = None,
    at_terminal: Mapping[str, TerminalPlayer] | None = None,
    hub: Hub | None = None,
    newcomers: Newcomers | None = None,
) -> Iterator[TournamentRun]:
    """Create or resume the results of a tournament, and prepare everything for its missing games.

    Without a results file the games are not stored.  `notify` receives what the operator should know.  Sandboxed bots
    cannot read the `hidden` files, the tournament file and its entrants, the results, and the book.  Any of the
    `matches` may end early.  `at_terminal` is the person there, `hub` leads to the players over the network, and
    `newcomers` join meanwhile.

    Raises ConfigError.
    """
    settings.check(results)
    file = tournament.file
    names = [program.name for program in tournament.programs]
    check_accepted(settings.accept_new, names)
    has_versions = any(FORMATS[table.format].is_ladder for table in file.stage_tables)
    # A sample bot is part of the arbiter, and changes with it; of a submitted program, only its interpreter.
    own = [bot.name for bot in file.bots if bot.command is not None and bot.submitted is None]
    versioned = own if has_versions else []
    if refused := [name for name in settings.accept_new if name in versioned]:
        raise ConfigError(
            f"--accept-new: in format {file.format!r}, a new program is a bot of its own, so that ratings stay true; "
            f'give it another name and parent = "{refused[0]}"'
        )
    # Only SQLite may open the results: another file that is closed would release the locks of this process.
    hidden_files = hide_files(results, *hidden, *tournament.list_secret_files())
    digests = ProgramDigests(
        tournament.programs, hidden_files.files, hidden_files.folders, has_environments=results is not None
    )
    logs = KeptLogs(settings.keep_logs or file.keep_logs, frozenset() if matches is None else matches.candidates)
    with (
        open_entries(results, digests) as entries,
        open_venue(tournament, settings, Bots(digests, entries, hidden_files, logs), notify, hub) as venue,
    ):
        tournament = replace(tournament, programs=venue.programs)
        secret = settings.secret or settings.usual_secret
        manifest = new_manifest(tournament, venue.executor.isolation, secret, None if matches is None else matches.sprt)
        same_programs = None  # of a match, those that must not have changed since the stored games
        if matches is not None:
            same = [name for name in manifest.tournament.bot_names if name not in settings.accept_new]
            same_programs = {name: found for name in same if (found := digests.digest(name)) is not None}
        patience = Patience(
            lambda text: notify(f"{text}; games that are over wait in memory until then"), math.inf, _check_cancelled
        )
        with open_journal(results, manifest, settings, same_programs, patience) as journal:
            guard = ProgramGuard(
                digests,
                names,
                settings.accept_new,
                journal.add_program,
                stops=matches is not None,
                load=entries.in_memory.load if settings.cluster is None else lambda _bot: None,
                versioned=versioned,
            )
            while journal.drop_logs():
                pass
            guard.begin(journal.programs, journal.history.count_games())
            entries.keep_only({seen.found.digest for seen in journal.programs} | guard.known)
            audits = None
            if settings.audit is not None and venue.replay is not None:
                audits = Audits(settings.audit, journal.manifest.key, journal.games, journal.attempts, venue.replay)
            arena_settings = ArenaSettings(
                logs=logs,
                follows=settings.live,
                at_terminal=at_terminal or {},
                over_network=(
                    {} if hub is None else {name: NetworkPlayer(name, hub) for name in file.list_players(*NETWORK)}
                ),
                identify=guard.identify,
                attempts=tuple(journal.attempts),
                audits=audits,
            )
            yield TournamentRun(
                tournament,
                venue,
                journal,
                guard,
                matches=matches,
                settings=arena_settings,
                hub=hub,
                newcomers=newcomers,
                notify=notify,
            )


def _check_cancelled() -> None:
    """Raise trio.Cancelled in a thread if its task was cancelled."""
    with suppress(RuntimeError):  # this is no such thread
        trio.from_thread.check_cancelled()


def hide_files(results: Path | None, *files: Path | None) -> HiddenFiles:
    """List what no bot may read, even in its own folder: files, and results with all that is in their folder."""
    known = tuple(file for file in files if file is not None)
    if results is None:
        return HiddenFiles(known)
    return HiddenFiles((*known, results, results.with_suffix(".void.txt")), (results.absolute().parent,))


def make_unstored_run(
    tournament: Tournament,
    isolation: Isolation,
    manifest: Manifest,
    keep: Keep,
    *,
    source: FixtureSource | None = None,
    jobs: int = 1,
    at_terminal: Mapping[str, TerminalPlayer] | None = None,
    over_network: Mapping[str, NetworkPlayer] | None = None,
    hub: Hub | None = None,
) -> Run:
    """Make a run in this process, `jobs` games at a time, whose results go to `keep` alone.

    `source` gives the games.  Default: the schedule of the tournament.  `at_terminal` is the person there and
    `over_network` the players behind `hub`, by name.
    """
    over_network = over_network or {}
    executor = LocalExecutor(isolation, jobs, keeps_processes=tournament.keeps_processes, hub=hub)
    journal = Journal(manifest, sink=keep)
    settings = ArenaSettings(at_terminal=at_terminal or {}, over_network=over_network)
    arena = Arena(tournament, manifest.key, executor, journal.keep, settings)
    is_ready = None if hub is None else lambda bot, games: bot not in over_network or hub.is_ready(bot, games)
    dispatcher = Dispatcher(source or tournament.schedule(manifest.key), is_ready=is_ready)
    return Run(arena, dispatcher, journal)
