"""`arbiter run` compared with the baseline: elapsed and processor time per ply, from its start to its end."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import median, quantiles

import trio
from msgspec import Struct

from arbiter.sandbox.select import NoSandbox, open_sandbox
from benchmarks.measured import Measured
from benchmarks.native import build_shuffler
from benchmarks.referee import PLAIN, play_baseline_games, play_games

REPEATS, SHORT_REPEATS = 11, 3
LONG_GAMES = {1: 5_000, 32: 1_200}  # games at once, and plies of each
SHORT_GAMES = {1: 2_500, 32: 250}


class Cost(Struct, frozen=True):
    """Time that a run takes, in seconds."""

    wall: float
    cpu: float
    """Processor time of the arbiter or of the bare loop, without the bots."""

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(self.wall - other.wall, self.cpu - other.cpu)

    def __mul__(self, factor: float) -> "Cost":
        return Cost(self.wall * factor, self.cpu * factor)


Way = Callable[[int, int], Cost]
"""Measures games of so many plies, so many at once."""


def measure_here(run: Callable[..., Awaitable[None]], plies: int, at_once: int) -> Cost:
    """Play games in this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = used.ru_utime + used.ru_stime
    started = time.perf_counter()
    trio.run(run, plies, at_once, at_once)
    wall = time.perf_counter() - started
    used = resource.getrusage(resource.RUSAGE_SELF)
    return Cost(wall, used.ru_utime + used.ru_stime - cpu)


@cache
def choose_isolation() -> str:
    """Return the isolation that this machine supports; print why if there is no sandbox."""
    try:
        return open_sandbox().name
    except NoSandbox as error:
        print(f"without a sandbox: {error.why}")
        return PLAIN.name


def measure_arbiter(plies: int, at_once: int) -> Cost:
    """Play games with `arbiter run`, from its start to its end, with the sandbox of this machine if it has one."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "bench.toml"
        bots = "".join(f'[[bots]]\nname = "{bot}"\ncommand = ["{build_shuffler()}"]\n' for bot in ("one", "two"))
        draws = f"[draws]\nno_attack_plies = 0\nmax_plies = {plies}\n"
        file.write_text(
            f'name = "bench"\nrules = "original"\ngames = {max(2, at_once)}\njobs = {at_once}\n{draws}{bots}'
        )
        started = time.perf_counter()
        arbiter = subprocess.Popen(
            [sys.executable, "-m", "arbiter", "run", file, "--force-jobs", "--sandbox", choose_isolation()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.waitid(os.P_PID, arbiter.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - started
        ticks = Path(f"/proc/{arbiter.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        assert arbiter.wait() == 0
        # With one game at a time, two are played one after the other.
        share = at_once / max(2, at_once)
        return Cost(wall * share, sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") * share)


def measure_in_turn(ways: Sequence[Way], plies: int, at_once: int, repeats: int) -> list[list[Cost]]:
    """Return the costs of a ply in microseconds: for each repeat those of all ways, measured one after the other.

    The costs of starting and ending are left out: short games have them too.
    """
    scale = 1e6 / at_once / (plies - plies // 10)
    return [
        [(measure(plies, at_once) - measure(plies // 10, at_once)) * scale for measure in ways] for _ in range(repeats)
    ]


def find_quartiles(values: Iterable[float]) -> list[float]:
    """Return the lower quartile, the median and the upper quartile."""
    return quantiles(values, n=4, method="inclusive")


def main(*, is_full: bool) -> list[Measured]:
    """Measure the cost of a ply in the bare loop, in `play_game` and in `arbiter run`, and print medians and quartiles.

    Machines change their speed within seconds, so each repeat compares ways that were measured directly one after the
    other; the results are the medians of these comparisons.
    """
    print(f"{'':>13}  {'wall us/ply':^31}  {'own processor us/ply':^31}  {'bare loop / arbiter run (quartiles)':^39}")
    columns = f"{'bare loop':>9}  {'play_game':>9}  {'run':>9}"
    print(f"{'games at once':>13}  {columns}  {columns}  {'wall':>19}  {'processor':>18}")
    ways = (partial(measure_here, play_baseline_games), partial(measure_here, play_games), measure_arbiter)
    found = []
    for at_once, plies in (LONG_GAMES if is_full else SHORT_GAMES).items():
        costs = measure_in_turn(ways, plies, at_once, REPEATS if is_full else SHORT_REPEATS)
        by_way = [*zip(*costs, strict=True)]
        cells = [f"{median(cost.wall for cost in column):>9.1f}" for column in by_way]
        cells += [f"{median(cost.cpu for cost in column):>9.1f}" for column in by_way]
        speed, cpu = (
            find_quartiles(getattr(bare, name) / getattr(run, name) for bare, _, run in costs)
            for name in ("wall", "cpu")
        )
        shown = [f"{middle:.2f} ({low:.2f}-{high:.2f})" for low, middle, high in (speed, cpu)]
        print(f"{at_once:>13}  {'  '.join(cells)}  {shown[0]:>19}  {shown[1]:>18}")
        more = median(run.cpu - bare.cpu for bare, _, run in costs)
        ratio = median((run.cpu - bare.cpu) / bare.cpu for bare, _, run in costs)
        what = f"`arbiter run`, {at_once} at a time"
        found += [
            Measured(f"{what}: speed / bare loop", speed[1], "", "Python and kernel", at_least=0.6),
            Measured(f"{what}: processor time per ply more", more, "us", "Python", at_most=17),
            Measured(f"{what}: the same / bare loop", ratio, "", "Python", at_most=1),
        ]
    return found
