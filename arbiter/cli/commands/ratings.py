"""`arbiter ratings RESULTS...`: rate the bots of several results together, and compare them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from arbiter.cli.files import open_results, results_option
from arbiter.cli.options import command, format_options, output_option
from arbiter.cli.printing import print_sheets
from arbiter.director.files import find_results, write_bytes
from arbiter.errors import ConfigError
from arbiter.show.results import ONE_TABLE_FORMATS
from arbiter.show.tables.games import write_pgn
from arbiter.show.tables.ratings import cycles_sheet, differences_sheet, nash_sheet, ratings_sheet, residuals_sheet
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.ratings.pairs import merge_games, select_distinct_games
from arbiter.tournament.ratings.values import PoolAnalysis, Ratings, find_anchor
from arbiter.tournament.results.manifest import Manifest, describe_other_rules
from arbiter.tournament.standings.stored_game import StoredGame

_TABLES = {
    "differences": differences_sheet,
    "residuals": residuals_sheet,
    "cycles": cycles_sheet,
    "nash": nash_sheet,
}


@command
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@results_option
@click.option(
    "--show",
    type=click.Choice(["ratings", *_TABLES]),
    metavar="TABLE",
    help="Only one table: ratings, differences (between bots), residuals (scores that fit worst), cycles (of three "
    "bots), or nash (Nash averaging).",
)
@click.option("--anchor", metavar="BOT=RATING", help="Fix the rating of a bot; other ratings are relative to it.")
@click.option("--merge-versions", is_flag=True, help="Rate all versions of the program of a bot as one player.")
@output_option(
    "--pgn",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the headers of the rated games as PGN to FILE.",
)
@format_options
def ratings(
    results: Sequence[Path],
    place: Path | None,
    show: str | None,
    anchor: str | None,
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
    manifests: list[Manifest] = []
    sources = []
    for path in (find_results(one, place) for one in results):
        for manifest, games in _read_series(path):
            if manifests and (difference := describe_other_rules(manifests[0], manifest)):
                raise ConfigError(f"{path}: has other rules than {results[0]}: {difference}; rate them separately")
            manifests.append(manifest)
            sources.append(games)
    merged = merge_games(sources, merge_versions=merge_versions)
    rated, analysis = _rate(merged, manifests[0].seed, anchor)
    if pgn is not None:
        counted = select_distinct_games(merged)
        write_bytes(pgn, "".join(write_pgn(counted, manifests[0].tournament.name)).encode())
        click.echo(f"{len(counted)} games are in {pgn}", err=True)
    print_sheets(_make_sheets(rated, analysis, show, form), form)


def _read_series(path: Path) -> Iterator[tuple[Manifest, Sequence[StoredGame]]]:
    """Yield the manifest and the games of each series of a results file.  Raises ConfigError."""
    with open_results(path) as store:
        for number in store.series():
            store.select_series(number)
            yield store.manifest, store.games()


def _rate(games: Sequence[StoredGame], seed: int, anchor: str | None) -> tuple[Ratings, PoolAnalysis]:
    from arbiter.tournament.ratings.comparisons import analyse  # noqa: PLC0415 - numpy is slow to import
    from arbiter.tournament.ratings.rate import rate_pool  # noqa: PLC0415 - as above

    bots = sorted({name for game in games for name in (game.red, game.blue)})
    try:
        chosen = None if anchor is None else find_anchor(anchor, bots)
    except ConfigError as error:
        raise ConfigError(f"--anchor: {error}") from None
    rated, pool = rate_pool(bots, games, seed, chosen)
    return rated, analyse(pool)


def _make_sheets(rated: Ratings, analysis: PoolAnalysis, show: str | None, form: str) -> Iterator[Sheet]:
    if show in _TABLES:
        yield _TABLES[show](analysis)
        return
    is_alone = show is not None or form in ONE_TABLE_FORMATS
    yield ratings_sheet(rated, by_colour=is_alone)
    if is_alone:
        return
    for make in (residuals_sheet, cycles_sheet, nash_sheet):
        sheet = make(analysis)
        if sheet.rows:
            yield sheet
