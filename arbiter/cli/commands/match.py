"""`arbiter match BOT...`: play two bots, or several against a baseline, without a tournament file."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter.cli.completion import complete_bot
from arbiter.cli.files import results_option
from arbiter.cli.game_options import NO_SECRET, GameOptions, game_option, game_options
from arbiter.cli.options import PATH, command, format_options, group_options, rare_option
from arbiter.cli.play_options import PlayOptions, play_options
from arbiter.cli.playing import play_tournament
from arbiter.director.files import locate_file
from arbiter.errors import ConfigError
from arbiter.tournament.config.bot_entries import parse_bots
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.ratings.pairs import MODELS, Model, Sprt
from arbiter.tournament.results.snapshot import Matches

GAMES: Final = 10
MOST_GAMES: Final = 10_000
_TWO_NUMBERS: Final = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*,\s*([+-]?\d+(?:\.\d+)?)\s*")


sprt_option = rare_option("Sequential test")


class SprtOptions(Struct, frozen=True, kw_only=True):
    """The options of the sequential test."""

    sprt: str | None
    alpha: float | None
    beta: float | None
    model: Model | None

    def read(self) -> Sprt | None:
        """Return the test, if there is one.  Raises ConfigError."""
        settings = {"alpha": self.alpha, "beta": self.beta, "model": self.model}
        chosen = {name: value for name, value in settings.items() if value is not None}
        if self.sprt is None:
            for name in chosen:
                raise ConfigError(f"--{name}: is a setting of --sprt; add --sprt ELO0,ELO1 or leave it out")
            return None
        found = _TWO_NUMBERS.fullmatch(self.sprt)
        if found is None:
            raise ConfigError(f"--sprt {self.sprt}: must be two Elo differences, the lower first, such as 0,20")
        sprt = msgspec.convert({"elo0": float(found[1]), "elo1": float(found[2]), **chosen}, Sprt)
        sprt.check()
        return sprt


@command
@click.argument("bots", metavar="BOT...", nargs=-1, required=True, shell_complete=complete_bot)
@click.option(
    "--baseline",
    metavar="BOT",
    shell_complete=complete_bot,
    help="Play each BOT against this one.",
)
@click.option(
    "--games",
    type=int,
    metavar="N",
    help=f"Games, in pairs.  [default: {GAMES}, or {MOST_GAMES} with --sprt]",
)
@game_options
@game_option(
    "--seed",
    type=click.IntRange(0),
    help="Random seed; the same seed gives the same games, unless --secret differs. A bot could guess a short seed.",
)
@click.option("--setups", type=PATH, help="Use the deployments of this book.")
@group_options(
    "test",
    SprtOptions,
    click.option("--sprt", metavar="ELO0,ELO1", help="Stop early by SPRT of two Elo values, e.g. 0,20."),
    sprt_option("--alpha", type=float, help="Probability of accepting H1 if H0 is true. Default: 0.05."),
    sprt_option("--beta", type=float, help="Probability of accepting H0 if H1 is true. Default: 0.05."),
    sprt_option(
        "--model",
        type=click.Choice(MODELS),
        help="Scale of ELO0 and ELO1: logistic Elo, or normalized Elo as in fastchess. Default: logistic.",
    ),
)
@game_option("--fresh", is_flag=True, help="Start new processes for each game. Default: they play all games.")
@results_option
@play_options
@format_options
def match(
    bots: Sequence[str],
    baseline: str | None,
    games: int | None,
    game: GameOptions,
    seed: int | None,
    setups: Path | None,
    test: SprtOptions,
    place: Path | None,
    play: PlayOptions,
    form: str,
    *,
    fresh: bool,
) -> None:
    """Play two bots, or several against a baseline; show how much stronger they are.

    BOT is the name of a sample bot, a path to a program (.py files run with this Python), or a command line in
    quotes. NAME=BOT enters it under another name. Games are stored only with --results; with other bots, settings
    or programs than those stored there, a new series begins.
    """
    here = Path.cwd()
    sprt = test.read()
    if baseline is None and len(bots) != 2:  # noqa: PLR2004 - a match of two
        raise ConfigError(
            f"BOT: {len(bots)} named; name two bots, or several candidates and --baseline BOT to play against"
        )
    texts = bots if baseline is None else (*bots, baseline)
    entries = parse_bots(texts, here)
    file = game.make_file(
        f"{', '.join(texts[:-1])} against {texts[-1]}",
        entries,
        games=(MOST_GAMES if sprt else GAMES) if games is None else games,
        seed=seed,
        setups=None if setups is None else str(setups),
        processes="fresh" if fresh else "reused",
        suspend_after=0,  # a match measures how often a bot forfeits, too
    )
    if len(entries) > 2:  # noqa: PLR2004 - as above
        file = replace(file, format="gauntlet", settings={"challengers": list(file.bot_names[:-1])})
    tournament = resolve(file, here)
    results = None if place is None else locate_file(place, "match")
    if play.keep_logs and results is None:
        raise ConfigError("--keep-logs: logs are stored with the results; add --results PATH")
    options = replace(play, sandbox=game.sandbox, form=form, usual_secret=None if seed is None else NO_SECRET)
    matches = Matches(file.bot_names, sprt, len(tournament.deployments))
    play_tournament(tournament, results, options, matches=matches)
