"""What is said at the end of a run of the games that came to nothing."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from arbiter.show.replay.log import write_log
from arbiter.show.text import plain
from arbiter.tournament.events import Void
from arbiter.tournament.fixture import Fixture

STOOD_STILL: Final = "because the arbiter stood still in each try (fewer --jobs may help)"


def tell_stalls(stalls: Sequence[Void]) -> None:
    """Tell which games were void for a while because the arbiter stood still."""
    if stalls:
        click.echo(
            f"arbiter: {len(stalls)} times a game was void, because the arbiter stood still when a bot's time ran out "
            f"(fewer --jobs may help): {_names(void.fixture for void in stalls)}",
            err=True,
        )


def tell_voids(voids: Sequence[Void], log: Path | None) -> None:
    """Tell which games came to nothing, and write what is known of them to a file, or to stderr."""
    faults = [void for void in voids if not void.stalled]
    stalls = [void for void in voids if void.stalled]
    for some, cause in ((faults, "through a fault of the arbiter"), (stalls, STOOD_STILL)):
        if some:
            names = _names(void.fixture for void in some)
            click.echo(f"arbiter: {_counted(some)} came to nothing {cause}: {names}", err=True)
    if log is None:
        for line in _traces(voids):
            click.echo(line, err=True)
    else:
        log.write_text("\n".join([*_traces(voids, with_logs=True), ""]), encoding="utf-8")
        click.echo(f"arbiter: the traces are in {log}; run again to play these games", err=True)


def tell_held(held: Sequence[Fixture]) -> None:
    """Tell which pairings were paused, and how many of their games wait for another run."""
    pairings = dict.fromkeys(tuple(sorted((fixture.red, fixture.blue))) for fixture in held)
    if held:
        names = ", ".join(" against ".join(map(plain, pairing)) for pairing in pairings)
        click.echo(
            f"arbiter: {_counted(held)} held back, as others of the same bots came to nothing: {names}; "
            "run again to try them",
            err=True,
        )


def tell_put_off(put_off: Sequence[Fixture]) -> None:
    """Tell how many games wait for a person."""
    if put_off:
        click.echo(f"arbiter: {_counted(put_off)} put off; run again at a terminal to play", err=True)


def _counted(games: Sequence[object]) -> str:
    return f"{len(games)} game{'s' * (len(games) != 1)}"


def _names(fixtures: Iterable[Fixture]) -> str:
    return ", ".join(dict.fromkeys(fixture.id for fixture in fixtures))


def _traces(voids: Sequence[Void], *, with_logs: bool = False) -> Iterator[str]:
    """Write what is known of void games as lines fit to be shown."""
    for void in voids:
        yield void.fixture.id
        yield from map(plain, void.trace.splitlines())
        if with_logs:
            yield from write_log(void.log)
