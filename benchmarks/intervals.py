"""Coverage of the intervals of ratings: the share that contain the truth, in tournaments simulated with a seed.

The strengths of the bots are drawn again for each tournament, from a normal distribution.
"""

from collections.abc import Sequence

from msgspec import Struct

from arbiter.arrays import Booleans, Floats, np
from arbiter.tournament.ratings.pairs import find_distinct
from arbiter.tournament.ratings.pool import fit_pool
from arbiter.tournament.ratings.symmetry import TAILS, find_limits
from benchmarks.measured import Measured
from benchmarks.simulated_games import Setting, simulate

BOTS, TOURNAMENTS, SHORT_TOURNAMENTS = 2400, 240, 20  # in each row: so many bots, and at least so many tournaments
SHORT_STEP = 8  # of the settings, in the short form
SEED = 1
LEAST_COVERAGE = 0.93
MOST_DEVIATION = 0.05
DRAWS = 159  # of the bootstrap
BINS = 10

SETTINGS = (
    *(
        Setting(f"round robin of {bots}, {2 * pairs} games each", bots, pairs)
        for bots, most in ((4, 25), (6, 25), (12, 5), (20, 2))
        for pairs in (1, 2, 5, 25)
        if pairs <= most
    ),
    *(Setting(f"match, {2 * pairs} games", 2, pairs) for pairs in (2, 5, 25, 100)),
    *(Setting(f"gauntlet of 7, {2 * pairs} games each", 7, pairs, "gauntlet") for pairs in (1, 2, 5, 25)),
    *(Setting(f"Swiss of 16 in {rounds} rounds", 16, 1, "swiss", rounds) for rounds in (5, 9)),
    *(Setting(f"half of a round robin of 10, {2 * pairs} games each", 10, pairs, "incomplete") for pairs in (1, 5)),
    *(Setting(f"round robin of 6, 4 games, {drawn:.0%} drawn", 6, 2, drawn=drawn) for drawn in (0.05, 0.4, 0.6)),
    *(Setting(f"round robin of 6, 4 games, red {red} Elo", 6, 2, advantage=red) for red in (0, 80)),
    *(
        Setting(f"round robin of {bots}, {2 * pairs} games, correlation {rho}", bots, pairs, correlation=rho)
        for bots, pairs in ((4, 1), (6, 2), (6, 25))
        for rho in (-0.5, -0.25, 0.25, 0.5)
    ),
    *(Setting(f"round robin of 6, 4 games, spread {spread} Elo", 6, 2, spread=spread) for spread in (0, 50, 300)),
    *(
        Setting(f"Swiss of {bots} in {rounds} rounds, spread {spread} Elo", bots, 1, "swiss", rounds, spread=spread)
        for bots, rounds, spread in ((16, 5, 100), (16, 5, 300), (24, 7, 100), (8, 4, 300))
    ),
    Setting("gauntlet of 7, 2 games each, spread 300 Elo", 7, 1, "gauntlet", spread=300),
    Setting("round robin of 4, 2 games, spread 300 Elo", 4, 1, spread=300),
    Setting("round robin of 6, 4 games, one bot 450 Elo ahead, spread 75 Elo", 6, 2, spread=75, ahead=450),
    Setting("Swiss of 16 in 5 rounds, one bot 450 Elo ahead, spread 75 Elo", 16, 1, "swiss", 5, spread=75, ahead=450),
    *(Setting(f"match of 200 games, {count} deployments", 2, 100, deployments=count) for count in (1, 2, 3, 5, 10)),
    *(Setting(f"round robin of 6, 20 games, {count} deployments", 6, 10, deployments=count) for count in (1, 2, 3)),
)


class Coverage(Struct, frozen=True):
    """The shares of intervals that contain the truth, with standard errors over tournaments."""

    name: str
    tournaments: int
    bots: tuple[float, float]
    differences: tuple[float, float]
    advantage: tuple[float, float]
    half_width: float
    """Mean half width of the interval of a bot, in Elo."""
    superiority: Floats
    """By tenths of the stated likelihood of superiority: the sums of `note` over all tournaments.

    And those of its squares: of the number, the product of number and true statements, and of true statements.
    """
    first: Floats
    """The same of the probability of being the strongest."""


class Held(Struct, frozen=True):
    """One rated tournament, compared with the truth."""

    bots: float
    """Share of intervals that contain the truth."""
    differences: float
    advantage: float | None
    half_width: float
    superiority: Floats
    first: Floats


