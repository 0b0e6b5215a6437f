"""The ends of connections to a cluster."""

import subprocess
import sys

import pytest
from cli.command_line import PATIENCE_S
from cluster.dask_processes import DaskProcesses, kill_group
from distributed import Client

# Loses the scheduler, and closes a client that has connected again at the same moment.
LOSE = """
import sys
from arbiter.cluster.addresses import Access
from arbiter.cluster.connect import open_running
with open_running(Access(role="client", option="--cluster", given=sys.argv[1])) as cluster:
    print(flush=True)
    sys.stdin.readline()
cluster.client.status = "running"
"""


@pytest.mark.heavy
def test_a_client_that_connects_again_while_it_is_closed_does_not_hold_up_the_end(tmp_path):
    with DaskProcesses(tmp_path) as processes:
        processes.wait_until_logged("Scheduler at")
        words = [sys.executable, "-c", LOSE, str(processes.file)]
        pipe = subprocess.PIPE
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as losing:
            losing.stdout.readline()
            kill_group(processes.scheduler)
            assert losing.communicate("\n", timeout=PATIENCE_S) == ("", "")


@pytest.mark.heavy  # three starts of a worker
def test_a_worker_that_was_restarted_joins_a_scheduler_that_comes_back(tmp_path):
    with DaskProcesses(tmp_path) as processes:
        processes.start_arbiter_worker("--jobs", "1")
        processes.wait_for_workers()
        with Client(scheduler_file=str(processes.file)) as client:
            client.restart_workers([*client.scheduler_info()["workers"]])
        processes.wait_until_logged("Register worker", 2)
        processes.restart_scheduler()
        processes.wait_until_logged("Register worker", 3)
