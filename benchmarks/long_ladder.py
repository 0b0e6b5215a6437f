"""A ladder with many stored games: time to start and to choose a pair, memory, and time to sum up its games.

The games are invented, with records of two bytes.  Without `--full` there are 50,000 of them instead of 1,000,000.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.machine import observe_conditions
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.condensed import LEAST_GAMES
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.measured import Measured
from protocol.reasons import FlagTaken

BOTS: Final = 20
GAMES: Final = 1_000_000
FEW_GAMES: Final = 50_000
TOGETHER: Final = 2000
DIGEST: Final = "0" * 64

# In a process of its own, so that its memory is that of a run.
RUN: Final = """
import json, resource, sys, time
from pathlib import Path
from arbiter.tournament.results.store import Store

path, found = Path(sys.argv[1]), {}
with Store.read(path) as store:
    manifest = store.manifest

def spent(begun):
    return time.process_time() - begun

begun = time.process_time()
with Store.create_or_resume(path, manifest) as store, Store.read(path) as reader:
    schedule = manifest.schedule(store.history(condensed=True))
    schedule.rank(schedule.stages[0])
    found["start"] = spent(begun)
    pairs = []
    games = list(reader.latest_games(bot="bot0", opponent="bot1", most=2)[0].values())
    for _ in range(20):
        begun = time.process_time()
        fixtures = [schedule.take() for _ in range(2)]
        pairs.append(spent(begun))
        for fixture in fixtures:
            game = type(games[0])(**{
                name: getattr(fixture, name, getattr(games[0], name)) for name in games[0].__struct_fields__
            } | {"fingerprint": fixture.id})
            begun = time.process_time()
            schedule.add(game)
            pairs[-1] += spent(begun)
    found["pair"] = max(pairs)
found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(found))
"""


# As `arbiter standings` and `arbiter serve` read the results, with almost as many later games as a ladder may have.
READ: Final = """
import json, resource, sys, time
from pathlib import Path
from arbiter.serve.results import ServedResults
from arbiter.show.report.site import list_page_makers
from arbiter.show.report.values import ReportIndex
from arbiter.tournament.results.store import Store

path, found = Path(sys.argv[1]), {}

def measure(work):
    times = []
    for _ in range(5):
        begun = time.process_time()
        made = work()
        times.append(time.process_time() - begun)
    return min(times), made

def rank():
    with Store.read(path) as store:
        store.schedule(condensed=True).rank_all()

found["standings"], _ = measure(rank)
with ServedResults.read(path) as served:
    found["update"], results = measure(served.results)
    found["listing"], makers = measure(lambda: list_page_makers(results, ReportIndex()))
    for page in ("index.html", "bots/bot0.html", "pairings/bot0~~bot1.html", "games.html"):
        found[page], _ = measure(makers[page])
    found["game"], _ = measure(lambda: served.find_game("bot0~bot1~7"))
found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(found))
"""
LATER: Final = LEAST_GAMES - 10


def make_file() -> TournamentFile:
    """Make the file of a ladder."""
    bots = [BotConfig(name=f"bot{number}") for number in range(BOTS)]
    return TournamentFile(name="bench", format="ladder", bots=bots)


def invent_games(games: int) -> Iterator[StoredGame]:
    """Invent the games of a ladder."""
    names = make_file().bot_names
    chance, met = Random(1), dict[tuple[str, str], int]()
    conditions = observe_conditions(jobs=1, lag_ms=1.0, excused={}, sandbox="process")
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(1, games // 2 + 1):
        first, second = sorted(chance.sample(range(BOTS), 2))
        pairing = names[first], names[second]
        met[pairing] = pair = met.get(pairing, 0) + 1
        for red, blue in (pairing, pairing[::-1]):
            red_wins = chance.random() < (0.5 if abs(first - second) < BOTS // 4 else 0.5 + 0.3 * (red == pairing[0]))
            yield StoredGame(
                id=f"{red}~{blue}~{pair}",
                round=number,
                pair=pair,
                red=red,
                blue=blue,
                winner="red" if red_wins else "blue",
                ending="flag_taken",
                reason=FlagTaken("red" if red_wins else "blue", "a4"),
                plies=100 + number % 900,
                red_points=6.0 if red_wins else 1.0,
                blue_points=1.0 if red_wins else 6.0,
                started=(begun + timedelta(seconds=5 * number)).isoformat(),
                seconds=4.3,
                fingerprint=f"{chance.getrandbits(64):016x}",
                red_ms=1234.5,
                blue_ms=2345.6,
                conditions=conditions,
                red_program=DIGEST,
                blue_program=DIGEST,
            )


def store_games(path: Path, games: Iterator[StoredGame], record: bytes = b"{}") -> None:
    """Store invented games, many at a time."""
    with Store.create_or_resume(path, new_manifest(resolve_names(make_file()), "process")) as store:
        while batch := list(islice(games, TOGETHER)):
            store.add([NewGame(game, record) for game in batch])


def measure(path: Path, script: str = RUN) -> dict[str, float]:
    """Measure in a process of its own."""
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print the results."""
    games = GAMES if is_full else FEW_GAMES
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "ladder.sqlite"
        invented = invent_games(games + LATER)
        store_games(path, islice(invented, games))
        print(f"{games:,} games: {path.stat().st_size / games:.0f} bytes a game without records")
        first, found = measure(path), measure(path)
        store_games(path, invented)
        read = measure(path, READ)
    print(f"first start, which sums up all games: {first['start']:.1f} s, {first['start'] / games * 1e6:.0f} us a game")
    print(f"with {LATER} games after the summary, milliseconds of processor time:")
    for what, value in read.items():
        if what != "memory":
            print(f"  {what}: {value * 1e3:.0f}")
    print(f"memory of the process that makes pages: {read['memory']:.0f} MB")
    pages = [value for what, value in read.items() if what.endswith(".html") or what == "game"]
    return [
        Measured(f"start of a ladder of {games:,} games, processor time", found["start"], "s", "Python", at_most=5),
        Measured("the same, choice of a pair after another one", found["pair"] * 1e3, "ms", "Python", at_most=50),
        Measured("the same, memory", found["memory"], "MB", "nothing", at_most=300),
        Measured("the same, standings", read["standings"] * 1e3, "ms", "Python", at_most=100),
        Measured("the same, slowest page", max(pages) * 1e3, "ms", "Python", at_most=100),
    ]
