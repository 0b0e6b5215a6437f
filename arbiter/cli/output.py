"""Output of a run: its progress, its results, and reports of games that were not played."""

import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

import click

from arbiter.cli.game_options import write_game_options
from arbiter.cli.play_options import STDOUT, PlayOptions, open_events_file
from arbiter.cli.terminal import find_width, has_colour, print_notice, print_sheets
from arbiter.director.files import write_file_into
from arbiter.director.run import RunOutcome, TournamentRun
from arbiter.errors import write_command, write_count
from arbiter.sandbox.files.entry import IGNORE_FILE
from arbiter.sandbox.select import SANDBOXED
from arbiter.show.replay.log import log_hint, write_log
from arbiter.show.results import (
    all_sheets,
    describe_match_plan,
    describe_match_progress,
    make_match_sheets,
)
from arbiter.show.tables.checks import write_details
from arbiter.show.tables.games import game_object
from arbiter.show.tables.run.incidents import with_voids_and_versions
from arbiter.show.tables.run.progress import show_progress
from arbiter.show.tables.run.status import event_object
from arbiter.show.text import json_line, plain
from arbiter.tournament.audits import Audits
from arbiter.tournament.config.bot_config import BotConfig, rebase_command, rebase_path
from arbiter.tournament.events import Event, EventHandler, Finished, Void
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.results.snapshot import rate_plan
from arbiter.tournament.standings.stored_game import StoredGame, is_lost_by
from arbiter.transcript import LOGGED
from protocol.words import BLUE, RED, Seat

_SEVERAL: Final = 2  # forfeits of a bot in a match, from which on its diagnosis is shown


class RunOutput:
    """The output of a run: progress for people, JSON, or the events."""

    def __init__(self, run: TournamentRun, results: Path | None, options: PlayOptions) -> None:
        self._run = run
        self._plan = run.schedule
        self._games = run.journal.games
        self._results = results
        self._options = options
        self._matches = run.matches
        self._is_for_people = options.form == "table" and options.events != STDOUT
        run.reports_progress = options.events is not None

    def print(self, line: str) -> None:
        """Print a line, unless stdout is for programs."""
        if self._is_for_people:
            click.echo(line)

    def print_start(self) -> None:
        """Print the first lines of the output, and warnings about the schedule."""
        run = self._run
        plan = self._plan
        played_before = f", {plan.played} of them played before" if plan.played else ""
        isolation = run.venue.executor.isolation
        processes = run.tournament.describe_processes()
        settings = f"sandbox: {isolation}; processes: {processes}; {run.venue.jobs.describe()}"
        games = "games without a limit" if plan.is_endless else write_count(plan.total, "game")
        self.print(f"{plain(run.tournament.file.name)}: {games}{played_before}; {settings}")
        for warning in plan.list_warnings():
            self.print(f"warning: {warning}")
        if (differences := run.journal.new_series) is not None:
            reason = plain("; ".join([*differences.settings, *differences.programs]))
            hint = f"; files that do not belong to a bot can be named in {IGNORE_FILE}" if differences.programs else ""
            self.print(f"series {run.journal.manifest.series} begins: {reason}{hint}")
        if self._matches is not None:
            for line in describe_match_plan(self._matches, self._games, plan.total):
                self.print(line)
        if self._options.live and isolation != SANDBOXED:
            print_notice("bots outside a sandbox could read the games in progress")

    def print_address(self, address: str) -> None:
        """Print the address of the web pages: on stderr if stdout is for programs."""
        click.echo(f"watch it at {address}", err=not self._is_for_people)

    @contextmanager
    def follow_events(self) -> Iterator[EventHandler]:
        """Yield a function that receives the events of the run and shows them."""
        with ExitStack() as closing:
            receivers: list[EventHandler] = []
            if self._is_for_people:
                progress = show_progress(
                    lambda: (self._plan.played, None if self._plan.is_endless else self._plan.total),
                    lambda: self._plan.rank(self._plan.stages[-1]),
                    sys.stdout,
                    is_terminal=sys.stdout.isatty() and not self._run.tournament.file.list_players("terminal"),
                    results=self._results,
                    note=str if self._matches is None else partial(describe_match_progress, self._matches),
                )
                receivers.append(closing.enter_context(progress).receive)
            elif self._options.form == "json":
                receivers.append(
                    lambda event: (
                        click.echo(json_line(game_object(event.game))) if isinstance(event, Finished) else None
                    )
                )
            if self._options.events is not None:
                to_stdout = self._options.events == STDOUT
                file = None if to_stdout else closing.enter_context(open_events_file(self._options.events))
                receivers.append(lambda event: click.echo(json_line(event_object(event)), file=file))

            def receive(event: Event) -> None:
                for receiver in receivers:
                    receiver(event)

            yield receive

    def print_results(self, outcome: RunOutcome, *, advises: bool) -> None:
        """Print the results and, for people, commands to look at them; then audits, and how to continue."""
        games = self._games
        journal = self._run.journal
        if self._is_for_people or self._options.form != "table":
            form = self._options.form
            match = None
            if self._matches is not None:
                match = make_match_sheets(self._matches, journal.manifest, games)
            bots = {bot.name: bot for bot in journal.manifest.tournament.bots}
            ratings = rate_plan(journal.manifest, self._plan, games)
            first, *others = all_sheets(self._plan, bots, ratings, form, match)
            print_sheets([with_voids_and_versions(first, journal.attempts, games), *others], form)
        self._print_forfeits()
        if self._results is not None and games:
            self.print(f"\nresults: {self._results}")
            self.print(
                f"watch a game: {plain(write_command('replay', self._results, next(self._plan.fixtures, games[0]).id))}"
            )
            own = frozenset[str]() if self._matches is None else self._matches.candidates  # also games that they lost
            explained = (game for game in games if game.ending in LOGGED or any(is_lost_by(game, bot) for bot in own))
            if lost := next(explained, None):
                self.print(f"how a game was lost: {plain(write_command('explain', self._results, lost.id))}")
            if forfeited := next((game for game in games if game.ending in LOGGED), None):
                self.print(f"a forfeited game, {log_hint(self._results, forfeited.id)}")
        if outcome.audits is not None:
            self._print_audits(outcome.audits)
        for change in outcome.changes:
            print_notice(f"{change} during the run")
        for bot, count in outcome.restarts.items():
            times = "once" if count == 1 else f"{count} times"
            print_notice(
                f"{bot} was started again {times}, because its process ended or failed after a game; "
                "no game was lost by that. `arbiter check` tests several games in one process"
            )
        if outcome.stopped:
            after = "were played" if self._results is None else "are stored" + "; run again to continue" * advises
            of_all = "" if self._plan.is_endless else f" of {self._plan.total}"
            print_notice(f"stopped: {self._plan.played}{of_all} games {after}")

    def _print_forfeits(self) -> None:
        """Print the diagnosis of each bot of a match that forfeited several games, and how to check it."""
        if self._matches is None or not self._is_for_people:
            return
        from arbiter.preflight.harness import diagnose  # noqa: PLC0415 - seldom used

        forfeits = Counter(bot for game in self._games for bot in game.forfeiters)
        entries = {bot.name: bot for bot in self._run.journal.manifest.tournament.bots}
        programs = {program.name: program for program in self._run.tournament.programs}
        for bot, new in self._run.journal.forfeits.items():
            if forfeits[bot] < _SEVERAL or new.game.ending == "walkover":
                continue
            seat: Seat = RED if new.game.red == bot else BLUE
            finding = diagnose(programs.get(bot), seat, new.plain_record, new.log)
            played = sum(bot in (game.red, game.blue) for game in self._games)
            click.echo(f"\n{plain(bot)}: {finding.text}, {forfeits[bot]} of {write_count(played, 'game')}")
            for line in write_details(finding, colour=has_colour(), width=find_width()):
                click.echo(line)
            entry = entries[bot]
            folder = self._run.tournament.folder or Path()
            here = Path.cwd()
            command = [bot] if entry.command is None else rebase_command(entry.command, folder, here)
            words = [shlex.join(command), *write_game_options(self._run.tournament.file)]
            if entry.memory_mb != BotConfig(name=bot).memory_mb:
                words += ["--memory", str(entry.memory_mb)]
            words += (word for path in entry.read for word in ("--read", rebase_path(path, folder, here)))
            words += (word for name, value in entry.env.items() for word in ("--env", f"{name}={value}"))
            click.echo(f"check it: {plain(write_command('check', *words))}")

    def _print_audits(self, audits: Audits) -> None:
        """Print how many games were played again, and report those that differ or could not be played again."""
        done = audits.same + len(audits.differing)
        self.print(
            f"audit: {write_count(done, 'game')} played again, {audits.same} the same, "
            f"{len(audits.differing)} different"
        )
        for attempt in audits.differing:
            print_notice(f"audit: {attempt.id} differs: {attempt.why}")
        if audits.left:
            print_notice(
                f"audit: {write_count(len(audits.left), 'game')} could not be played again: {_list_ids(audits.left)}"
            )


