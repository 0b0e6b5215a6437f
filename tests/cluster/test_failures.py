"""Worker processes of a run that are killed, and the ends of a run: no game is lost, repeated or forfeited.

The faults of clusters are in `chaos`.
"""

import os
import random
import shutil
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from cli.command_line import PATIENCE_S, StartedArbiter, bot_processes_in, call, call_ok, write_tournament
from cli.fast_bots import fast_tournament
from cli.sleeping_bot import linux_only, quick_bot, wait_until_asleep, wake
from cluster.chaos.programs import read_processes
from cluster.chaos.proxy import Proxy
from cluster.dask_processes import DaskProcesses, check_complete, kill_group, read_results, wait_for_game
from cluster.dozing_bot import SHARED, dozing_tournament

NO_WORKER = "no worker is left; the run continues when one joins the cluster, Ctrl-C stops it"
BOTS = Path(__file__).parent.parent / "bots"

pytestmark = [linux_only, pytest.mark.slow]


def wait_until_gone(folder):
    """Wait until no bot runs; return the seconds that this took."""
    begun = time.monotonic()
    while bot_processes_in(folder):
        if time.monotonic() > begun + PATIENCE_S:
            raise TimeoutError(f"bots still run in {folder}")
        time.sleep(0.05)
    return time.monotonic() - begun


def find_workers(arbiter):
    """List the worker processes that an arbiter has started."""
    processes = read_processes().items()
    return [number for number, (parent, words) in processes if parent == arbiter.popen.pid and "spawn_main" in words]


def test_kills_of_workers_at_any_moment_lose_and_repeat_no_game(tmp_path, fast_bot):
    file = fast_tournament(tmp_path, fast_bot, games=200, jobs=3)
    choose = random.Random(5)
    kills = 0
    with StartedArbiter("run", file, "--workers", 3) as running:
        running.read_until("game 1/")
        while running.popen.poll() is None and kills < 12:
            time.sleep(choose.uniform(0.05, 1))
            if workers := find_workers(running):
                os.kill(choose.choice(workers), signal.SIGKILL)
                kills += 1
        code, err = running.finish()
    assert code == 0
    assert set(err.splitlines()) <= {f"arbiter: {NO_WORKER}"}  # if all are killed before one is replaced
    assert kills > 3
    assert {attempt.cause for attempt in check_complete(file)} <= {"lost"}


def test_no_bot_survives_the_kill_of_the_coordinator(folder):
    own = folder / "thinker"  # in which no other test starts bots
    own.mkdir()
    for name in ("base.py", "thinks.py"):
        shutil.copy(BOTS / name, own)
    thinker = [sys.executable, str(own / "thinks.py"), "0.3"]
    bots = [{"name": name, "command": thinker} for name in ("one", "two")]
    settings = {"jobs": 2, "draws": {"max_plies": 8}, "time": {"start_s": 60}, "cluster": SHARED}
    file = write_tournament(folder, rules="original", bots=bots, games=2, **settings)
    with StartedArbiter("run", file, "--workers", 2) as running:
        wait_for_game(file)
        running.popen.kill()
        running.popen.wait()
        assert wait_until_gone(own) < 10
    with StartedArbiter("run", file, "--workers", 2) as running:
        assert running.finish() == (0, "")
    assert {attempt.cause for attempt in check_complete(file)} == {"stopped"}


@pytest.mark.parametrize("is_cut", [False, True], ids=["the scheduler is killed", "the connection is cut"])
def test_a_lost_scheduler_ends_the_run_with_one_line(folder, is_cut):
    file = dozing_tournament(folder, games=2)
    with DaskProcesses(folder.parent) as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        proxy = Proxy(cluster.address[1])  # with which Dask connects again at once
        address = f"tcp://127.0.0.1:{proxy.port}"
        with closing(proxy), StartedArbiter("run", file, "--cluster", address) as running:
            wait_until_asleep(folder)
            if is_cut:
                proxy.cut()
            else:
                kill_group(cluster.scheduler)
            code, err = running.finish()
        assert code == 2
        assert err == (
            f"arbiter: {address}: the connection to the scheduler is lost; finished games are stored, "
            "run again to continue\n"
        )
        assert wait_until_gone(folder) < 10
    wake(folder)
    assert call("run", file).exit_code == 0
    assert {attempt.cause for attempt in check_complete(file)} <= {"lost", "stopped"}


def test_ctrl_c_finishes_the_games_and_a_second_one_ends_them_at_once(folder):
    file = dozing_tournament(folder, games=2)
    with StartedArbiter("run", file, "--workers", 2, start_new_session=True) as running:
        wait_until_asleep(folder)
        os.killpg(running.popen.pid, signal.SIGINT)  # as a terminal does
        time.sleep(1)
        assert bot_processes_in(folder)
        assert running.popen.poll() is None
        os.killpg(running.popen.pid, signal.SIGINT)
        code, err = running.finish()
        assert code == 130
        assert "arbiter: stopped: " in err
        assert wait_until_gone(folder) < 5
    (folder / "asleep.log").unlink()
    with StartedArbiter("run", file, "--workers", 2, start_new_session=True) as running:
        wait_until_asleep(folder)
        os.killpg(running.popen.pid, signal.SIGINT)
        time.sleep(1)
        wake(folder)
        assert running.finish()[0] == 130
    games, _ = read_results(file)
    assert games
    assert not [game for game in games if game.ending in {"crash", "killed", "timeout"}]


def test_ctrl_c_while_workers_start_prints_nothing(folder):
    file = write_tournament(folder, bots=(quick_bot("one"), quick_bot("two")), games=200)
    with StartedArbiter("run", file, "--workers", "2", start_new_session=True) as running:
        while len(find_workers(running)) < 2:
            assert running.popen.poll() is None
            time.sleep(0.01)
        os.killpg(running.popen.pid, signal.SIGINT)
        code, err = running.finish()
    assert (code, err.strip()) == (130, "")
    assert find_workers(running) == []


def test_a_bot_of_a_worker_can_be_interrupted(folder):
    (folder / "mask.py").write_text(
        "import signal\nassert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())\n"
        f"exec(open({str(folder / 'player.py')!r}).read())\n"
    )
    bots = [{"name": name, "command": ["./mask.py"]} for name in ("one", "two")]
    call_ok("run", write_tournament(folder, bots=bots, games=2), "--workers", 2)
    games, _ = read_results(folder / "club.toml")
    assert {game.ending for game in games} & {"no_start", "crash"} == set()
