"""The referee compared with the baseline: elapsed time per ply, games at the same time, clocks, start and end."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path

import trio
from baseline import play
from msgspec import Struct
from native import build_shuffler

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.games.ruleset import Overrides
from arbiter.record import GameHeader, PlayerName
from arbiter.referee.game import GameSpec, play_game
from arbiter.referee.session import GameSettings
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.process import ProcessIsolation
from protocol.words import SEATS

PLIES = 4000
SHORT_PLIES = 2
REPEATS = 5
CLOCKS = (
    TimeSettings(),
    TimeSettings(clock="cpu"),
    TimeSettings(pondering=False),
    TimeSettings(clock="cpu", pondering=False),
)
PLAIN = ProcessIsolation()
GAMES_AT_ONCE = (1, 2, 8, 32)
LONG_GAMES = {1: 16_000, 32: 4_000}  # games at once, and plies of each


def make_spec(plies: int, clock: TimeSettings) -> GameSpec:
    """Return a game between two native bots with this number of plies and all rules."""
    overrides = Overrides(no_attack_plies=0, max_plies=plies)
    native = build_shuffler()
    program = Program(name="shuffler", argv=(str(native),), folder=native.parent)
    seats = {seat: PlayerName("shuffler") for seat in SEATS}
    return GameSpec(
        header=GameHeader(id="bench", rules="original", overrides=overrides, seats=seats),
        settings=GameSettings(name="g", game=find_game("original", (), overrides), seed=1, time=clock),
        programs=dict.fromkeys(SEATS, program),
    )


async def play_games(
    plies: int, count: int, at_once: int, clock: TimeSettings = CLOCKS[0], isolation: Isolation = PLAIN
) -> None:
    """Play games, several at the same time."""
    waiting = iter(range(count))

    async def work() -> None:
        for _ in waiting:
            played = await play_game(make_spec(plies, clock), isolation)
            assert played.result.plies == plies, played

    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(work)


async def play_baseline_games(plies: int, count: int, at_once: int) -> None:
    """Pass the lines of games, several at the same time."""
    waiting = iter(range(count))

    async def work() -> None:
        for _ in waiting:
            await play(build_shuffler(), plies)

    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(work)


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


def measure_arbiter(plies: int, at_once: int) -> Cost:
    """Play games with `arbiter run`, from its start to its end, with the sandbox of this machine."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "bench.toml"
        bots = "".join(f'[[bots]]\nname = "{bot}"\ncommand = ["{build_shuffler()}"]\n' for bot in ("one", "two"))
        draws = f"[draws]\nno_attack_plies = 0\nmax_plies = {plies}\n"
        file.write_text(
            f'name = "bench"\nrules = "original"\ngames = {max(2, at_once)}\njobs = {at_once}\n{draws}{bots}'
        )
        started = time.perf_counter()
        arbiter = subprocess.Popen(
            [sys.executable, "-m", "arbiter", "run", file, "--force-jobs"],
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


def compare() -> None:
    """Print the cost of a ply in the bare loop, in `play_game` and in `arbiter run`, measured alternately.

    The costs of starting and ending are left out: short games have them too.
    """
    print(f"{'':>13}  {'wall us/ply':^31}  {'own processor us/ply':^31}  {'bare loop / arbiter run':^23}")
    columns = f"{'bare loop':>9}  {'play_game':>9}  {'run':>9}"
    print(f"{'games at once':>13}  {columns}  {columns}  {'wall':>11}  {'processor':>10}")
    ways = (partial(measure_here, play_baseline_games), partial(measure_here, play_games), measure_arbiter)
    for at_once, plies in LONG_GAMES.items():
        long: list[list[Cost]] = []
        short: list[list[Cost]] = []
        for _ in range(REPEATS):
            long.append([measure(plies, at_once) for measure in ways])
            short.append([measure(plies // 10, at_once) for measure in ways])
        costs = [
            best(column) - best(other)
            for column, other in zip(zip(*long, strict=True), zip(*short, strict=True), strict=True)
        ]
        scale = 1e6 / at_once / (plies - plies // 10)
        cells = [f"{cost.wall * scale:>9.1f}" for cost in costs] + [f"{cost.cpu * scale:>9.1f}" for cost in costs]
        bare, _, run = costs
        print(f"{at_once:>13}  {'  '.join(cells)}  {bare.wall / run.wall:>9.2f}  {bare.cpu / run.cpu:>10.2f}")


def best(costs: Iterable[Cost]) -> Cost:
    """Return the lowest costs of several runs."""
    costs = list(costs)
    return Cost(min(cost.wall for cost in costs), min(cost.cpu for cost in costs))


def time_run(run: object, *arguments: object) -> float:
    """Return the seconds that a run takes."""
    started = time.perf_counter()
    trio.run(run, *arguments)
    return time.perf_counter() - started


def main() -> None:
    """Measure baseline and referee alternately, and print the best of several runs; with `run`, also `arbiter run`."""
    if sys.argv[1:] == ["run"]:
        compare()
        return
    print(f"{'games at once':>13}  {'baseline us/ply':>15}  {'referee us/ply':>14}  {'ratio':>5}  {'plies/s':>8}")
    for at_once in GAMES_AT_ONCE:
        count = max(2, at_once)
        runs = [
            (time_run(play_baseline_games, PLIES, count, at_once), time_run(play_games, PLIES, count, at_once))
            for _ in range(REPEATS)
        ]
        baseline, referee = (min(column) / count / PLIES * 1e6 for column in zip(*runs, strict=True))
        print(f"{at_once:>13}  {baseline:>15.1f}  {referee:>14.1f}  {referee / baseline:>5.2f}  {1e6 / referee:>8.0f}")
    print(f"\n{'clock':>13}  {'pondering':>9}  {'us/ply':>6}")
    runs = [[time_run(play_games, PLIES, 2, 1, clock) for clock in CLOCKS] for _ in range(REPEATS)]
    for clock, column in zip(CLOCKS, zip(*runs, strict=True), strict=True):
        print(f"{clock.clock:>13}  {clock.pondering!s:>9}  {min(column) / 2 / PLIES * 1e6:>6.1f}")
    print(f"\n{'games at once':>13}  {'start and end, ms per game':>26}")
    for at_once in (1, 8):
        best = min(time_run(play_games, SHORT_PLIES, 100, at_once) for _ in range(REPEATS)) / 100
        print(f"{at_once:>13}  {best * 1e3:>26.2f}")


if __name__ == "__main__":
    main()
