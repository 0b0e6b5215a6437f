"""Results of many games: bytes a game, start, choice of a pair, pages, backup, vacuum and memory.

The games are invented; their records are those of real games between sample bots, in blocks as after months of play.
"""

import json
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import astuple, replace

from arbiter.packing import pack
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.results.integrity import digest_values, follow
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.records import BLOCK, IN_BLOCK
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.long_ladder import LATER, READ, invent_games, make_file, measure, store_games
from benchmarks.measured import Measured

GAMES, SHORT_GAMES = 10_000_000, 10_000
RECORDS: Final = 4 * BLOCK
TOGETHER: Final = 10_000
_FIELDS: Final = len(StoredGame.__struct_fields__) + 1
_INSERTS: Final = (
    f"INSERT INTO game VALUES ({', '.join('?' * _FIELDS)})",
    "INSERT INTO record VALUES (?, ?)",
    "INSERT INTO chain VALUES (?, ?, ?, ?, ?)",
    "INSERT INTO block VALUES (?, ?)",
)
# One command of `arbiter`, with its elapsed and processor time and its memory.
COMMAND: Final = """
import json, resource, sys, time
from arbiter.cli import main
begun = time.perf_counter()
try:
    main(sys.argv[1:])
except SystemExit as end:
    assert not end.code, end.code
used = resource.getrusage(resource.RUSAGE_SELF)
elapsed = time.perf_counter() - begun
print(json.dumps([elapsed, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def read_blocks(path: Path) -> list[tuple[bytes, list[bytes]]]:
    """Play games of sample bots; return blocks with their records, as they are stored, and the records."""
    words = ("match", "hunter", "random", "--rules", "duel", "--games", str(RECORDS + BLOCK), "--results", str(path))
    run_arbiter(*words)
    with Results.read(path) as results, closing(sqlite3.connect(path)) as connection:
        numbers = {number: game for game, number in results.game_numbers().items()}
        size = sum(len(results.record(game)) for game in numbers.values()) / len(numbers)
        print(f"a record: {size:,.0f} bytes; ", end="")
        found = connection.execute("SELECT number, packed FROM block ORDER BY number").fetchall()
        packed_size = sum(len(packed) for _, packed in found) / len(found) / BLOCK
        print(f"{packed_size:,.0f} bytes of it in a block")
        return [
            (packed, [results.record(numbers[last - BLOCK + 1 + place]) for place in range(BLOCK)])
            for last, packed in found
        ]


def write_games(path: Path, games: Iterator[StoredGame], blocks: list[tuple[bytes, list[bytes]]]) -> None:
    """Write games of a ladder with their records in blocks and the hash chain, as the arbiter writes them, but faster."""
    with Store.create_or_resume(path, new_manifest(resolve_names(make_file()), "process")):
        pass
    packed = [pack(record) for _, records in blocks for record in records]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        link, value = connection.execute("SELECT number, value FROM chain ORDER BY number DESC").fetchone()
        conditions = ""
        number = 0
        while batch := list(islice(games, TOGETHER)):
            conditions = conditions or msgspec.json.encode(batch[0].conditions).decode()
            rows: tuple[list[tuple[object, ...]], ...] = ([], [], [], [])
            for game in batch:
                number, link = number + 1, link + 1
                reason = msgspec.json.encode(game.reason).decode()
                row = (number, *astuple(replace(game, conditions=conditions, reason=reason, series=1)))
                rows[0].append(row)
                rows[1].append((number, IN_BLOCK))
                digest = digest_values(row, [[[number, packed[(number - 1) % len(packed)]]], [], []])
                value = follow(value, "game", number, digest)
                rows[2].append((link, "game", number, digest, value))
                if number % BLOCK == 0:
                    rows[3].append((number, blocks[(number - 1) // BLOCK % len(blocks)][0]))
            connection.execute("BEGIN")
            for insert, values in zip(_INSERTS, rows, strict=True):
                connection.executemany(insert, values)
            connection.execute("COMMIT")


def run_arbiter(*words: str) -> tuple[float, float, float]:
    """Run a command; return its elapsed and its processor time in seconds, and its memory in MB."""
    done = subprocess.run([sys.executable, "-c", COMMAND, *words], check=True, stdout=subprocess.PIPE, text=True)
    elapsed, processor, memory = json.loads(done.stdout.splitlines()[-1])
    return elapsed, processor, memory


def measure_large(folder: Path, *, is_full: bool) -> list[Measured]:
    """Measure and print what results of many games cost."""
    games = GAMES if is_full else SHORT_GAMES
    path = folder / "large.sqlite"
    blocks = read_blocks(folder / "records.sqlite")
    invented = invent_games(games + LATER)
    begun = time.perf_counter()
    write_games(path, islice(invented, games), blocks)
    size = path.stat().st_size / games
    written = time.perf_counter() - begun
    print(f"{games:,} games: {size:,.0f} bytes a game with its record; written in {written:,.0f} s", flush=True)
    first = measure(path)
    print(f"first start, which sums up all games: {first['start']:.1f} s; {first['memory']:.0f} MB", flush=True)
    again = measure(path)
    print(f"start: {again['start']:.2f} s; a pair: {again['pair'] * 1e3:.1f} ms; {again['memory']:.0f} MB", flush=True)
    begun = time.perf_counter()
    store_games(path, invented, blocks[0][1][0])
    print(f"storing {LATER} games: {(time.perf_counter() - begun) * 1e3 / LATER:.1f} ms a game", flush=True)
    read = measure(path, READ)
    pages = {what: value for what, value in read.items() if what.endswith(".html") or what == "game"}
    print(f"pages, {read['memory']:.0f} MB:", *(f"{what} {value * 1e3:.0f} ms" for what, value in pages.items()))
    for words in (("backup",), ("backup", "--compact")):
        copy = folder / "copy.sqlite"
        elapsed, used, memory = run_arbiter(*words, str(path), str(copy))
        print(f"{' '.join(words)}: {elapsed:,.0f} s, {used:,.0f} s of processor time; {memory:.0f} MB", flush=True)
        copy.unlink()
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    return [
        Measured(f"results of {games:,} games, a game", size, "bytes", "nothing"),
        Measured("the same, start of the ladder, processor time", again["start"], "s", "Python"),
        Measured("the same, choice of a pair after another one", again["pair"] * 1e3, "ms", "Python", at_most=50),
        Measured("the same, slowest page", max(pages.values()) * 1e3, "ms", "Python", at_most=100),
        Measured("the same, compact backup, processor time", used, "s", "Python"),
        Measured("the same, memory of the backup", memory, "MB", "nothing"),
    ]
