"""Clusters of several machines: other host names, folders for temporary files and missing programs on this machine."""

import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest
from cli.command_line import ARBITER
from cluster.dask_processes import DaskProcesses

UNSHARE = ("unshare", *(() if os.geteuid() == 0 else ("--user", "--map-root-user")), "--uts", "--mount")
RENAME = 'hostname "$1" && shift'
HIDE = 'while [ "$1" != -- ]; do mount --bind /dev/null "$1" && shift || exit 1; done; shift'


def can_rename():
    """Return True if processes can have another host name."""
    words = [*UNSHARE, "sh", "-c", "hostname attic && mount --bind /dev/null /etc/hostname"]
    return (
        shutil.which("unshare") is not None and subprocess.run(words, check=False, capture_output=True).returncode == 0
    )


needs_names = pytest.mark.skipif(not can_rename(), reason="allowed: this machine does not let processes rename it")


class Machines(DaskProcesses):
    """A cluster with machines of other names."""

    def add(self, host, *, missing=(), preload="", **environment):
        """Start a worker on a machine with a name, and return the folder for its temporary files.

        The programs with the paths `missing` are not on it.  `preload` is a script that its workers run first.
        """
        place = self.folder / host
        place.mkdir()
        words = []
        if preload:
            script = place / "preload.py"
            script.write_text(preload)
            words += ["--preload", script]
        machine = (*UNSHARE, "sh", "-c", f'{RENAME}; {HIDE}; exec "$@"', "sh", host, *missing, "--")
        worker = (ARBITER, "worker", self.file, *words)
        self._add(*machine, *worker, TMPDIR=place, **environment)
        return place


@contextmanager
def two_machines(folder, **attic):
    """Start a cluster of two machines; `attic` describes one of them as in `Machines.add`."""
    with Machines(folder) as cluster:
        places = [cluster.add("attic", **attic), cluster.add("cellar")]
        cluster.wait_for_workers()
        yield cluster, places
