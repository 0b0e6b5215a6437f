"""Rate bots by all their games together."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from arbiter.arrays import Booleans, Floats, np
from arbiter.tournament.ratings.pairs import Pair, find_distinct, pair_games
from arbiter.tournament.ratings.pool import PoolFit, fit_pool
from arbiter.tournament.ratings.values import Anchor, Estimate, Rating, Ratings
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import BLUE, RED, SEATS

_TAILS: Final = (0.025, 0.975)


def rate(
    bots: Iterable[str], games: Iterable[StoredGame], seed: int, anchor: Anchor | None = None, draws: int | None = None
) -> Ratings:
    """Rate bots by one fit to all their games. Each group has mean 0, or the anchor has its rating.

    Identical pairs of games count once.  `draws` is the number of samples of the bootstrap.
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
    repeats = _count_by_bot(pairs)
    repeats.subtract(_count_by_bot(distinct))
    return _make_ratings(names, pool, anchor, repeats), pool


def _make_ratings(names: Iterable[str], pool: PoolFit | None, anchor: Anchor | None, repeats: Counter[str]) -> Ratings:
    """Make the ratings of bots from the fit of their pool; `repeats` counts the repeated pairs of each bot."""
    rated = () if pool is None else pool.names
    unrated = tuple(Rating(bot=bot) for bot in sorted(set(names).difference(rated)))
    if pool is None:
        return Ratings(bots=unrated, superiority={}, red_advantage=None, anchor=anchor)
    ranks = _rank_samples(pool)
    ratings = [_make_rating(pool, number, ranks[:, number], repeats[bot]) for number, bot in enumerate(rated)]
    ratings.sort(key=lambda one: (one.group or 0, -(one.rating.elo if one.rating else 0.0), one.bot))
    return Ratings(
        bots=(*ratings, *unrated),
        superiority=_compare(pool),
        red_advantage=estimate(pool.best.advantage, pool.samples.advantage) if pool.has_both_colours else None,
        anchor=anchor,
    )


def _count_by_bot(pairs: Iterable[Pair]) -> Counter[str]:
    """Count each bot's pairs with a game that counts."""
    return Counter(bot for pair in pairs if pair.counts for bot in (pair.one, pair.two))


def _rank_samples(pool: PoolFit) -> Floats:
    """Rank the bots of each group in each sample: samples x bots."""
    ranks = np.empty_like(pool.samples.bots)
    for group in np.unique(pool.groups):
        strengths = pool.samples.bots[:, pool.groups == group]
        ranks[:, pool.groups == group] = 1 + np.argsort(np.argsort(-strengths, axis=1), axis=1)
    return ranks


def _make_rating(pool: PoolFit, number: int, ranks: Floats, repeats: int) -> Rating:
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
        repeated_pairs=repeats,
    )


def estimate(best: Floats, samples: Floats) -> Estimate:
    """Make an estimate with its interval from the most likely number and its samples."""
    elo = float(best[0])
    low, high = np.quantile(samples, _TAILS)
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
