"""Rate bots by all their games together: the fit of their pool, and the samples of the bootstrap."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from arbiter.arrays import Booleans, Floats, Numbers, np
from arbiter.games.chance import derive_seed
from arbiter.tournament.ratings.bootstrap import OUTCOMES, PairResults, count_with_prior, draw_samples
from arbiter.tournament.ratings.bradley_terry import Scores, Strengths, fit, fit_performance
from arbiter.tournament.ratings.pairs import Pair, find_distinct, pair_games
from arbiter.tournament.ratings.values import Anchor, Estimate, Rating, Ratings
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import BLUE, RED, SEATS, Seat

ELO: Final = float(400 / np.log(10))  # Elo in a natural unit: 400 are odds of ten to one
_TWO_BOTS: Final = 2
_DRAWS: Final = 1000
_DRAWS_OF_LARGE_POOL: Final = 500  # many games of many bots make intervals that need fewer samples
_LARGE_POOL: Final = 1000  # pairings


class EloSamples(Struct, frozen=True):
    """Fitted numbers on the Elo scale."""

    bots: Floats
    """samples x bots"""
    by_colour: dict[Seat, Floats]
    """By the games with one colour: samples x bots."""
    advantage: Floats
    """Red's advantage (samples)."""


class _Collected(Struct, frozen=True):
    """The bots that have games which count, group by group, and their pairs of games by pairing and outcome."""

    names: tuple[str, ...]
    groups: Numbers
    """The number of each bot's group, from 0."""
    results: PairResults
    has_both_colours: bool
    """True if two bots have met with both colours."""

    @property
    def fits_advantage(self) -> bool:
        """True if red's advantage is a parameter of the fit.

        In a match of two bots, the difference is that of the score in pairs of games, as in a sequential test, unless
        most distinct games had the same colours.
        """
        is_even = abs(self.results.count_surplus()) <= 1
        return self.has_both_colours and (len(self.names) > _TWO_BOTS or not is_even)


class PoolFit(_Collected, frozen=True):
    """A pool of bots and their strengths."""

    likeliest: Strengths
    """In natural units, as one sample."""
    best: EloSamples
    """The most likely numbers, as one sample."""
    samples: EloSamples
    """The samples of the bootstrap."""

    def is_connected(self, one: int, two: int) -> bool:
        """Return True if games connect two bots, directly or through other bots."""
        return bool(self.groups[one] == self.groups[two])


def fit_pool(pairs: Sequence[Pair], seed: int, anchor: Anchor | None, draws: int | None = None) -> PoolFit | None:
    """Fit strengths to distinct pairs of games; None if there are none."""
    if not pairs:
        return None
    pool = _collect(pairs)
    if draws is None:
        draws = _DRAWS if len(pool.results.one) < _LARGE_POOL else _DRAWS_OF_LARGE_POOL
    scores = count_with_prior(pool.results)
    likeliest = _fit_strengths(scores, pool, None)
    by_colour = {seat: fit_performance(scores, likeliest.bots, seat, likeliest.bots) for seat in SEATS}
    chance = np.random.default_rng(derive_seed(seed, "ratings"))
    free_parameters = len(pool.names) - 1 - int(pool.groups[-1])

    def fit_samples() -> Iterator[EloSamples]:
        for some in draw_samples(pool.results, likeliest, free_parameters, chance, draws):
            found = _fit_strengths(some, pool, likeliest)
            change = found.bots - likeliest.bots
            colours = {seat: fit_performance(some, found.bots, seat, near + change) for seat, near in by_colour.items()}
            yield _to_elo(found, colours, pool, anchor)

    blocks = list(fit_samples())
    return PoolFit(
        **asdict(pool),
        likeliest=likeliest,
        best=_to_elo(likeliest, by_colour, pool, anchor),
        samples=EloSamples(
            np.concatenate([block.bots for block in blocks]),
            {seat: np.concatenate([block.by_colour[seat] for block in blocks]) for seat in SEATS},
            np.concatenate([block.advantage for block in blocks]),
        ),
    )


def _collect(pairs: Sequence[Pair]) -> _Collected:
    """Assign numbers to the bots, and count their pairs of games by pairing and outcome."""
    seen: dict[tuple[str, str], Counter[tuple[float | None, float | None]]] = {}
    for pair in pairs:
        seen.setdefault((pair.one, pair.two), Counter())[pair.as_red, pair.as_blue] += 1
    joined: list[set[str]] = []
    for pairing in seen:
        group = set(pairing).union(*(other for other in joined if other & set(pairing)))
        joined = [other for other in joined if not other & group] + [group]
    groups = sorted((sorted(group) for group in joined), key=lambda group: (-len(group), group))
    names = tuple(bot for group in groups for bot in group)
    number = {bot: place for place, bot in enumerate(names)}
    results = PairResults(
        len(names),
        np.array([number[one] for one, _ in seen], np.intp),
        np.array([number[two] for _, two in seen], np.intp),
        np.array([[float(outcomes[outcome]) for outcome in OUTCOMES] for outcomes in seen.values()]),
    )
    return _Collected(
        names=names,
        groups=np.array([place for place, group in enumerate(groups) for _ in group], np.intp),
        results=results,
        has_both_colours=any(None not in outcome for outcomes in seen.values() for outcome in outcomes),
    )


def _fit_strengths(scores: Scores, pool: _Collected, near: Strengths | None) -> Strengths:
    """Fit strengths and red's advantage, together or, for two bots, each by itself."""
    found = fit(scores, pool.groups, with_advantage=pool.fits_advantage, near=near)
    if not pool.has_both_colours or pool.fits_advantage:
        return found
    advantage = fit(scores, pool.groups, with_advantage=True, near=near).advantage
    return Strengths(found.bots, advantage)


