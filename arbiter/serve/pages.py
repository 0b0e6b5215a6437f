"""The pages of a running tournament: each is made when it is requested, and again after a change."""

import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Final, Protocol

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.kit import make_kit
from arbiter.languages.catalogue import DEFAULT_LANGUAGE, read_language
from arbiter.serve.changes import write_change
from arbiter.serve.live_games import LiveViewerData, SpectatorSettings
from arbiter.show.pictures import has_pillow
from arbiter.show.rate_limit import RateLimit
from arbiter.show.report.files import (
    ASSETS,
    LIVE_ASSETS,
    WALL,
    PageFile,
    game_page,
    kit_file,
    picture_file,
    read_asset,
)
from arbiter.show.report.games import (
    PageOrder,
    make_game_pages,
    make_game_picture,
    make_live_game_page,
    make_missing_page,
)
from arbiter.show.report.site import (
    list_latest,
    list_neighbours,
    list_page_makers,
    make_earlier_games_page,
    make_order,
)
from arbiter.show.report.values import MOST_BOARDS, LiveTournament, ReportData, ReportIndex, read_summary
from arbiter.show.report.wall import make_wall_page
from arbiter.show.text import safe
from arbiter.tournament.events import Began
from arbiter.tournament.fixture import is_unrated_id
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import GameLog

ORIGIN: Final = "http://address.invalid/"
"""Stands for the address at which a browser finds the pages, in the addresses of pictures."""
PICTURE: Final = ".png"
HAS_PICTURES: Final = has_pillow()
UPDATE_EVERY_S: Final = 1.0
_REST: Final = 20  # times the processor time of an update; to send changes to 100 readers takes as much again
_IDLE_REST: Final = 1  # the same when no games are played
_MOST_CACHED: Final = 64  # pages
_MOST_WATCHED: Final = 8  # pages whose changes are sent; readers of others load them again
_MOST_CHANGES: Final = 8  # that are kept of each, for readers with slow connections
_WATCHABLE_S: Final = 10.0  # duration of a game that a spectator can follow
_FEWEST_GAMES: Final = 3  # that show how long games last
_REPLAY_SPEED: Final = 5  # plies a second
_SPEED_S: Final = 10.0  # of play that show how fast games are played: the first games to end are the shortest
_BATCH: Final = 100  # records that are read in one update
_SMALL_BATCH: Final = 20  # the same while games are played
_RECORDS_REST: Final = 30  # times the processor time of reading them: a server that starts again has thousands to read
_MOST_INDEXED: Final = 3000  # games of a long ladder
_GAME_FILE: Final = re.compile(r"games/(.{1,300})\.(?:html|js|png|jsonl\.xz)")


class _Change(Struct, frozen=True):
    """A change of a page."""

    before: int
    """Number of the change before."""
    after: int
    text: bytes
    """As JSON."""


class ServedTournament(Protocol):
    """The results and the games in progress of a tournament.

    Any call may block for a while, and may raise ConfigError or OSError.
    """

    def report_version(self) -> object:
        """Return a value that changes whenever `results` changes."""

    def games_in_progress(self) -> Sequence[Began] | None:
        """List the games in progress; None if the tournament is not running."""

    def list_presence(self) -> Mapping[str, bool]:
        """List the players over the network, each with True if it can play now."""

    def results(self) -> ReportData:
        """Return standings, ratings and finished games."""

    def record(self, game_id: str) -> bytes:
        """Return the record of a finished game."""

    def log(self, game_id: str) -> GameLog:
        """Return the log of a finished game."""

    def can_be_watched(self) -> bool:
        """Return True if the records of games in progress can be read."""

    def live_record(self, game_id: str) -> bytes:
        """Return the record of a game in progress, as far as it is written; b"" if there is none."""


