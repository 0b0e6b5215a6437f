"""Output of commands: sheets, logs, the progress of a run, and reports of games that were not played."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import click

from arbiter.cli.play_options import STDOUT, PlayOptions, open_events_file
from arbiter.cli.terminal import find_width
from arbiter.errors import write_command, write_count
from arbiter.show.replay.log import log_hint, log_objects, write_log
from arbiter.show.results import all_sheets, describe_match_progress, make_match_sheets, with_voids_and_versions
from arbiter.show.tables.games import EventStream, games_sheet
from arbiter.show.tables.progress import show_progress
from arbiter.show.tables.sheet import Sheet, write_sheets
from arbiter.show.text import json_line, plain
from arbiter.tournament.attempt import Attempt
from arbiter.tournament.audits import Audits
from arbiter.tournament.events import Event, EventHandler, Finished, Void
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.head_to_head import HeadToHead
from arbiter.tournament.jobs import Jobs
from arbiter.tournament.results.live_files import LiveGames, LiveStatusFile
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.snapshot import rate_bots
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.stored_game import StoredGame, is_lost_by
from arbiter.tournament.standings.table import Standing
from arbiter.transcript import LOGGED, GameLog


def print_sheets(sheets: Iterable[Sheet], form: str) -> None:
    """Print sheets in a format; print nothing if they are empty.  On a terminal, tables fit its width."""
    if text := write_sheets(tuple(sheets), form, find_width()):
        click.echo(text)


def print_log(log: GameLog, *, as_json: bool) -> None:
    """Print the log of a game."""
    for line in map(json_line, log_objects(log)) if as_json else write_log(log):
        click.echo(line)


class RunOutput:
    """The output of a run: progress for people, JSON, the event stream, and files for other processes."""

    def __init__(
        self,
        plan: Schedule,
        games: list[StoredGame],
        results: Path | None,
        live: LiveGames | None,
        options: PlayOptions,
        jobs: Jobs,
        match: HeadToHead | None = None,
    ) -> None:
        self._plan = plan
        self._games = games
        self._results = results
        self._live = live
        self._options = options
        self._jobs = jobs
        self._match = match
        self._is_for_people = not options.as_json and options.events != STDOUT

    def print(self, line: str) -> None:
        """Print a line, unless stdout is for programs."""
        if self._is_for_people:
            click.echo(line)

    def print_address(self, address: str) -> None:
        """Print the address of the web pages: on stderr if stdout is for programs."""
        click.echo(f"watch it at {address}", err=not self._is_for_people)

    @contextmanager
    def follow_events(self) -> Iterator[EventHandler]:
        """Yield a function that receives the events of the run and shows them."""
        with ExitStack() as closing:
            receivers = list(self._receivers(closing))

            def receive(event: Event) -> None:
                if isinstance(event, Finished):
                    self._games.append(event.game)
                for receiver in receivers:
                    receiver(event)

            yield receive

    def _receivers(self, closing: ExitStack) -> Iterator[EventHandler]:
        if self._results is not None:
            status = LiveStatusFile(self._results)
            closing.callback(status.remove)
            yield status.update
        if self._live is not None:
            yield self._live.update
        if self._is_for_people:
            progress = show_progress(
                lambda: self._plan.total,
                len(self._games),
                self._rank,
                sys.stdout,
                is_terminal=sys.stdout.isatty(),
                results=self._results,
                note=None if self._match is None else partial(describe_match_progress, self._match),
            )
            yield closing.enter_context(progress).receive
        elif self._options.as_json:
            yield _print_game
        if self._options.events is not None:
            to_stdout = self._options.events == STDOUT
            file = None if to_stdout else closing.enter_context(open_events_file(self._options.events))
            stream = EventStream(partial(click.echo, file=file), self._rank)
            stream.write_begin({"total": self._plan.total, **self._jobs.values()})
            closing.callback(stream.write_standings)
            yield stream.receive

    def _rank(self) -> Sequence[Standing]:
        return self._plan.rank(self._plan.stages[-1])

    def print_results(self, manifest: Manifest, attempts: Sequence[Attempt]) -> None:
        """Print the results and, for people, commands to look at them."""
        if self._options.as_json or self._is_for_people:
            form = "json" if self._options.as_json else "table"
            match = None if self._match is None else make_match_sheets(self._match, manifest, self._games)
            ratings = rate_bots(manifest, self._games)
            first, *others = all_sheets(
                self._plan, {bot.name: bot for bot in manifest.tournament.bots}, ratings, form, match
            )
            print_sheets([with_voids_and_versions(first, attempts, self._games), *others], form)
        if self._results is not None and self._games:
            self.print(f"\nresults: {self._results}")
            self.print(f"watch a game: {plain(write_command('replay', self._results, next(self._plan.fixtures).id))}")
            if lost := next((game for game in self._games if self._is_to_explain(game)), None):
                self.print(f"how a game was lost: {plain(write_command('explain', self._results, lost.id))}")
            if forfeited := next((game for game in self._games if game.ending in LOGGED), None):
                self.print(f"a forfeited game, {log_hint(self._results, forfeited.id)}")

    def print_audits(self, audits: Audits) -> None:
        """Print how many games were played again, and report those that differ or could not be played again."""
        done = audits.same + len(audits.differing)
        self.print(
            f"audit: {write_count(done, 'game')} played again, {audits.same} the same, {len(audits.differing)} different"
        )
        for attempt in audits.differing:
            click.echo(plain(f"arbiter: audit: {attempt.id} differs: {attempt.why}"), err=True)
        if audits.left:
            left = write_count(len(audits.left), "game")
            click.echo(f"arbiter: audit: {left} could not be played again: {_ids(audits.left)}", err=True)

    def _is_to_explain(self, game: StoredGame) -> bool:
        """Return True for a forfeited game, and in a match for one that the first bot lost."""
        return game.ending in LOGGED or (self._match is not None and is_lost_by(game, self._match.bot))


def _print_game(event: Event) -> None:
    if isinstance(event, Finished):
        print_sheets([games_sheet([event.game])], "json")


# --- games that were not played -------------------------------------------------------------------


def report_excused(games: Sequence[StoredGame]) -> None:
    """Report the games with answers that would be late if the arbiter had not stalled."""
    conditions = [game.conditions for game in games if game.conditions is not None]
    if conditions:
        lag_ms = max(one.lag_ms for one in conditions)
        click.echo(
            f"arbiter: the arbiter stalled for up to {lag_ms:.0f} ms while clocks were running, which was not charged; "
            f"without that, bots would have lost {write_count(len(conditions), 'game')} on time; try fewer --jobs: {_ids(games)}",
            err=True,
        )


def report_voids(voids: Sequence[Void], log: Path | None) -> None:
    """Report the games that stay voided, and write the details to a file or to stderr."""
    ids = _ids(void.fixture for void in voids)
    click.echo(
        f"arbiter: {write_count(len(voids), 'game')} voided by an internal error of the arbiter: {ids}", err=True
    )
    if log is None:
        for line in _describe_voids(voids):
            click.echo(line, err=True)
    else:
        log.write_text("\n".join([*_describe_voids(voids, with_logs=True), ""]), encoding="utf-8")
        click.echo(f"arbiter: the details are in {log}; run again to play these games", err=True)


def report_restarts(restarts: Mapping[str, int]) -> None:
    """Report the bots whose processes could not play several games."""
    for bot, count in restarts.items():
        times = "once" if count == 1 else f"{count} times"
        click.echo(
            f"arbiter: {plain(bot)} was started again {times}, because its process ended or failed after a game; "
            "no game was lost by that. `arbiter check` tests several games in one process",
            err=True,
        )


def report_held_games(held: Sequence[Fixture]) -> None:
    """Report the games of paused pairings; another run plays them."""
    if held:
        pairings = dict.fromkeys(tuple(sorted((fixture.red, fixture.blue))) for fixture in held)
        names = ", ".join(" against ".join(map(plain, pairing)) for pairing in pairings)
        click.echo(
            f"arbiter: {write_count(len(held), 'game')} not played, because other games of the same bots were voided: {names}; "
            "run again to play them",
            err=True,
        )


def report_postponed_games(postponed: Sequence[Fixture]) -> None:
    """Report how many games wait for a person."""
    if postponed:
        click.echo(
            f"arbiter: {write_count(len(postponed), 'game')} postponed; run again at a terminal to play", err=True
        )


def _ids(games: Iterable[Fixture | StoredGame]) -> str:
    return plain(", ".join(dict.fromkeys(game.id for game in games)))


def _describe_voids(voids: Sequence[Void], *, with_logs: bool = False) -> Iterator[str]:
    """Yield the details of voided games as safe lines of text."""
    for void in voids:
        yield plain(void.fixture.id)
        yield from map(plain, void.attempt.why.splitlines())
        if with_logs:
            yield from write_log(void.log)
