"""Additional cost of the sandbox: start of a bot, and system call (a ply needs two)."""

import re
from collections.abc import Callable
from pathlib import Path

import trio

from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.isolation import GO, Isolation, Program
from arbiter.sandbox.select import open_sandbox
from benchmarks.measured import Measured
from benchmarks.referee import CLOCKS, PLAIN, SHORT_PLIES, play_games, time_run

CALLS = 500_000
STARTS = 10
REPEATS, SHORT_REPEATS = 7, 3
GRACE_S = 60.0
COPY_COMMAND = (
    "/usr/bin/dd",
    "if=/dev/zero",
    "of=/dev/null",
    "bs=1",
    f"count={CALLS // 2}",
)  # one read and one write for each block


async def run_system_calls(isolation: Isolation) -> str:
    """Run a program that only makes system calls; return its output."""
    async with trio.open_nursery() as nursery:
        process = BotProcess(Program(name="dd", argv=COPY_COMMAND, folder=Path("/usr/bin")), isolation)
        try:
            nursery.start_soon(process.watch)
            nursery.start_soon(process.drain)
            await process.reader.line()
            await process.writer.send(GO)
        finally:
            await process.end(GRACE_S)
        nursery.cancel_scope.cancel()
    return process.log.text()


def measure_call_ns(isolation: Isolation) -> float:
    """Return the nanoseconds of one system call."""
    output = trio.run(run_system_calls, isolation)
    found = re.search(r"copied, ([0-9.e-]+) s", output)
    assert found, output
    return float(found[1]) / CALLS * 1e9


def measure_start_ms(isolation: Isolation) -> float:
    """Return the milliseconds to start and end one bot."""
    return time_run(play_games, SHORT_PLIES, STARTS, 1, CLOCKS[0], isolation) / STARTS / 2 * 1e3


def measure_best(
    measure: Callable[[Isolation], float], isolations: tuple[Isolation, Isolation], repeats: int
) -> tuple[float, ...]:
    """Measure both isolations alternately; return the best of several runs."""
    runs = [[measure(isolation) for isolation in isolations] for _ in range(repeats)]
    return tuple(min(column) for column in zip(*runs, strict=True))


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print.  Raises NoSandbox if this machine has no sandbox."""
    isolations = (PLAIN, open_sandbox())
    print(f"{'':<24}{isolations[0].name:>10}{isolations[1].name:>10}{'difference':>12}")
    more = []
    for title, measure in (("start and end, ms per bot", measure_start_ms), ("system call, ns", measure_call_ns)):
        plain, full = measure_best(measure, isolations, REPEATS if is_full else SHORT_REPEATS)
        more.append(full - plain)
        print(f"{title:<24}{plain:>10.1f}{full:>10.1f}{more[-1]:>12.1f}")
    return [
        Measured("sandbox, start of a bot more", more[0], "ms", "kernel", at_most=10),
        Measured("sandbox, two system calls more", 2 * more[1] / 1e3, "us", "kernel", at_most=2),
    ]
