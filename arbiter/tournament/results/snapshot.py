"""The results of a tournament at one moment, the ratings of its bots, and a match of two bots."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.dispatcher import FixtureSource
from arbiter.tournament.events import Attempt
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.ratings.pairs import Pentanomial, RepeatWatch, count_pairs, find_distinct, pair_games
from arbiter.tournament.ratings.sprt import Sprt, SprtRun
from arbiter.tournament.ratings.values import Estimate, Forecast, RatingHistory, Ratings, find_anchor
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.game_status import ANNULLED, COUNTS, GameStatus
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import SEATS

_EARLIER_DRAWS: Final = 200  # samples for the interval of a rating in the past
_PAIRING_DRAWS: Final = 2000  # samples for the interval of one pairing: a report has many


class Snapshot(Struct, frozen=True, kw_only=True):
    """The results of a tournament, or of one of several matches in a file, at one moment."""

    manifest: Manifest
    plan: Schedule
    """The schedule after all stored games, rulings and withdrawals."""
    attempts: Sequence[Attempt] = ()
    """Voided attempts, in the order in which they were made."""
    latest: Sequence[StoredGame] | None = None
    """Of a long ladder, its latest games in the order of the schedule; the plan has a summary of the first games."""

    @property
    def games(self) -> Sequence[StoredGame]:
        """The games as they are ruled, in the order of the schedule, whether they count or not."""
        return self.plan.history.in_order if self.latest is None else self.latest

    @property
    def rated(self) -> Sequence[StoredGame]:
        """The games that ratings may use."""
        uncounted = self.uncounted
        return [game for game in self.games if uncounted.get(game.id, COUNTS).is_rated]

    @property
    def uncounted(self) -> Mapping[str, GameStatus]:
        """The states of the games that do not count, by their ids."""
        annulled = {game.id: ANNULLED for game in self.latest or () if game.ending == "annulled"}
        return {**annulled, **self.plan.uncounted}

    @property
    def bots(self) -> Mapping[str, BotConfig]:
        """The bots by their names."""
        return {bot.name: bot for bot in self.manifest.tournament.bots}

    def rate(self, anchor: str | None = None) -> Ratings:
        """Rate the bots by all games; `anchor` is BOT=RATING.  Raises ConfigError."""
        return rate_plan(self.manifest, self.plan, self.plan.history.in_order, anchor)

    def count_forfeits(self) -> int:
        """Count the forfeits of games that ratings may use."""
        if self.plan.history.earlier is not None:
            return sum(one.forfeits for one in self.plan.rank_all())
        return sum(bool(game.forfeiters) for game in self.rated)

    def find_earlier_ranks(self, last_round: int) -> Mapping[str, int] | None:
        """Return the rank of each bot at the end of a round; None if no game was played until then."""
        history = self.plan.history
        as_played = tuple(game for game in history.as_played if game.round <= last_round)
        if not as_played:
            return None
        first, *others = self.plan.stages
        if not others:  # by what is known now of byes and of bots that left
            return {one.bot: one.rank for one in self.plan.rank_until(first, last_round)}
        earlier = self.manifest.schedule(replace(history, as_played=as_played))
        return {one.bot: one.rank for one in earlier.rank_all()}


def rate_plan(manifest: Manifest, plan: Schedule, games: Sequence[StoredGame], anchor: str | None = None) -> Ratings:
    """Rate the bots by the games of a schedule; of a long ladder, or one with people, as the ladder does.

    `anchor` is as for `rate_bots`.
    """
    source = plan.stages[0].source
    if source is None or (plan.history.earlier is None and not manifest.tournament.rated_apart):
        return rate_bots(manifest, plan.select_rated(games), anchor)
    return source.rate_bots()


class EarlierRanks:
    """Finds the ranks at the end of a round, again only if a game of that round or an earlier one was added."""

    def __init__(self) -> None:
        self._known: tuple[object, Mapping[str, int] | None] = None, None

    def find(self, snapshot: Snapshot, last_round: int) -> Mapping[str, int] | None:
        """Return what `Snapshot.find_earlier_ranks` returns."""
        history = snapshot.plan.history
        known = last_round, history.rulings, sum(game.round <= last_round for game in history.as_played)
        if self._known[0] != known:
            self._known = known, snapshot.find_earlier_ranks(last_round)
        return self._known[1]


def rate_bots(
    manifest: Manifest, games: Sequence[StoredGame], anchor: str | None = None, draws: int | None = None
) -> Ratings:
    """Rate the bots of a tournament by all games.

    `anchor` is BOT=RATING.  Default: the anchor of the tournament.  `draws` is the number of samples of the bootstrap.
    Raises ConfigError.
    """
    from arbiter.tournament.ratings.rate import rate  # noqa: PLC0415 - numpy is slow to import

    bots = [bot.name for bot in manifest.tournament.bots]
    chosen = manifest.tournament.anchor if anchor is None else anchor
    return rate(bots, games, manifest.seed, None if chosen is None else find_anchor(chosen, bots), draws)


def make_rating_history(manifest: Manifest) -> RatingHistory:
    """Make a history of the ratings of a tournament."""
    return RatingHistory(lambda games: rate_bots(manifest, games, draws=_EARLIER_DRAWS))


def compare_bots(manifest: Manifest, bot: str, opponent: str, games: Sequence[StoredGame]) -> Estimate | None:
    """Estimate the Elo difference between two bots from their games against each other."""
    from arbiter.tournament.ratings.rate import rate_difference  # noqa: PLC0415 - numpy is slow to import

    return rate_difference(bot, opponent, games, manifest.seed, _PAIRING_DRAWS)


# --- a match of two bots --------------------------------------------------------------------------


class HeadToHead:
    """A match of two bots, from the view of the first; an SPRT or repeated games may end it early.

    Games of other bots are left out.
    """

    def __init__(self, bot: str, opponent: str, sprt: Sprt | None, deployments: int = 0) -> None:
        """Set up the match; `deployments` is the number of them in its book, if it has one."""
        self.bot = bot
        self.opponent = opponent
        self.deployments = deployments
        self.sprt_run = None if sprt is None else SprtRun(sprt, bot)
        self.repeats = RepeatWatch(starts=deployments * (deployments - 1))

    @property
    def sprt(self) -> Sprt | None:
        """The test, if there is one."""
        return None if self.sprt_run is None else self.sprt_run.sprt

    @property
    def is_over(self) -> bool:
        """True if no more games are needed."""
        return self.repeats.is_over or (self.sprt_run is not None and self.sprt_run.is_over)

    def has(self, game: StoredGame | Fixture) -> bool:
        """Return True for a game of these two bots."""
        return {game.red, game.blue} == {self.bot, self.opponent}

    def select(self, games: Iterable[StoredGame]) -> list[StoredGame]:
        """Return the games of these two bots."""
        return [game for game in games if self.has(game)]

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""
        if self.has(game):
            self.repeats.add(game)
            if self.sprt_run is not None:
                self.sprt_run.add(game)

    def restart(self, games: Sequence[StoredGame]) -> None:
        """Count the games from the start."""
        own = self.select(games)
        self.repeats.restart(own)
        if self.sprt_run is not None:
            self.sprt_run.restart(own)

    def forecast(self, games: Sequence[StoredGame], most_games: int) -> Sequence[Forecast]:
        """Estimate how many games the SPRT takes, at most `most_games`; `games` were played before.

        Returns nothing without a test, or if the earlier games have decided it.
        """
        if self.sprt is None or SprtRun(self.sprt, self.bot, self.select(games)).is_over:
            return ()
        from arbiter.tournament.ratings.sequential import forecast  # noqa: PLC0415 - numpy is slow to import

        return forecast(self.sprt, most_games // len(SEATS), self.count_pairs(games))

    def count_pairs(self, games: Sequence[StoredGame]) -> Pentanomial:
        """Count the pairs of games by their results; identical games count once."""
        return count_pairs(find_distinct(pair_games(self.select(games))), self.bot)


def divide_alpha(sprt: Sprt, candidates: int) -> Sprt:
    """Return the test of one of several candidates."""
    return replace(sprt, alpha=sprt.alpha / candidates)


class Matches:
    """Matches of one or several candidates against one baseline, each with a test.

    Alpha is divided among the tests (Bonferroni), so that it is the probability that any candidate passes that is not
    ahead by more than `elo0`; beta is that of each test, so that bad candidates are rejected early.
    """

    def __init__(self, bots: Sequence[str], sprt: Sprt | None, deployments: int = 0) -> None:
        """Set up the matches of `bots`, the last of which is the baseline; `deployments` as for each match."""
        *candidates, baseline = bots
        own = None if sprt is None else divide_alpha(sprt, len(candidates))
        self.sprt = sprt
        """The test with the alpha of all candidates together."""
        self.each = tuple(HeadToHead(bot, baseline, own, deployments) for bot in candidates)

    @property
    def runs(self) -> Mapping[str, SprtRun]:
        """The tests in progress by candidate."""
        return {match.bot: match.sprt_run for match in self.each if match.sprt_run is not None}

    @property
    def candidates(self) -> frozenset[str]:
        """The names of the candidates."""
        return frozenset(match.bot for match in self.each)

    @property
    def is_over(self) -> bool:
        """True if no more games are needed."""
        return all(match.is_over for match in self.each)

    def wants(self, fixture: Fixture) -> bool:
        """Return False for a game of a match that is over."""
        return not any(match.is_over for match in self.each if match.has(fixture))

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""
        for match in self.each:
            match.add(game)

    def restart(self, games: Sequence[StoredGame]) -> None:
        """Count the games from the start."""
        for match in self.each:
            match.restart(games)


class OpenMatches:
    """The games of a schedule without those of matches that are over."""

    def __init__(self, source: FixtureSource, matches: Matches) -> None:
        self._source = source
        self._matches = matches

    def take(self) -> Fixture | None:
        """Take the next game to play; None if others must finish first."""
        while (fixture := self._source.take()) is not None and not self._matches.wants(fixture):
            pass
        return fixture

    def add(self, game: StoredGame) -> None:
        """Add a finished game."""
        self._source.add(game)


def make_matches(manifest: Manifest, games: Sequence[StoredGame]) -> Matches:
    """Make the matches of results after these games."""
    matches = Matches(manifest.tournament.bot_names, manifest.sprt, len(manifest.deployments))
    matches.restart(games)
    return matches
