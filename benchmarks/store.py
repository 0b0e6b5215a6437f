"""The store: time to store a game, standings of 100,000 games, memory, and start of the program."""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import Tournament, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.tournament.standings.table import rank_bots

BOTS = 20
GAMES = 528  # 190 pairings of 528 games are 100,320
RECORD = os.urandom(4000).hex().encode()  # the size of the compressed record of a long game
SYNCED_GAMES = 300


def make_tournament() -> Tournament:
    """Return a tournament of many games."""
    bots = [BotEntry(name=f"bot{number}") for number in range(BOTS)]
    return resolve_names(TournamentFile(name="bench", games=GAMES, bots=bots))


def invent_game(number: int, fixture: object) -> StoredGame:
    """Return an invented result of a fixture."""
    red_wins = hash(fixture.id) % 3 > 0
    return StoredGame(
        fixture.id, fixture.round, fixture.pair, fixture.red, fixture.blue, "red" if red_wins else "blue",
        "flag_taken", "a flag was taken", 100 + number % 900, 6.0 if red_wins else 1.0, 1.0 if red_wins else 6.0,
        "2026-01-01T00:00:00+00:00", 1.0,
    )  # fmt: skip


def measure_append_ms(folder: Path) -> float:
    """Return the median time of appending the same bytes to a file with fsync."""
    times = []
    with (folder / "appended").open("ab") as file:
        for _ in range(SYNCED_GAMES):
            started = time.perf_counter()
            file.write(RECORD)
            file.flush()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - started)
    return statistics.median(times) * 1e3


def store_games(store: Store, fixtures: list[Fixture]) -> float:
    """Store all games; return the median milliseconds of the first ones.  The rest do not wait for the disk."""
    times = []
    for number, fixture in enumerate(fixtures[:SYNCED_GAMES]):
        started = time.perf_counter()
        store.add(invent_game(number, fixture), RECORD)
        times.append(time.perf_counter() - started)
    store._connection.execute("PRAGMA synchronous = OFF")
    for number, fixture in enumerate(fixtures[SYNCED_GAMES:]):
        store.add(invent_game(number, fixture), b"{}")
    return statistics.median(times) * 1e3


def main() -> None:
    """Measure and print the results."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "bench.sqlite"
        tournament = make_tournament()
        fixtures = list(tournament.schedule(1).fixtures)
        with Store.create_or_resume(path, new_manifest(tournament, "process")) as store:
            store_ms = store_games(store, fixtures)
        append_ms = measure_append_ms(folder)
        print(
            f"storing a game: {store_ms:.2f} ms; append with fsync: {append_ms:.2f} ms; ratio {store_ms / append_ms:.2f}"
        )
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "arbiter", "standings", path], check=True, stdout=subprocess.DEVNULL)
        print(f"arbiter standings of {len(fixtures)} games: {time.perf_counter() - started:.2f} s")
        with Store.read(path) as store:
            started = time.perf_counter()
            rank_bots(tournament.file.bot_names, store.games(), tournament.file.tie_breaks)
            print(f"without starting the program: {time.perf_counter() - started:.2f} s")
    starts = []
    for _ in range(10):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "arbiter", "--help"], check=True, stdout=subprocess.DEVNULL)
        starts.append(time.perf_counter() - started)
    print(f"arbiter --help: {min(starts):.3f} s")
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
