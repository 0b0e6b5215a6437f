"""`arbiter replay`: watch a game from any seat."""

import re
import time
from collections.abc import Callable, Iterable
from functools import partial
from math import isfinite
from pathlib import Path

import click

from arbiter.cli.printing import json_option, lang_option
from arbiter.cli.records import END, read_game
from arbiter.cli.terminal import takes_colour
from arbiter.cli.watching import can_watch, watch_on_terminal
from arbiter.errors import ConfigError
from arbiter.record import RecordError
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import VIEWERS, Viewer
from arbiter.show.replay.plain_text import describe_players, make_frames, write_frame
from arbiter.show.text import json_line
from arbiter.show.watch.state import USUAL_SPEED, ViewSettings


class Ply(click.ParamType[str]):
    """A ply's number, or `end`."""

    name = "ply"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take digits or `end`."""
        if value != END and not re.fullmatch("[0-9]{1,9}", value):
            self.fail(f"{value!r} is neither the number of a ply nor {END!r}", param, ctx)
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
@click.option("--at", type=Ply(), help="Begin at this ply or the end; plain: only its frame.")
@click.option("--speed", type=PliesASecond(0.1, 100), help="Play, so many plies a second.")
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
    """Watch a RECORD, a GAME of RESULTS, or games picked from their list.

    On a terminal the keys go forth and back (? tells all); elsewhere, or with --plain, the frames are printed.
    Red and blue see what that player could know; the arbiter sees all.
    A game that is still played is followed, if it is run with --live.
    """
    if can_watch() and not plain and not as_json:
        wishes = ViewSettings(viewer=viewer, speed=speed or USUAL_SPEED, lang=lang)
        watch_on_terminal(source, game, at, wishes, playing=speed is not None)
        return
    record, under_way = read_game(source, game)
    if under_way:
        click.echo(f"arbiter: {game} is under way: this is as far as it has come", err=True)
    try:
        shown = _chosen(partial(make_frames, record, viewer, lang=lang, in_progress=under_way), at)
        if as_json:
            _print_json(shown)
        else:
            click.echo(describe_players(record))
            _print_frames(shown, speed, colour=not plain and takes_colour())
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None


def _chosen(shown: Callable[..., Iterable[Frame]], at: str | None) -> Iterable[Frame]:
    if at is None:
        return shown()
    if at == END:
        return [list(shown())[-1]]
    return list(shown(first=int(at), last=int(at)))


def _print_frames(shown: Iterable[Frame], speed: float | None, *, colour: bool) -> None:
    for frame in shown:
        click.echo(f"\n{write_frame(frame, colour=colour)}")
        if speed:
            time.sleep(1 / speed)


def _print_json(shown: Iterable[Frame]) -> None:
    for frame in shown:
        click.echo(json_line(frame))
