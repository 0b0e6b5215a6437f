"""`arbiter export`: write a game as a page, a picture, a moving picture or a record."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click

from arbiter.cli.completion import complete_game
from arbiter.cli.files import read_game, read_written_record, results_option, viewer_option
from arbiter.cli.options import (
    END,
    PATH,
    PLY,
    Speed,
    add_options,
    command,
    format_options,
    lang_option,
    output_option,
    rare_option,
)
from arbiter.cli.terminal import print_facts, write_raw
from arbiter.director.files import find_source, write_bytes
from arbiter.errors import ConfigError
from arbiter.record import RecordError
from arbiter.show.export import MAKERS, GameExport, select_frames
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.replay import Replay, drop_unnoticed_acts
from arbiter.show.text import plain
from arbiter.show.theme import THEMES

_USUAL_SPEED: Final = 2.0  # plies per second
_STDOUT: Final = Path("-")
_FILES: Final = {
    "html": "Write a page with the viewer.",
    "svg": "Write a picture of one ply.",
    "png": "Write the same picture as pixels.",
    "gif": "Write an animation of the game.",
    "cast": "Write a recording of the terminal for asciinema.",
    "record": "Write the record, which shows everything.",
}

animation_option = rare_option("Animations")


@command
@click.argument("source", type=PATH, metavar="RECORD|RESULTS")
@click.argument("game", required=False, shell_complete=complete_game)
@add_options(*(click.option(f"--{name}", type=PATH, metavar="FILE", help=text) for name, text in _FILES.items()))
@viewer_option
@click.option(
    "--at",
    type=PLY,
    help="Ply of a picture (default: end) or page (default: 0).",
)
@animation_option("--from", "first", type=click.IntRange(0), default=0, help="First ply. Default: the start.")
@animation_option("--to", "last", type=click.IntRange(0), help="Last ply. Default: the end.")
@animation_option("--speed", type=Speed(0.1, 50), default=_USUAL_SPEED, show_default=True, help="Plies per second.")
@animation_option(
    "--story", is_flag=True, help="With --gif, show only the turning points, with captions, in at most 20 seconds."
)
@output_option(
    "--theme", type=click.Choice(list(THEMES)), help="Colours of pictures. Default: paper; night for a terminal."
)
@results_option
@lang_option
@format_options
def export(
    source: Path,
    game: str | None,
    viewer: Viewer,
    at: str | None,
    first: int,
    last: int | None,
    speed: float,
    story: bool,
    theme: str | None,
    place: Path | None,
    lang: str,
    form: str,
    **files: Path | None,
) -> None:
    """Write a RECORD, or a GAME of RESULTS, as a page, a picture, an animation or a record.

    With --as red, blue or spectator, the file contains only what that viewer could know. FILE may be - for stdout.
    PNG and GIF need Pillow.
    """
    targets = {name: path for name, path in files.items() if path is not None}
    if story and "gif" not in targets:
        raise ConfigError("--story: is about an animation; add --gif FILE")
    if story and (first or last is not None):
        raise ConfigError("--story: chooses the plies itself; leave out --from and --to")
    found = find_source(source, place)
    _check_targets([*targets.values()], sources=(source, found))
    if "record" in targets and viewer != "arbiter":
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
        number=replay.last if at in {None, END} else replay.find_ply(replay.check_ply(int(at))),
        numbers=select_frames(replay, first, last),
        speed=speed,
        is_story=story,
        theme=theme,
    )
    made = {
        path: MAKERS[name](request) if name in MAKERS else read_written_record(source, game)
        for name, path in targets.items()
    }
    for path, content in made.items():
        if path == _STDOUT:
            write_raw(content)
            continue
        write_bytes(path, content)
    if _STDOUT not in made:
        sizes = {plain(str(path)): len(content) for path, content in made.items()}
        text = "\n".join(f"{file}: {size / 1000:.0f} kB" for file, size in sizes.items())
        print_facts("Files", [{"file": file, "bytes": size} for file, size in sizes.items()], form, lambda: text)


def _check_targets(targets: list[Path], sources: Iterable[Path]) -> None:
    """Raise ConfigError if there is no target, if one is a source of the game, or if two are the same."""
    if not targets:
        raise ConfigError(f"name a file to write: {', '.join(f'--{name} FILE' for name in _FILES)}")
    for number, path in enumerate(targets):
        if path in targets[:number]:
            raise ConfigError(f"{plain(str(path))}: is named twice; name another file")
        if any(path.exists() and source.exists() and path.samefile(source) for source in sources):
            raise ConfigError(f"{plain(str(path))}: is the source of the game; name another file")
