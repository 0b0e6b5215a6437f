"""Options of a match: its games and its sequential test, for `arbiter match` and `arbiter queue`."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arbiter.cli.game_options import GameOptions, game_option
from arbiter.cli.options import PATH, group_options, rare_option
from arbiter.errors import ConfigError
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.ratings.sprt import MODELS, Model, Sprt

GAMES: Final = 10
MOST_GAMES: Final = 10_000
_TWO_NUMBERS: Final = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*,\s*([+-]?\d+(?:\.\d+)?)\s*")

_sprt_option = rare_option("Sequential test")


class MatchOptions(Struct, frozen=True, kw_only=True):
    """The values of `match_options`."""

    games: int | None
    sprt: str | None
    seed: int | None
    setups: Path | None
    alpha: float | None
    beta: float | None
    model: Model | None
    fresh: bool

    def read_test(self) -> Sprt | None:
        """Return the sequential test, if there is one.  Raises ConfigError."""
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

    def make_file(self, bots: Sequence[BotConfig], name: str, game: GameOptions) -> TournamentFile:
        """Make the tournament file of a match; the last of more than two bots is the baseline.  Raises ConfigError."""
        file = game.make_file(
            name,
            bots,
            games=(MOST_GAMES if self.sprt else GAMES) if self.games is None else self.games,
            seed=self.seed,
            setups=None if self.setups is None else str(self.setups),
            processes="fresh" if self.fresh else "reused",
            suspend_after=0,  # a match measures how often a bot forfeits, too
        )
        if len(bots) > 2:  # noqa: PLR2004 - a match of two
            file = replace(file, format="gauntlet", settings={"challengers": list(file.bot_names[:-1])})
        return file


match_options = group_options(
    "settings",
    MatchOptions,
    click.option(
        "--games",
        type=int,
        metavar="N",
        help=f"Games, in pairs.  [default: {GAMES}, or {MOST_GAMES} with --sprt]",
    ),
    click.option("--sprt", metavar="ELO0,ELO1", help="Stop early by SPRT of two Elo values, e.g. 0,20."),
    game_option(
        "--seed",
        type=click.IntRange(0),
        help="Random seed; the same seed gives the same games, unless --secret differs. A bot could guess a short "
        "seed.",
    ),
    click.option("--setups", type=PATH, help="Use the deployments of this book."),
    _sprt_option("--alpha", type=float, help="Probability of accepting H1 if H0 is true. Default: 0.05."),
    _sprt_option("--beta", type=float, help="Probability of accepting H0 if H1 is true. Default: 0.05."),
    _sprt_option(
        "--model",
        type=click.Choice(MODELS),
        help="Scale of ELO0 and ELO1: logistic Elo, or normalized Elo as in fastchess. Default: logistic.",
    ),
    game_option("--fresh", is_flag=True, help="Start new processes for each game. Default: they play all games."),
)
