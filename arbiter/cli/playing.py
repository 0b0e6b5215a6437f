"""Play tournaments: storage, sandbox, signals and exit codes."""

import signal
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path

import click
from msgspec import Struct

from arbiter.cli.decisions import Decisions
from arbiter.cli.failures import EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.output import (
    RunOutput,
    report_excused,
    report_held_games,
    report_postponed_games,
    report_restarts,
    report_voids,
)
from arbiter.cli.play_options import NO_SECRET, PlayOptions
from arbiter.cli.programs import AddProgram, ProgramGuard, check_accepted
from arbiter.cli.serving import serve_in_background
from arbiter.cli.signals import FINISH_SIGNAL, Stop, collect_finish_signals, run_until_signal, wait_for_signal
from arbiter.cli.terminal import make_people
from arbiter.cli.venues import Venue, find_isolation, open_venue
from arbiter.sandbox.files.visible import Secrets
from arbiter.sandbox.select import SANDBOXED, IsolationName
from arbiter.show.results import describe_match_plan
from arbiter.show.text import plain
from arbiter.tournament.arena import Arena
from arbiter.tournament.attempt import Attempt
from arbiter.tournament.audits import Audits
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Closing, Event, EventHandler
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.head_to_head import HeadToHead
from arbiter.tournament.jobs import Jobs, choose_jobs
from arbiter.tournament.new_results import NewAttempt, NewGame, NewResult
from arbiter.tournament.programs import ProgramDigests
from arbiter.tournament.result_writer import Keep
from arbiter.tournament.results.live_files import LiveGames, LiveStatusFile, remove_live_games
from arbiter.tournament.results.manifest import Manifest, new_manifest
from arbiter.tournament.results.rows import SeenProgram
from arbiter.tournament.results.store import Store
from arbiter.tournament.schedule.stages import NO_HISTORY, Schedule
from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.stored_game import StoredGame


def play_tournament(
    tournament: Tournament,
    results: Path | None,
    options: PlayOptions,
    *,
    secret: Path | None = None,
    match: HeadToHead | None = None,
) -> None:
    """Play the missing games of a tournament, show progress, print the results, and exit.

    Without a results file the games are not stored.  `secret` is a file that sandboxed bots must not read, because it
    may contain the seed; they cannot read the results, the events and the book of deployments either.  A `match` may
    end early.  Raises ConfigError.
    """
    options.check(results)
    file = tournament.file
    book = None if tournament.folder is None else file.book_path(tournament.folder)
    secrets = secret_files(results, secret, book, options.events_file)
    names = [program.name for program in tournament.programs]
    check_accepted(options.accept_new, names)
    # Only SQLite may open the results: another file that is closed would release the locks of this process.
    hidden = [path for path in (secret, book, options.events_file, results) if path]
    digests = ProgramDigests(tournament.programs, hidden)
    with (
        ExitStack() as serving,  # the pages stay after the results are closed
        collect_finish_signals() as earlier,
        open_venue(tournament, options, secrets, digests, match) as venue,
        _open_storage(
            results, _make_manifest(tournament, venue, options, match), options, None if match is None else digests
        ) as storage,
    ):
        isolation, jobs = venue.executor.isolation, venue.jobs
        guard = ProgramGuard(
            digests, names, options.accept_new, storage.add_program, stops=match is not None, sent=venue.sent
        )
        guard.begin(storage.programs, storage.games)
        manifest = storage.manifest
        games = storage.games
        if venue.note_games is not None:
            venue.note_games(games)
        withdrawn: set[str] = set()  # the schedule reads it when it ranks
        plan = tournament.schedule(
            manifest.key, games, withdrawn, history=storage.history, series=manifest.series, late=manifest.late
        )
        output = RunOutput(plan, games, results, storage.live, options, jobs, match)
        server = serving.enter_context(serve_in_background(results, options.serve))
        output.print("\n".join(_describe_start(tournament, plan, isolation, jobs, storage)))
        for line in () if match is None else describe_match_plan(match, games, plan.total):
            output.print(line)
        if server is not None:
            output.print_address(server.address)
        if options.live and isolation != SANDBOXED:
            click.echo("arbiter: bots outside a sandbox could read the games in progress", err=True)
        people = make_people(file.humans)
        arena = Arena(
            tournament,
            manifest.key,
            venue.executor,
            storage.keep,
            keep_logs=options.keep_logs,
            keep_losses_of=None if match is None else match.bot,
            people=people,
            follow=None if storage.live is None else storage.live.write,
            identify=guard.identify,
            attempts=tuple(storage.attempts),
            audits=_make_audits(options, venue, storage),
        )

        decisions = Decisions(storage.reader, plan, games, withdrawn, match)
        dispatcher = Dispatcher(
            plan,
            games,
            storage.history.forgiven,
            suspend_after=file.suspend_after,
            ask_absent=decisions.ask_absent,
            pairs_apart=tournament.has_revealing_pairs,
            early_ends=() if match is None else match.begin(games),
        )
        decisions.dispatcher = dispatcher
        decisions.ask_absent()
        with output.follow_events() as receive:
            stopped = play_games(arena, dispatcher, receive, earlier, decisions) and not plan.finished
            decisions.apply_rulings(receive)
        pages = serving.pop_all()
    with pages:
        output.print_results(manifest, storage.attempts)
        if arena.audits is not None:
            output.print_audits(arena.audits)
        guard.report()
        report_restarts(venue.executor.restarts)
        if stopped:
            after = "were played" if results is None else "are stored; run again to continue"
            click.echo(f"arbiter: stopped: {len(games)} of {plan.total} games {after}", err=True)
        _report(arena, dispatcher, results and results.with_suffix(".void.txt"))
        if server is not None and not stopped:
            wait_for_signal(
                server.is_running, partial(output.print, f"the pages stay at {server.address} until Ctrl-C")
            )
    _exit(arena, stopped=stopped)


