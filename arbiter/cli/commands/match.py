"""`arbiter match BOT BOT`: two bots against each other, without a tournament file."""

from pathlib import Path
from typing import Any, Final

import click

from arbiter.cli.files import SUFFIX
from arbiter.cli.head_to_head import HeadToHead, read_sprt
from arbiter.cli.play_options import PlayOptions, ways_options
from arbiter.cli.playing import play_tournament
from arbiter.cli.timing import read_time, time_option
from arbiter.errors import ConfigError
from arbiter.tournament.config.bot_entries import parse_two_bots
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.config.tournament_file import TournamentFile

GAMES: Final = 10
MOST_GAMES: Final = 10_000


@click.command
@click.argument("one", metavar="BOT")
@click.argument("two", metavar="BOT")
@click.option("--rules", default="original", show_default=True, help="The rule set (arbiter rules lists them).")
@click.option("--option", "options", multiple=True, help="An option of the rule set; may be given several times.")
@click.option(
    "--games",
    type=int,
    help=f"How many games, an even number: colours are swapped. [{GAMES}; with --sprt {MOST_GAMES}]",
)
@time_option
@click.option("--seed", type=click.IntRange(0), help="Play the same games again.")
@click.option("--setups", type=click.Path(path_type=Path), help="Play from the deployments of this book.")
@click.option("--sprt", metavar="ELO0,ELO1", help="Stop as soon as it is clear which of the two is nearer, as in 0,20.")
@click.option("--alpha", type=float, help="With --sprt: how often ELO1 may be found where ELO0 is true. [0.05]")
@click.option("--beta", type=float, help="With --sprt: how often ELO0 may be found where ELO1 is true. [0.05]")
@click.option("--results", type=click.Path(path_type=Path), help=f"Keep the games in this {SUFFIX} file.")
@ways_options
def match(
    one: str,
    two: str,
    rules: str,
    options: tuple[str, ...],
    games: int | None,
    time: str,
    seed: int | None,
    setups: Path | None,
    sprt: str | None,
    alpha: float | None,
    beta: float | None,
    results: Path | None,
    **ways: Any,  # noqa: ANN401 - the options of `ways_options`
) -> None:
    """Play two bots against each other, colours swapped, and tell how much the first is ahead.

    A BOT is the name of a sample bot, a path to a program (a .py is run with this Python), or a command line in quotes.
    """
    here, test = Path.cwd(), read_sprt(sprt, alpha, beta)
    file = TournamentFile(
        name=f"{one} against {two}"[:200],
        rules=rules,
        options=list(options),
        games=(MOST_GAMES if test else GAMES) if games is None else games,
        seed=seed,
        setups=None if setups is None else str(setups),
        time=read_time(time),
        suspend_after=0,  # who measures a bot wants to know how often it fails
        bots=parse_two_bots((one, two), here),
    )
    tournament = resolve(file, here)
    if results is not None and results.is_dir():
        raise ConfigError(f"--results {results}: is a folder; name a file in it, as in {results / 'match'}{SUFFIX}")
    if ways["keep_logs"] and results is None:
        raise ConfigError("--keep-logs: there is no file to keep them in; name one with --results FILE")
    first, second = file.bots
    watched = HeadToHead(first.name, second.name, test)
    play_tournament(tournament, results, PlayOptions(**ways), match=watched)