def rate_tournament(setting: Setting, number: int, seed: int) -> Held:
    """Rate a simulated tournament, and compare intervals and likelihoods with the truth."""
    chance = np.random.default_rng([seed, number, *setting.name.encode()])
    strengths = setting.spread * chance.standard_normal(setting.bots)
    strengths[0] += setting.ahead
    pool = fit_pool(find_distinct(simulate(setting, strengths, chance)), number, None, DRAWS, seats=())
    assert pool is not None
    truth = strengths[[int(name) for name in pool.names]]
    truth = truth - truth.mean()
    samples = pool.samples.bots
    # As they are before they are rounded: red's advantage is a round number, and rounded limits would often meet it.
    lows, highs = np.quantile(samples, TAILS, axis=0, method="weibull")
    one, two = np.triu_indices(len(truth), 1)
    low, high = np.quantile(samples[:, one] - samples[:, two], TAILS, axis=0, method="weibull")
    true = truth[one] - truth[two]
    superiority, first = np.zeros((BINS, 3)), np.zeros((BINS, 3))
    if setting.spread:
        stated = np.mean(samples[:, one] > samples[:, two], axis=0)
        note(superiority, np.append(stated, 1 - stated), np.append(true > 0, true < 0))
        bots = np.arange(len(truth))
        note(first, np.mean(samples.argmax(1)[:, None] == bots, axis=0), bots == truth.argmax())
    least, most, _ = find_limits(pool.samples.advantage)
    return Held(
        bots=float(np.mean((lows <= truth) & (truth <= highs))),
        differences=float(np.mean((low <= true) & (true <= high))),
        advantage=float(least <= setting.advantage <= most) if pool.has_both_colours else None,
        half_width=float(np.mean(highs - lows) / 2),
        superiority=superiority,
        first=first,
    )


def summarise(name: str, held: Sequence[Held]) -> Coverage:
    """Average over tournaments, with standard errors."""

    def average(values: list[float]) -> tuple[float, float]:
        return float(np.mean(values)), float(np.std(values) / len(values) ** 0.5)

    def add_up(bins: list[Floats]) -> Floats:
        each = np.array(bins)
        count, true = each[..., 0], each[..., 2]
        squares = np.stack([count * count, count * true, true * true], axis=-1)
        total: Floats = np.concatenate([each, squares], axis=-1).sum(0)
        return total

    return Coverage(
        name,
        tournaments=len(held),
        bots=average([one.bots for one in held]),
        differences=average([one.differences for one in held]),
        advantage=average([one.advantage for one in held if one.advantage is not None]),
        half_width=float(np.mean([one.half_width for one in held])),
        superiority=add_up([one.superiority for one in held]),
        first=add_up([one.first for one in held]),
    )


def note(bins: Floats, stated: Floats, is_true: Booleans) -> None:
    """Add up statements in their bins: their number, what they state, and the number that is true."""
    place = np.minimum(BINS - 1, (stated * BINS).astype(int))
    np.add.at(bins, place, np.stack([np.ones_like(stated), stated, is_true.astype(float)], axis=1))


def simulate_all(*, is_full: bool) -> tuple[list[Coverage], list[Measured]]:
    """Simulate tournaments of all kinds, or of some."""
    found = []
    for setting in SETTINGS if is_full else SETTINGS[::SHORT_STEP]:
        numbers = range(max(TOURNAMENTS, BOTS // setting.bots) if is_full else SHORT_TOURNAMENTS)
        one = summarise(setting.name, [rate_tournament(setting, number, SEED) for number in numbers])
        shares = "".join(f"{mean:>9.3f} ±{error:.3f}" for mean, error in (one.bots, one.differences, one.advantage))
        print(f"{one.name:<46}{shares}{one.half_width:>10.0f}", flush=True)
        found.append(one)
    target = LEAST_COVERAGE if is_full else None
    measured = [
        Measured(f"intervals with the truth, {one.name}", one.bots[0], "", "nothing", at_least=target) for one in found
    ]
    target = MOST_DEVIATION if is_full else None
    usual = list_usual(found)
    for what, tables in (("LOS", [one.superiority for one in usual]), ("first", [one.first for one in usual])):
        name = f"largest difference between {what} and the share that is true, in ten bins"
        measured.append(Measured(name, find_worst(sum(tables)), "", "nothing", at_most=target))
    return found, measured


def list_usual(found: Sequence[Coverage], *, is_usual: bool = True) -> list[Coverage]:
    """List those without a bot that is always ahead, or those with one."""
    unusual = {setting.name for setting in SETTINGS if setting.ahead}
    return [one for one in found if (one.name not in unusual) == is_usual]


def find_worst(bins: Floats) -> float:
    """Return the largest difference between a mean statement and the truth."""
    counted = bins[bins[:, 0] > 0]
    return float(np.abs((counted[:, 1] - counted[:, 2]) / counted[:, 0]).max(initial=0.0))


def main(*, is_full: bool) -> list[Measured]:
    """Simulate and print."""
    return simulate_all(is_full=is_full)[1]