class PageProgress:
    """The progress of a tournament, and its speed since play began or the server started."""

    def __init__(self, lang: str = DEFAULT_LANGUAGE) -> None:
        self._write = read_language(lang).write_page_text
        self._first: tuple[int, float] | None = None  # the number of games played then, and the time

    def describe(self, played: int, total: int | None, as_of: float, *, is_playing: bool) -> str:
        """Describe how many games were played when they were counted, at a Unix time, and the time left."""
        if not is_playing:
            self._first = None
        elif self._first is None:
            self._first = played, as_of
        if total is None:
            return self._write("count_games", count=played)
        text = self._write("some_games", some=played, all=total)
        if self._first is None:
            return text
        new = played - self._first[0]
        seconds = as_of - self._first[1]
        if not new or seconds < _SPEED_S or played >= total:
            return text
        minutes = seconds / new * (total - played) / 60
        return self._write("minutes_left" if minutes >= 1 else "minute_left", games=text, minutes=round(minutes))


class Pages:
    """The current pages of a tournament."""

    def __init__(self, source: ServedTournament, settings: SpectatorSettings) -> None:
        self.live_games = LiveViewerData(source.live_record, settings)
        self.changes = 0  # how often the pages have changed
        self.changed = trio.Event()  # set at the next change, and then replaced
        self.as_of = 0.0  # Unix time at which the results were last read, or found unchanged
        self._source = source
        self._settings = settings
        self._working = trio.Lock()  # one thread at a time: the games need the processors
        self._limits = {True: RateLimit(UPDATE_EVERY_S, _REST), False: RateLimit(UPDATE_EVERY_S, _IDLE_REST)}
        self._records_limit = RateLimit(0.0, _RECORDS_REST)
        self._version: object = None
        self._in_progress: Sequence[Began] | None = None
        self._present: Mapping[str, bool] = {}
        self._results: ReportData | None = None
        self._index = ReportIndex()
        self._indexed: set[str] = set()
        self._makers: dict[str, Callable[[], PageFile]] = {}
        self._games: Mapping[str, StoredGame] = {}  # by their names in paths
        self.live: Mapping[str, Began] = {}  # the games in progress by the paths of their pages
        self._cached: dict[str, bytes] = {}
        self._watched: Counter[str] = Counter()  # the number of readers of each page
        self._sent: dict[str, tuple[int, bytes]] = {}  # by path: the latest text of a watched page, and its number
        self._page_changes: dict[str, tuple[_Change, ...]] = {}  # the latest ones in a row
        self._progress = PageProgress(settings.lang)

    # --- updates ----------------------------------------------------------------------------------

    @property
    def _limit(self) -> RateLimit:
        """The limit of the updates, which is strict while games need the processors."""
        return self._limits[self._in_progress is not None]

    async def update(self, *, at_once: bool = False) -> None:
        """Read what has changed in the results.  Raises UNAVAILABLE.

        If the last update was too recent, that waits, except `at_once` and at the end of the tournament.
        """
        async with self._working:
            is_due = at_once or self._limit.is_due
            if not is_due and self._in_progress is not None:
                is_due = await trio.to_thread.run_sync(self._source.games_in_progress) is None
            if not is_due:
                return
            known = [path for path, _ in self._watched.most_common() if path in self._makers]
            watched = known[:_MOST_WATCHED]
            if await trio.to_thread.run_sync(self._update, watched):
                self.changes += 1
                self.changed.set()
                self.changed = trio.Event()

    def _update(self, watched: Iterable[str]) -> bool:
        """Update in a worker thread, with the changes of the watched pages; return True if pages may have changed."""
        began = time.time()
        with self._limit.measure():
            has_changed = self._read_changes()
        self.as_of = began
        if not (self._read_records() or has_changed) or self._results is None:
            return False
        with self._limit.charge():
            self._list_pages(self._results)
            # Make watched pages again, and note how they change, once for all readers.
            before, after = self.changes, self.changes + 1
            sent, self._sent = self._sent, {}
            earlier, self._page_changes = self._page_changes, {}
            for path in self._makers.keys() & watched:
                content = self._makers[path]().content
                self._cached[path] = content
                self._sent[path] = after, content
                if sent.get(path, (None,))[0] == before:
                    change = _Change(before, after, write_change(before, sent[path][1], after, content))
                    self._page_changes[path] = (*earlier.get(path, ()), change)[-_MOST_CHANGES:]
        return True

    @contextmanager
    def watch(self, path: str) -> Iterator[None]:
        """Count a reader of a page until the block ends."""
        self._watched[path] += 1
        try:
            yield
        finally:
            self._watched[path] -= 1
            self._watched += Counter()  # without the pages that nobody reads

    def find_change(self, path: str, seen: int) -> tuple[int, bytes | None]:
        """Return the number of the next change after change `seen`, and how it changes a page, as JSON.

        If that is not known, return the number of the latest change, and None.
        """
        for change in self._page_changes.get(path, ()):
            if change.before == seen:
                return change.after, change.text
        return self.changes, None

    def _read_changes(self) -> bool:
        """Read the results again if they have changed; return True if pages may have changed."""
        in_progress = self._source.games_in_progress()
        version = self._source.report_version()
        present = self._source.list_presence()
        now = version, in_progress, present
        has_changed = self._results is None or now != (self._version, self._in_progress, self._present)
        if self._results is None or version != self._version:
            before = () if self._results is None else self._results.rulings
            self._results = replace(self._source.results(), lang=self._settings.lang)
            # The index contains results of games, and is made of the latest games of a long ladder again and again.
            if self._results.rulings != before or (self._results.is_long and len(self._indexed) > _MOST_INDEXED):
                self._index = ReportIndex()
                self._indexed.clear()
        self._version = version
        self._in_progress = in_progress
        self._present = present
        return has_changed

    def _read_records(self) -> bool:
        """Read some records for the index that are not read yet; return True if there were any.

        They may wait: the first page and the lists of games need none of them.
        """
        results = self._results
        is_playing = self._in_progress is not None
        if results is None or (is_playing and not self._records_limit.is_due):
            return False
        most = _SMALL_BATCH if is_playing else _BATCH
        new_games = [game for game in results.games if game.id not in self._indexed][:most]
        with self._records_limit.measure():
            for game in new_games:
                order = make_order(results, game, self._source.record, self._source.log)
                self._index.add(game, order.log, read_summary(order.record), order.state)
                self._indexed.add(game.id)
        return bool(new_games)

    def _list_pages(self, results: ReportData) -> None:
        """List all pages by their paths, and forget what was made of them."""
        games = self._in_progress or ()
        live = LiveTournament(
            games=games,
            playing=self._in_progress is not None,
            can_be_watched=self._source.can_be_watched(),
            delay=self._settings.delay,
            progress=self._progress.describe(
                results.played, results.total, self.as_of, is_playing=self._in_progress is not None
            ),
            news=self.changes + 1,
            as_of=self.as_of,
            present=self._present,
            guests_play=self._settings.guests_play,
        )
        self._results = replace(results, live=live)
        self._makers = {
            f"assets/{name}": partial(read_asset, name, self._settings.lang) for name in (*ASSETS, *LIVE_ASSETS)
        }
        self._makers |= list_page_makers(self._results, self._index, ORIGIN)
        self._makers[WALL] = partial(make_wall_page, self._results)
        if results.join is not None:
            path = kit_file(results.join.kit)
            self._makers[path] = lambda: PageFile(path, make_kit())
        self._games = {safe(game.id): game for game in (*results.games, *results.replaced)}
        self._find_neighbours = cache(partial(list_neighbours, results.games))
        self.live = {game_page(began.fixture.id): began for began in games if live.can_be_watched}
        self.live_games.forget_all_but({began.fixture.id for began in games})
        self._cached.clear()

    def _order(self, results: ReportData, game: StoredGame) -> PageOrder:
        order = make_order(results, game, self._source.record, self._source.log)
        return replace(
            order,
            is_served=True,
            picture=f"{ORIGIN}{picture_file(game.id)}" * HAS_PICTURES,
            **self._find_neighbours().get(game.id, {}),
        )

    # --- requests ---------------------------------------------------------------------------------

    async def page(self, path: str) -> bytes | None:
        """Return the content of a page; None if there is no such page.  Raises UNAVAILABLE."""
        await self.update()
        if (began := self.live.get(path)) and self._results is not None:
            data = (await self.live_games.read(began.fixture.id)).data
            return (await trio.to_thread.run_sync(make_live_game_page, self._results, began, data)).content
        async with self._working:
            results = self._results
            is_earlier = path.startswith("games") and results is not None and (results.is_long or bool(results.matches))
            may_exist = path in self._makers or is_earlier or self._read_game_id(path) in self._games
            if path not in self._cached and may_exist:
                files = await trio.to_thread.run_sync(self._make, path)
                while len(self._cached) >= _MOST_CACHED:
                    del self._cached[next(iter(self._cached))]
                self._cached |= {file.path: file.content for file in files}
        return self._cached.get(path)

    async def read_results(self) -> ReportData:
        """Return the results that the pages show.  Raises UNAVAILABLE."""
        await self.update()
        if self._results is None:
            raise ConfigError("the results could not be read a moment ago")
        return self._results

    async def find_game_to_follow(self, after: str) -> str | None:
        """Return the address of the game in progress that began last, or None.  It is never the game `after`.

        If games are too short to be watched, return that of the game that ended last, which the page replays.
        """
        await self.update()
        if self._in_progress is None or self._results is None:
            return None
        latest = list_latest(self._results.games)
        if len(latest) >= _FEWEST_GAMES and statistics.median(game.seconds for game in latest) < _WATCHABLE_S:
            other = next(game for game in latest if game.id != after)
            return f"{game_page(other.id)}?follow=replay&autoplay&fps={_REPLAY_SPEED}&turn=0"
        live = [(began.at, path) for path, began in self.live.items() if began.fixture.id != after]
        return f"{max(live)[1]}?follow" if live else None

    async def boards(self, most: int = MOST_BOARDS) -> bytes:
        """Return the latest positions of the first games in progress by their ids, as JSON."""
        shown = [began.fixture.id for began in self.live.values()][:most]
        boards = {game_id: (await self.live_games.read(game_id)).board for game_id in shown}
        return msgspec.json.encode({game_id: board for game_id, board in boards.items() if board is not None})

    async def missing_page(self, path: str) -> bytes:
        """Return the page that is shown if there is no page at a path; it loads that page as soon as it exists."""
        assert self._results is not None  # noqa: S101 - a page was looked for before
        return await trio.to_thread.run_sync(make_missing_page, path, self._results)

    def _make(self, path: str) -> Iterable[PageFile]:
        """Make a page in a worker thread; the page and the record of a game are made together."""
        assert self._results is not None  # noqa: S101 - its pages are listed
        with self._limit.charge():
            named = self._read_game_id(path) or ""
            game = self._games.get(named)
            finder = self._results.finder
            if named and game is None and finder is not None and (self._results.is_long or is_unrated_id(named)):
                _, game = finder.find(named) or (0, None)  # an earlier one of a long ladder
            if game is not None and path.endswith(PICTURE):
                picture = make_game_picture(self._order(self._results, game))
                return () if picture is None else (picture,)
            if game is not None:
                return make_game_pages(self._order(self._results, game)).files
            if path not in self._makers:
                earlier = make_earlier_games_page(self._results, path)
                return () if earlier is None else (earlier,)
            return (self._makers[path](),)

    def _read_game_id(self, path: str) -> str | None:
        """Return the id of the game that a file is about; None for another file, or a picture that cannot be made."""
        named = _GAME_FILE.fullmatch(path)
        return None if named is None or (path.endswith(PICTURE) and not HAS_PICTURES) else named[1]
