"""`arbiter replay`: watch a game from any seat."""

import re
import time
from collections.abc import Iterable
from math import isfinite
from pathlib import Path
from typing import Final

import click

from arbiter.cli.files import is_results, open_results, read_bytes
from arbiter.cli.printing import json_option, lang_option
from arbiter.cli.terminal import takes_colour
from arbiter.errors import ConfigError
from arbiter.record import Record, RecordError, read_record
from arbiter.show.frame import Frame
from arbiter.show.replay import frames, introduce, write_frame
from arbiter.show.sight import VIEWERS, Viewer
from arbiter.show.text import json_line

_END: Final = "end"


class Ply(click.ParamType[str]):
    """A ply's number, or `end`."""

    name = "ply"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take digits or `end`."""
        if value != _END and not re.fullmatch("[0-9]{1,9}", value):
            self.fail(f"{value!r} is neither the number of a ply nor {_END!r}", param, ctx)
        return value


class PliesASecond(click.FloatRange):
    """A speed; not a number is none."""

    def convert(self, value: float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Take a number in the range."""
        speed: float = super().convert(value, param, ctx)
        return speed if isfinite(speed) else self.fail(f"{value} is not a number", param, ctx)


@click.command
@click.argument("source", type=click.Path(path_type=Path), metavar="RECORD|RESULTS")
@click.argument("game", required=False)
@click.option("--as", "viewer", type=click.Choice(VIEWERS), default="arbiter", show_default=True, help="The seat.")
@click.option("--at", type=Ply(), help="Only the frame of this ply, or of the end.")
@click.option("--speed", type=PliesASecond(0.1, 100), help="Plies a second; without it all frames at once.")
@lang_option
@click.option("--plain", is_flag=True, help="Plain frames, one below the other.")
@json_option
def replay(
    source: Path,
    game: str | None,
    viewer: Viewer,
    at: str | None,
    speed: float | None,
    lang: str,
    *,
    plain: bool,
    as_json: bool,
) -> None:
    """Show a game frame by frame: a RECORD, or a GAME of RESULTS.

    Red and blue see what that player could know; the arbiter sees all.
    """
    record = _record(source, game)
    try:
        shown = _chosen(record, viewer, at, lang)
        if as_json:
            _print_json(shown)
        else:
            click.echo(introduce(record))
            _print_frames(shown, speed, colour=not plain and takes_colour())
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None


def _record(source: Path, game: str | None) -> Record:
    """Read a record from its file or from results.  Raises ConfigError."""
    try:
        return read_record(_data(source, game))
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None


def _data(source: Path, game: str | None) -> bytes:
    if not is_results(source):
        if game is not None:
            raise ConfigError(f"{source}: is no results file, so there is no game {game!r} to choose in it")
        return read_bytes(source)
    with open_results(source) as store:
        if game is None:
            raise ConfigError(f"{store.path}: name a game of it; `arbiter games {store.path}` lists them")
        return store.record(game)


def _chosen(record: Record, viewer: Viewer, at: str | None, lang: str) -> Iterable[Frame]:
    if at is None:
        return frames(record, viewer, lang=lang)
    if at == _END:
        return [list(frames(record, viewer, lang=lang))[-1]]
    return list(frames(record, viewer, first=int(at), last=int(at), lang=lang))


def _print_frames(shown: Iterable[Frame], speed: float | None, *, colour: bool) -> None:
    for frame in shown:
        click.echo(f"\n{write_frame(frame, colour=colour)}")
        if speed:
            time.sleep(1 / speed)


def _print_json(shown: Iterable[Frame]) -> None:
    for frame in shown:
        click.echo(json_line(frame))
