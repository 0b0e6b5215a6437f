"""Workers that come and go during a run: from none at all, at old addresses, and drained."""

import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest
from cli.command_line import PATIENCE_S, StartedArbiter, bot_processes_in, call, write_tournament
from cli.sleeping_bot import linux_only, wait_until_asleep, wake
from cluster.dask_processes import DaskProcesses, kill_group, read_results
from cluster.dozing_bot import dozing_tournament
from distributed import Client

from arbiter.tournament.config.tournament import load_tournament

pytestmark = linux_only

# A cluster that starts workers when there are tasks, and ends those that have none.
ADAPTIVE = """
import sys
from distributed import LocalCluster
cluster = LocalCluster(
    n_workers=0, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, memory_limit=None,
    preload=["arbiter.cluster.worker"],
)
cluster.adapt(minimum=0, maximum=2, interval="100ms", wait_count=1)
print(cluster.scheduler_address, flush=True)
sys.stdin.read()
"""


def check_complete(file):
    """Check that each game is stored once and that no bot has forfeited; return the voided attempts."""
    games, attempts = read_results(file)
    expected = [fixture.id for fixture in load_tournament(file).schedule(17).fixtures]
    assert sorted(game.id for game in games) == sorted(expected)
    assert {game.ending for game in games} & {"crash", "timeout", "killed", "no_start", "protocol"} == set()
    return attempts


def test_a_cluster_of_no_workers_grows_with_the_games_and_shrinks_again(tmp_path):
    file = write_tournament(tmp_path, bots=("hunter", "random", "stdlib"), games=4)
    script = tmp_path / "adaptive.py"
    script.write_text(f"if __name__ == '__main__':\n{re.sub('^', '    ', ADAPTIVE, flags=re.MULTILINE)}")
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as cluster:
        address = cluster.stdout.readline().strip()
        result = call("run", file, "--cluster", address)
        assert result.exit_code == 0, result.stderr
        assert f"{address}: no worker has joined yet; the run begins when one does" in result.stderr
        with Client(address, set_as_default=False) as client:
            limit = time.monotonic() + PATIENCE_S
            while client.scheduler_info()["workers"]:
                assert time.monotonic() < limit
                time.sleep(0.1)
        cluster.stdin.close()
        cluster.wait(PATIENCE_S)
    assert check_complete(file) == []


@pytest.mark.slow
def test_a_worker_that_is_killed_and_comes_back_at_its_address_plays_on(folder):
    file = dozing_tournament(folder, games=2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with DaskProcesses(folder.parent) as cluster:
        words = ("--worker-port", port)
        worker = cluster.start_dask_worker(*words)
        cluster.wait_for_workers()
        with StartedArbiter("run", file, "--cluster", cluster.file) as running:
            wait_until_asleep(folder)
            kill_group(worker)
            cluster.start_dask_worker(*words)
            wake(folder)
            code, err = running.finish()
    assert code == 0, err
    assert "connection" not in err
    assert {attempt.reason for attempt in check_complete(file)} == {"lost"}


@pytest.mark.slow
def test_drained_workers_leave_their_games_to_others(folder):
    file = dozing_tournament(folder, games=2)
    with DaskProcesses(folder.parent) as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        with StartedArbiter("run", file, "--cluster", cluster.file) as running:
            wait_until_asleep(folder)
            cluster.start_dask_worker()
            cluster.wait_for_workers()
            with Client(scheduler_file=str(cluster.file), set_as_default=False) as client:
                first = min(client.scheduler_info()["workers"], key=lambda one: one)
                client.retire_workers([first])
            wake(folder)
            assert running.finish()[0] == 0
    assert {attempt.reason for attempt in check_complete(file)} <= {"lost"}


@pytest.mark.slow
def test_a_scheduler_that_was_stopped_holds_up_neither_ctrl_c_nor_the_end(folder):
    file = dozing_tournament(folder, games=2)
    with DaskProcesses(folder.parent) as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        with StartedArbiter("run", file, "--cluster", cluster.file, start_new_session=True) as running:
            wait_until_asleep(folder)
            kill_group(cluster.scheduler, signal.SIGSTOP)
            for _ in range(2):
                time.sleep(0.5)
                os.killpg(running.popen.pid, signal.SIGINT)
            begun = time.monotonic()
            assert running.finish()[0] == 130
            assert time.monotonic() - begun < 20
            kill_group(cluster.scheduler, signal.SIGCONT)
            limit = time.monotonic() + PATIENCE_S
            while bot_processes_in(folder):
                assert time.monotonic() < limit
                time.sleep(0.05)


@pytest.mark.slow
def test_two_runs_share_a_cluster_fairly(folder, tmp_path):
    files = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        files.append(write_tournament(tmp_path / name, bots=("random", "stdlib"), games=60))
    with DaskProcesses(tmp_path) as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        with StartedArbiter("run", files[0], "--cluster", cluster.file) as one:
            one.read_until("game 1/")
            with StartedArbiter("run", files[1], "--cluster", cluster.file) as other:
                other.read_until("game 20/")
                assert one.popen.poll() is None  # it was not held up until the other one was over, nor vice versa
                assert {one.finish()[0], other.finish()[0]} == {0}
    for file in files:
        assert check_complete(file) == []
