"""A long ladder is played while its organiser uses all commands, and another program keeps its results locked."""

import json
import re
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.request
from collections import Counter
from contextlib import closing
from itertools import count

import pytest
from cli.command_line import (
    ARBITER,
    PATIENCE_S,
    StartedArbiter,
    call_ok,
    with_usual_options,
    without_notices,
    write_tournament,
)
from cli.test_versions import Ladder
from msgspec.structs import replace

from arbiter.tournament.audits import find_fixture
from arbiter.tournament.config.tournament import resolve_names
from arbiter.tournament.deals import draw_deal
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.live_files import read_live_status
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.store import Store
from arbiter.verify import verify

BOTS = ("random", "hunter", "stdlib")
PLIES = 20
REAL = 12
pytestmark = pytest.mark.heavy
TOGETHER = 2500
NOTICE = "another program has kept it locked for 10 s; waiting"


def make_ladder(folder, games, **settings):
    """Make a ladder with two programs of an author that have passed, and with copies of games that were played."""
    ladder = Ladder(folder, BOTS)
    settings |= {"draws": {"max_plies": PLIES}, "submissions": {"open": False}}
    ladder.write(max_games=REAL, **settings)
    call_ok("run", ladder.file, "--sandbox", "full")
    for _ in range(2):
        ladder.decide(ladder.submit(), "--promote")
    with Results.read(ladder.results) as results:
        played = [(game, results.record(game.id)) for game in results.games_as_stored()]
        manifest = results.manifest
    met = Counter(frozenset((game.red, game.blue)) for game, _ in played if game.blue < game.red)
    last = max(game.round for game, _ in played)
    copies = []
    while len(played) + len(copies) < games:
        for first, second in zip(played[::2], played[1::2], strict=True):
            pairing = frozenset((first[0].red, first[0].blue))
            met[pairing], last = met[pairing] + 1, last + 1
            copies += [copy(manifest, *one, met[pairing], last) for one in (first, second)]
    with Store.create_or_resume(ladder.results, manifest) as store:
        for start in range(0, len(copies), TOGETHER):
            store.add(copies[start : start + TOGETHER])
    ladder.games = len(played) + len(copies)
    ladder.write(max_games=1_000_000, **settings)
    return ladder


def copy(manifest, game, record, pair, number):
    """Return a game again as one of a later pair, with the seeds of that."""
    later = replace(game, id=f"{game.red}~{game.blue}~{pair}", pair=pair, round=number)
    deal = draw_deal(resolve_names(manifest.tournament), manifest.key, find_fixture(later), 0)
    head, _, rest = record.partition(b"\n")
    header = json.loads(head) | {"id": later.id, "seed": deal.seed, "bot_seeds": deal.bot_seeds}
    return NewGame(later, json.dumps(header).encode() + b"\n" + rest)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def repeat(words, until, failures, done):
    """Repeat commands one after another; each succeeds, or is refused with a reason of one line."""
    numbers = count(1)
    while time.monotonic() < until and not failures:
        for one in words:
            command = [str(word).format(number=next(numbers)) for word in one]
            ended = subprocess.run(
                [ARBITER, *with_usual_options(command)], capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
            errors = without_notices(ended.stderr)
            is_refused = ended.returncode == 2 and re.fullmatch("arbiter: .+\n", errors)
            if not is_refused and (ended.returncode, errors) != (0, ""):
                failures.append((command, ended.returncode, errors, ended.stdout[:2000]))
            done[one[0], "refused" if is_refused else "done"] += 1


@pytest.mark.usefixtures("sandboxes")
@pytest.mark.parametrize(
    ("games", "seconds"), [(600, 6), pytest.param(5000, 60, marks=[pytest.mark.slow, pytest.mark.timeout(3000)])]
)
def test_a_run_continues_while_its_organiser_uses_all_commands(folder, games, seconds):
    ladder = make_ladder(folder, games)
    file, because = ladder.file, ("--because", "a test")
    with Results.read(ladder.results) as results:
        game = results.games_as_stored()[0].id
    beside = [
        [("submissions", file, 2, "--rollback"), ("submissions", file, 2, "--promote")],
        [("withdraw", file, "stdlib"), ("withdraw", file, "stdlib", "--undo")],
        [("rule", file, game, "--result", "annulled", *because), ("rule", file, game, "--undo", *because)],
        [("backup", file, "backup{number}.sqlite"), ("standings", file, "--json")],
        [("verify", file, "--publish", "digest.json")],
        [("report", file, "-o", "pages")],
    ]
    failures, done = [], Counter()
    words = ["run", file, "--serve", 0, "--sandbox", "full", "--jobs", 1, "--events", "-"]
    with StartedArbiter(*words) as running:
        running.read_until('"finished"')
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=repeat, args=(some, until, failures, done)) for some in beside]
        reading = threading.Thread(target=running.read_rest)
        for thread in (*threads, reading):
            thread.start()
        for thread in threads:
            thread.join()
        assert running.popen.poll() is None, running.popen.stderr.read()
        running.popen.send_signal(signal.SIGINT)
        code = running.popen.wait(PATIENCE_S)
        reading.join()
        errors = without_notices(running.popen.stderr.read())
    assert not failures
    assert code == 130, errors
    assert re.fullmatch("watch it at .+\narbiter: stopped: .+\n", errors)
    finished = [event["id"] for event in map(json.loads, running.lines) if event["event"] == "finished"]
    with Results.read(ladder.results) as results:
        stored = [one.id for one in results.games_as_stored()]
        assert Counter(stored) == Counter(set(stored))
        assert set(finished) <= set(stored)
        assert len(stored) == ladder.games + len(finished)
        assert all(verify(results.record(one)).ok for one in finished)
        games = map(results.find_stored, finished)
        assert not [game for game in games if game.forfeiters and game.ending != "walkover"]
        assert not results.attempts()
    call_ok("verify", file)


