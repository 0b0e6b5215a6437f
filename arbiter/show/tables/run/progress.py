"""Progress of a tournament: a live table on a terminal, one line per game elsewhere."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TextIO

from msgspec import Struct

from arbiter.games.base import FORFEITS
from arbiter.show.rate_limit import RateLimit
from arbiter.show.replay.log import log_hint
from arbiter.show.tables.games import Rank, describe_game, describe_void
from arbiter.show.tables.run.incidents import describe_ruling
from arbiter.show.tables.run.status import Anomalies, describe_speed
from arbiter.show.tables.sheet import write_cell
from arbiter.show.tables.standings import standings_sheet
from arbiter.show.text import plain
from arbiter.show.theme import INKS
from arbiter.tournament.events import Closing, Event, Finished, Ruled, Void
from arbiter.transcript import LOGGED

if TYPE_CHECKING:
    from rich.console import RenderableType

_RANK_EVERY_S: Final = 0.5
_MOST_LOAD: Final = 100  # ranking takes at most a hundredth of the time
_MOST_ROWS: Final = 14  # with the bar and the anomalies this fits a terminal of 24 lines

CLOSING: Final = "stopping after the games in progress; Ctrl-C again stops at once"

Played = Callable[[], tuple[int, int | None]]
"""Returns how many games are played, and how many there are, which may change."""
Note = Callable[[], str]


def show_progress(
    played: Played,
    rank: Rank,
    out: TextIO,
    *,
    is_terminal: bool,
    results: Path | None = None,
    note: Note = str,
) -> AbstractContextManager["PlainProgress | LiveProgress"]:
    """Show the progress on `out` until the block ends; its `receive` shows an event.

    `played` returns how many games are played, and how many there are if that has a limit.  `rank` returns the current
    standings and is called at most twice a second.  `results` is the results file, if there is one.  `note` returns
    an additional remark, such as the state of an SPRT.  `is_terminal`: a live table may use the terminal alone.
    """
    if is_terminal:
        return LiveProgress(played, rank, out, note=note)
    return nullcontext(PlainProgress(played, out, results, note))


class PlainProgress(Struct):
    """One line per game, and one more with the reason of a forfeit."""

    played: Played
    out: TextIO
    results: Path | None
    note: Note

    def receive(self, event: Event) -> None:
        if isinstance(event, Finished):
            game = event.game
            note = self.note()
            played, total = self.played()
            of_all = "" if total is None else f"/{total}"
            head = "unrated game" if game.is_unrated else f"game {played}{of_all}"
            self._print(f"{head}: {describe_game(game)}{f'; {note}' if note else ''}")
            if game.ending in FORFEITS:
                has_log = self.results is not None and game.ending in LOGGED
                hint = f"; {log_hint(self.results, game.id)}" if has_log and self.results is not None else ""
                self._print(f"  {plain(game.why)}{hint}")
        elif isinstance(event, Void):
            self._print(describe_void(event))
        elif isinstance(event, Ruled):
            self._print(plain(describe_ruling(event.ruling)))
        elif isinstance(event, Closing):
            self._print(CLOSING)

    def _print(self, line: str) -> None:
        print(line, file=self.out, flush=True)


class LiveProgress:
    """A progress bar with speed and time left, the last result, the standings, and the latest anomalies.

    rich draws in a thread of its own.  The standings are made in the caller's thread, because only that thread may
    read the store.
    """

    def __init__(
        self,
        played: Played,
        rank: Rank,
        out: TextIO,
        clock: Callable[[], float] = time.monotonic,
        *,
        note: Note = str,
    ) -> None:
        self._played = played
        self._finished = 0
        self._rank = rank
        self._out = out
        self._clock = clock
        self._ranking = RateLimit(_RANK_EVERY_S, _MOST_LOAD, clock)
        self._last = ""
        self._closing = ""
        self._anomalies = Anomalies()
        self._note = note

    def __enter__(self) -> Self:
        from rich.console import Console  # noqa: PLC0415 - slow to import, and only needed on a terminal
        from rich.live import Live  # noqa: PLC0415 - as above

        self._began = self._clock()
        self._update_standings()
        console = Console(file=self._out, highlight=False)
        self._live = Live(
            console=console, get_renderable=self._render, refresh_per_second=4, transient=console.is_terminal
        )
        self._live.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._update_standings()
        self._live.stop()

    def receive(self, event: Event) -> None:
        """Count a finished game, and note its result and anomalies."""
        self._anomalies.receive(event)
        if isinstance(event, Finished):
            self._finished += 1
            self._last = describe_game(event.game)
            if self._ranking.is_due:
                self._update_standings()
        elif isinstance(event, Ruled):
            self._last = plain(describe_ruling(event.ruling))
            self._update_standings()
        elif isinstance(event, Closing):
            self._closing = CLOSING

    def _update_standings(self) -> None:
        """Rank the bots; with many games less often, so that it does not delay the clocks of the bots."""
        from rich.table import Table  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        with self._ranking.measure():
            standings = self._rank()
            sheet = standings_sheet(standings)
            table = Table(box=None, pad_edge=False)
            columns = sheet.select("progress")
            for column in columns:
                style = "bold" if column.tone == "strong" else ""
                table.add_column(column.head, justify=column.align, style=style, header_style=f"bold {INKS.soft}")
            for row in sheet.cells("progress")[:_MOST_ROWS]:
                warnings = (
                    INKS.red if cell and column.tone == "warn" else ""
                    for cell, column in zip(row, columns, strict=True)
                )
                table.add_row(*map(Text, map(write_cell, row), warnings))
            if len(standings) > _MOST_ROWS:
                table.add_row("", f"and {len(standings) - _MOST_ROWS} more")
            self._table: Table = table

    def _render(self) -> "RenderableType":
        from rich.console import Group  # noqa: PLC0415 - as above
        from rich.progress_bar import ProgressBar  # noqa: PLC0415 - as above
        from rich.table import Table  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        done, total = self._played()
        left = None if total is None else total - done
        speed = describe_speed(self._finished, self._clock() - self._began, left)
        head = Table.grid(padding=(0, 2))
        bar = ProgressBar(
            total=total, completed=done, width=30, style=INKS.soft, complete_style=INKS.blue, finished_style=INKS.good
        )
        head.add_row(bar, Text(f"{done}{'' if total is None else f'/{total}'}{speed}"))
        lines = (self._last, self._note(), self._closing)
        above = [Text(line, no_wrap=True, overflow="ellipsis") for line in lines if line]
        below = [Text(line, INKS.red, no_wrap=True, overflow="ellipsis") for line in self._anomalies.describe()]
        return Group(head, *above, self._table, *below)
