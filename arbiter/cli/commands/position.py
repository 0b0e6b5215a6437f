"""`arbiter position`: check, draw and convert a position, or show one of a game."""

import sys
from pathlib import Path
from typing import Final, Literal

import click

from arbiter.cli.completion import complete_game, complete_path
from arbiter.cli.files import read_game, results_option, viewer_option
from arbiter.cli.game_options import rule_change_option, rules_option
from arbiter.cli.options import END, PLY, command, format_options
from arbiter.cli.terminal import print_facts
from arbiter.director.files import find_source, is_results, read_bytes, read_plain_record
from arbiter.errors import ConfigError
from arbiter.games.board.ruleset import BoardRules
from arbiter.games.catalogue import find_game
from arbiter.record import RecordError
from arbiter.show.positions import ShownPosition, position_object, show_ply, show_start, write_position
from arbiter.show.replay.knowledge import Viewer

_STDIN: Final = "-"
_RECORD: Final = b"{"  # how a record begins


@command
@click.argument("source", metavar="POSITION|FILE|RECORD|RESULTS", shell_complete=complete_path)
@click.argument("game", required=False, shell_complete=complete_game)
@rules_option
@rule_change_option
@click.option("--at", type=PLY, default=END, show_default=True, help="Of a game: the ply, or `end`.")
@viewer_option
@click.option(
    "--to",
    "style",
    type=click.Choice(["rows", "letters"]),
    default="rows",
    metavar="STYLE",
    help="rows (drawn) or letters (one line).  [default: rows]",
)
@results_option
@format_options
def position(
    source: str,
    game: str | None,
    rules: tuple[str, ...],
    options: tuple[str, ...],
    at: str,
    viewer: Viewer,
    style: Literal["rows", "letters"],
    place: Path | None,
    form: str,
) -> None:
    """Check, draw and convert a position, or show one of a game.

    A position is drawn in rows, in a FILE (- for stdin), or written as letters. For a RECORD or a GAME of RESULTS,
    the position after a ply is shown: ! marks ranks that the opponent knows, ' pieces that have moved.
    """
    path = Path(source)
    try:
        if game is not None or (path.exists() and (is_results(path) or read_plain_record(path).startswith(_RECORD))):
            record, _ = read_game(find_source(path, place), game)
            shown = show_ply(record, None if at == END else int(at), viewer)
        else:
            shown = _read_position(source, rules[0], options)
    except RecordError as error:
        raise ConfigError(f"{source}: {error}") from None
    text = shown.letters() if style == "letters" else write_position(shown)
    print_facts("Position", [position_object(shown)], form, lambda: text)


def _read_position(source: str, rules: str, options: tuple[str, ...]) -> ShownPosition:
    """Read a position from stdin, a file or the command line.  Raises ConfigError."""
    if source == _STDIN:
        text, where = sys.stdin.read(), "stdin"
    elif Path(source).is_file():
        text, where = read_bytes(Path(source)).decode("utf-8", "replace"), source
    elif "/" in source or "." in source:
        raise ConfigError(f"{source}: there is no such file")
    else:
        text, where = source, "POSITION"
    try:
        game = find_game(rules, options, position=text)
        if not isinstance(game, BoardRules):
            raise ConfigError(f"{rules} has no board")
        return show_start(game)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
