"""`arbiter ratings RESULTS...`: rate the bots of several results together, and compare them."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from arbiter.cli.files import open_results, results_option
from arbiter.cli.options import PATH, command, format_options, output_option, rare_option
from arbiter.cli.terminal import print_sheets
from arbiter.director.files import find_results, write_bytes
from arbiter.errors import ConfigError, write_count
from arbiter.show.results import ONE_TABLE_FORMATS
from arbiter.show.tables.games import write_pgn
from arbiter.show.tables.ratings import cycles_sheet, differences_sheet, ratings_sheet, residuals_sheet
from arbiter.show.tables.sheet import Sheet
from arbiter.show.tables.standings import scores_sheet
from arbiter.tournament.ratings.pairs import select_distinct_games
from arbiter.tournament.ratings.values import Spread, find_spread
from arbiter.tournament.results.reader import rate_pool

_TABLES = {
    "differences": differences_sheet,
    "residuals": residuals_sheet,
    "cycles": cycles_sheet,
}


def read_spread(context: click.Context, option: click.Parameter, text: str | None) -> Spread | None:
    """Read the spread of a prior.  Raises ConfigError."""
    del context, option
    try:
        return None if text is None else find_spread(text)
    except ConfigError as error:
        raise ConfigError(f"--prior: {error}") from None


@command
@click.argument("results", nargs=-1, required=True, type=PATH)
@results_option
@click.option(
    "--show",
    type=click.Choice(["ratings", "scores", *_TABLES]),
    metavar="TABLE",
    help="Only one table: ratings, scores (by colour and opponent), differences (between bots), residuals (that fit "
    "worst), or cycles (of three).",
)
@click.option("--anchor", metavar="BOT=RATING", help="Fix the rating of a bot; other ratings are relative to it.")
@click.option("--merge-versions", is_flag=True, help="Rate all versions of the program of a bot as one player.")
@rare_option("Model")(
    "--prior",
    metavar="SPREAD",
    callback=read_spread,
    help="A Bayesian rating: strengths have a normal distribution with this spread in Elo, or a spread that is "
    "`estimated` from the games. Default: `estimated`, but drawn games in a match of two bots.",
)
@output_option("--pgn", type=PATH, metavar="FILE", help="Write the headers of the rated games as PGN to FILE.")
@format_options
def ratings(
    results: Sequence[Path],
    place: Path | None,
    show: str | None,
    anchor: str | None,
    prior: Spread | None,
    pgn: Path | None,
    form: str,
    *,
    merge_versions: bool,
) -> None:
    """Rate the bots of all RESULTS together by one fit, and compare them.

    RESULTS are results files, folders with one results file, or tournament files, all with the same rules. Each
    version of the program of a bot is a player. csv and json show one table: the ratings, unless --show selects
    another one.
    """
    with ExitStack() as reading:
        opened = (reading.enter_context(open_results(find_results(one, place))) for one in results)
        pool = rate_pool(opened, anchor, spread=prior, merge_versions=merge_versions)
    if pgn is not None:
        counted = select_distinct_games(pool.games)
        write_bytes(pgn, "".join(write_pgn(counted, pool.name)).encode())
        click.echo(f"{write_count(len(counted), 'game')} in {pgn}", err=True)
    if show == "scores":
        bots = [one.bot for one in pool.ratings.bots]
        print_sheets([scores_sheet(bots, select_distinct_games(pool.games))], form)
        return
    is_alone = show is not None or form in ONE_TABLE_FORMATS
    if show in _TABLES:
        print_sheets([_TABLES[show](pool.analysis)], form)
        return
    more: list[Sheet] = []
    if not is_alone:
        more = [residuals_sheet(pool.analysis), cycles_sheet(pool.analysis)]
    print_sheets([ratings_sheet(pool.ratings, by_colour=is_alone), *(sheet for sheet in more if sheet.rows)], form)
