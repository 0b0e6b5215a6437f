"""All pages of a report, one after the other; the first page comes last, when all that it leads to is there."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib.resources import files
from itertools import chain
from typing import Final

from arbiter.games.base import FORFEITS
from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.replay.log import write_log
from arbiter.show.report.bots import bot_told
from arbiter.show.report.games import PageOrder, game_pages
from arbiter.show.report.index import ReportIndex
from arbiter.show.report.names import bot_page, games_page, pairing_page
from arbiter.show.report.pages import (
    forfeits,
    game_list,
    meetings,
    numbers,
    overview,
    pages_of_games,
    pairing,
)
from arbiter.show.report.values import PageFile, ReportData
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog

ASSETS: Final = ("report.css", "viewer.js", "icon.svg")
LIVE_ASSETS: Final = ("live.js",)  # of pages that are served while games are played
_LAST_LINES: Final = 12
_LONGEST: Final = 400  # signs of a line of a log


Make = Callable[[Iterable[PageOrder]], Iterable[PageFile]]


def site(
    results: ReportData,
    record: Callable[[str], bytes],
    log: Callable[[str], GameLog],
    lang: str = DEFAULT_LANGUAGE,
    make: Make = lambda orders: chain.from_iterable(map(game_pages, orders)),
) -> Iterator[PageFile]:
    """Make a report; `record` and `log` fetch what is kept of a game by its id, `make` makes the games' pages.

    Raises ConfigError where the language does not exist.
    """
    memory = ReportIndex()

    def orders() -> Iterator[PageOrder]:
        for game in results.games:
            order = order_of(game, record, log, lang)
            memory.take(order)
            yield order

    yield from assets()
    yield from make(orders())
    for page in page_makers(results, memory).values():
        yield page()


def page_makers(results: ReportData, memory: ReportIndex) -> Mapping[str, Callable[[], PageFile]]:
    """List all pages but those of the games, each to be made when it is asked for; the first page comes last."""
    games = {games_page(number): partial(game_list, results, number) for number in pages_of_games(results)}
    return {
        **{pairing_page(one, two): partial(pairing, results, one, two, met) for one, two, met in meetings(results)},
        **{bot_page(one.bot): partial(bot_told, results, one, memory) for one in results.final},
        "numbers.html": partial(numbers, results, memory),
        "forfeits.html": partial(forfeits, results, memory),
        **games,
        "index.html": partial(overview, results),
    }


def order_of(
    game: StoredGame, record: Callable[[str], bytes], log: Callable[[str], GameLog], lang: str = DEFAULT_LANGUAGE
) -> PageOrder:
    """Fetch what the page of a game is made from."""
    lines = last_lines(log(game.id)) if game.ending in FORFEITS else ()
    return PageOrder(game, record(game.id), lines, lang)


def assets() -> Iterator[PageFile]:
    """Fetch the style sheet and the script."""
    yield from map(asset, ASSETS)


def asset(name: str) -> PageFile:
    """Fetch one of the files that pages lean on."""
    return PageFile(f"assets/{name}", files("arbiter.show.report").joinpath("static", name).read_bytes())


def last_lines(log: GameLog) -> tuple[str, ...]:
    """Write the last lines of a game's log, none too long."""
    return tuple(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..." for line in write_log(log))[-_LAST_LINES:]
