"""Ratings as values, and as a history. How they are computed is in `rate`, which needs numpy."""

import re
from collections.abc import Callable, Sequence
from itertools import count
from typing import Final, Literal

from msgspec import Struct

from arbiter.errors import ConfigError, check_known
from arbiter.tournament.standings.stored_game import StoredGame

Spread = float | Literal["estimated"]
_SPREAD: Final = re.compile(r"\d{1,4}(\.\d{1,3})?")
_LEAST_SPREAD: Final = 1
_MOST_SPREAD: Final = 2000
_ANCHOR: Final = re.compile(r"(?P<bot>[^=]+)=(?P<elo>[+-]?\d{1,6}(\.\d{1,3})?)")


class Estimate(Struct, frozen=True):
    """A number on the Elo scale with its 95 % interval."""

    elo: float
    low: float
    high: float


class Forecast(Struct, frozen=True):
    """The expected length of a test if a difference in Elo is true."""

    elo: float
    pairs: float
    """Expected number of pairs of games."""
    low: int
    """Pairs that 95 of 100 tests exceed; before the first games, if half of the games are drawn."""
    high: int
    """Pairs that 5 of 100 tests exceed, or the maximum."""
    undecided: float
    """Probability that the test reaches its maximum without a result."""


class Rating(Struct, frozen=True, kw_only=True):
    """A bot's rating. All fields but the name are None if no game of the bot counts."""

    bot: str
    group: int | None = None
    """Number of the group of bots that games connect, directly or through other bots."""
    rating: Estimate | None = None
    as_red: Estimate | None = None
    """From the games as red alone, None if there are none."""
    as_blue: Estimate | None = None
    first: float | None = None
    """Probability that the bot is the strongest of its group."""
    ranks: tuple[int, int] | None = None
    """Highest and lowest rank in its group, with a probability of 95 %."""
    games: int = 0
    """Games that count for ratings, repeats included."""
    distinct_games: int = 0
    """Different ones; each is evidence once, however often it was repeated."""
    few_deployments: int | None = None
    """Number of deployments that the bot has shown, if games are repeated and these are few."""


class Anchor(Struct, frozen=True):
    """A bot with a fixed rating; the others' are relative to it."""

    bot: str
    elo: float


class Prior(Struct, frozen=True, kw_only=True):
    """The assumption of ratings about strengths before the first game. One of the fields is None."""

    drawn_games: float | None = None
    """Drawn games that are added for each bot."""
    spread: Estimate | None = None
    """Standard deviation of strengths around the mean of their group; its interval is a point if it was given."""


class Ratings(Struct, frozen=True, kw_only=True):
    """The ratings of a tournament. The mean of each group is 0, except that of the anchor's group."""

    bots: tuple[Rating, ...]
    """Best first within each group."""
    superiority: dict[str, dict[str, float]]
    """Likelihood that a bot is stronger than another one of its group: `superiority[bot][other]`."""
    red_advantage: Estimate | None
    """Elo that having red is worth, None if no two bots have met with both colours."""
    anchor: Anchor | None = None
    prior: Prior | None = None
    """None if no games count."""

    @property
    def games(self) -> int:
        """The number of games that count, repeats included."""
        return sum(one.games for one in self.bots) // 2

    @property
    def distinct_games(self) -> int:
        """The number of different games."""
        return sum(one.distinct_games for one in self.bots) // 2

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The bots of each group; ratings of different groups cannot be compared."""
        numbers = {one.group for one in self.bots if one.group is not None}
        return tuple(tuple(one.bot for one in self.bots if one.group == number) for number in sorted(numbers))


class Difference(Struct, frozen=True, kw_only=True):
    """The difference between two bots of a group, the higher rated first, and their games against each other."""

    one: str
    two: str
    elo: Estimate
    superiority: float
    """Likelihood that the first is stronger."""
    games: int = 0
    """Games of these two bots that count."""
    score: float = 0.0
    """Score of the first bot in them."""
    expected: float = 0.0
    """The score that the ratings and red's advantage predict."""
    residual: float = 0.0
    """Score above the expected one, in standard deviations, with the draws and the correlation of the pool."""


