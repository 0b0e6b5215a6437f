"""A report of many long games: size, processor time to write it, and to write it again."""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from arbiter.clock import TimeSettings
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from arbiter.record import ActEntry, GameHeader, GameResult, PlayerName, RecordWriter
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import Tournament, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.measured import Measured
from benchmarks.rules import random_deployment

GAMES, SHORT_GAMES = 5000, 200
PLIES = 300
BOTS = 10


def play_random_game(fixture: Fixture, seed: int, plies: int = PLIES) -> NewGame:
    """Play a random game with so many plies, or fewer if it ends before."""
    rng = Random(seed)
    limits = Overrides(max_plies=plies, no_attack_plies=0)
    play = find_game("original", (), limits).start(SeededChance(seed))
    seats = {"red": PlayerName(fixture.red, "program", "1.0"), "blue": PlayerName(fixture.blue, "program", "1.0")}
    header = GameHeader(
        id=fixture.id, rules="original", overrides=limits, seed=seed, seats=seats, time=TimeSettings(), facts=[]
    )
    writer = RecordWriter(header)
    while play.to_act:
        seat = play.to_act[0]
        action = random_deployment(seat, rng) if play.phase == "setup" else rng.choice(play.legal_actions(seat))
        facts = play.act(seat, action)
        writer.act(ActEntry(seat=seat, action=action, ms=round(rng.lognormvariate(3, 1), 3), facts=facts))
    end = play.outcome
    data = writer.finish(GameResult(winner=end.winner, ending=end.ending, why=end.why, plies=play.plies))
    return NewGame(StoredGame(
        fixture.id, fixture.round, fixture.pair, fixture.red, fixture.blue, end.winner, end.ending, end.why,
        play.plies, 2.0, 2.0, f"2026-01-01T00:00:00.{seed:06}+00:00", 1.0,
    ), data)  # fmt: skip


def make_tournament(bots: int, games: int) -> Tournament:
    """Make a round robin with at least so many games."""
    rounds = -(-games // (bots * (bots - 1)))
    entries = [BotEntry(name=f"bot{number}") for number in range(bots)]
    return resolve_names(TournamentFile(name="bench", games=2 * rounds, seed=1, bots=entries))


def store_games(path: Path, count: int) -> None:
    """Store this number of games; one more would be missing."""
    tournament = make_tournament(BOTS, count + 1)
    with Store.create_or_resume(path, new_manifest(tournament, "process")) as store:
        store._connection.execute("PRAGMA synchronous = OFF")
        for number, fixture in zip(range(count), tournament.schedule(1).fixtures, strict=False):
            store.add([play_random_game(fixture, number)])


def write_report(path: Path, out: Path) -> float:
    """Write the report; return the processor time of all processes in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([Path(sys.executable).with_name("arbiter"), "report", path, "-o", out], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print the results."""
    count = GAMES if is_full else SHORT_GAMES
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.sqlite")
        out = Path(folder, "report")
        store_games(path, count)
        first = write_report(path, out)
        again = write_report(path, out)
        sizes = {file: file.stat().st_size for file in out.rglob("*") if file.is_file()}
        whole = sum(sizes.values()) / 1e6
        each = sum(size for file, size in sizes.items() if file.parent == out / "games") / 1e6 / count
        print(f"{count} games of {PLIES} plies: {whole:.1f} MB, first page {sizes[out / 'index.html'] / 1e3:.0f} kB")
        print(f"processor time {first:.1f} s ({1000 * first / count:.1f} ms per game), to write it again {again:.1f} s")
    what = f"`arbiter report` of {GAMES:,} games of {PLIES} plies"
    return [Measured(what, whole + each * (GAMES - count), "MB", "nothing", at_most=60)]
