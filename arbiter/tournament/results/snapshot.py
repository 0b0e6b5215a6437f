"""The results of a tournament at one moment, the ratings of its bots, and a match of two bots."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.dispatcher import EarlyEnd
from arbiter.tournament.events import Attempt
from arbiter.tournament.ratings.pairs import (
    Pentanomial,
    RepeatWatch,
    Sprt,
    SprtRun,
    count_pairs,
    find_distinct,
    pair_games,
)
from arbiter.tournament.ratings.values import Anchor, Estimate, Forecast, RatingHistory, Ratings, find_anchor
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.schedule.stages import Schedule
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

    @property
    def games(self) -> Sequence[StoredGame]:
        """The games as they are ruled, in the order of the schedule, whether they count or not."""
        return self.plan.history.in_order

    @property
    def rated(self) -> Sequence[StoredGame]:
        """The games that ratings may use."""
        return self.plan.select_rated(self.games)

    @property
    def bots(self) -> Mapping[str, BotEntry]:
        """The bots by their names."""
        return {bot.name: bot for bot in self.manifest.tournament.bots}

    def rate(self, anchor: str | None = None) -> Ratings:
        """Rate the bots by all games; `anchor` is BOT=RATING.  Raises ConfigError."""
        return rate_bots(self.manifest, self.rated, anchor)

    def find_earlier_ranks(self, last_round: int) -> Mapping[str, int] | None:
        """Return the rank of each bot at the end of a round; None if no game was played until then."""
        history = self.plan.history
        as_played = tuple(game for game in history.as_played if game.round <= last_round)
        if not as_played:
            return None
        earlier = self.manifest.schedule(replace(history, as_played=as_played))
        return {one.bot: one.rank for one in earlier.rank_all()}


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
    from arbiter.tournament.ratings.rate import rate  # noqa: PLC0415 - numpy is slow to import

    ratings = rate((bot, opponent), games, manifest.seed, Anchor(opponent, 0.0), _PAIRING_DRAWS)
    return next(one.rating for one in ratings.bots if one.bot == bot)


# --- a match of two bots --------------------------------------------------------------------------


class HeadToHead:
    """A match of two bots, from the view of the first; an SPRT or repeated games may end it early."""

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

    def begin(self, games: Sequence[StoredGame]) -> Sequence[EarlyEnd]:
        """Count the games that were played before; return what may end the match early."""
        self.restart(games)
        return [self.repeats] if self.sprt_run is None else [self.sprt_run, self.repeats]

    def restart(self, games: Sequence[StoredGame]) -> None:
        """Count the games from the start."""
        self.repeats.restart(games)
        if self.sprt_run is not None:
            self.sprt_run.restart(games)

    def forecast(self, games: Sequence[StoredGame], most_games: int) -> Sequence[Forecast]:
        """Estimate how many games the SPRT takes, at most `most_games`; `games` were played before.

        Returns nothing without a test, or if the earlier games have decided it.
        """
        if self.sprt is None or SprtRun(self.sprt, self.bot, games).is_over:
            return ()
        from arbiter.tournament.ratings.sequential import forecast  # noqa: PLC0415 - numpy is slow to import

        return forecast(self.sprt, most_games // len(SEATS), self.count_pairs(games))

    def count_pairs(self, games: Sequence[StoredGame]) -> Pentanomial:
        """Count the pairs of games by their results; identical games count once."""
        return count_pairs(find_distinct(pair_games(games)), self.bot)


def make_match(manifest: Manifest, games: Sequence[StoredGame]) -> HeadToHead:
    """Make the match of results of two bots after these games."""
    one, two = manifest.tournament.bot_names
    match = HeadToHead(one, two, manifest.sprt, len(manifest.deployments))
    match.restart(games)
    return match
