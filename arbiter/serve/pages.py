"""The pages of a tournament under way: made when they are asked for, and again when something has changed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

import trio
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.serve.live_games import LiveGamePages
from arbiter.serve.rate_limit import RateLimit
from arbiter.serve.source import ServedTournament, SpectatorSettings
from arbiter.show.report.games import game_pages
from arbiter.show.report.index import ReportIndex
from arbiter.show.report.live import live_game
from arbiter.show.report.names import game_page, record_file
from arbiter.show.report.site import ASSETS, LIVE_ASSETS, asset, order_of, page_makers
from arbiter.show.report.values import LiveTournament, PageFile, ReportData
from arbiter.tournament.events import Began
from arbiter.tournament.standings.stored_game import StoredGame

Trouble: Final = (ConfigError, OSError)  # what keeps a page from being made, through no fault of who asks for it
LOOK_EVERY_S: Final = 1.0
_LOOK_SHARE: Final = 5  # looking takes a fifth of the time at the most
_MOST_HELD: Final = 64  # pages
_AT_ONCE: Final = 100  # records that are read before somebody else has his turn

Make = Callable[[], Iterable[PageFile]]


class Pages:
    """What can be asked for at this moment; `news` counts the changes, and `changed` is set at the next one."""

    def __init__(self, source: ServedTournament, terms: SpectatorSettings) -> None:
        self.films = LiveGamePages(source, terms)
        self.news = 0
        self.changed = trio.Event()
        self._source = source
        self._terms = terms
        self._working = trio.Lock()  # one thing at a time: this is to leave the games their processors
        self._pace = RateLimit(LOOK_EVERY_S, _LOOK_SHARE)
        self._version: object = None
        self._under_way: Sequence[Began] | None = None
        self._results: ReportData | None = None
        self._memory = ReportIndex()
        self._taken: set[str] = set()
        self._makers: Mapping[str, Make] = {}
        self._live: Mapping[str, Began] = {}
        self._held: dict[str, bytes] = {}

    # --- looking ----------------------------------------------------------------------------------

    async def look(self) -> None:
        """See whether anything has changed, not more often than the cost of that allows.  Raises Trouble."""
        async with self._working:
            if not self._pace.is_time:
                return
            with self._pace.looking():
                is_news = await trio.to_thread.run_sync(self._look)
            if is_news:
                self.news += 1
                self.changed.set()
                self.changed = trio.Event()

    def _look(self) -> bool:
        under_way, version = self._source.under_way(), self._source.version()
        is_news = self._results is None or (version, under_way) != (self._version, self._under_way)
        if self._results is None or version != self._version:
            self._results = self._source.results()
        self._version, self._under_way = version, under_way
        is_news = self._take_in(self._results.games) or is_news
        if is_news:
            self._lay_out(self._results)
        return is_news

    def _take_in(self, games: Iterable[StoredGame]) -> bool:
        """Read the records of games that are over, some at a time; say whether there were any."""
        new = [game for game in games if game.id not in self._taken][:_AT_ONCE]
        for game in new:
            self._memory.take(order_of(game, self._source.record, self._source.log, self._terms.lang))
            self._taken.add(game.id)
        return bool(new)

    def _lay_out(self, results: ReportData) -> None:
        """Know all pages by their names, and make them anew."""
        games = self._under_way or ()
        live = LiveTournament(
            games=games,
            playing=self._under_way is not None,
            can_be_watched=self._source.can_be_watched(),
            delay=self._terms.delay,
        )
        self._results = replace(results, live=live)
        self._makers = dict(_makers(self._results, self._memory, self._game))
        self._live = {game_page(began.fixture.id): began for began in games if live.can_be_watched}
        self.films.forget_all_but({began.fixture.id for began in games})
        self._held.clear()

    def _game(self, game: StoredGame) -> Iterable[PageFile]:
        return game_pages(order_of(game, self._source.record, self._source.log, self._terms.lang))

    # --- asking -----------------------------------------------------------------------------------

    def game_under_way(self, path: str) -> Began | None:
        """Return the game under way whose page has this name."""
        return self._live.get(path)

    async def page(self, path: str) -> bytes | None:
        """Return the page of this name; None where there is none.  Raises Trouble."""
        await self.look()
        if (began := self._live.get(path)) and self._results is not None:
            film = await self.films.film(began.fixture.id)
            return (await trio.to_thread.run_sync(live_game, self._results, began, film)).content
        async with self._working:
            if path not in self._held and (make := self._makers.get(path)):
                made = await trio.to_thread.run_sync(lambda: list(make()))
                self._hold(made)
        return self._held.get(path)

    def _hold(self, made: Iterable[PageFile]) -> None:
        while len(self._held) >= _MOST_HELD:
            del self._held[next(iter(self._held))]
        self._held |= {one.path: one.content for one in made}


def _makers(
    results: ReportData, memory: ReportIndex, game_of: Callable[[StoredGame], Iterable[PageFile]]
) -> Iterable[tuple[str, Make]]:
    for name in (*ASSETS, *LIVE_ASSETS):
        yield f"assets/{name}", lambda name=name: (asset(name),)  # type: ignore[misc]
    for path, make in page_makers(results, memory).items():
        yield path, lambda make=make: (make(),)  # type: ignore[misc]
    for game in results.games:
        for path in (game_page(game.id), record_file(game.id)):
            yield path, partial(game_of, game)
