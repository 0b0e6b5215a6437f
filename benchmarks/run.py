"""`arbiter run` compared with the baseline: elapsed and processor time per ply, from its start to its end."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import cache, partial
from pathlib import Path

import trio
from msgspec import Struct

from arbiter.sandbox.select import NoSandbox, open_sandbox
from benchmarks.measured import Measured
from benchmarks.native import build_shuffler
from benchmarks.referee import PLAIN, play_baseline_games, play_games

REPEATS, SHORT_REPEATS = 5, 2
LONG_GAMES = {1: 16_000, 32: 4_000}  # games at once, and plies of each
SHORT_GAMES = {1: 6_000, 32: 500}


class Cost(Struct, frozen=True):
    """Time that a run takes, in seconds."""

    wall: float
    cpu: float
    """Processor time of the arbiter or of the bare loop, without the bots."""

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(self.wall - other.wall, self.cpu - other.cpu)


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


def main(*, is_full: bool) -> list[Measured]:
    """Measure the cost of a ply in the bare loop, in `play_game` and in `arbiter run` alternately, and print it.

    The costs of starting and ending are left out: short games have them too.
    """
    print(f"{'':>13}  {'wall us/ply':^31}  {'own processor us/ply':^31}  {'bare loop / arbiter run':^23}")
    columns = f"{'bare loop':>9}  {'play_game':>9}  {'run':>9}"
    print(f"{'games at once':>13}  {columns}  {columns}  {'wall':>11}  {'processor':>10}")
    ways = (partial(measure_here, play_baseline_games), partial(measure_here, play_games), measure_arbiter)
    found = []
    for at_once, plies in (LONG_GAMES if is_full else SHORT_GAMES).items():
        long: list[list[Cost]] = []
        short: list[list[Cost]] = []
        for _ in range(REPEATS if is_full else SHORT_REPEATS):
            long.append([measure(plies, at_once) for measure in ways])
            short.append([measure(plies // 10, at_once) for measure in ways])
        costs = [
            best(column) - best(other)
            for column, other in zip(zip(*long, strict=True), zip(*short, strict=True), strict=True)
        ]
        scale = 1e6 / at_once / (plies - plies // 10)
        cells = [f"{cost.wall * scale:>9.1f}" for cost in costs] + [f"{cost.cpu * scale:>9.1f}" for cost in costs]
        bare, _, run = costs
        speed, more = bare.wall / run.wall, (run.cpu - bare.cpu) * scale
        print(f"{at_once:>13}  {'  '.join(cells)}  {speed:>9.2f}  {bare.cpu / run.cpu:>10.2f}")
        what = f"`arbiter run`, {at_once} at a time"
        found += [
            Measured(f"{what}: speed / bare loop", speed, "", "Python and kernel", at_least=0.6),
            Measured(f"{what}: processor time per ply more", more, "us", "Python", at_most=17),
            Measured(f"{what}: the same / bare loop", (run.cpu - bare.cpu) / bare.cpu, "", "Python", at_most=1),
        ]
    return found


def best(costs: Iterable[Cost]) -> Cost:
    """Return the lowest costs of several runs."""
    costs = list(costs)
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs))
