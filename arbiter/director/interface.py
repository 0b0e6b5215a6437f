"""The Python interface for tournaments, which `arbiter.api` offers: run them and read their results."""

import queue
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import trio

from arbiter.director.files import find_results
from arbiter.director.run import RunOutcome, open_run
from arbiter.director.venue import PlaySettings
from arbiter.sandbox.process import adopt_orphans
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.events import Event, Notice
from arbiter.tournament.results.reader import Results

USUAL: Final = PlaySettings()


class RunningTournament:
    """A run of a tournament, in a thread of its own: use it in a `with` block, and iterate over its events.

    The games continue while an event is looked at.  If the block is left before the last event, the run stops at once,
    and the games in progress are played again in the next run.  Errors of the run are raised by the iteration.
    """

    def __init__(self, tournament: Tournament, results: Path | None, settings: PlaySettings) -> None:
        self._tournament = tournament
        self._results = results
        self._settings = settings
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._token: Future[trio.lowlevel.TrioToken] = Future()
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        """Open the results, and begin to play.  Raises ConfigError."""
        with ExitStack() as opening:
            self._run = opening.enter_context(
                open_run(self._tournament, self._results, self._settings, lambda text: self._events.put(Notice(text)))
            )
            self._run.receive = self._events.put
            adopt_orphans()
            thread = opening.enter_context(ThreadPoolExecutor(1))
            self._played = thread.submit(trio.run, self._play)
            self._played.add_done_callback(lambda _: self._events.put(None))
            self._closing = opening.pop_all()
        return self

    async def _play(self) -> RunOutcome:
        self._token.set_result(trio.lowlevel.current_trio_token())
        await self._run.play()
        return self._run.conclude()

    def __iter__(self) -> Iterator[Event]:
        """Yield the events until the run ends.  Raises ConfigError if it fails."""
        while (event := self._events.get()) is not None:
            yield event
        self._played.result()

    def stop(self) -> None:
        """Finish the games in progress, and begin no more."""
        with suppress(trio.RunFinishedError):
            self._token.result().run_sync_soon(self._run.stop)

    @property
    def outcome(self) -> RunOutcome:
        """The course of the run; waits for its end.  Raises ConfigError if it failed."""
        return self._played.result()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the run if it has not ended, and close the results.  Raises ConfigError if the run failed."""
        with self._closing:
            if not self._played.done():
                with suppress(trio.RunFinishedError):
                    self._token.result().run_sync_soon(self._run.abort)
        if kind is None:
            self._played.result()


def run_tournament(
    tournament: Tournament, results: Path | str | None = None, settings: PlaySettings = USUAL
) -> RunningTournament:
    """Return a run of the missing games of a tournament, for a `with` block.

    `results` is the results file, which is made or resumed; without one, games are not stored.
    """
    return RunningTournament(tournament, None if results is None else Path(results), settings)


def read_results(path: Path | str) -> Results:
    """Open results for reading; another process may be playing the tournament.  Raises ConfigError.

    `path` is a results file, a folder with one results file, or a tournament file.
    """
    return Results.read(find_results(Path(path)))
