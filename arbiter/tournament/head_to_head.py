"""A match of two bots, and what may end it early."""

from collections.abc import Sequence

from arbiter.tournament.dispatcher import EarlyEnd
from arbiter.tournament.ratings.pairs import Pentanomial, RepeatWatch, count_pairs, find_distinct, pair_games
from arbiter.tournament.ratings.sprt import Sprt, SprtRun
from arbiter.tournament.ratings.values import Forecast
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import SEATS


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
        """Count the pairs of games by their results; identical pairs count once."""
        return count_pairs(find_distinct(pair_games(games)), self.bot)


def make_match(manifest: Manifest, games: Sequence[StoredGame]) -> HeadToHead:
    """Make the match of results of two bots after these games."""
    one, two = manifest.tournament.bot_names
    match = HeadToHead(one, two, manifest.sprt, len(manifest.deployments))
    match.restart(games)
    return match
