"""Clusters of several machines: other host names and folders for temporary files on this machine."""

import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest
from cli.command_line import ARBITER
from cluster.dask_processes import DaskProcesses

UNSHARE = ("unshare", "--uts") if os.geteuid() == 0 else ("unshare", "--user", "--map-root-user", "--uts")


def can_rename():
    """Return True if processes can have another host name."""
    words = [*UNSHARE, "sh", "-c", "hostname attic"]
    return (
        shutil.which("unshare") is not None and subprocess.run(words, check=False, capture_output=True).returncode == 0
    )


needs_names = pytest.mark.skipif(not can_rename(), reason="allowed: this machine does not let processes rename it")


class Machines(DaskProcesses):
    """A cluster with machines of other names."""

    def add(self, host, **environment):
        """Start a worker on a machine with a name, and return the folder for its temporary files."""
        place = self.folder / host
        place.mkdir()
        renamed = (*UNSHARE, "sh", "-c", f'hostname {host} && exec "$@"', "sh")
        worker = (ARBITER, "worker", self.file, "--host", "127.0.0.1")
        self._add(*renamed, *worker, TMPDIR=place, **environment)
        return place


@contextmanager
def two_machines(folder, **environment):
    """Start a cluster of two machines; `environment` is that of the attic."""
    with Machines(folder) as cluster:
        places = [cluster.add("attic", **environment), cluster.add("cellar")]
        cluster.wait_for_workers()
        yield cluster, places
