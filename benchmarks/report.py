"""A report of many long games: size, processor time to write it and to write it again, first paint of its index.

The first paint needs Chromium and its driver; without them it is left out.
"""

import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from random import Random

from arbiter.clock import TimeSettings
from arbiter.director.files import write_file_into
from arbiter.games.catalogue import find_game
from arbiter.games.chance import SeededChance
from arbiter.games.ruleset import Overrides
from arbiter.record import ActEntry, GameHeader, GameResult, PlayerName, RecordWriter
from arbiter.show.report.games import GamePages, PageOrder
from arbiter.show.report.site import make_site
from arbiter.show.report.values import NO_SUMMARY
from arbiter.show.results import make_report_data
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament import Tournament, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.manifest import new_manifest
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from benchmarks.measured import Measured
from benchmarks.rules import random_deployment

GAMES, SHORT_GAMES = 5000, 250  # so many that only one of them has a picture
PLIES, SHORT_PLIES = 300, 4
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
    data = writer.finish(GameResult(winner=end.winner, ending=end.ending, reason=end.reason, plies=play.plies))
    return NewGame(StoredGame(
        fixture.id, fixture.round, fixture.pair, fixture.red, fixture.blue, end.winner, end.ending, end.reason,
        play.plies, 2.0, 2.0, f"2026-01-01T00:00:00.{seed:06}+00:00", 1.0,
    ), data)  # fmt: skip


def make_tournament(bots: int, games: int) -> Tournament:
    """Make a round robin with at least so many games."""
    rounds = -(-games // (bots * (bots - 1)))
    entries = [BotConfig(name=f"bot{number}") for number in range(bots)]
    return resolve_names(TournamentFile(name="bench", games=2 * rounds, seed=1, bots=entries))


def store_games(path: Path, games: int, plies: int = PLIES) -> None:
    """Store this number of games of so many plies; one more would be missing."""
    tournament = make_tournament(BOTS, games + 1)
    seeds = count()
    with Store.create_or_resume(path, new_manifest(tournament, "process")) as store:
        store._connection.execute("PRAGMA synchronous = OFF")
        for fixture, _ in zip(tournament.schedule(1).fixtures, range(games), strict=False):
            played = (play_random_game(fixture, seed, plies) for seed in seeds)
            store.add([next(new for new in played if new.game.plies == plies)])  # others ended before


def write_report(path: Path, out: Path) -> float:
    """Write the report; return the processor time of all processes in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([Path(sys.executable).with_name("arbiter"), "report", path, "-o", out], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_index(path: Path, out: Path) -> None:
    """Write all pages of a report but those of games."""

    def make_no_pages(orders: Iterable[PageOrder]) -> Iterator[GamePages]:
        return (GamePages(order.game.id, (), NO_SUMMARY) for order in orders)

    with Results.read(path) as results:
        data = make_report_data(results.snapshot())
        for page in make_site(data, results.record, results.log, make_games=make_no_pages):
            write_file_into(out, page.path, page.content)


def measure_first_paint(page: Path) -> float | None:
    """Open a page in a new Chromium; return the seconds until it paints something, or None without Chromium."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        return None
    from selenium.webdriver import Chrome, ChromeOptions  # noqa: PLC0415 - only developers have it
    from selenium.webdriver.chrome.service import Service  # noqa: PLC0415
    from selenium.webdriver.support.wait import WebDriverWait  # noqa: PLC0415

    options = ChromeOptions()
    options.binary_location = chromium
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking"):
        options.add_argument(f"--{flag}")
    window = Chrome(options=options, service=Service(driver))
    try:
        window.get(page.as_uri())
        entry = "performance.getEntriesByName('first-contentful-paint')[0]"
        WebDriverWait(window, 60).until(lambda window: window.execute_script(f"return Boolean({entry})"))
        return float(window.execute_script(f"return {entry}.startTime")) / 1000
    finally:
        window.quit()


def main(*, is_full: bool) -> list[Measured]:
    """Measure and print the results."""
    games = GAMES if is_full else SHORT_GAMES
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.sqlite")
        out = Path(folder, "report")
        store_games(path, games)
        first = write_report(path, out)
        again = write_report(path, out)
        sizes = {file: file.stat().st_size for file in out.rglob("*") if file.is_file()}
        whole = sum(sizes.values()) / 1e6
        each = sum(size for file, size in sizes.items() if file.parent == out / "games") / 1e6 / games
        print(f"{games} games of {PLIES} plies: {whole:.1f} MB, first page {sizes[out / 'index.html'] / 1e3:.0f} kB")
        print(f"processor time {first:.1f} s ({1000 * first / games:.1f} ms per game), to write it again {again:.1f} s")
        store_games(Path(folder, "short.sqlite"), GAMES, SHORT_PLIES)
        write_index(Path(folder, "short.sqlite"), Path(folder, "index"))
        paint = measure_first_paint(Path(folder, "index", "index.html"))
    what = f"`arbiter report` of {GAMES:,} games of {PLIES} plies"
    measured = [Measured(what, whole + each * (GAMES - games), "MB", "nothing", at_most=60)]
    if paint is not None:
        measured.append(Measured(f"first paint of its index of {GAMES:,} games", paint, "s", "Python", at_most=1))
    return measured
