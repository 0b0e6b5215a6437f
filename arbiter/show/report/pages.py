"""The pages about a whole tournament: its standings, its games, its numbers, its forfeits."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from arbiter.games.base import FORFEITS
from arbiter.show.report.charts import bars, lengths, rating_scale, score_plot
from arbiter.show.report.environment import render
from arbiter.show.report.index import ReportIndex
from arbiter.show.report.names import games_page, pairing_page
from arbiter.show.report.values import PageFile, ReportData
from arbiter.show.tables.ratings import ratings_sheet
from arbiter.tournament.standings.crosstable import Tally
from arbiter.tournament.standings.stored_game import StoredGame

_A_PAGE = 250  # games


def overview(results: ReportData) -> PageFile:
    """Make the first page: who leads, who beat whom, how it went."""
    return _page(
        "index.html",
        "index.html",
        results=results,
        ratings={one.bot: one for one in results.ratings.bots},
        scale=rating_scale(results.ratings),
        plot=score_plot([one.bot for one in results.final], results.counted),
        notes=ratings_sheet(results.ratings).notes if results.ratings.groups else (),
        heat=heat,
    )


def _page(template: str, path: str, **values: object) -> PageFile:
    return PageFile(path, render(template, path, **values))


def heat(tally: Tally) -> int:
    """Tell a score in tenths of what could be won, from 0 to 10."""
    return round(10 * tally.score / tally.games)


def numbers(results: ReportData, memory: ReportIndex) -> PageFile:
    """Make the page of lengths, endings and time."""
    endings = Counter(game.ending for game in results.counted)
    return _page(
        "numbers.html",
        "numbers.html",
        results=results,
        lengths=lengths(results.counted),
        endings=bars(dict(endings.most_common())),
        forfeits=FORFEITS,
        times=bars({one.bot: one.mean_seconds for one in results.final if one.mean_seconds is not None}),
        answers=memory.answers,
    )


def forfeits(results: ReportData, memory: ReportIndex) -> PageFile:
    """Make the page of the games that were forfeited."""
    return _page("forfeits.html", "forfeits.html", results=results, found=memory.forfeits)


def pages_of_games(results: ReportData) -> range:
    """Count the pages of the list of all games, from 1."""
    return range(1, max(1, -(-len(results.games) // _A_PAGE)) + 1)


def game_list(results: ReportData, number: int) -> PageFile:
    """Make a page of the list of all games."""
    start = (number - 1) * _A_PAGE
    games, pages = results.games[start : start + _A_PAGE], len(pages_of_games(results))
    return _page("games.html", games_page(number), results=results, games=games, number=number, pages=pages)


def meetings(results: ReportData) -> Iterator[tuple[str, str, Sequence[StoredGame]]]:
    """Yield each two bots that met, with all their games."""
    met: dict[tuple[str, ...], list[StoredGame]] = {}
    for game in results.games:
        met.setdefault(tuple(sorted((game.red, game.blue))), []).append(game)
    for one, other in combinations([standing.bot for standing in results.final], 2):
        if games := met.get(tuple(sorted((one, other)))):
            yield one, other, games


def pairing(results: ReportData, one: str, other: str, games: Sequence[StoredGame]) -> PageFile:
    """Make the page of two bots that met, with all their games."""
    return _page("pairing.html", pairing_page(one, other), results=results, one=one, other=other, games=games)
