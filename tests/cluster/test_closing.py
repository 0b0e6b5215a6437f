"""The end of a connection to a cluster."""

import subprocess
import sys

from cli.command_line import PATIENCE_S
from cluster.dask_processes import DaskProcesses, kill_group

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


def test_a_client_that_connects_again_while_it_is_closed_does_not_hold_up_the_end(tmp_path):
    with DaskProcesses(tmp_path) as processes:
        processes.wait_until_logged("Scheduler at")
        words = [sys.executable, "-c", LOSE, str(processes.file)]
        pipe = subprocess.PIPE
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as losing:
            losing.stdout.readline()
            kill_group(processes.scheduler)
            assert losing.communicate("\n", timeout=PATIENCE_S) == ("", "")