class Cycle(Struct, frozen=True):
    """Three bots in a circle: each scored more than half against the next one."""

    bots: tuple[str, str, str]
    scores: tuple[float, float, float]
    """Share of the points of each against the next."""
    p_value: float
    """Probability that chance makes a cycle as clear as this one anywhere in a pool that the ratings explain."""


class Cyclicity(Struct, frozen=True):
    """The part of the results of a pool that goes round in circles."""

    p_value: float
    """Probability that chance makes the scores of a pool that the ratings explain differ as much from the ratings."""
    share: float
    """Share of the variance of the differences in strength that is cyclic, from 0 to 1."""


class PoolAnalysis(Struct, frozen=True):
    """Comparisons of the bots of a pool."""

    differences: tuple[Difference, ...]
    cycles: tuple[Cycle, ...]
    """Those that are clearer than chance makes them, the clearest first."""
    cyclicity: Cyclicity | None = None
    """None if the pairings are too few for cycles."""

    @property
    def residuals(self) -> tuple[Difference, ...]:
        """The pairings that were played, those that the ratings fit worst first."""
        played = [one for one in self.differences if one.games]
        return tuple(sorted(played, key=lambda one: (-abs(one.residual), one.one, one.two)))


def find_anchor(text: str, bots: Sequence[str]) -> Anchor:
    """Read an anchor, BOT=RATING.  Raises ConfigError."""
    found = _ANCHOR.fullmatch(text)
    if found is None:
        raise ConfigError(f'is "{text}", must be a bot and its rating, as in "{next(iter(bots), "random")}=1500"')
    check_known("bot", found["bot"], bots)
    return Anchor(found["bot"], float(found["elo"]))


def find_spread(text: str) -> Spread:
    """Read the spread of a normal prior in Elo, or `estimated`.  Raises ConfigError."""
    if text == "estimated":
        return "estimated"
    if _SPREAD.fullmatch(text) is None or not _LEAST_SPREAD <= float(text) <= _MOST_SPREAD:
        raise ConfigError(
            f'is "{text}", must be a spread in Elo from {_LEAST_SPREAD} to {_MOST_SPREAD}, such as 150, or "estimated"'
        )
    return float(text)


# --- ratings over time ----------------------------------------------------------------------------


_MOST_POINTS: Final = 10
_STEPS: Final = (1, 2, 5)


class EarlierRatings(Struct, frozen=True):
    """The ratings after the first games of a tournament, in the order in which they started."""

    games: int
    ratings: Ratings


class RatingHistory:
    """Rates the first games of a tournament again and again, and remembers the ratings.

    The numbers of games are multiples of a round number, so most of them stay the same while the tournament is played.
    """

    def __init__(self, rate: Callable[[Sequence[StoredGame]], Ratings]) -> None:
        self._rate = rate
        self._known: dict[tuple[int, int], Ratings] = {}  # by the number of games and a hash of their results

    def list_earlier(self, games: Sequence[StoredGame]) -> list[EarlierRatings]:
        """Return the ratings after several numbers of games, at most ten, without those after all games."""
        played = sorted((game for game in games if game.was_played), key=lambda game: (game.started, game.id))
        step = choose_step(len(played))
        known = self._known
        self._known = {}
        earlier = []
        digest = 0
        for number, game in enumerate(played[:-1], start=1):
            digest = hash((digest, game.id, game.winner, game.ending))
            if number % step == 0:
                ratings = known.get((number, digest)) or self._rate(played[:number])
                self._known[number, digest] = ratings
                earlier.append(EarlierRatings(number, ratings))
        return earlier


def choose_step(games: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, ... that divides so many games into at most ten parts."""
    steps = (factor * 10**power for power in count() for factor in _STEPS)
    smallest: int = next(step for step in steps if games <= step * _MOST_POINTS)
    return smallest
