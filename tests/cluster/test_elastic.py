"""Workers that come and go with the games of a run, and runs that share them.

The faults of clusters are in `chaos`.
"""

import re
import subprocess
import sys
import time

import pytest
from cli.command_line import PATIENCE_S, StartedArbiter, call, write_tournament
from cli.sleeping_bot import linux_only
from cluster.dask_processes import DaskProcesses, check_complete, kill_group
from distributed import Client

pytestmark = linux_only

# A cluster that starts workers when there are tasks, and ends those that have none.
ADAPTIVE = """
import sys
from distributed import LocalCluster
cluster = LocalCluster(
    n_workers=0, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, memory_limit=None,
    preload=["arbiter.cluster.worker"],
)
cluster.adapt(minimum=0, maximum=1, interval="100ms", wait_count=1)
print(cluster.scheduler_address, flush=True)
sys.stdin.read()
"""


@pytest.mark.heavy
def test_a_cluster_of_no_workers_grows_with_the_games_and_shrinks_again(tmp_path):
    file = write_tournament(tmp_path, bots=("hunter", "random"), games=4)
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
def test_two_runs_share_a_cluster_fairly_also_after_its_worker_was_lost(folder, tmp_path):
    files = []
    for name, games in (("first", 60), ("second", 20)):  # the first one also plays while the second one starts
        (tmp_path / name).mkdir()
        files.append(write_tournament(tmp_path / name, bots=("hunter", "random", "stdlib"), games=games))
    with DaskProcesses(tmp_path) as cluster:
        worker = cluster.start_dask_worker()
        cluster.wait_for_workers()
        with StartedArbiter("run", files[0], "--cluster", cluster.file) as one:
            one.read_until("game 1/")
            with StartedArbiter("run", files[1], "--cluster", cluster.file) as other:
                other.read_until("game 1/")
                kill_group(worker)
                cluster.start_dask_worker()
                other.read_until("game 25/")
                assert one.popen.poll() is None
                one.read_until("game 25/")
                assert other.popen.poll() is None  # none was held up until the other one was over
                assert {one.finish()[0], other.finish()[0]} == {0}
    for file in files:
        assert {attempt.cause for attempt in check_complete(file)} <= {"lost"}
