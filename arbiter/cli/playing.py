"""Playing games under a terminal: the loop, the signals, what is said of games that came to nothing."""

import signal
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

import click
import trio
from msgspec import Struct

from arbiter.cli.failures import ANSWER_IS_NO, INTERRUPTED
from arbiter.errors import ConfigError
from arbiter.referee.orphans import adopt_orphans
from arbiter.tournament.arena import Announce, Arena, Void
from arbiter.tournament.schedule import Fixture

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class Ended(Struct):
    """How playing ended: all played, or stopped by a signal or by what the operator must mend."""

    finished: bool = False
    failure: ConfigError | None = None


def play(arena: Arena, fixtures: Sequence[Fixture], jobs: int, announce: Announce) -> bool:
    """Play fixtures until all are played or a signal stops it; say whether it came to its end.

    Games that a signal cuts off are void: nothing of them is kept.  Raises ConfigError.
    """
    adopt_orphans()
    ended = trio.run(_until_signal, arena, fixtures, jobs, announce)
    if ended.failure:
        raise ended.failure
    return ended.finished


async def _until_signal(arena: Arena, fixtures: Sequence[Fixture], jobs: int, announce: Announce) -> Ended:
    ended = Ended()
    with trio.open_signal_receiver(*_SIGNALS) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_on, signals, nursery.cancel_scope)
            try:
                await arena.play(fixtures, jobs, announce)
                ended.finished = True
            except ConfigError as error:  # carried out by hand: the nursery would wrap it
                ended.failure = error
            nursery.cancel_scope.cancel()
    return ended


async def _cancel_on(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    await anext(signals)
    scope.cancel()


def leave(*, finished: bool, voids: Sequence[Void], log: Path | None) -> None:
    """Exit as the games ended: 130 where a signal stopped them, 1 where some came to nothing."""
    if voids:
        _tell_voids(voids, log)
    if not finished:
        sys.exit(INTERRUPTED)
    if voids:
        sys.exit(ANSWER_IS_NO)


def _tell_voids(voids: Sequence[Void], log: Path | None) -> None:
    text = "\n".join(f"{void.fixture.id}\n{void.trace}" for void in voids)
    names = ", ".join(void.fixture.id for void in voids)
    click.echo(f"arbiter: {len(voids)} games came to nothing through a fault of the arbiter: {names}", err=True)
    if log is None:
        click.echo(text, err=True)
    else:
        log.write_text(text, encoding="utf-8")
        click.echo(f"arbiter: the traces are in {log}; run again to play these games", err=True)
