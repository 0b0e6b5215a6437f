"""Coverage of the intervals of ratings: the share that contain the truth, in tournaments simulated with a seed.

The strengths of the bots are drawn again for each tournament, from a normal distribution.  The two games of a pair have
correlated scores.  If bots have few deployments, each choice of two deployments and colours is one game, which repeats.
"""

from collections.abc import Iterator
from itertools import combinations

from msgspec import Struct

from arbiter.arrays import Floats, Generator, Numbers, np
from arbiter.tournament.ratings.pairs import Pair, find_distinct
from arbiter.tournament.ratings.rate import fit_pool
from arbiter.tournament.ratings.symmetry import estimate
from benchmarks.measured import Measured

TOURNAMENTS, SHORT_TOURNAMENTS = 1000, 20
SHORT_STEP = 8  # of the settings, in the short form
SEED = 1
LEAST_COVERAGE = 0.93
DRAWS = 200  # of the bootstrap
BINS = 10
PLAYED = 0.4  # share of the pairings of an incomplete round robin, in addition to a ring of all bots


class Setting(Struct, frozen=True):
    """Simulated tournaments of one kind."""

    name: str
    bots: int
    pairs: int
    """Pairs of games of each pairing."""
    form: str = "round robin"
    """round robin, gauntlet, incomplete (about half of the pairings), or swiss (each round has `pairs` pairs of games)."""
    rounds: int = 0
    drawn: float = 0.2
    """Share of drawn games between equal bots."""
    advantage: float = 40.0
    """Elo of having red."""
    correlation: float = 0.0
    """Of the scores of one bot in the two games of a pair."""
    spread: float = 150.0
    """Standard deviation of the strengths in Elo."""
    deployments: int = 0
    """Number of deployments of each bot, from which it chooses at random; 0: every game is different."""


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
    Setting("gauntlet of 7, 2 games each, spread 300 Elo", 7, 1, "gauntlet", spread=300),
    Setting("round robin of 4, 2 games, spread 300 Elo", 4, 1, spread=300),
    *(Setting(f"match of 200 games, {count} deployments", 2, 100, deployments=count) for count in (1, 2, 3, 5, 10)),
    *(Setting(f"round robin of 6, 20 games, {count} deployments", 6, 10, deployments=count) for count in (1, 2, 3)),
)


class Coverage(Struct, frozen=True):
    """The shares of intervals that contain the truth, with standard errors over tournaments."""

    name: str
    bots: tuple[float, float]
    differences: tuple[float, float]
    advantage: tuple[float, float]
    half_width: float
    """Mean half width of the interval of a bot, in Elo."""
    ideal: float
    """Half width at which the intervals with the width of all tournaments would contain 95 %."""
    superiority: Floats
    """By tenths of the stated likelihood of superiority: number, mean statement, share that was true."""
    first: Floats
    """The same of the probability of being the strongest."""


def choose_pairings(setting: Setting, chance: Generator) -> Numbers:
    """List the pairings of a tournament that needs no results to pair: pairings x 2."""
    every = np.array(list(combinations(range(setting.bots), 2)))
    if setting.form == "gauntlet":
        return every[every[:, 0] == 0]
    if setting.form == "incomplete":
        ring = (every[:, 1] - every[:, 0] == 1) | ((every[:, 0] == 0) & (every[:, 1] == setting.bots - 1))
        return every[ring | (chance.random(len(every)) < PLAYED)]
    return every


def play(setting: Setting, strengths: Floats, pairings: Numbers, chance: Generator) -> tuple[Floats, Floats]:
    """Play games of these pairings: the scores of the first bot as red and as blue (pairings x pairs).

    If bots have deployments, these are the results of all games that can be played (pairings x deployments squared).
    """
    ahead = (strengths[pairings[:, 0]] - strengths[pairings[:, 1]])[:, None]
    shape = (len(pairings), setting.pairs)
    if setting.deployments:
        shape = (len(pairings), setting.deployments**2)
    red_luck = chance.random(shape)
    alike = chance.random(shape) < abs(setting.correlation)
    blue_luck = np.where(alike, red_luck if setting.correlation > 0 else 1 - red_luck, chance.random(shape))
    scores = []
    for luck, sign in ((red_luck, 1), (blue_luck, -1)):
        expected = 1 / (1 + 10 ** (-(ahead + sign * setting.advantage) / 400))
        margin = setting.drawn * np.minimum(expected, 1 - expected)
        scores.append(np.where(np.abs(luck - expected) < margin, 0.5, np.where(luck < expected, 1.0, 0.0)))
    return scores[0], scores[1]


def make_pairs(setting: Setting, pairings: Numbers, scores: tuple[Floats, Floats], chance: Generator) -> Iterator[Pair]:
    """Make pairs of games from scores (pairings x pairs, or x games that can be played)."""
    for place, (one, two) in enumerate(pairings.tolist()):
        red, blue = scores[0][place].tolist(), scores[1][place].tolist()
        names = f"{one:03}", f"{two:03}"
        if not setting.deployments:
            for number, (as_red, as_blue) in enumerate(zip(red, blue, strict=True)):
                yield Pair(*names, number, as_red, as_blue, f"{number}r", f"{number}b")
            continue
        chosen = chance.integers(len(red), size=(setting.pairs, 2)).tolist()
        for number, (first, second) in enumerate(chosen):
            yield Pair(*names, number, red[first], blue[second], f"{first}r", f"{second}b")


