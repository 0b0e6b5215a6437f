"""All pages of a report, one after the other; the first page comes last, when all that it leads to is there."""

from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from itertools import chain
from typing import Final

from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS
from arbiter.record import RecordError, read_record
from arbiter.show.dialogue import write_log
from arbiter.show.names import DEFAULT_LANGUAGE
from arbiter.show.report.bots import bot_pages
from arbiter.show.report.entries import entries_of
from arbiter.show.report.games import Order, game_pages
from arbiter.show.report.pages import Forfeit, forfeits, game_lists, numbers, overview, pairings
from arbiter.show.report.values import Answers, Entry, Results, Told
from arbiter.tournament.stored import StoredGame
from arbiter.transcript import GameLog

ASSETS: Final = ("report.css", "viewer.js", "icon.svg")
_LAST_LINES: Final = 12
_LONGEST: Final = 400  # signs of a line of a log


Make = Callable[[Iterable[Order]], Iterable[Told]]


def site(
    results: Results,
    record: Callable[[str], bytes],
    log: Callable[[str], GameLog],
    lang: str = DEFAULT_LANGUAGE,
    make: Make = lambda orders: chain.from_iterable(map(game_pages, orders)),
) -> Iterator[Told]:
    """Make a report; `record` and `log` fetch what is kept of a game by its id, `make` makes the games' pages.

    Raises ConfigError where the language does not exist.
    """
    entries: dict[str, list[Entry]] = {}
    found: list[Forfeit] = []

    def orders() -> Iterator[Order]:
        for game in results.games:
            order = Order(game, record(game.id), _log(game, log), lang)
            if game.ending in FORFEITS:
                found.append(Forfeit(game, order.log))
            for bot, entry in _entries(order):
                entries.setdefault(bot, []).append(entry)
            yield order

    yield from assets()
    yield from make(orders())
    answers = {bot: sum((entry.answers for entry in each), Answers()) for bot, each in entries.items()}
    yield from pairings(results)
    yield from bot_pages(results, entries)
    yield numbers(results, answers)
    yield forfeits(results, found)
    yield from game_lists(results)
    yield overview(results)


def _log(game: StoredGame, log: Callable[[str], GameLog]) -> tuple[str, ...]:
    return last_lines(log(game.id)) if game.ending in FORFEITS else ()


def _entries(order: Order) -> list[tuple[str, Entry]]:
    try:
        found = entries_of(read_record(order.record))
    except (RecordError, ConfigError):
        return []
    return [(order.game.red, found["red"]), (order.game.blue, found["blue"])]


def assets() -> Iterator[Told]:
    """Fetch the style sheet and the script."""
    for name in ASSETS:
        yield Told(f"assets/{name}", files("arbiter.show.report").joinpath("static", name).read_bytes())


def last_lines(log: GameLog) -> tuple[str, ...]:
    """Write the last lines of a game's log, none too long."""
    return tuple(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..." for line in write_log(log))[-_LAST_LINES:]