def _to_elo(strengths: Strengths, by_colour: dict[Seat, Floats], pool: _Collected, anchor: Anchor | None) -> EloSamples:
    """Convert strengths to Elo, and shift the anchor's group so that the anchor has its rating."""
    bots = ELO * strengths.bots
    shift = 0.0
    if anchor is not None and anchor.bot in pool.names:
        number = pool.names.index(anchor.bot)
        shift = (anchor.elo - bots[:, [number]]) * (pool.groups == pool.groups[number])
    colours = {seat: ELO * own + shift for seat, own in by_colour.items()}
    return EloSamples(bots + shift, colours, ELO * strengths.advantage)


# --- ratings --------------------------------------------------------------------------------------


_TAILS: Final = (0.025, 0.975)


def rate(
    bots: Iterable[str], games: Iterable[StoredGame], seed: int, anchor: Anchor | None = None, draws: int | None = None
) -> Ratings:
    """Rate bots by one fit to all their games. Each group has mean 0, or the anchor has its rating.

    Identical games count once.  `draws` is the number of samples of the bootstrap.
    The same games and seed give the same numbers, whatever the order of the games.
    """
    return rate_pool(bots, games, seed, anchor, draws)[0]


def rate_pool(
    bots: Iterable[str], games: Iterable[StoredGame], seed: int, anchor: Anchor | None = None, draws: int | None = None
) -> tuple[Ratings, PoolFit | None]:
    """Rate bots as `rate` does; returns the fit too, or None if no game counts."""
    names = set(bots)
    pairs = [pair for pair in pair_games(games) if pair.one in names and pair.two in names]
    distinct = find_distinct(pairs)
    pool = fit_pool(distinct, seed, anchor, draws)
    ratings = _make_ratings(names, pool, anchor)
    played, different = _count_by_bot(pairs), _count_by_bot(distinct)
    counted = [replace(one, games=played[one.bot], distinct_games=different[one.bot]) for one in ratings.bots]
    return replace(ratings, bots=tuple(counted)), pool


def _make_ratings(names: Iterable[str], pool: PoolFit | None, anchor: Anchor | None) -> Ratings:
    """Make the ratings of bots from the fit of their pool."""
    rated = () if pool is None else pool.names
    unrated = tuple(Rating(bot=bot) for bot in sorted(set(names).difference(rated)))
    if pool is None:
        return Ratings(bots=unrated, superiority={}, red_advantage=None, anchor=anchor)
    ranks = _rank_samples(pool)
    ratings = [_make_rating(pool, number, ranks[:, number]) for number in range(len(rated))]
    ratings.sort(key=lambda one: (one.group or 0, -(one.rating.elo if one.rating else 0.0), one.bot))
    return Ratings(
        bots=(*ratings, *unrated),
        superiority=_compare(pool),
        red_advantage=estimate(pool.best.advantage, pool.samples.advantage) if pool.has_both_colours else None,
        anchor=anchor,
    )


def _count_by_bot(pairs: Iterable[Pair]) -> Counter[str]:
    """Count each bot's games that count."""
    counts: Counter[str] = Counter()
    for pair in pairs:
        games = (pair.as_red is not None) + (pair.as_blue is not None)
        counts.update({pair.one: games, pair.two: games})
    return counts


def _rank_samples(pool: PoolFit) -> Floats:
    """Rank the bots of each group in each sample: samples x bots."""
    ranks = np.empty_like(pool.samples.bots)
    for group in np.unique(pool.groups):
        strengths = pool.samples.bots[:, pool.groups == group]
        ranks[:, pool.groups == group] = 1 + np.argsort(np.argsort(-strengths, axis=1), axis=1)
    return ranks


def _make_rating(pool: PoolFit, number: int, ranks: Floats) -> Rating:
    best, samples = pool.best, pool.samples
    colours = {
        seat: estimate(best.by_colour[seat][:, number], samples.by_colour[seat][:, number])
        if pool.results.has_had(number, seat)
        else None
        for seat in SEATS
    }
    low, high = np.quantile(ranks, _TAILS, method="nearest")
    return Rating(
        bot=pool.names[number],
        group=int(pool.groups[number]) + 1,
        rating=estimate(best.bots[:, number], samples.bots[:, number]),
        as_red=colours[RED],
        as_blue=colours[BLUE],
        first=share_of_samples(ranks == 1),
        ranks=(int(low), int(high)),
    )


def estimate(best: Floats, samples: Floats) -> Estimate:
    """Make an estimate with its interval from the most likely number and its samples."""
    elo = float(best[0])
    low, high = np.quantile(samples, _TAILS, method="weibull")
    return Estimate(elo, min(elo, float(low)), max(elo, float(high)))


def share_of_samples(is_true: Booleans) -> float:
    """Return the share of samples with a property, never 0 and never 1."""
    return float((np.sum(is_true) + 0.5) / (len(is_true) + 1))


def _compare(pool: PoolFit) -> dict[str, dict[str, float]]:
    """Return, for each bot of a group and each other one, the share of samples in which the first is stronger."""
    samples = pool.samples.bots
    return {
        bot: {
            other: share_of_samples(samples[:, one] > samples[:, two])
            for two, other in enumerate(pool.names)
            if two != one and pool.is_connected(one, two)
        }
        for one, bot in enumerate(pool.names)
    }
