"""Rate bots by all their games together."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from msgspec.structs import replace

from arbiter.arrays import Floats, Numbers, np
from arbiter.tournament.ratings.pairs import Pair, find_distinct, pair_games
from arbiter.tournament.ratings.pool import PoolFit, fit_pool
from arbiter.tournament.ratings.symmetry import TAILS, EqualNumbers, estimate, share_of_samples
from arbiter.tournament.ratings.values import Anchor, Estimate, Rating, Ratings, Spread
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import BLUE, RED, SEATS


def rate(
    bots: Iterable[str], games: Iterable[StoredGame], seed: int, anchor: Anchor | None = None, draws: int | None = None
) -> Ratings:
    """Rate bots by one fit to all their games. Each group has mean 0, or the anchor has its rating.

    Identical games count once.  `draws` is the number of samples of the bootstrap.
    The same games and seed give the same numbers, whatever the order of the games.
    """
    return rate_pool(bots, games, seed, anchor, draws)[0]


def rate_pool(
    bots: Iterable[str],
    games: Iterable[StoredGame],
    seed: int,
    anchor: Anchor | None = None,
    draws: int | None = None,
    *,
    spread: Spread | None = None,
) -> tuple[Ratings, PoolFit | None]:
    """Rate bots as `rate` does; returns the fit too, or None if no game counts.

    `spread` is that of a normal prior, in Elo.  Default: as in `fit_pool`.
    """
    names = set(bots)
    pairs = [pair for pair in pair_games(games) if pair.one in names and pair.two in names]
    distinct = find_distinct(pairs)
    pool = fit_pool(distinct, seed, anchor, draws, spread)
    ratings = _make_ratings(names, pool, anchor)
    played, different = _count_by_bot(pairs), _count_by_bot(distinct)
    counted = [replace(one, games=played[one.bot], distinct_games=different[one.bot]) for one in ratings.bots]
    return replace(ratings, bots=tuple(counted)), pool


def rate_difference(one: str, two: str, games: Iterable[StoredGame], seed: int, draws: int) -> Estimate | None:
    """Estimate the Elo difference of two bots from their games against each other; None if no game counts.

    It is the rating of the first if the second is the anchor with 0, without ratings by colour.
    """
    names = {one, two}
    pairs = find_distinct(pair for pair in pair_games(games) if {pair.one, pair.two} == names)
    pool = fit_pool(pairs, seed, Anchor(two, 0.0), draws, seats=())
    if pool is None:
        return None
    number = pool.names.index(one)
    best = pool.best.bots[:, number]
    return EqualNumbers(best).estimate(0, float(best[0]), lambda _: pool.samples.bots[:, [number]])


def _make_ratings(names: Iterable[str], pool: PoolFit | None, anchor: Anchor | None) -> Ratings:
    """Make the ratings of bots from the fit of their pool."""
    rated = () if pool is None else pool.names
    unrated = tuple(Rating(bot=bot) for bot in sorted(set(names).difference(rated)))
    if pool is None:
        return Ratings(bots=unrated, superiority={}, red_advantage=None, anchor=anchor)
    ratings = list(_list_ratings(pool, anchor))
    ratings.sort(key=lambda one: (one.group or 0, -(one.rating.elo if one.rating else 0.0), one.bot))
    return Ratings(
        bots=(*ratings, *unrated),
        superiority=compare_bots(pool),
        red_advantage=estimate(float(pool.best.advantage[0]), pool.samples.advantage)
        if pool.has_both_colours
        else None,
        anchor=anchor,
        prior=pool.prior,
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


def _list_ratings(pool: PoolFit, anchor: Anchor | None) -> Iterator[Rating]:
    """Yield the ratings in the order of the pool."""
    best, samples = pool.best, pool.samples
    middle = np.zeros(len(pool.names))
    variance = np.diagonal(pool.covariance).copy()
    if anchor is not None and anchor.bot in pool.names:
        fixed = pool.names.index(anchor.bot)
        of_group = pool.groups == pool.groups[fixed]
        middle[of_group] = anchor.elo
        variance[of_group] = find_variance(pool.covariance, fixed)[of_group]
    errors = np.sqrt(np.maximum(variance, 0.0))
    ratings, found = best.bots[0] - middle, samples.bots - middle
    equal = EqualNumbers(ratings, errors)
    equal_by_colour = {
        seat: EqualNumbers(best.by_colour[seat][0] - middle, ratings, errors, mirrors=False) for seat in SEATS
    }
    found_by_colour = {seat: samples.by_colour[seat] - middle for seat in SEATS}
    ranks = _rank_samples(pool)
    for number, bot in enumerate(pool.names):
        colours = {
            seat: equal_by_colour[seat].estimate(
                number,
                float(best.by_colour[seat][0, number]),
                partial(_select, found_by_colour[seat]),
                float(middle[number]),
            )
            if pool.results.has_had(number, seat)
            else None
            for seat in SEATS
        }
        members = equal.list_equal(number)
        ranks_of_equal = ranks[:, members[pool.groups[members] == pool.groups[number]]]
        low, high = np.quantile(ranks_of_equal, TAILS, method="nearest")
        yield Rating(
            bot=bot,
            group=int(pool.groups[number]) + 1,
            rating=equal.estimate(number, float(best.bots[0, number]), partial(_select, found), float(middle[number])),
            as_red=colours[RED],
            as_blue=colours[BLUE],
            first=share_of_samples(ranks_of_equal == 1),
            ranks=(int(low), int(high)),
        )


def _select(samples: Floats, places: Numbers) -> Floats:
    """Select columns of samples."""
    chosen: Floats = samples[:, places]
    return chosen


def find_variance(covariance: Floats, bot: int) -> Floats:
    """Return the variance of the difference of each bot to one."""
    own = np.diagonal(covariance)
    variance: Floats = np.maximum(own + own[bot] - 2 * covariance[bot], 0.0)
    return variance


def compare_bots(pool: PoolFit) -> dict[str, dict[str, float]]:
    """Return, for each bot of a group and each other one, the share of samples in which the first is stronger."""
    samples = pool.samples.bots
    one, two = np.nonzero((pool.groups[:, None] == pool.groups[None, :]) & ~np.eye(len(pool.names), dtype=bool))
    if not len(one):
        return {bot: {} for bot in pool.names}
    above = np.stack([np.mean(samples[:, [bot]] > samples, axis=0) for bot in range(len(pool.names))])
    errors = np.sqrt(np.stack([find_variance(pool.covariance, bot) for bot in range(len(pool.names))]))
    difference = pool.best.bots[0, one] - pool.best.bots[0, two]
    shares = EqualNumbers(difference, errors[one, two]).average(above[one, two])
    draws = len(samples)
    found: dict[str, dict[str, float]] = {bot: {} for bot in pool.names}
    for first, second, share in zip(one.tolist(), two.tolist(), shares.tolist(), strict=True):
        found[pool.names[first]][pool.names[second]] = (share * draws + 0.5) / (draws + 1)
    return found
