"""Time per ply without spectators, with --live, and with many spectators in a browser."""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from signal import SIGINT
from threading import Event, Thread

from arbiter.record import read_record
from arbiter.tournament.results.store import Store
from benchmarks.measured import Measured
from benchmarks.native import build_shuffler

PLIES = 4000
GAMES = 4
REPEATS, SHORT_REPEATS = 5, 1
LISTENERS = 50
READERS = 4
READ_BYTES = 65536
ARBITER = Path(sys.executable).with_name("arbiter")
TOURNAMENT = """name = "bench"
games = {games}
seed = 1
jobs = 1
draws = {{ no_attack_plies = 0, max_plies = {plies} }}
bots = [{{ name = "a", command = ["{bot}"], trusted = true }}, {{ name = "b", command = ["{bot}"], trusted = true }}]
"""


@contextmanager
def connect_spectators(address: str) -> Iterator[None]:
    """Listen to all games until they end, and request pages continuously."""
    over = Event()

    def request(paths: Sequence[str]) -> None:
        os.nice(19)  # real spectators use other machines
        for path in cycle(paths):
            if over.is_set():
                return
            with suppress(OSError), urllib.request.urlopen(address + path, timeout=10) as answer:
                while not over.is_set() and answer.read1(READ_BYTES):
                    pass
            over.wait(0.01)

    streams = [f"games/{red}~{blue}~{pair}.events" for pair in range(1, GAMES // 2 + 1) for red, blue in ("ab", "ba")]
    for paths in [*[streams] * LISTENERS, *[["index.html"]] * READERS]:
        Thread(target=request, args=(paths,), daemon=True).start()
    try:
        yield
    finally:
        over.set()


def measure(folder: Path, *words: str) -> tuple[float, float, float]:
    """Play; return elapsed time per ply, and median and 99th percentile of the time charged, in ms."""
    file = folder / "bench.toml"
    file.write_text(TOURNAMENT.format(games=GAMES, plies=PLIES, bot=build_shuffler()))
    command = [ARBITER, "run", file, "--sandbox", "process", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        for line in running.stdout or ():
            if found := re.search(r"watch it at (http://\S+)", line):
                with connect_spectators(found[1]):
                    for later in running.stdout or ():
                        if "the pages stay at" in later:
                            running.send_signal(SIGINT)
                break
    with Store.read(folder / "results" / "bench.sqlite") as store:
        games = store.games()
        charged = [
            act.ms for game in games for act in read_record(store.record(game.id)).acts[2:] if act.ms is not None
        ]
    cuts = statistics.quantiles(charged, n=100)
    return 1e3 * sum(game.seconds for game in games) / sum(game.plies for game in games), cuts[49], cuts[98]


def main(*, is_full: bool) -> list[Measured]:
    """Measure alternately, and print the best of each."""
    variants = {
        "no spectators": (),
        "--live": ("--live",),
        f"--serve, {LISTENERS} listeners, {READERS} readers": ("--serve", "0", "--delay", "0"),
    }
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in variants}
    for _ in range(REPEATS if is_full else SHORT_REPEATS):
        for name, words in variants.items():
            with tempfile.TemporaryDirectory() as folder:
                found[name].append(measure(Path(folder), *words))
    print(f"{'':<36}{'ms per ply':>12}{'charged, median':>17}{'99 %':>8}{'ratio':>8}")
    baseline = min(found["no spectators"])[0]
    charged = []
    for name, runs in found.items():
        wall, median, late = (min(column) for column in zip(*runs, strict=True))
        charged.append((median, late))
        print(f"{name:<36}{wall:>12.3f}{median:>17.3f}{late:>8.3f}{wall / baseline:>8.2f}")
    medians, late_ones = (column[-1] / column[0] for column in zip(*charged, strict=True))
    return [
        Measured("median time charged, with / without spectators", medians, "", "kernel", at_most=1.2),
        Measured("99th percentile of the same", late_ones, "", "kernel", at_most=1.2),
    ]
