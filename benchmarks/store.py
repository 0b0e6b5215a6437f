"""The store: time to store a game and to rule, lists of 100,000 games, and what 10,000,000 games of a ladder cost."""

import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import trio

import sample_bots
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import Tournament, load_tournament, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.machine import observe_conditions
from arbiter.tournament.new_results import NewGame, NewResult
from arbiter.tournament.result_writer import ResultWriter
from arbiter.tournament.results import rulings
from arbiter.tournament.results.database import Connection
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.rulings import Decision, Request, make_ruling
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.large_store import measure_large
from benchmarks.long_ladder import invent_games, make_file
from benchmarks.measured import Measured
from protocol.reasons import FlagTaken, Stated

BOTS = 20
GAMES, SHORT_GAMES = 528, 54  # of each of 190 pairings: 100,320 and 10,260
LARGE = 100_000
RECORD = os.urandom(4000).hex().encode()  # the size of the compressed record of a long game
CONDITIONS = observe_conditions(jobs=1, lag_ms=1.0, excused={}, sandbox="process")
SYNCED_GAMES = 300
TOGETHER = (1, 8, 64)
SETS = 1 + 3 * len(TOGETHER)  # of games that are stored
REPEATS = 3
RULED_GAMES = 10_000
RULINGS = 50
SLOW_DISK_MS = 4.0  # a usual disk of a server; the store is limited by it if games are stored one at a time


def make_tournament(games: int) -> Tournament:
    """Return a tournament of many games."""
    bots = [BotConfig(name=f"bot{number}") for number in range(BOTS)]
    return resolve_names(TournamentFile(name="bench", games=games, bots=bots))


