"""What is to be seen of games while they are played, and of all of them at the end: by a person, or by a program."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from arbiter.cli.game_keeping import Kept
from arbiter.cli.head_to_head import HeadToHead
from arbiter.cli.play_options import STDOUT, PlayOptions, open_to_add
from arbiter.cli.printing import print_sheets
from arbiter.cli.results import print_results, ratings_of
from arbiter.show.replay.log import log_hint
from arbiter.show.tables.event_stream import EventStream
from arbiter.show.tables.progress import no_note, progress
from arbiter.show.tables.standings import games_sheet
from arbiter.tournament.events import Event, EventHandler, Finished
from arbiter.tournament.results.live_files import LiveStatusFile
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.table import Standing
from arbiter.transcript import LOGGED


class RunOutput:
    """Tells of a tournament under way in the ways that were asked for."""

    def __init__(
        self,
        plan: Schedule,
        kept: Kept,
        results: Path | None,
        ways: PlayOptions,
        match: HeadToHead | None = None,
    ) -> None:
        self._plan = plan
        self._kept = kept
        self._games = kept.games
        self._results = results
        self._ways = ways
        self._match = match
        self._is_for_people = not ways.as_json and ways.events != STDOUT

    def say(self, line: str) -> None:
        """Tell people something."""
        if self._is_for_people:
            click.echo(line)

    def point_to(self, address: str | None) -> None:
        """Tell people where pages are shown, if they are; beside what programs read where that is on stdout."""
        if address is not None:
            click.echo(f"watch it at {address}", err=not self._is_for_people)

    @contextmanager
    def shown(self) -> Iterator[EventHandler]:
        """Show what happens, as it is told."""
        with ExitStack() as closing:
            told = [self._note, *self._watchers(closing)]

            def tell(event: Event) -> None:
                for watch in told:
                    watch(event)

            yield tell

    def _watchers(self, closing: ExitStack) -> Iterator[EventHandler]:
        if self._results is not None:
            running = LiveStatusFile(self._results)
            closing.callback(running.remove)
            yield running.update
        if self._kept.live is not None:
            yield self._kept.live.update
        if self._is_for_people:
            out = sys.stdout
            live = progress(
                lambda: self._plan.total,
                len(self._games),
                self._rank,
                out,
                is_terminal=out.isatty(),
                results=self._results,
                note=no_note if self._match is None else self._match.note,
            )
            yield closing.enter_context(live).tell
        elif self._ways.as_json:
            yield _print_json
        if self._ways.events is not None:
            happenings = EventStream(_line_writer(self._ways.events, closing), self._rank)
            closing.callback(happenings.tell_standings)
            yield happenings.tell

    def _note(self, event: Event) -> None:
        if isinstance(event, Finished):
            self._games.append(event.game)

    def _rank(self) -> Sequence[Standing]:
        return self._plan.rank(self._plan.stages[-1])

    def print_results(self, manifest: Manifest) -> None:
        """Print how the bots stand, and for people what to look at next."""
        if self._ways.as_json or self._is_for_people:
            form, ratings = "json" if self._ways.as_json else "table", ratings_of(manifest, self._games)
            match = None if self._match is None else self._match.sheets(manifest, self._games)
            print_results(self._plan, ratings, manifest.tournament.name, form, match)
        if self._results is not None and self._games:
            self.say(f"\nresults: {self._results}")
            self.say(f"watch a game: arbiter replay {self._results} {next(self._plan.fixtures).id}")
            if forfeited := next((game for game in self._games if game.ending in LOGGED), None):
                self.say(f"a forfeit {log_hint(self._results, forfeited.id)}")


def _print_json(event: Event) -> None:
    if isinstance(event, Finished):
        print_sheets([games_sheet([event.game])], "json")


def _line_writer(name: str, closing: ExitStack) -> Callable[[str], object]:
    if name == STDOUT:
        return click.echo
    file = closing.enter_context(open_to_add(name))
    return lambda line: file.write(f"{line}\n")
