"""`arbiter export`: write a game as a page, a picture, a moving picture or a record."""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import click
from msgspec import Struct

from arbiter.cli.completion import complete_game
from arbiter.cli.files import read_game, read_written_record, results_option, viewer_option
from arbiter.cli.options import END, Ply, Speed, command, lang_option, output_option, rare_option
from arbiter.director.files import find_source, write_bytes
from arbiter.errors import ConfigError
from arbiter.record import RecordError
from arbiter.show.pictures import require_pillow
from arbiter.show.pictures.layout import lay_out
from arbiter.show.pictures.svg import write_svg
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.plain_text import describe_players
from arbiter.show.replay.replay import Replay, drop_unnoticed_acts
from arbiter.show.screen.cast import write_cast
from arbiter.show.text import plain
from arbiter.show.theme import DEFAULT_THEME, PAPER, THEMES, Theme

MOST_GIF_FRAMES: Final = 1000
_USUAL_SPEED: Final = 2.0  # plies per second
_STDOUT: Final = Path("-")

animation_option = rare_option("Animations")


class GameExport(Struct, frozen=True, kw_only=True):
    """A part of a game, as one viewer sees it."""

    replay: Replay
    viewer: Viewer

    start: str
    """The ply that a page opens at: a number or `end`."""

    number: int
    """The frame of a picture."""

    numbers: tuple[int, ...]
    """The frames of a moving picture."""

    speed: float
    """Frames per second."""

    theme: str | None
    """A name of THEMES; by default a recording of the terminal has the theme of `arbiter replay`, others are light."""

    @property
    def colours(self) -> Theme:
        """The theme of a picture."""
        return THEMES[self.theme] if self.theme else PAPER

    def frames(self) -> Iterator[Frame]:
        """Yield the frames of a moving picture."""
        return (self.replay.frame(number, self.viewer) for number in self.numbers)


def _make_html(export: GameExport) -> bytes:
    from arbiter.show.report.games import make_single_page  # noqa: PLC0415 - templates are slow to import

    return make_single_page(export.replay, export.viewer, export.start)


def _make_svg(export: GameExport) -> bytes:
    title = f"{describe_players(export.replay.record)}, ply {export.replay.ply(export.number)}"
    frame = export.replay.frame(export.number, export.viewer)
    return write_svg(lay_out(frame, export.viewer), export.colours, title).encode()


def _make_png(export: GameExport) -> bytes:
    from arbiter.show.pictures.pixels import write_png  # noqa: PLC0415 - Pillow is optional

    return write_png(lay_out(export.replay.frame(export.number, export.viewer), export.viewer), export.colours)


def _make_gif(export: GameExport) -> bytes:
    from arbiter.show.pictures.gif import write_gif  # noqa: PLC0415 - Pillow is optional

    if len(export.numbers) > MOST_GIF_FRAMES:
        raise ConfigError(
            f"--gif: {len(export.numbers)} frames are too many, {MOST_GIF_FRAMES} are allowed; "
            "choose a part of the game with --from and --to"
        )
    title = describe_players(export.replay.record)
    return write_gif(export.frames(), export.viewer, export.colours, title, speed=export.speed)


def _make_cast(export: GameExport) -> bytes:
    theme = export.theme or DEFAULT_THEME
    return write_cast(export.replay, export.viewer, export.numbers, theme, speed=export.speed)


_MAKERS: Final[dict[str, Callable[[GameExport], bytes]]] = {
    "html": _make_html,
    "svg": _make_svg,
    "png": _make_png,
    "gif": _make_gif,
    "cast": _make_cast,
}
_MADE_OF_PIXELS: Final = frozenset({"png", "gif"})


