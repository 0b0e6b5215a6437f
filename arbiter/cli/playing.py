"""Play tournaments: a run of the director with signals, output and exit codes."""

import signal
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter.cli.failures import EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.game_options import NO_SECRET
from arbiter.cli.output import RunOutput, report_outcome
from arbiter.cli.play_options import PlayOptions
from arbiter.cli.signals import FINISH_SIGNAL, Stop, collect_finish_signals, run_until_signal, wait_for_signal
from arbiter.cli.terminal import make_people, print_notice
from arbiter.director.run import Newcomers, Run, RunOutcome, make_unstored_run, open_run
from arbiter.director.venue import PreparedBots, open_bots
from arbiter.record import NETWORK
from arbiter.remote.hub import Hub
from arbiter.remote.invitations import SUFFIX
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.select import IsolationName
from arbiter.show.tables.run.progress import CLOSING
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.events import Closing, Event, EventHandler, Presence
from arbiter.tournament.machine import choose_jobs
from arbiter.tournament.new_results import NewGame, NewResult
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.snapshot import Matches


def play_tournament(
    tournament: Tournament,
    results: Path | None,
    options: PlayOptions,
    *,
    matches: Matches | None = None,
    watch: Callable[[Run], object] = lambda _run: None,
    before_games: Callable[[], object] | None = None,
    newcomers: Newcomers | None = None,
    advises: Callable[[], bool] = lambda: True,
) -> RunOutcome:
    """Play the missing games of a tournament, show progress, and print the results.

    Without a results file the games are not stored.  Any of the `matches` may end early.  `watch` is called after each
    event, and may stop the run; `before_games` once the results are there.  `newcomers` are bots that join meanwhile.
    The output of a run that was stopped names the way to continue only if `advises` returns True.
    Raises ConfigError.
    """
    options.check(results)
    hidden = [] if options.events_file is None else [options.events_file]
    at_terminal = make_people(tournament.file.list_players("terminal"))
    with (
        ExitStack() as serving,  # the pages stay after the results are closed
        collect_finish_signals() as earlier,
        _open_gateway(tournament, results, options) as gateway,
        open_run(
            tournament,
            results,
            options,
            print_notice,
            hidden=hidden,
            matches=matches,
            at_terminal=at_terminal,
            hub=None if gateway is None else gateway.hub,
            newcomers=newcomers,
        ) as run,
    ):
        if before_games is not None:
            before_games()
        output = RunOutput(run, results, options)
        server = None
        if results is not None and options.serve is not None:
            from arbiter.serve.background import (  # noqa: PLC0415 - seldom used
                examine_in_background,
                serve_in_background,
            )

            seen = options.serve.spectators
            words = ["--delay", str(seen.delay), "--lang", seen.lang, *["--show-all"] * seen.show_all]
            words += options.serve.front.write_words()
            if tournament.file.people.allowed and tournament.path is not None:
                words += ["--guests", str(tournament.path)]
            if tournament.file.submissions.open:
                words.append("--authors")
                serving.enter_context(examine_in_background(results, [*hidden, *tournament.list_secret_files()]))
            at = options.serve.at
            server = serving.enter_context(serve_in_background(results, at.host, at.port, words, print_notice))
        run.journal.note_addresses("" if gateway is None else gateway.address, "" if server is None else server.address)
        output.print_start()
        if server is not None:
            output.print_address(server.address)
        if gateway is not None:
            names = ", ".join(tournament.file.list_players(*NETWORK))
            output.print(f"programs and people connect at {gateway.address}; waiting for {names}")
        with output.follow_events() as show:

            def receive(event: Event) -> None:
                show(event)
                if isinstance(event, Presence):
                    state = "is connected" if event.present else "lost its connection; its next games wait for it"
                    print_notice(f"{event.bot} {state}")
                watch(run)

            run.receive = receive
            play_until_signal(run, earlier)
            outcome = run.conclude()
        pages = serving.pop_all()
    with pages:
        output.print_results(outcome, advises=advises())
        report_outcome(outcome, results and results.with_suffix(".void.txt"))
        if server is not None and not run.is_closing:
            wait_for_signal(
                server.is_running, partial(output.print, f"the pages stay at {server.address} until Ctrl-C")
            )
    return outcome


class _Gateway(Struct, frozen=True):
    """The place at which players over the network connect, and the hub that its link leads to."""

    address: str
    hub: Hub


@contextmanager
def _open_gateway(tournament: Tournament, results: Path | None, options: PlayOptions) -> Iterator[_Gateway | None]:
    """Open the gateway if remote programs or people in browsers play.  Raises ConfigError."""
    if options.gateway is None or results is None:
        yield None
        return
    from arbiter.serve.background import open_gateway  # noqa: PLC0415 - seldom used

    file = tournament.file
    at = options.gateway.at
    words = options.gateway.front.write_words()
    people = file.list_players("person")
    if people:
        settings = {"title": file.event.title or file.name, "aids": file.people.aids}
        words += ["--people", msgspec.json.encode(settings).decode()]
    with open_gateway(results.with_suffix(SUFFIX), at.host, at.port, words) as (address, link):
        yield _Gateway(address, Hub(link, people, file.authors))


def play_for_records(tournament: Tournament, sandbox: IsolationName | None) -> list[NewGame]:
    """Play a tournament only for its records; exit if it does not finish.  Raises ConfigError."""
    bots = prepare_bots(sandbox, tournament.programs)
    tournament = replace(tournament, programs=bots.programs)
    manifest = new_manifest(tournament, bots.isolation.name, NO_SECRET)
    results: list[NewResult] = []

    def keep(new: Sequence[NewResult]) -> None:
        results.extend(new)

    jobs = choose_jobs(None, tournament.file.time)
    run = make_unstored_run(tournament, bots.isolation, manifest, keep, jobs=jobs.number)
    play_until_signal(run)
    outcome = run.conclude()
    report_outcome(outcome, None)
    exit_after(outcome)
    return [result for result in results if isinstance(result, NewGame)]


def prepare_bots(
    sandbox: IsolationName | None, programs: Sequence[Program], hidden: HiddenFiles | None = None
) -> PreparedBots:
    """Prepare bots for games that are not stored; their entries are removed when the command ends.

    Raises ConfigError.
    """
    return click.get_current_context().with_resource(open_bots(sandbox, programs, print_notice, hidden))


def play_until_signal(run: Run, earlier: Collection[int] = ()) -> None:
    """Play until all games are finished or a signal stops the run.

    Ctrl-C and FINISH_SIGNAL finish the games in progress; a second one, and every other signal, stops at once, and
    the games in progress are voided.  `earlier` are signals received before.  Raises ConfigError and OSError.
    """

    async def work(_stop: Stop) -> None:
        await run.play()

    def on_signal(number: int, _stop: Stop) -> bool:
        at_once = number not in (signal.SIGINT, FINISH_SIGNAL) or run.is_closing
        run.stop(announce=not at_once)
        return at_once

    run_until_signal(work, on_signal, earlier)


def make_receiver(report: Callable[[], object]) -> EventHandler:
    """Return what a run calls for each event: it calls `report`, and prints that the run finishes its games."""

    def receive(event: Event) -> None:
        if isinstance(event, Closing):
            print_notice(CLOSING)
        report()

    return receive


def exit_after(outcome: RunOutcome) -> None:
    """Exit with an error code if the run was stopped or games were voided."""
    if outcome.stopped:
        sys.exit(EXIT_INTERRUPTED)
    if outcome.voids:
        sys.exit(EXIT_NEGATIVE)
