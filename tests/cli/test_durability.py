"""A run that is killed repeatedly at random moments: every printed game is stored exactly once."""

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest
from cli.command_line import (
    ARBITER,
    PATIENCE_S,
    StartedArbiter,
    bot_processes_in,
    call_ok,
    with_usual_options,
    without_notices,
)
from cli.fast_bots import PLIES, fast_tournament

from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.results.store import Store
from arbiter.verify import verify

GAMES, KILLS, STOPS = 500, 60, 10
BEFORE_OUR_FIRST_LINE = (b"init_import_site", b"import main\n")  # Python itself reports a Ctrl-C there
STARTING_S, PLAYING_S = 0.5, 0.05  # how long a run is left alone at most, from its start or from its first game

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="allowed: needs /proc")]


class Struck:
    """A run that gets a signal; then `told` are the ids of the games that it printed."""

    def __init__(self, file, number):
        self._number = number
        words = [ARBITER, *with_usual_options(["run", file, "--json", "--force-jobs"])]
        self.popen = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._said = b""

    def hear_games(self, count):
        """Wait until `count` games are printed."""
        while self._said.count(b"\n") < count and self._hear(None):
            pass

    def hear_for(self, seconds):
        """Wait for some seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self._hear(left):
            pass

    def _hear(self, patience):
        """Read output within the time limit; return False at the end of the output."""
        if not select.select([self.popen.stdout], [], [], patience)[0]:
            return True
        said = os.read(self.popen.stdout.fileno(), 65536)
        self._said += said
        return bool(said)

    def strike(self):
        """Send the signal and read the rest of the output."""
        self.popen.send_signal(self._number)
        rest, self.complaint = self.popen.communicate(timeout=PATIENCE_S)
        self.complaint = without_notices(self.complaint.decode()).encode()
        whole = [json.loads(line) for line in (self._said + rest).splitlines(keepends=True) if line.endswith(b"\n")]
        self.told = [said["id"] for said in whole if "id" in said]
        return self


def strike(file, number, luck):
    """Start a run and send it a signal, after some games or after some time."""
    run = Struck(file, number)
    match luck.randrange(3):
        case 0:
            run.hear_games(luck.randint(1, 8))
        case 1:
            run.hear_for(luck.uniform(0, STARTING_S))
        case _:
            run.hear_games(1)
            run.hear_for(luck.uniform(0, PLAYING_S))
    return run.strike()


def stored_ids(file):
    """List the stored ids; the file may not exist yet."""
    results = file.parent / "results" / "club.sqlite"
    if not results.exists() or not results.stat().st_size:
        return []
    with Store.read(results) as store:
        return [game.id for game in store.games()]


def check_whole(file, told):
    """Check a finished tournament: each game once, all records correct, standings that match."""
    scheduled = {fixture.id for fixture in load_tournament(file).schedule(17).fixtures}
    with Store.read(file.parent / "results" / "club.sqlite") as store:
        games = store.games()
        assert Counter(game.id for game in games) == Counter(scheduled)
        assert all(verify(store.record(game.id)).ok for game in games)
    assert {(game.winner, game.ending, game.plies) for game in games} == {(None, "ply_limit", PLIES)}
    assert set(told) <= scheduled
    assert len(told) == len(set(told))
    for row in map(json.loads, call_ok("standings", file, "--json").splitlines()):
        seats = [(game.red_points, game.blue_points)[game.blue == row["bot"]] for game in games]
        assert (row["games"], row["points"], row["forfeits"]) == (len(games), sum(seats), 0)


def finish(file):
    """Play the missing games; return the printed ids."""
    with StartedArbiter("run", file, "--json", "--force-jobs") as last:
        assert last.finish() == (0, "")
    return [game["id"] for game in map(json.loads, last.lines) if "id" in game]


@pytest.mark.parametrize("jobs", [2, 8])
def test_kill_9_at_sixty_random_moments_loses_and_repeats_no_game(tmp_path, fast_bot, jobs):
    file, told = fast_tournament(tmp_path, fast_bot, GAMES, jobs), []
    luck, seen = random.Random(2026), []
    for _ in range(KILLS):
        run = strike(file, signal.SIGKILL, luck)
        assert (run.popen.returncode, run.complaint) == (-signal.SIGKILL, b""), run.complaint
        told += run.told
        ids = stored_ids(file)
        assert len(ids) == len(set(ids))
        assert set(told) | set(seen) <= set(ids)
        assert len(set(ids) - set(seen)) <= len(run.told) + jobs  # those that are stored and not yet announced
        seen = ids
    assert len(seen) < GAMES
    check_whole(file, told + finish(file))
    assert bot_processes_in(tmp_path) == []


def test_a_shutdown_at_any_moment_stores_no_result(tmp_path, fast_bot):
    file, told = fast_tournament(tmp_path, fast_bot, 200), []
    luck = random.Random(7)
    for turn in range(STOPS):
        number = (signal.SIGTERM, signal.SIGINT)[turn % 2]
        run = strike(file, number, luck)
        if not any(where in run.complaint for where in BEFORE_OUR_FIRST_LINE):
            assert run.popen.returncode in {130, -number}, run.complaint
            assert b"Traceback" not in run.complaint
        told += run.told
        assert Counter(stored_ids(file)) == Counter(told)  # exactly the printed games are stored
        assert bot_processes_in(tmp_path) == []
    check_whole(file, told + finish(file))
