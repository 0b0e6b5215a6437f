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
from threading import Event, Thread

from native import shuffler

from arbiter.record import read_record
from arbiter.tournament.results.store import Store

PLIES, GAMES, REPEATS = 4000, 4, 5
LISTENERS, READERS, A_READ = 50, 4, 65536
ARBITER = Path(sys.executable).with_name("arbiter")
TOURNAMENT = """name = "bench"
games = {games}
seed = 1
jobs = 1
draws = {{ no_attack_plies = 0, max_plies = {plies} }}
bots = [{{ name = "a", command = ["{bot}"], trusted = true }}, {{ name = "b", command = ["{bot}"], trusted = true }}]
"""


@contextmanager
def crowd(address: str) -> Iterator[None]:
    """Listen to all games until they end, and request pages continuously."""
    over = Event()

    def call(paths: Sequence[str]) -> None:
        os.nice(19)  # real spectators use other machines
        for path in cycle(paths):
            if over.is_set():
                return
            with suppress(OSError), urllib.request.urlopen(address + path, timeout=10) as answer:
                while not over.is_set() and answer.read1(A_READ):
                    pass
            over.wait(0.01)

    streams = [f"games/{red}~{blue}~{pair}.events" for pair in range(1, GAMES // 2 + 1) for red, blue in ("ab", "ba")]
    for paths in [*[streams] * LISTENERS, *[["index.html"]] * READERS]:
        Thread(target=call, args=(paths,), daemon=True).start()
    try:
        yield
    finally:
        over.set()


def play(folder: Path, *words: str) -> tuple[float, float, float]:
    """Play; return elapsed time per ply, and median and 99th percentile of the time charged, in ms."""
    file = folder / "bench.toml"
    file.write_text(TOURNAMENT.format(games=GAMES, plies=PLIES, bot=shuffler()))
    command = [ARBITER, "run", file, "--sandbox", "process", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        for line in running.stdout or ():
            if found := re.search(r"watch it at (http://\S+)", line):
                with crowd(found[1]):
                    running.communicate()
                break
    with Store.read(folder / "results" / "bench.sqlite") as store:
        games = store.games()
        charged = [
            act.ms for game in games for act in read_record(store.record(game.id)).acts[2:] if act.ms is not None
        ]
    cuts = statistics.quantiles(charged, n=100)
    return 1e3 * sum(game.seconds for game in games) / sum(game.plies for game in games), cuts[49], cuts[98]


def main() -> None:
    """Measure alternately, and print the best of each."""
    ways = {
        "nobody looks": (),
        "--live": ("--live",),
        f"--serve, {LISTENERS} listen, {READERS} read": ("--serve", "0", "--delay", "0"),
    }
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in ways}
    for _ in range(REPEATS):
        for name, words in ways.items():
            with tempfile.TemporaryDirectory() as folder:
                found[name].append(play(Path(folder), *words))
    print(f"{'':<32}{'ms a ply':>10}{'charged, median':>17}{'99 %':>8}{'ratio':>8}")
    floor = min(found["nobody looks"])[0]
    for name, runs in found.items():
        wall, median, late = (min(column) for column in zip(*runs, strict=True))
        print(f"{name:<32}{wall:>10.3f}{median:>17.3f}{late:>8.3f}{wall / floor:>8.2f}")


if __name__ == "__main__":
    main()