def _make_manifest(tournament: Tournament, venue: Venue, options: PlayOptions, match: HeadToHead | None) -> Manifest:
    sprt = None if match is None else match.sprt
    return new_manifest(tournament, venue.executor.isolation, options.secret or options.usual_secret, sprt)


def _make_audits(options: PlayOptions, venue: Venue, storage: "_Storage") -> Audits | None:
    if options.audit is None or venue.replay is None:
        return None
    return Audits(options.audit, storage.manifest.key, storage.games, storage.attempts, venue.replay)


def play_for_records(tournament: Tournament, sandbox: IsolationName | None) -> list[NewGame]:
    """Play a tournament only for its records; exit if it does not finish.  Raises ConfigError."""
    isolation = find_isolation(sandbox, tournament.programs)
    key = new_manifest(tournament, isolation.name, NO_SECRET).key
    results: list[NewResult] = []
    jobs = choose_jobs(None, tournament.file.time)
    executor = LocalExecutor(isolation, jobs.number, keeps_processes=tournament.keeps_processes)
    arena = Arena(tournament, key, executor, results.extend)
    dispatcher = Dispatcher(tournament.schedule(key))
    stopped = play_games(arena, dispatcher)
    _report(arena, dispatcher, None)
    _exit(arena, stopped=stopped)
    return [result for result in results if isinstance(result, NewGame)]


def play_games(
    arena: Arena,
    dispatcher: Dispatcher,
    receive: EventHandler | None = None,
    earlier: Collection[int] = (),
    decisions: Decisions | None = None,
) -> bool:
    """Play until all games are finished or a signal stops it; return True if a signal did.

    Ctrl-C and FINISH_SIGNAL finish the games in progress; a second one, and every other signal, stops at once, and
    the games in progress are voided.  `earlier` are signals received before.  `receive` receives the events, also those
    of new `decisions`.  Raises ConfigError.
    """

    def report(event: Event, stop: Stop) -> None:
        try:
            if receive is not None:
                receive(event)
        except OSError as error:  # nobody reads the output any more
            stop(error)

    async def play(stop: Stop) -> None:
        follow = partial(report, stop=stop)
        if decisions is not None:
            decisions.receive = follow
        await arena.play(dispatcher, follow)

    def on_signal(number: int, stop: Stop) -> bool:
        at_once = number not in (signal.SIGINT, FINISH_SIGNAL) or dispatcher.is_closed
        if not at_once:
            report(Closing(), stop)
        dispatcher.close()
        return at_once

    run_until_signal(play, on_signal, earlier)
    return dispatcher.is_closed


