"""What is to be seen while a tournament runs: a live table on a terminal, a line a game elsewhere."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol, Self, TextIO

from arbiter.games.base import FORFEITS
from arbiter.show.replay.log import log_hint
from arbiter.show.tables.anomalies import Anomalies, void
from arbiter.show.text import number, plain
from arbiter.tournament.events import Closing, Event, Finished, Void
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import Standing
from arbiter.transcript import LOGGED

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_RANK_EVERY_S: Final = 0.5
_RANK_SHARE: Final = 100  # counting takes a hundredth of the time at the most
_SHOWN: Final = 14  # with head, bar and what went wrong they fit a terminal of 24 lines

CLOSING: Final = "stopping after the games under way; Ctrl-C again stops at once"

Rank = Callable[[], Sequence[Standing]]
Total = Callable[[], int]
Note = Callable[[], str]


def no_note() -> str:
    """Have nothing more to tell."""
    return ""


class Progress(Protocol):
    """Shows a tournament under way, from entering to leaving the block."""

    def __enter__(self) -> Self:
        """Begin to show."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop showing."""
        ...

    def tell(self, event: Event) -> None:
        """Show what happened."""
        ...


def progress(
    total: Total,
    done: int,
    rank: Rank,
    out: TextIO,
    *,
    is_terminal: bool,
    results: Path | None = None,
    note: Note = no_note,
) -> Progress:
    """Return the progress to show on `out`, of `total` games of which `done` were played before.

    `total` may grow; `rank` returns the standings of now and is asked at most twice a second.
    `results` is where games are kept, if they are; `note` returns what else there is to tell of them all.
    """
    if is_terminal:
        return LiveProgress(total, done, rank, out, note=note)
    return PlainProgress(total, done, out, results, note)


class PlainProgress:
    """A line a game, and one more for what a forfeit was for."""

    def __init__(self, total: Total, done: int, out: TextIO, results: Path | None = None, note: Note = no_note) -> None:
        self._total = total
        self._done = done
        self._out = out
        self._results = results
        self._note = note

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def tell(self, event: Event) -> None:
        """Write a line, if there is something to be said."""
        if isinstance(event, Finished):
            self._done += 1
            why = f"\n  {_why(event.game, self._results)}" if event.game.ending in FORFEITS else ""
            note = f"; {self._note()}" if self._note() else ""
            self._say(f"game {self._done}/{self._total()}: {told(event.game)}{note}{why}")
        elif isinstance(event, Void):
            self._say(void(event))
        elif isinstance(event, Closing):
            self._say(CLOSING)

    def _say(self, line: str) -> None:
        print(line, file=self._out, flush=True)


def told(game: StoredGame) -> str:
    """Tell a game's result in a sentence."""
    red, blue = plain(game.red), plain(game.blue)
    how = f"({game.ending}, {game.plies} plies)"
    if game.winner:
        winner, loser = (red, blue) if game.winner == "red" else (blue, red)
        return f"{winner} beats {loser} {how}"
    if game.ending in FORFEITS:
        return f"{red} and {blue} both lose {how}"
    return f"{red} and {blue} draw {how}"


def _why(game: StoredGame, results: Path | None) -> str:
    """Tell what a game was forfeited for, and what shows all that was said."""
    hint = f"; {log_hint(results, game.id)}" if results is not None and game.ending in LOGGED else ""
    return f"{plain(game.why)}{hint}"


class LiveProgress:
    """A bar with pace and time left, the last result, and the standings beneath it.

    rich draws again by itself, in a thread of its own; the standings are made in the caller's thread,
    as only that one may read the store.
    """

    def __init__(
        self,
        total: Total,
        done: int,
        rank: Rank,
        out: TextIO,
        clock: Callable[[], float] = time.monotonic,
        *,
        note: Note = no_note,
    ) -> None:
        self._total = total
        self._before = self._done = done
        self._rank = rank
        self._out = out
        self._clock = clock
        self._last = ""
        self._closing = ""
        self._anomalies = Anomalies()
        self._note = note

    def __enter__(self) -> Self:
        from rich.console import Console  # noqa: PLC0415 - slow to import, and only needed on a terminal
        from rich.live import Live  # noqa: PLC0415 - as above

        self._began = self._clock()
        self._rank_now()
        console = Console(file=self._out, highlight=False)
        self._live = Live(
            console=console, get_renderable=self._drawn, refresh_per_second=4, transient=console.is_terminal
        )
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._rank_now()
        self._live.stop()

    def tell(self, event: Event) -> None:
        """Move the bar on with a game that is over, and tell its result and what went wrong."""
        self._anomalies.tell(event)
        if isinstance(event, Finished):
            self._done += 1
            self._last = told(event.game)
            if self._clock() >= self._rank_next:
                self._rank_now()
        elif isinstance(event, Closing):
            self._closing = CLOSING

    def _rank_now(self) -> None:
        """Count anew; the more games there are to count, the more rarely, so that the bots' clocks stay true."""
        begun = time.perf_counter()
        self._table = _table(self._rank())
        cost = time.perf_counter() - begun
        self._rank_next = self._clock() + max(_RANK_EVERY_S, cost * _RANK_SHARE)

    def _drawn(self) -> "RenderableType":
        from rich.console import Group  # noqa: PLC0415 - as above
        from rich.progress_bar import ProgressBar  # noqa: PLC0415 - as above
        from rich.table import Table  # noqa: PLC0415 - as above
        from rich.text import Text  # noqa: PLC0415 - as above

        done, total = self._done, self._total()
        speed = pace(done - self._before, self._clock() - self._began, total - done)
        head = Table.grid(padding=(0, 2))
        head.add_row(ProgressBar(total=total, completed=done, width=30), Text(f"{done}/{total}{speed}"))
        said = (self._last, self._note(), self._closing)
        lines = [Text(line, no_wrap=True, overflow="ellipsis") for line in said if line]
        wrong = [Text(line, no_wrap=True, overflow="ellipsis") for line in self._anomalies.lines()]
        return Group(head, *lines, self._table, *wrong)


def pace(finished: int, seconds: float, left: int) -> str:
    """Say how fast games finish and how long those that are left will take; nothing before the first is finished."""
    if not finished or seconds <= 0:
        return ""
    remaining = timedelta(seconds=round(left * seconds / finished))
    return f", {finished * 60 / seconds:.1f} games a minute, {remaining} left"


def _table(standings: Sequence[Standing]) -> "Table":
    from rich.table import Table  # noqa: PLC0415 - as above
    from rich.text import Text  # noqa: PLC0415 - as above

    table = Table(box=None, pad_edge=False)
    for head in ("rank", "bot", "points", "games", "wins", "draws", "losses", "forfeits", "s/game"):
        table.add_column(head, justify="left" if head == "bot" else "right")
    for one in standings[:_SHOWN]:
        counts = (one.games, one.wins, one.draws, one.losses, one.forfeits)
        used = "" if one.mean_seconds is None else f"{one.mean_seconds:.2f}"
        table.add_row(str(one.rank), Text(plain(one.bot)), number(one.points), *map(str, counts), used)
    if len(standings) > _SHOWN:
        table.add_row("", f"and {len(standings) - _SHOWN} more")
    return table
