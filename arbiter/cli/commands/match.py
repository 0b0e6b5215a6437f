"""`arbiter match BOT...`: play two bots, or several against a baseline, without a tournament file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from click.core import ParameterSource
from msgspec.structs import asdict, replace

from arbiter.cli.completion import complete_bot
from arbiter.cli.files import results_option
from arbiter.cli.game_options import NO_SECRET, GameOptions, game_option, game_options
from arbiter.cli.match_options import MatchOptions, match_options
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.play_options import PlayOptions, play_options
from arbiter.cli.playing import exit_after, play_tournament
from arbiter.cli.terminal import find_user, print_facts
from arbiter.director.files import TOML, locate_file, results_file
from arbiter.director.ladder import ask_for_unrated_match
from arbiter.errors import ConfigError, write_command, write_count
from arbiter.tournament.config.bot_config import parse_bots
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.results.snapshot import Matches
from protocol.words import SEATS

_OF_LADDER: Final = {"baseline", *GameOptions.__struct_fields__, *MatchOptions.__struct_fields__} - {"games", "sandbox"}
"""Parameters that do not go together with --ladder."""


@command
@click.argument("bots", metavar="BOT...", nargs=-1, required=True, shell_complete=complete_bot)
@click.option(
    "--baseline",
    metavar="BOT",
    shell_complete=complete_bot,
    help="Play each BOT against this one.",
)
@game_option(
    "--ladder",
    type=PATH,
    metavar="FILE",
    help="Play an unrated match of two bots of this ladder, in turn with its games.",
)
@game_options
@match_options
@results_option
@play_options
@format_options
def match(
    bots: Sequence[str],
    baseline: str | None,
    ladder: Path | None,
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
    if ladder is not None:
        _ask_ladder(ladder, place, bots, settings, form)
        return
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


def _ask_ladder(ladder: Path, place: Path | None, bots: Sequence[str], settings: MatchOptions, form: str) -> None:
    """Ask a ladder for an unrated match, and show when it is played.  Raises ConfigError."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in _OF_LADDER and context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise ConfigError(f"{parameter.opts[0]}: the ladder decides it for its matches; leave it out")
    results = results_file(ladder, place) if ladder.suffix == TOML else ladder
    asked = ask_for_unrated_match(results, bots, settings.games or len(SEATS), find_user())
    match = asked.match
    turn = "it takes its turn" if asked.is_played else "it takes its turn when `arbiter run` is started again"
    text = (
        f"unrated match {match.number} of {match.one} and {match.two}: {write_count(match.games, 'game')}; {turn}\n"
        f"its games: {write_command('ladder', 'matches', asked.results)}"
    )
    print_facts("Match", [asdict(match)], form, lambda: text)