def secret_files(results: Path | None, *files: Path | None) -> Secrets:
    """List what no bot may read, even in its own folder: files, and results with all that is in their folder."""
    known = tuple(file for file in files if file is not None)
    if results is None:
        return Secrets(known)
    return Secrets((*known, results, results.with_suffix(".void.txt")), (results.absolute().parent,))


class _Storage(Struct):
    """The storage of games that are being played."""

    manifest: Manifest
    games: list[StoredGame]
    """Finished games, including those of earlier runs; it grows."""
    store: Keep | None = None
    attempts: list[Attempt] = []
    """Voided attempts, including those of earlier runs; it grows."""
    history: History = NO_HISTORY
    """The games and rulings of earlier runs."""
    reader: Store | None = None
    """A second connection, which does not wait for writes."""
    live: LiveGames | None = None
    """Writer of the games in progress."""
    programs: Sequence[SeenProgram] = ()
    """Programs of earlier runs."""
    add_program: AddProgram | None = None
    new_series: str = ""
    """The reason why a further series begins."""

    def keep(self, results: Sequence[NewResult]) -> None:
        """Store results, if there is a results file, and remember the voided attempts.  Raises ConfigError."""
        if self.store is not None:
            self.store(results)
        self.attempts.extend(result.attempt for result in results if isinstance(result, NewAttempt))


def _describe_start(
    tournament: Tournament, plan: Schedule, sandbox: str, jobs: Jobs, storage: _Storage
) -> Iterator[str]:
    """List the first lines of the output, and warnings about the schedule."""
    before = len(storage.games)
    played_before = f", {before} of them played before" if before else ""
    settings = f"sandbox: {sandbox}; processes: {tournament.describe_processes()}; {jobs.describe()}"
    yield f"{plain(tournament.file.name)}: {plan.total} games{played_before}; {settings}"
    yield from (f"warning: {warning}" for warning in plan.list_warnings())
    if storage.new_series:
        yield f"series {storage.manifest.series} begins: {plain(storage.new_series)}"


@contextmanager
def _open_storage(
    results: Path | None, manifest: Manifest, options: PlayOptions, match: ProgramDigests | None
) -> Iterator[_Storage]:
    """Create or resume a results file; without one, games are not stored.

    A match is given by the programs of its bots.  Raises ConfigError.
    """
    if results is None:
        yield _Storage(manifest, [])
        return
    programs = None
    if match is not None:
        names = [name for name in manifest.tournament.bot_names if name not in options.accept_new]
        programs = {name: found for name in names if (found := match.digest(name)) is not None}
    with (
        Store.create_or_resume(results, manifest, options.secret, programs) as store,
        Store.read(results) as reader,
        LiveGames(results) if options.live else nullcontext() as live_games,
    ):
        if live_games is None:
            remove_live_games(results)
        cut_off = LiveStatusFile(results).take_cut_off()
        store.add([NewAttempt(attempt) for attempt in cut_off if not store.has(attempt.id)])
        history = store.history()
        yield _Storage(
            manifest=store.manifest,
            games=list(history.games),
            store=store.add,
            attempts=list(store.attempts().values()),
            history=history,
            reader=reader,
            live=live_games,
            programs=store.programs(),
            add_program=store.add_program,
            new_series=store.new_series,
        )


def _report(arena: Arena, dispatcher: Dispatcher, log: Path | None) -> None:
    """Report games that were not played; the details of voided games go to the file `log`."""
    report_excused(arena.excused)
    report_held_games(dispatcher.held)
    report_postponed_games(dispatcher.put_off)
    if arena.voids:
        report_voids(arena.voids, log)


def _exit(arena: Arena, *, stopped: bool) -> None:
    """Exit with an error code if the run was stopped or games were voided."""
    if stopped:
        sys.exit(EXIT_INTERRUPTED)
    if arena.voids:
        sys.exit(EXIT_NEGATIVE)
