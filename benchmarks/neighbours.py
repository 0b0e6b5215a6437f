"""Elapsed time per ply of a quiet game next to harmful neighbours, compared with harmless ones."""

import statistics
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import trio

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.games.ruleset import Overrides
from arbiter.record import GameHeader, PlayerName
from arbiter.referee.game import GameSpec, play_game
from arbiter.referee.session import GameSettings
from arbiter.sandbox.isolation import Program
from arbiter.sandbox.process import ProcessIsolation
from benchmarks.measured import Measured
from benchmarks.native import build_shuffler
from protocol.words import SEATS

PLIES = 4000
REPEATS, SHORT_REPEATS = 5, 1
MEMORY_MB = 128
BOTS = Path(__file__).parent.parent / "tests" / "bots"
HEAD = f"import os, sys\nsys.path.insert(0, {str(BOTS)!r})\nfrom base import Bot\n\nclass One(Bot):\n    def action(self, ask):\n"
TAIL = "\n\nOne().run()\n"
WALK = "        return super().action(ask)"
# Code of each neighbour for one turn; AGAINST maps a harmful one to the harmless one with games of the same length.
NEIGHBOURS = {
    "walks": WALK,
    "floods stderr": f"        os.write(2, b'x' * 65536)\n{WALK}",
    "resigns at once": "        return {'type': 'resign'}",
    "floods stdout": "        while True:\n            self.write(b'all work and no play' * 1000)",
    "takes memory": "        blocks = []\n        while True:\n            blocks.append(bytearray(10_000_000))",
}
AGAINST = {"floods stderr": "walks", "floods stdout": "resigns at once", "takes memory": "resigns at once"}


def make_spec(argv: tuple[str, ...], plies: int) -> GameSpec:
    """Return a game of a program against itself."""
    overrides = Overrides(no_attack_plies=0, max_plies=plies)
    program = Program(name="bot", argv=argv, folder=Path("/tmp"), memory_mb=MEMORY_MB)
    seats = {seat: PlayerName("bot") for seat in SEATS}
    return GameSpec(
        header=GameHeader(rules="original", overrides=overrides, seats=seats),
        settings=GameSettings(name="g", game=find_game("original", (), overrides), seed=1, time=TimeSettings()),
        programs=dict.fromkeys(SEATS, program),
    )


async def measure_ply_times(neighbour: Path | None) -> list[float]:
    """Play the quiet game while a neighbour plays; return the time of each ply in milliseconds."""
    stamps: list[float] = []

    async def play_neighbour() -> None:
        while neighbour:
            await play_game(make_spec((sys.executable, "-ES", str(neighbour)), 100_000), ProcessIsolation())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(play_neighbour)
        if neighbour:
            await trio.sleep(0.5)  # until the neighbour plays
        quiet = make_spec((str(build_shuffler()),), PLIES)
        played = await play_game(quiet, ProcessIsolation(), follow=lambda _: stamps.append(time.perf_counter()))
        assert played.result.plies == PLIES, played
        nursery.cancel_scope.cancel()
    return [(after - before) * 1e3 for before, after in pairwise(stamps[3:])]  # without header and deployment


def measure(folder: Path, repeats: int) -> dict[str, tuple[float, float]]:
    """Return the median and the 99th percentile for each neighbour: the best of several alternating runs."""
    scripts: dict[str, Path | None] = {"none": None}
    for name, body in NEIGHBOURS.items():
        scripts[name] = folder / f"{name.replace(' ', '_')}.py"
        scripts[name].write_text(HEAD + body + TAIL)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in scripts}
    for _ in range(repeats):
        for name, script in scripts.items():
            cuts = statistics.quantiles(trio.run(measure_ply_times, script), n=100)
            found[name].append((cuts[49], cuts[98]))
    return {name: tuple(min(column) for column in zip(*runs, strict=True)) for name, runs in found.items()}


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), REPEATS if is_full else SHORT_REPEATS)
    print(f"{'neighbour':<16}{'median ms':>10}{'99 % ms':>10}{'ratio of medians':>18}{'of 99 %':>9}  against")
    ratios = []
    for name, (median, late) in found.items():
        print(f"{name:<16}{median:>10.3f}{late:>10.3f}", end="")
        if name in AGAINST:
            calm, calm_late = found[AGAINST[name]]
            ratios.append((median / calm, late / calm_late))
            print(f"{median / calm:>18.2f}{late / calm_late:>9.2f}  {AGAINST[name]}", end="")
        print()
    medians, late_ones = map(max, zip(*ratios, strict=True))
    return [
        Measured("median ply next to harmful / harmless neighbours", medians, "", "kernel", at_most=1.2),
        Measured("99th percentile of the same", late_ones, "", "kernel", at_most=1.2),
    ]
