"""`arbiter match BOT BOT`: play two bots without a tournament file."""

import re
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from arbiter.cli.completion import complete_bot
from arbiter.cli.files import results_option
from arbiter.cli.game_options import GameOptions, game_options
from arbiter.cli.play_options import (
    NO_SECRET,
    PlayOptions,
    play_options,
)
from arbiter.cli.playing import play_tournament
from arbiter.director.files import locate_file
from arbiter.errors import ConfigError
from arbiter.tournament.config.bot_entries import parse_two_bots
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.head_to_head import HeadToHead
from arbiter.tournament.ratings.sprt import MODELS, Model, Sprt

GAMES: Final = 10
MOST_GAMES: Final = 10_000
_TWO_NUMBERS: Final = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*,\s*([+-]?\d+(?:\.\d+)?)\s*")


@click.command
@click.argument("one", metavar="BOT", shell_complete=complete_bot)
@click.argument("two", metavar="BOT", shell_complete=complete_bot)
@game_options()
@click.option(
    "--games",
    type=int,
    help="Number of games, even: each pair of games is played with swapped colours. "
    f"Default: {GAMES}, or {MOST_GAMES} with --sprt.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Random seed; the same seed gives the same games, unless --secret differs. A bot could guess a short seed.",
)
@click.option("--setups", type=click.Path(path_type=Path), help="Use the deployments of this book.")
@click.option("--sprt", metavar="ELO0,ELO1", help="Stop early by SPRT: H0 = ELO0 against H1 = ELO1, e.g. 0,20.")
@click.option("--alpha", type=float, help="With --sprt: probability of accepting H1 if H0 is true. Default: 0.05.")
@click.option("--beta", type=float, help="With --sprt: probability of accepting H0 if H1 is true. Default: 0.05.")
@click.option(
    "--model",
    type=click.Choice(MODELS),
    help="With --sprt: scale of ELO0 and ELO1, logistic Elo or normalized Elo as in fastchess. Default: logistic.",
)
@click.option("--fresh", is_flag=True, help="Start new processes for each game. Default: they play all games.")
@results_option
@play_options
def match(
    one: str,
    two: str,
    rules: str,
    games: int | None,
    seed: int | None,
    setups: Path | None,
    sprt: str | None,
    alpha: float | None,
    beta: float | None,
    model: Model | None,
    place: Path | None,
    fresh: bool,
    **given: Any,  # noqa: ANN401 - the other options of `game_options` and `play_options`
) -> None:
    """Play two bots against each other and show how much stronger the first is.

    BOT is the name of a sample bot, a path to a program (.py files run with this Python), or a command line in
    quotes. NAME=BOT enters it under another name. The games are stored if you name --results, which may contain
    several matches: one with other bots, settings or programs than the stored ones begins a new series.
    """
    here = Path.cwd()
    test = _read_sprt(sprt, alpha, beta, model)
    file = GameOptions.take(given).make_file(
        f"{one} against {two}",
        rules,
        parse_two_bots((one, two), here),
        games=(MOST_GAMES if test else GAMES) if games is None else games,
        seed=seed,
        setups=None if setups is None else str(setups),
        processes="fresh" if fresh else "reused",
        suspend_after=0,  # a match measures how often a bot forfeits, too
    )
    tournament = resolve(file, here)
    results = None if place is None else locate_file(place, "match")
    if given["keep_logs"] and results is None:
        raise ConfigError("--keep-logs: logs are stored with the results; add --results PATH")
    first, second = file.bots
    chosen = PlayOptions(**given, usual_secret=None if seed is None else NO_SECRET)
    head_to_head = HeadToHead(first.name, second.name, test, len(tournament.deployments))
    play_tournament(tournament, results, chosen, match=head_to_head)


def _read_sprt(text: str | None, alpha: float | None, beta: float | None, model: Model | None) -> Sprt | None:
    """Read the options of the SPRT.  Raises ConfigError."""
    settings = {"alpha": alpha, "beta": beta, "model": model}
    chosen = {name: value for name, value in settings.items() if value is not None}
    if text is None:
        for name in chosen:
            raise ConfigError(f"--{name}: is a setting of --sprt; add --sprt ELO0,ELO1 or leave it out")
        return None
    found = _TWO_NUMBERS.fullmatch(text)
    if found is None:
        raise ConfigError(f"--sprt {text}: must be two Elo differences, the lower first, such as 0,20")
    sprt = msgspec.convert({"elo0": float(found[1]), "elo1": float(found[2]), **chosen}, Sprt)
    sprt.check()
    return sprt