def lock(path):
    """Lock results as a shell of SQLite does."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return closing(connection)


def test_a_run_waits_while_another_program_keeps_its_results_locked(tmp_path):
    file = write_tournament(tmp_path, bots=BOTS, format="ladder", draws={"max_plies": PLIES})
    results = tmp_path / "results" / "club.sqlite"
    words = ["run", file, "--serve", 0, "--jobs", 2, "--json"]
    with StartedArbiter(*words) as running:
        running.read_until("hunter")
        with Results.read(results) as stored:
            first = stored.games_as_stored()[0].id
        with lock(results):
            words_of_ruling = [ARBITER, "rule", file, first, "--result", "annulled", "--because", "a test"]
            ruling = subprocess.Popen(words_of_ruling, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            while NOTICE not in running.popen.stderr.readline():
                assert running.popen.poll() is None
            with urllib.request.urlopen(read_live_status(results).pages, timeout=PATIENCE_S) as page:
                assert page.status == 200
            running.popen.send_signal(signal.SIGINT)
            while not read_live_status(results).closing:
                assert running.popen.poll() is None
                time.sleep(0.02)
            assert NOTICE in ruling.stderr.readline()
        assert ruling.communicate(timeout=PATIENCE_S) == (None, "")
        assert ruling.returncode == 0
        assert running.finish()[0] == 130
    with Results.read(results) as stored:
        assert not stored.attempts(), "the games that ended meanwhile are stored"
        before = stored.count_games()
    with StartedArbiter(*words) as running:
        running.read_until("hunter")
        with lock(results):
            while not read_live_status(results).games:
                time.sleep(0.02)
            # In a process of its own: this one loses its lock when it opens the file again.
            subprocess.run([ARBITER, "stop", file, "--now"], check=True, stdout=subprocess.DEVNULL)
            assert running.finish()[0] == 130
    most = before // 2 * 2 + 20
    write_tournament(tmp_path, bots=BOTS, format="ladder", draws={"max_plies": PLIES}, max_games=most)
    call_ok("run", file)
    with Results.read(results) as stored:
        games = stored.games_as_stored()
        assert {attempt.cause for attempt in stored.attempts().values()} == {"stopped"}
    assert len({game.id for game in games}) == len(games) >= most
    assert not any(game.forfeiters for game in games)
    call_ok("verify", file)