def simulate(setting: Setting, strengths: Floats, chance: Generator) -> list[Pair]:
    """Simulate a tournament."""
    if setting.form != "swiss":
        pairings = choose_pairings(setting, chance)
        return list(make_pairs(setting, pairings, play(setting, strengths, pairings, chance), chance))
    points = np.zeros(setting.bots)
    met: set[tuple[int, int]] = set()
    pairs: list[Pair] = []
    for _ in range(setting.rounds):
        free = sorted(range(setting.bots), key=lambda bot: (-points[bot], chance.random()))
        drawn = []
        while free:
            one = free.pop(0)
            two = next((bot for bot in free if (min(one, bot), max(one, bot)) not in met), free[0])
            free.remove(two)
            drawn.append((min(one, two), max(one, two)))
        met.update(drawn)
        pairings = np.array(drawn)
        scores = play(setting, strengths, pairings, chance)
        gained = scores[0].sum(1) + scores[1].sum(1)
        points[pairings[:, 0]] += gained
        points[pairings[:, 1]] += 2 * setting.pairs - gained
        number = len(pairs)
        pairs += [
            Pair(one.one, one.two, number + place, one.as_red, one.as_blue, f"{number + place}r", f"{number + place}b")
            for place, one in enumerate(make_pairs(setting, pairings, scores, chance))
        ]
    return pairs


def measure(setting: Setting, tournaments: int, seed: int) -> Coverage:
    """Rate simulated tournaments, and compare intervals and likelihoods with the truth."""
    chance = np.random.default_rng([seed, *setting.name.encode()])
    held: dict[str, list[float]] = {"bots": [], "differences": [], "advantage": []}
    widths, errors = [], []
    superiority, first = np.zeros((BINS, 3)), np.zeros((BINS, 3))
    for number in range(tournaments):
        strengths = setting.spread * chance.standard_normal(setting.bots)
        pool = fit_pool(find_distinct(simulate(setting, strengths, chance)), number, None, DRAWS)
        assert pool is not None
        truth = strengths[[int(name) for name in pool.names]]
        truth = truth - truth.mean()
        best, samples = pool.best.bots, pool.samples.bots
        found = [estimate(float(best[0, bot]), samples[:, bot]) for bot in range(len(truth))]
        held["bots"].append(
            float(np.mean([one.low <= true <= one.high for one, true in zip(found, truth, strict=True)]))
        )
        widths += [(one.high - one.low) / 2 for one in found]
        errors += np.abs(best[0] - truth).tolist()
        hits = []
        for one, two in combinations(range(len(truth)), 2):
            difference = samples[:, one] - samples[:, two]
            low, high = np.quantile(difference, (0.025, 0.975), method="weibull")
            hits.append(low <= truth[one] - truth[two] <= high)
            if setting.spread:
                stated = float(np.mean(difference > 0))
                note(superiority, stated, is_true=bool(truth[one] > truth[two]))
                note(superiority, 1 - stated, is_true=bool(truth[one] < truth[two]))
        held["differences"].append(float(np.mean(hits)))
        shares = np.mean(samples.argmax(1)[:, None] == np.arange(len(truth)), axis=0)
        for bot, share in enumerate(shares if setting.spread else ()):
            note(first, float(share), is_true=bot == int(truth.argmax()))
        if pool.has_both_colours:
            red = estimate(float(pool.best.advantage[0]), pool.samples.advantage)
            held["advantage"].append(float(red.low <= setting.advantage <= red.high))
    mean_and_error = {
        name: (float(np.mean(values)), float(np.std(values) / len(values) ** 0.5)) for name, values in held.items()
    }
    return Coverage(
        setting.name,
        **mean_and_error,
        half_width=float(np.mean(widths)),
        ideal=float(np.quantile(errors, 0.95)),
        superiority=superiority,
        first=first,
    )


def note(bins: Floats, stated: float, *, is_true: bool) -> None:
    """Count a statement in its bin."""
    bins[min(BINS - 1, int(stated * BINS))] += (1, stated, is_true)


def find_worst(bins: Floats, least: int = 500) -> float:
    """Return the largest difference between a mean statement and the truth, in bins with enough statements."""
    counted = bins[bins[:, 0] >= least]
    return float(np.abs((counted[:, 1] - counted[:, 2]) / counted[:, 0]).max(initial=0.0))


def main(*, is_full: bool) -> list[Measured]:
    """Simulate and print."""
    measured = []
    print(f"{'':<48}{'bots':>13}{'differences':>15}{'red':>15}{'half width':>12}{'ideal':>7}{'LOS':>7}{'first':>7}")
    for setting in SETTINGS if is_full else SETTINGS[::SHORT_STEP]:
        one = measure(setting, TOURNAMENTS if is_full else SHORT_TOURNAMENTS, SEED)
        shares = "".join(f"{mean:>9.3f} ±{error:.3f}" for mean, error in (one.bots, one.differences, one.advantage))
        print(
            f"{one.name:<46}{shares}{one.half_width:>10.0f}{one.ideal:>7.0f}"
            f"{find_worst(one.superiority):>7.3f}{find_worst(one.first):>7.3f}",
            flush=True,
        )
        target = LEAST_COVERAGE if is_full else None
        measured.append(Measured(f"intervals with the truth, {one.name}", one.bots[0], "", "nothing", at_least=target))
    return measured