def invent_game(number: int, fixture: object) -> StoredGame:
    """Return an invented result of a fixture."""
    red_wins = hash(fixture.id) % 3 > 0
    return StoredGame(
        fixture.id, fixture.round, fixture.pair, fixture.red, fixture.blue, "red" if red_wins else "blue",
        "flag_taken", FlagTaken("red" if red_wins else "blue", "a4"), 100 + number % 900, 6.0 if red_wins else 1.0, 1.0 if red_wins else 6.0,
        "2026-01-01T00:00:00+00:00", 1.0, conditions=CONDITIONS,
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


def measure_one_at_a_time_ms(store: Store, fixtures: list[Fixture]) -> float:
    """Store games, each when the one before it is stored; return the median milliseconds of a game."""
    times = []
    for number, fixture in enumerate(fixtures):
        started = time.perf_counter()
        store.add([NewGame(invent_game(number, fixture), RECORD)])
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1e3


def measure_together(store: Store, fixtures: list[Fixture], together: int, disk_ms: float) -> tuple[float, float]:
    """Store games that arrive as many at a time; return the games a second, and the transactions per game.

    Each transaction takes at least `disk_ms`, as on a slower disk.
    """
    transactions = 0
    waiting = iter(enumerate(fixtures))

    def keep(results: Sequence[NewResult]) -> None:
        nonlocal transactions
        transactions += 1
        end = time.perf_counter() + disk_ms / 1e3
        store.add(results)
        time.sleep(max(0.0, end - time.perf_counter()))

    async def main() -> None:
        writer = ResultWriter(keep)

        async def finish_games() -> None:
            for number, fixture in waiting:
                await writer.store(NewGame(invent_game(number, fixture), RECORD))

        async with trio.open_nursery() as nursery:
            for _ in range(together):
                nursery.start_soon(finish_games)

    started = time.perf_counter()
    trio.run(main)
    return len(fixtures) / (time.perf_counter() - started), transactions / len(fixtures)


def measure_storing(folder: Path, fixtures: list[Fixture], tournament: Tournament) -> list[Measured]:
    """Measure and print how fast games are stored."""
    with Store.create_or_resume(folder / "stored.sqlite", new_manifest(tournament, "process")) as store:
        sets = [fixtures[first : first + SYNCED_GAMES] for first in range(0, SETS * SYNCED_GAMES, SYNCED_GAMES)]
        store_ms = measure_one_at_a_time_ms(store, sets.pop())
        append_ms = measure_append_ms(folder)
        print(
            f"storing a game: {store_ms:.2f} ms; append with fsync: {append_ms:.2f} ms; ratio {store_ms / append_ms:.2f}"
        )
        print(
            f"{'arrive together':>15}  {'games/s':>8}  {f'with {SLOW_DISK_MS:.0f} ms a transaction':>25}  {'transactions/game':>17}"
        )
        for together in TOGETHER:
            speeds = [measure_together(store, sets.pop(), together, disk_ms)[0] for disk_ms in (0.0, SLOW_DISK_MS)]
            _, transactions = measure_together(store, sets.pop(), together, SLOW_DISK_MS)
            print(f"{together:>15}  {speeds[0]:>8.0f}  {speeds[1]:>25.0f}  {transactions:>17.2f}")
    return [
        Measured("storing a game", store_ms, "ms", "disk", at_most=6),
        Measured("storing 64 games together, 4 ms a transaction", speeds[1], "games/s", "Python", at_least=1000),
    ]


def measure_rows(path: Path) -> float:
    """Return the seconds of processor time to fetch the rows of all games."""
    started = time.process_time()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM game").fetchall()
    return time.process_time() - started


def measure_command(*arguments: str | Path) -> float:
    """Return the seconds of processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "arbiter", *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_reading(path: Path, games: int) -> list[Measured]:
    """Measure and print the processor time of commands that read all games, compared with fetching their rows."""
    floor = min(measure_rows(path) for _ in range(REPEATS))
    print(f"fetching the rows of {games} games: {floor:.2f} s of processor time")
    used = {}
    for command in ("standings", "status", "games"):
        used[command] = min(measure_command(command, path) for _ in range(REPEATS))
        print(f"arbiter {command}: {used[command]:.2f} s; ratio {used[command] / floor:.1f}")
    seconds = used["standings"]
    at_most = 20 if games >= LARGE else None  # of fewer games, the start of the program is most of the time
    return [
        Measured(f"standings of {games:,} games, processor time", seconds, "s", "Python", at_most=3),
        Measured("the same / fetching the rows from SQLite", seconds / floor, "", "Python", at_most=at_most),
    ]


def measure_rulings(folder: Path) -> list[Measured]:
    """Measure and print how long rulings on a long ladder keep others from writing, while it is played."""
    program = f'["{sys.executable}", "{Path(sample_bots.__file__).with_name("stdlib_player.py")}"]'
    bots = "".join(f'[[bots]]\nname = "{name}"\ncommand = {program}\n' for name in make_file().bot_names)
    file, path = folder / "ladder.toml", folder / "ruled.sqlite"
    file.write_text(f'name = "bench"\nformat = "ladder"\nrules = "duel"\n{bots}')
    with Store.create_or_resume(path, new_manifest(load_tournament(file), "process")) as store:
        games = list(invent_games(RULED_GAMES))
        store.add([NewGame(game, b"{}") for game in games])
    held: list[float] = []
    whole = rulings.transaction

    @contextmanager
    def transaction(connection: Connection) -> Iterator[Connection]:
        with whole(connection) as opened:
            begun = time.perf_counter()
            yield opened
        held.append((time.perf_counter() - begun) * 1e3)  # with the write to the disk

    subjects = [Request(kind="withdraw", about="bot1"), Request(kind="result", about=games[0].id, result="annulled")]
    words = ["run", str(file), "--results", str(path), "--sandbox", "process", "--jobs", "1", "--serve", "0"]
    with subprocess.Popen([sys.executable, "-m", "arbiter", *words], stdout=subprocess.DEVNULL) as run:
        rulings.transaction = transaction
        try:
            with Store.read(path) as store:
                while store.count_games() <= RULED_GAMES:
                    time.sleep(0.1)
            for number in range(RULINGS):
                subject = subjects[number // 2 % len(subjects)]
                request = Request(kind=subject.kind, about=subject.about, undo=True) if number % 2 else subject
                make_ruling(path, request, Decision("benchmark", Stated("measured")))
        finally:
            rulings.transaction = whole
            run.terminate()
    median, most = statistics.median(held), max(held)
    print(
        f"{RULINGS} rulings during a run with {RULED_GAMES:,} games lock others out: {median:.1f} ms, at most {most:.1f}"
    )
    what = f"ruling during a run with {RULED_GAMES:,} games locks others out"
    return [
        Measured(f"{what}, median of {RULINGS}", median, "ms", "disk", at_most=50),
        Measured("the same, maximum", most, "ms", "disk", at_most=50),
    ]


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print the results."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "bench.sqlite"
        tournament = make_tournament(GAMES if is_full else SHORT_GAMES)
        fixtures = list(tournament.schedule(1).fixtures)
        found = measure_storing(folder, fixtures, tournament)
        with Store.create_or_resume(path, new_manifest(tournament, "process")) as store:
            for first in range(0, len(fixtures), 1000):
                some = enumerate(fixtures[first : first + 1000], first)
                store.add([NewGame(invent_game(number, fixture), b"{}") for number, fixture in some])
        found += measure_reading(path, len(fixtures))
        found += measure_rulings(folder)
        found += measure_large(folder, is_full=is_full)
    starts = []
    for _ in range(10):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "arbiter", "--help"], check=True, stdout=subprocess.DEVNULL)
        starts.append(time.perf_counter() - started)
    print(f"arbiter --help: {min(starts):.3f} s")
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    return [*found, Measured("`arbiter --help`", min(starts), "s", "Python", at_most=0.2)]
