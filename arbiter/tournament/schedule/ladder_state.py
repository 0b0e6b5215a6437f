"""State of a ladder: counts of the finished games of bots and pairings, and the ratings of earlier times."""

from collections.abc import Mapping
from statistics import NormalDist
from typing import Final

from msgspec import Struct, field

from arbiter.games.base import Ending
from arbiter.tournament.schedule.pairing_counts import CountedPairings, Pairing
from arbiter.tournament.standings.crosstable import Effort, Tally, tally_game
from arbiter.tournament.standings.stored_game import RuledGame, StoredGame
from protocol.words import RED, SEATS

_MOST_SAMPLES: Final = 400
INTERVAL: Final = NormalDist().inv_cdf(0.975)
TREND_PAIRS: Final = 1000
"""Pairs of the whole ladder, during which the trend of a rating is observed."""


class BotCount(Struct):
    """The games of a bot."""

    last: int = 0
    """Number of its last pair."""
    pairs: int = 0
    """Number of its pairs, those in progress included."""
    total: Tally = field(default_factory=Tally)
    rulings: list[int] = []
    """Numbers of the rulings that changed its games."""
    causes: dict[Ending, int] = {}
    """Its forfeits by ending."""
    effort: Effort = field(default_factory=Effort)
    has_forfeited: bool = False
    """True if it forfeited its last game."""
    first_at: str = ""
    """Start of its first game, ISO 8601 in UTC."""
    last_at: str = ""


class RatingSample(Struct, frozen=True):
    """The ratings at one time."""

    pair: int
    """Number of pairs that were counted."""
    at: str
    """Start of the last game, ISO 8601 in UTC."""
    elo: dict[str, tuple[int, int]]
    """Rating of each bot that had played, relative to the mean, and half of its 95 % interval."""


class LadderState(Struct):
    """A ladder after its first games."""

    number: int = 0
    """Of the last pair."""
    bots: dict[str, BotCount] = {}
    pairs: dict[Pairing, int] = {}
    """Pairs of each pairing, those in progress included."""
    scores: dict[tuple[str, str], tuple[Tally, Tally]] = {}
    """Games of each bot against each opponent, as red and as blue."""
    in_progress: dict[tuple[Pairing, int], list[StoredGame]] = {}
    """The finished games of pairs in progress, by the pairing and the number of the pair."""
    numbers: dict[tuple[Pairing, int], int] = {}
    """The numbers of these pairs."""
    counted: CountedPairings = field(default_factory=CountedPairings)
    counted_pairs: int = 0
    walkovers: list[StoredGame] = []
    """The games that a bot lost because it was absent, as they were stored."""
    samples: list[RatingSample] = []
    """Earlier ratings, at even intervals."""
    interval: int = 1
    """Pairs from one of them to the next."""

    def count_game(self, game: StoredGame) -> None:
        """Count a finished game as it counts now."""
        if game.before_rulings.ending == "walkover":
            self.walkovers.append(game.before_rulings)
        for seat in SEATS:
            bot, opponent = (game.red, game.blue) if seat == RED else (game.blue, game.red)
            count = self.bots[bot]
            own = Tally(ruled=int(isinstance(game, RuledGame)))
            if game.ending != "annulled":
                points = game.red_points if seat == RED else game.blue_points
                own += tally_game(seat, game.winner, game.ending, points)
            count.total += own
            as_red, as_blue = self.scores.get((bot, opponent), (Tally(), Tally()))
            self.scores[bot, opponent] = (as_red + own, as_blue) if seat == RED else (as_red, as_blue + own)
            if isinstance(game, RuledGame):
                count.rulings = sorted({*count.rulings, game.ruling.number})
            has_forfeited = bot in game.forfeiters
            if has_forfeited:
                count.causes[game.ending] = count.causes.get(game.ending, 0) + 1
            if not game.was_played:
                continue
            count.has_forfeited = has_forfeited
            count.effort.games += 1
            count.effort.plies += game.plies
            count.effort.ms += game.red_ms if seat == RED else game.blue_ms
            count.first_at = min(filter(None, (count.first_at, game.started)), default="")
            count.last_at = max(count.last_at, game.started)

    def count_opponents(self, bot: str) -> int:
        """Count the bots that a bot has finished a game against."""
        return sum(bot == one for one, _ in self.find_met())

    def find_met(self) -> set[tuple[str, str]]:
        """Return each bot with each opponent that it has finished a game against."""
        return {key for key, tallies in self.scores.items() if any(one.games for one in tallies)}

    def count_repeats(self, bot: str) -> int:
        """Count the games of a bot that are identical to an earlier one."""
        return sum(count for pairing, count in self.counted.repeated.items() if bot in pairing)

    def find_trend(self, bot: str, elo: int) -> int | None:
        """Return the change of a rating, which is `elo` now, during the last pairs; None if it is new."""
        earlier = [one for one in self.samples if one.pair <= max(0, self.counted_pairs - TREND_PAIRS)]
        before = earlier[-1] if earlier else next(iter(self.samples), None)
        return None if before is None or bot not in before.elo else elo - before.elo[bot][0]

    def keep_ratings(self, at: str, rated: Mapping[str, tuple[float, float]]) -> None:
        """Keep the ratings of this moment with their deviations; if there are many, every other one is dropped."""
        elo = {bot: (round(rating), round(INTERVAL * deviation)) for bot, (rating, deviation) in rated.items()}
        self.samples.append(RatingSample(self.counted_pairs, at, elo))
        if len(self.samples) > _MOST_SAMPLES:
            self.interval *= 2
            self.samples = [one for one in self.samples if one.pair % self.interval == 0]
