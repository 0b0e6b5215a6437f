"""Normalized Elo of a match, from its pairs of games counted by their score."""

from typing import Final

from arbiter.arrays import np
from arbiter.games.chance import derive_seed
from arbiter.tournament.ratings.llr import to_elo
from arbiter.tournament.ratings.pairs import Pentanomial
from arbiter.tournament.ratings.sequential import smooth
from arbiter.tournament.ratings.values import Estimate

_DRAWS: Final = 1000
_LEAST_SPREAD: Final = 0.05
_TAILS: Final = (0.025, 0.975)
_LEAST_COUNT: Final = 0.01  # pairs of each score in a sample: without any spread, the value would be infinite


def estimate_normalized(counts: Pentanomial, seed: int) -> Estimate | None:
    """Estimate normalized Elo, with an interval by a bootstrap as for ratings; None before the first pair."""
    pairs = sum(counts)
    if not pairs:
        return None
    base = smooth(counts)
    chance = np.random.default_rng(derive_seed(seed, "normalized"))
    spread = np.maximum(chance.chisquare(pairs, (_DRAWS, 1)) / pairs, _LEAST_SPREAD)
    weights = chance.standard_gamma(base * (pairs * spread)) + np.finfo(float).tiny
    drawn = np.maximum(weights / weights.sum(1, keepdims=True), _LEAST_COUNT / pairs)
    samples = [to_elo(shares.tolist(), "normalized") for shares in drawn / drawn.sum(1, keepdims=True)]
    elo = to_elo(base.tolist(), "normalized")
    low, high = np.quantile(samples, _TAILS)
    return Estimate(elo, min(elo, float(low)), max(elo, float(high)))
