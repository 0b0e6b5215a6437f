"""`arbiter match BOT...`: play two bots, or several against a baseline, without a tournament file."""

from collections.abc import Sequence
from pathlib import Path

import click
from msgspec.structs import replace

from arbiter.cli.completion import complete_bot
from arbiter.cli.files import results_option
from arbiter.cli.game_options import NO_SECRET, GameOptions, game_options
from arbiter.cli.match_options import MatchOptions, match_options
from arbiter.cli.options import command, format_options
from arbiter.cli.play_options import PlayOptions, play_options
from arbiter.cli.playing import exit_after, play_tournament
from arbiter.director.files import locate_file
from arbiter.errors import ConfigError
from arbiter.tournament.config.bot_entries import parse_bots
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.results.snapshot import Matches


@command
@click.argument("bots", metavar="BOT...", nargs=-1, required=True, shell_complete=complete_bot)
@click.option(
    "--baseline",
    metavar="BOT",
    shell_complete=complete_bot,
    help="Play each BOT against this one.",
)
@game_options
@match_options
@results_option
@play_options
@format_options
def match(
    bots: Sequence[str],
    baseline: str | None,
    game: GameOptions,
    settings: MatchOptions,
    place: Path | None,
    play: PlayOptions,
    form: str,
) -> None:
    """Play two bots, or several against a baseline; show how much stronger they are.

    BOT is the name of a sample bot, a path to a program (.py files run with this Python), or a command line in
    quotes. NAME=BOT enters it under another name. Games are stored only with --results; with other bots, settings
    or programs than those stored there, a new series begins.
    """
    here = Path.cwd()
    sprt = settings.read_test()
    if baseline is None and len(bots) != 2:  # noqa: PLR2004 - a match of two
        raise ConfigError(
            f"BOT: {len(bots)} named; name two bots, or several candidates and --baseline BOT to play against"
        )
    texts = bots if baseline is None else (*bots, baseline)
    file = settings.make_file(parse_bots(texts, here), f"{', '.join(texts[:-1])} against {texts[-1]}", game)
    tournament = resolve(file, here)
    results = None if place is None else locate_file(place, "match")
    if play.keep_logs and results is None:
        raise ConfigError("--keep-logs: logs are stored with the results; add --results PATH")
    options = replace(play, sandbox=game.sandbox, form=form, usual_secret=None if settings.seed is None else NO_SECRET)
    matches = Matches(file.bot_names, sprt, len(tournament.deployments))
    exit_after(play_tournament(tournament, results, options, matches=matches))
