"""A match of two bots: what may end it early, and its result."""

from collections.abc import Sequence

from arbiter.show.tables.match import MatchResult, describe_forecast, describe_llr, match_sheets
from arbiter.show.tables.sheet import Sheet
from arbiter.tournament.dispatcher import EarlyEnd
from arbiter.tournament.ratings.pairs import count_pairs, find_distinct, pair_games
from arbiter.tournament.ratings.repeats import RepeatWatch
from arbiter.tournament.ratings.sprt import Sprt, SprtRun
from arbiter.tournament.ratings.values import Anchor, Estimate
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.standings.crosstable import build_crosstable
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import SEATS


class HeadToHead:
    """A match of two bots, from the view of the first; an SPRT or repeated games may end it early."""

    def __init__(self, bot: str, opponent: str, sprt: Sprt | None, deployments: int = 0) -> None:
        """Set up the match; `deployments` is the number of them in its book, if it has one."""
        self.bot = bot
        self._opponent = opponent
        self._deployments = deployments
        self.sprt_run = None if sprt is None else SprtRun(sprt, bot)
        self._repeats = RepeatWatch(starts=deployments * (deployments - 1))

    @property
    def sprt(self) -> Sprt | None:
        """The test, if there is one."""
        return None if self.sprt_run is None else self.sprt_run.sprt

    def begin(self, games: Sequence[StoredGame]) -> Sequence[EarlyEnd]:
        """Count the games that were played before; return what may end the match early."""
        self.restart(games)
        return [self._repeats] if self.sprt_run is None else [self.sprt_run, self._repeats]

    def restart(self, games: Sequence[StoredGame]) -> None:
        """Count the games from the start."""
        self._repeats.restart(games)
        if self.sprt_run is not None:
            self.sprt_run.restart(games)

    def describe_plan(self, games: Sequence[StoredGame], most_games: int) -> Sequence[str]:
        """Describe how many games the SPRT is expected to take, at most `most_games`; `games` were played before.

        Returns nothing without a test, or if the earlier games have decided it.
        """
        if self.sprt is None or SprtRun(self.sprt, self.bot, games).is_over:
            return ()
        from arbiter.tournament.ratings.sequential import forecast  # noqa: PLC0415 - numpy is slow to import

        counts = count_pairs(find_distinct(pair_games(games)), self.bot)
        expected = forecast(self.sprt, most_games // len(SEATS), counts)
        return (describe_forecast(self.sprt, expected, most_games, is_measured=any(counts)),)

    def describe_progress(self) -> str:
        """Describe the state of the SPRT and repeated games; empty if there is neither."""
        sprt = [] if self.sprt_run is None else [describe_llr(self.sprt_run)]
        repeats = [f"{self._repeats.repeated} pairs repeat earlier ones"] if self._repeats.repeated else []
        return ", ".join([*sprt, *repeats])

    def sheets(self, manifest: Manifest, games: Sequence[StoredGame]) -> tuple[Sheet, ...]:
        """Make the sheets of the match."""
        from arbiter.tournament.ratings.normalized import estimate_normalized  # noqa: PLC0415 - numpy is slow to import
        from arbiter.tournament.ratings.rate import rate  # noqa: PLC0415 - as above

        both = (self.bot, self._opponent)
        ratings = rate(both, games, manifest.seed, Anchor(self._opponent, 0.0))
        pairs = count_pairs(find_distinct(pair_games(games)), self.bot)
        elo = next(one.rating for one in ratings.bots if one.bot == self.bot)
        normalized = estimate_normalized(pairs, manifest.seed)
        superiority = ratings.superiority.get(self.bot, {}).get(self._opponent)
        is_corrected = self.sprt_run is not None and self.sprt_run.accepted is not None
        if is_corrected:
            elo, normalized, superiority = self._correct(elo, normalized)
        result = MatchResult(
            bot=self.bot,
            opponent=self._opponent,
            tally=build_crosstable(both, games).totals[self.bot],
            elo=elo,
            normalized=normalized,
            is_corrected=is_corrected,
            superiority=superiority,
            red_advantage=ratings.red_advantage,
            pairs=pairs,
            repeated_pairs=ratings.repeated_pairs,
            is_ended_by_repeats=self._repeats.is_over,
            deployments=self._deployments,
        )
        return match_sheets(result, self.sprt_run)

    def _correct(self, elo: Estimate | None, normalized: Estimate | None) -> tuple[Estimate, Estimate, float]:
        """Correct the estimates of a match that its SPRT has ended."""
        from arbiter.tournament.ratings.sequential import correct_for_stop  # noqa: PLC0415 - numpy is slow to import

        assert self.sprt_run is not None  # noqa: S101 - an SPRT has ended the match
        assert elo is not None  # noqa: S101 - after pairs of games
        assert normalized is not None  # noqa: S101 - as above
        correction = correct_for_stop(self.sprt_run.sprt, self.sprt_run.counts)
        return (
            correction.correct(elo, "logistic"),
            correction.correct(normalized, "normalized"),
            correction.superiority,
        )


def make_match(manifest: Manifest, games: Sequence[StoredGame]) -> HeadToHead:
    """Make the match of results of two bots after these games."""
    one, two = manifest.tournament.bot_names
    match = HeadToHead(one, two, manifest.sprt, len(manifest.deployments))
    match.restart(games)
    return match
