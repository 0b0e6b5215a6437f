"""Results that are served while another process writes them, with ratings that take little of a core."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from arbiter.director.ladder import ClosedTerms
from arbiter.kit import KIT_FILE
from arbiter.show.rate_limit import RateLimit
from arbiter.show.report.values import GameFinder, JoinOffer, ReportData
from arbiter.show.results import make_report_data
from arbiter.tournament.ratings.values import Ratings
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.snapshot import EarlierRanks, Snapshot, make_rating_history, rate_bots
from arbiter.tournament.schedule.unrated import read_matches
from arbiter.tournament.standings.stored_game import UNRATED_SERIES, StoredGame
from protocol.words import BLUE, RED

_RATINGS_EVERY_S: Final = 1.0
_READ_AT_ONCE: Final = 200  # games of a bot
_MOST_OF_BOT: Final = 10_000  # games of a bot in which those that it lost are looked for
_MOST_MATCHES: Final = 50  # unrated ones that are shown
_RATINGS_REST: Final = 100  # times the processor time of computing ratings: less than a hundredth of a core


class LiveRatings:
    """The ratings of a tournament that is being played: computed again only if that takes little of a core."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, meter: Callable[[], float] = time.thread_time
    ) -> None:
        self._limit = RateLimit(_RATINGS_EVERY_S, _RATINGS_REST, clock, meter)
        self._ratings: Ratings | None = None
        self._rated: Sequence[StoredGame] = ()
        self._lacks_games = True

    def may_improve(self, *, playing: bool) -> bool:
        """Return True if the ratings lack games and may be computed again; when nobody plays, they always may."""
        return self._lacks_games and (self._limit.is_due or not playing)

    def rate(self, manifest: Manifest, games: Sequence[StoredGame], *, playing: bool) -> Ratings:
        """Return ratings by these games, or the latest ones by earlier games."""
        self._lacks_games = games != self._rated
        if self._ratings is None or self.may_improve(playing=playing):
            with self._limit.measure():
                self._ratings = rate_bots(manifest, games)
            self._rated = games
            self._lacks_games = False
        return self._ratings


class ServedResults(Results):
    """Results as the pages of a running tournament need them.  Every method may raise ConfigError."""

    def __init__(self, *words: Any, **settings: Any) -> None:  # noqa: ANN401 - those of Store
        super().__init__(*words, **settings)
        self._ratings = LiveRatings()
        self._rating_history = make_rating_history(self.manifest)
        self._earlier_ranks = EarlierRanks()
        self._terms = ClosedTerms(self.path)
        self._latest: Snapshot | None = None

    def snapshot(self, *, condensed: bool = False) -> Snapshot:
        """Read all results; only the games that were added, if nothing else has changed since the last time."""
        latest, self._latest = self._latest, None  # if reading fails, everything is read again
        if (  # nothing but games and attempts can have been added since
            latest is not None
            and not condensed
            and latest.manifest == self.manifest
            and latest.plan.history.rulings == self.rulings()
            and not latest.plan.stages[-1].format.is_ladder
        ):
            latest.plan.extend(self.new_games(latest.plan.history.as_played[-1].id))
            found = replace(latest, attempts=tuple(self.attempts().values()))
        else:
            found = super().snapshot(condensed=condensed)
        if not condensed and found.plan.history.as_played:
            self._latest = found
        return found

    def _look_for_bots(self) -> None:
        """Read the manifest again: bots may have joined."""
        before = self.manifest.tournament.bot_names
        self.select_series(self.manifest.series)
        if self.manifest.tournament.bot_names != before:
            self._rating_history = make_rating_history(self.manifest)

    def report_version(self) -> object:
        """Return a value that changes whenever `results` changes."""
        return self.version(), len(read_matches(self.path)), self._ratings.may_improve(playing=self.is_being_played)

    def list_bots(self) -> Sequence[str]:
        """List the bots, with those that have joined."""
        self._look_for_bots()
        return self.manifest.tournament.bot_names

    def list_foes(self) -> Sequence[str]:
        """List the bots that guests can play against: those on this machine that have not left."""
        self._look_for_bots()
        history = self.history(condensed=True)
        gone = history.withdrawn | history.disqualified
        return [name for name in self.manifest.tournament.list_players("program") if name not in gone]

    def list_last_games(self, bot: str) -> Iterator[StoredGame]:
        """Yield the last games of a bot as they are ruled, the last one first; they are read when they are needed."""
        before = None
        left = _MOST_OF_BOT
        while left > 0:
            found, before = self.latest_games(bot=bot, before=before, most=_READ_AT_ONCE)
            yield from found.values()
            left -= _READ_AT_ONCE
            if before is None:
                return

    def find_own_game(self, game_id: str) -> StoredGame | None:
        """Find a game of the series as it is ruled; None if it is not stored."""
        found = self.find_game(game_id)
        return found[1] if found is not None and found[1].series == self.manifest.series else None

    def read_stderr(self, game: StoredGame, bot: str) -> str:
        """Return what a bot wrote to stderr in a game."""
        return self.log(game.id).stderr.get(RED if bot == game.red else BLUE, "")

    def results(self) -> ReportData:
        """Return standings, ratings and finished games."""
        self._look_for_bots()

        def list_games(
            bots: Sequence[str], before: int | None, most: int
        ) -> tuple[Mapping[int, StoredGame], int | None]:
            bot, opponent = (*bots, None, None)[:2]
            return self.latest_games(before=before, most=most, bot=bot, opponent=opponent)

        def find_game(game_id: str) -> tuple[int, StoredGame] | None:
            found = self.find_game(game_id)
            series = (self.manifest.series, UNRATED_SERIES)
            return found if found is not None and found[1].series in series else None

        rate = partial(self._ratings.rate, playing=self.is_being_played)
        finder = GameFinder(list_games, find_game)
        is_ladder = self.manifest.tournament.is_ladder
        snapshot = self.snapshot(condensed=is_ladder)
        data = make_report_data(snapshot, rate, self._rating_history, self._earlier_ranks.find, finder)
        matches = self.list_matches(_MOST_MATCHES)[::-1] if is_ladder else ()
        data = replace(data, matches=matches)
        file = self.manifest.tournament
        takes_remote = bool(file.list_players("remote")) or is_ladder
        is_open = file.submissions.open
        join = JoinOffer(kit=KIT_FILE, rules=file.rule_set, takes_remote=takes_remote, takes_submissions=is_open)
        return replace(
            data,
            join=join if takes_remote or is_open else None,  # nobody can join other tournaments
            terms=self._terms.read if self._terms.numbers else None,
        )
