"""`arbiter replay`: watch a game."""

import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click
import msgspec

from arbiter.cli.completion import complete_game
from arbiter.cli.files import open_results, read_game, read_log, read_record_file, results_option, viewer_option
from arbiter.cli.options import END, PATH, PLY, Speed, command, format_options, lang_option, output_option
from arbiter.cli.terminal import end_with_terminal, has_colour, has_full_screen, print_each
from arbiter.director.files import find_source, is_results
from arbiter.errors import ConfigError
from arbiter.record import RecordError
from arbiter.show.language import SentenceWriter
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.replay.plain_text import describe_outcome, describe_players, make_frames, write_frame, write_plots
from arbiter.show.theme import DEFAULT_THEME, THEMES
from arbiter.show.watch.source import USUAL_SPEED, ViewSettings, open_game


@command
@click.argument("source", type=PATH, metavar="RECORD|RESULTS")
@click.argument("game", required=False, shell_complete=complete_game)
@viewer_option
@click.option("--at", type=PLY, help="Start at this ply, or at `end`; as text, show only this ply.")
@click.option("--speed", type=Speed(0.1, 100), metavar="N", help="Play automatically, N plies per second.")
@output_option(
    "--theme",
    type=click.Choice(list(THEMES)),
    default=DEFAULT_THEME,
    show_default=True,
    envvar="ARBITER_THEME",
    show_envvar=True,
    help="Colours on a terminal.",
)
@output_option("--no-animation", is_flag=True, help="Show only the results of fights.")
@results_option
@lang_option
@click.option("--plain", is_flag=True, help="Print all positions as plain text.")
@format_options
def replay(
    source: Path,
    game: str | None,
    viewer: Viewer,
    at: str | None,
    speed: float | None,
    theme: str,
    place: Path | None,
    lang: str,
    form: str,
    *,
    no_animation: bool,
    plain: bool,
) -> None:
    """Watch a RECORD, a GAME of RESULTS, or games picked from the list of RESULTS.

    On a terminal, keys step through the game (? shows them all). Elsewhere, or with --plain, all positions are
    printed. Red and blue see only what that player could know; the arbiter sees everything. A game in progress is
    followed if its tournament was started with --live.
    """
    source = find_source(source, place)
    if has_full_screen() and not plain and form == "table":
        settings = ViewSettings(
            viewer=viewer, speed=speed or USUAL_SPEED, lang=lang, theme=theme, animates=not no_animation
        )
        _watch(source, game, at, settings, playing=speed is not None)
        return
    record, in_progress = read_game(source, game)
    if in_progress:
        click.echo(f"arbiter: {game} is in progress; this is the record so far", err=True)
    log = read_log(source, game)
    frames = partial(make_frames, record, viewer, lang=lang, log=log, in_progress=in_progress)
    try:
        if at is None:
            shown = frames()
        elif at == END:
            shown = iter(list(frames())[-1:])
        else:
            shown = iter(list(frames(first=int(at), last=int(at))))
        if form != "table":
            with print_each("Replay", form) as show:
                for frame in shown:
                    show(msgspec.to_builtins(frame), "")
            return
        sentences = SentenceWriter(lang, record.header.rules)
        head = [describe_players(record, sentences), *describe_outcome(record, sentences, in_progress=in_progress)]
        click.echo("\n".join([*head, *write_plots(record, viewer, sentences)]))
        colour = not plain and has_colour()
        for frame in shown:
            click.echo(f"\n{write_frame(frame, sentences, colour=colour)}")
            if speed:
                time.sleep(1 / speed)
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None


def _watch(path: Path, game: str | None, at: str | None, settings: ViewSettings, *, playing: bool) -> None:
    """Watch a record, a game of results, or games picked from the list of results.

    Errors in the game are reported before the application takes over the screen.  Raises ConfigError.
    """
    from arbiter.show.watch.state import ReplayState  # noqa: PLC0415 - rich is slow to import

    with ExitStack() as closing:
        source = closing.enter_context(open_results(path, follow=True)) if is_results(path) else None
        state: ReplayState | None = None
        if source is None or game is not None:
            try:
                if source is None or game is None:
                    state = ReplayState(read_record_file(path, game), settings)
                else:
                    found = source.find_id(game)
                    record, live = open_game(source, found)
                    state = ReplayState(record, settings, live, source.log(found))
            except RecordError as error:
                raise ConfigError(f"{path}: {error}") from None
            if at is not None:
                replay = state.replay
                state.go_to(replay.last if at == END else replay.find_ply(replay.check_ply(int(at))))
            elif playing:  # otherwise the replay of a game in progress starts at its latest ply
                state.go_to(0)
        elif at is not None:
            raise ConfigError(f"--at {at}: name the game of {path}")
        from arbiter.show.watch.app import ReplayApp  # noqa: PLC0415 - so is textual

        app = ReplayApp(settings, state, source, playing=playing)
        end_with_terminal()
        app.run()
        if app.return_code:
            raise KeyboardInterrupt
