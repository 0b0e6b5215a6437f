"""The games between the bots of a pool, as tables of bots x bots."""

from arbiter.arrays import Floats, np
from arbiter.tournament.ratings.bootstrap import count_pairs_of_games, count_scores
from arbiter.tournament.ratings.bradley_terry import expect_scores
from arbiter.tournament.ratings.rate import PoolFit


class Meetings:
    """The games between bots, from the view of the bot in the row."""

    def __init__(self, pool: PoolFit) -> None:
        bots = len(pool.names)
        results = pool.results
        counted = count_scores(results)
        as_red, as_blue = (one[0] for one in expect_scores(results.one, results.two, pool.likeliest))
        red, blue = counted.red_games[0], counted.blue_games[0]
        red_variance, blue_variance = as_red * (1 - as_red), as_blue * (1 - as_blue)
        together = 2 * pool.correlation * count_pairs_of_games(results) * np.sqrt(red_variance * blue_variance)
        information = red * red_variance + blue * blue_variance
        score = counted.red_score[0] + counted.blue_score[0]
        expected = red * as_red + blue * as_blue
        self.games = _spread(pool, red + blue, red + blue, bots)
        self.score = _spread(pool, score, red + blue - score, bots)
        self.expected = _spread(pool, expected, red + blue - expected, bots)
        self.information = _spread(pool, information, information, bots)
        """Change of the expected score by a difference in strength, in natural units."""
        variance = np.maximum(pool.variance * (information + together), 0.0)
        self.variance = _spread(pool, variance, variance, bots)
        """Of the score, with the draws and the correlation of the pool."""


def _spread(pool: PoolFit, own: Floats, others: Floats, bots: int) -> Floats:
    """Make a table of values of pairings, from the view of the first bot and of the second."""
    table = np.zeros((bots, bots))
    table[pool.results.one, pool.results.two] = own
    table[pool.results.two, pool.results.one] = others
    return table