# --- games that were not played -------------------------------------------------------------------


def report_outcome(outcome: RunOutcome, log: Path | None) -> None:
    """Report games that were excused or not played; the details of voided games go to the file `log`."""
    excused = [game.conditions for game in outcome.excused if game.conditions is not None]
    if excused:  # games with answers that would be late if the arbiter had not stalled
        print_notice(
            f"the arbiter stalled for up to {max(one.lag_ms for one in excused):.0f} ms while clocks were running, "
            f"which was not charged; without that, bots would have lost {write_count(len(excused), 'game')} on time; "
            f"try fewer --jobs: {_list_ids(outcome.excused)}"
        )
    if outcome.held:
        pairings = dict.fromkeys(tuple(sorted((fixture.red, fixture.blue))) for fixture in outcome.held)
        names = ", ".join(" against ".join(pairing) for pairing in pairings)
        print_notice(
            f"{write_count(len(outcome.held), 'game')} not played, because other games of the same bots were voided: "
            f"{names}; run again to play them"
        )
    if outcome.postponed:
        print_notice(f"{write_count(len(outcome.postponed), 'game')} postponed; run again at a terminal to play")
    if outcome.voids:
        report_voids(outcome.voids, log)


def report_voids(voids: Sequence[Void], log: Path | None) -> None:
    """Report the games that stay voided, and write the details to a file or to stderr."""
    ids = _list_ids(void.fixture for void in voids)
    print_notice(f"{write_count(len(voids), 'game')} voided by an internal error of the arbiter: {ids}")
    if log is None:
        for line in _describe_voids(voids):
            click.echo(line, err=True)
    else:
        write_file_into(log.parent, log.name, "\n".join([*_describe_voids(voids, with_logs=True), ""]).encode())
        print_notice(f"the details are in {log}; run again to play these games")


def _list_ids(games: Iterable[Fixture | StoredGame]) -> str:
    return ", ".join(dict.fromkeys(game.id for game in games))


def _describe_voids(voids: Sequence[Void], *, with_logs: bool = False) -> Iterator[str]:
    """Yield the details of voided games as safe lines of text."""
    for void in voids:
        yield plain(void.fixture.id)
        yield from map(plain, void.attempt.why.splitlines())
        if with_logs:
            yield from write_log(void.log)
