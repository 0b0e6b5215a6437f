"""`arbiter match BOT BOT`: two bots against each other, without a tournament file."""

from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from arbiter.cli.files import SUFFIX
from arbiter.cli.playing import play_tournament
from arbiter.cli.timing import read_time, time_option
from arbiter.cli.ways import Ways, ways_options
from arbiter.errors import ConfigError
from arbiter.tournament.commands import BotEntry, parse_bot, program
from arbiter.tournament.config import Tournament, check, programs
from arbiter.tournament.typed_toml import first_fault


@click.command
@click.argument("one", metavar="BOT")
@click.argument("two", metavar="BOT")
@click.option("--rules", default="original", show_default=True, help="The rule set (arbiter rules lists them).")
@click.option("--option", "options", multiple=True, help="An option of the rule set; may be given several times.")
@click.option("--games", default=10, show_default=True, help="How many games, an even number: colours are swapped.")
@time_option
@click.option("--seed", type=click.IntRange(0), help="Play the same games again.")
@click.option("--setups", type=click.Path(path_type=Path), help="Play from the deployments of this book.")
@click.option("--results", type=click.Path(path_type=Path), help=f"Keep the games in this {SUFFIX} file.")
@ways_options
def match(
    one: str,
    two: str,
    rules: str,
    options: tuple[str, ...],
    games: int,
    time: str,
    seed: int | None,
    setups: Path | None,
    results: Path | None,
    **ways: Any,  # noqa: ANN401 - the options of `ways_options`
) -> None:
    """Play two bots against each other, colours swapped.

    A BOT is the name of a sample bot, a path to a program (a .py is run with this Python), or a command line in quotes.
    """
    here = Path.cwd()
    tournament = Tournament(
        name=f"{one} against {two}"[:200],
        rules=rules,
        options=list(options),
        games=games,
        seed=seed,
        setups=None if setups is None else str(setups),
        time=read_time(time),
        bots=entries((one, two), here),
    )
    if fault := first_fault(msgspec.to_builtins(tournament), Tournament):
        raise ConfigError(fault)
    check(tournament, here)
    if results is not None and results.is_dir():
        raise ConfigError(f"--results {results}: is a folder; name a file in it, as in {results / 'match'}{SUFFIX}")
    if ways["keep_logs"] and results is None:
        raise ConfigError("--keep-logs: there is no file to keep them in; name one with --results FILE")
    play_tournament(tournament, programs(tournament, here), results, Ways(**ways), folder=here)


def entries(bots: tuple[str, str], folder: Path) -> list[BotEntry]:
    """Read two BOTs of the command line; the second is renamed where both have one name.  Raises ConfigError."""
    one, two = (parse_bot(text, folder) for text in bots)
    if one.name.casefold() == two.name.casefold():
        same = program(two, folder)
        two = replace(two, name=f"{two.name[:38]}-2", command=two.command or list(same.argv), trusted=same.trusted)
    return [one, two]