@command
@click.argument("source", type=click.Path(path_type=Path), metavar="RECORD|RESULTS")
@click.argument("game", required=False, shell_complete=complete_game)
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with the viewer.")
@click.option("--svg", type=click.Path(path_type=Path), metavar="FILE", help="Write a picture of one ply.")
@click.option("--png", type=click.Path(path_type=Path), metavar="FILE", help="Write the same picture as pixels.")
@click.option("--gif", type=click.Path(path_type=Path), metavar="FILE", help="Write an animation of the game.")
@click.option(
    "--cast", type=click.Path(path_type=Path), metavar="FILE", help="Write a recording of the terminal for asciinema."
)
@click.option(
    "--record", type=click.Path(path_type=Path), metavar="FILE", help="Write the record, which shows everything."
)
@viewer_option
@click.option(
    "--at",
    type=Ply(),
    help="Ply of a picture (default: end), or at which a page opens (default: 0).",
)
@animation_option("--from", "first", type=click.IntRange(0), default=0, help="First ply. Default: the start.")
@animation_option("--to", "last", type=click.IntRange(0), help="Last ply. Default: the end.")
@animation_option("--speed", type=Speed(0.1, 50), default=_USUAL_SPEED, show_default=True, help="Plies per second.")
@output_option(
    "--theme", type=click.Choice(list(THEMES)), help="Colours of pictures. Default: paper; night for a terminal."
)
@results_option
@lang_option
def export(
    source: Path,
    game: str | None,
    record: Path | None,
    viewer: Viewer,
    at: str | None,
    first: int,
    last: int | None,
    speed: float,
    theme: str | None,
    place: Path | None,
    lang: str,
    **files: Path | None,
) -> None:
    """Write a RECORD, or a GAME of RESULTS, as a page, a picture, an animation or a record.

    With --as red, blue or spectator, the file contains only what that viewer could know. FILE may be - for stdout.
    PNG and GIF need Pillow.
    """
    targets = {name: path for name, path in files.items() if path is not None}
    found = find_source(source, place)
    _check_targets([*targets.values(), *([record] if record else [])], sources=(source, found))
    if record and viewer != "arbiter":
        raise ConfigError(f"--record: a record contains the whole game; leave out --as {viewer}")
    source = found
    shown, in_progress = read_game(source, game)
    if in_progress:
        click.echo(f"arbiter: {game} is in progress; this is the game so far", err=True)
    try:
        replay = Replay(shown, lang, in_progress=in_progress)
        if fault := replay.fault(viewer):
            raise fault
        replay = Replay(drop_unnoticed_acts(replay, viewer), lang, in_progress=in_progress)
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None
    request = GameExport(
        replay=replay,
        viewer=viewer,
        start=at or "0",
        number=replay.last if at in {None, END} else replay.find_ply_end(replay.check_ply(int(at))),
        numbers=_find_frames(replay, first, last),
        speed=speed,
        theme=theme,
    )
    made = {path: _make(name, request) for name, path in targets.items()}
    if record:
        made[record] = read_written_record(source, game)
    for path, content in made.items():
        if path == _STDOUT:
            sys.stdout.buffer.write(content)
            continue
        write_bytes(path, content)
        if _STDOUT not in made:
            click.echo(f"{plain(str(path))}: {len(content) / 1000:.0f} kB")


def _check_targets(targets: list[Path], sources: Iterable[Path]) -> None:
    """Raise ConfigError if there is no target, if one is a source of the game, or if two are the same."""
    if not targets:
        raise ConfigError(f"name a file to write: {', '.join(f'--{name} FILE' for name in (*_MAKERS, 'record'))}")
    for number, path in enumerate(targets):
        if path in targets[:number]:
            raise ConfigError(f"{plain(str(path))}: is named twice; name another file")
        if any(path.exists() and source.exists() and path.samefile(source) for source in sources):
            raise ConfigError(f"{plain(str(path))}: is the source of the game; name another file")


def _find_frames(replay: Replay, first: int, last: int | None) -> tuple[int, ...]:
    """Return the frames of some plies.  Raises ConfigError if there are none."""
    start = replay.find_ply(replay.check_ply(first))
    if last is None:
        return tuple(range(start, len(replay)))
    if last < first:
        raise ConfigError(f"--to {last}: is before --from {first}")
    return tuple(range(start, replay.find_ply_end(replay.check_ply(last)) + 1))


def _make(name: str, request: GameExport) -> bytes:
    if name in _MADE_OF_PIXELS:
        require_pillow(f"--{name}")
    return _MAKERS[name](request)
