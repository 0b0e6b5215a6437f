"""Coverage and error of ratings with a normal prior, in simulated round robins whose strengths follow it."""

from msgspec import Struct

from arbiter.arrays import np
from arbiter.tournament.ratings.pool import fit_pool
from arbiter.tournament.ratings.values import Spread
from benchmarks.measured import Measured, write_markdown
from benchmarks.simulated_games import Setting
from benchmarks.simulated_games import simulate as simulate_games

TOURNAMENTS, SHORT_TOURNAMENTS = 150, 10
SEED = 1
DRAWS = 159  # of the bootstrap
SPREAD = 100.0
SETTINGS = tuple(
    Setting(
        f"{bots} bots, {2 * pairs} games of each pairing, {drawn:.0%} drawn", bots, pairs, drawn=drawn, spread=SPREAD
    )
    for bots, pairs, drawn in ((6, 1, 0.2), (6, 5, 0.6), (12, 1, 0.0), (3, 2, 0.2))
)
PRIORS: tuple[Spread, ...] = (SPREAD, "estimated")


class Accuracy(Struct, frozen=True):
    """Of ratings with one prior, with standard errors over tournaments."""

    coverage: tuple[float, float]
    """Share of the intervals of differences that contain the true one."""
    error: tuple[float, float]
    """Mean absolute error of a rating in Elo."""


def measure(setting: Setting, tournaments: int) -> list[Accuracy]:
    """Rate the same simulated tournaments with each of the priors."""
    chance = np.random.default_rng([SEED, *setting.name.encode()])
    one, two = np.triu_indices(setting.bots, 1)
    held: list[list[float]] = [[] for _ in PRIORS]
    errors: list[list[float]] = [[] for _ in PRIORS]
    for number in range(tournaments):
        strengths = setting.spread * chance.standard_normal(setting.bots)
        strengths -= strengths.mean()
        pairs = simulate_games(setting, strengths, chance)
        for place, prior in enumerate(PRIORS):
            pool = fit_pool(pairs, number, None, DRAWS, prior, seats=())
            assert pool is not None
            truth = strengths[[int(name) for name in pool.names]]
            differences = pool.samples.bots[:, one] - pool.samples.bots[:, two]
            low, high = np.quantile(differences, (0.025, 0.975), axis=0, method="weibull")
            true = truth[one] - truth[two]
            held[place].append(float(np.mean((low <= true) & (true <= high))))
            errors[place].append(float(np.abs(pool.best.bots[0] - truth).mean()))
    return [
        Accuracy(*((float(np.mean(values)), float(np.std(values) / tournaments**0.5)) for values in both))
        for both in zip(held, errors, strict=True)
    ]


def simulate(*, is_full: bool) -> tuple[str, list[Measured]]:
    """Simulate; return the table, and the coverage with each normal prior."""
    rows, measured = [], []
    for setting in SETTINGS:
        found = measure(setting, TOURNAMENTS if is_full else SHORT_TOURNAMENTS)
        for prior, one in zip(PRIORS, found, strict=True):
            name = prior if prior == "estimated" else f"{prior:g}"
            (share, error), (size, error_of_size) = one.coverage, one.error
            rows.append(
                (setting.name, name, f"{100 * share:.1f} % ± {100 * error:.1f}", f"{size:.0f} ± {error_of_size:.1f}")
            )
            what = f"intervals with the truth, prior {name}, {setting.name}"
            measured.append(Measured(what, share, "", "nothing", at_least=0.93 if is_full else None))
    return write_markdown(("tournament", "prior", "differences", "mean error in Elo"), rows), measured


def main(*, is_full: bool) -> list[Measured]:
    """Simulate and print."""
    table, rows = simulate(is_full=is_full)
    print(table)
    return rows
