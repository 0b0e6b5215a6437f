"""Clusters of several machines: other host names, folders for temporary files and missing programs on this machine."""

import os
import shutil
import subprocess
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from cli.command_line import ARBITER
from cluster.dask_processes import DaskProcesses

UNSHARE = ("unshare", *(() if os.geteuid() == 0 else ("--user", "--map-root-user")), "--uts", "--mount")
RENAME = 'hostname "$1" && shift'
HIDE = 'while [ "$1" != -- ]; do mount --bind /dev/null "$1" && shift || exit 1; done; shift'
PRELOAD = ("--preload", Path(__file__).with_name("preload.py"))


@cache
def can_rename():
    """Return True if processes can have another host name."""
    words = [*UNSHARE, "sh", "-c", "hostname attic && mount --bind /dev/null /etc/hostname"]
    return (
        shutil.which("unshare") is not None and subprocess.run(words, check=False, capture_output=True).returncode == 0
    )


needs_names = pytest.mark.skipif(not can_rename(), reason="allowed: this machine does not let processes rename it")


class Machines(DaskProcesses):
    """A cluster with machines of other names."""

    def __init__(self, folder):
        super().__init__(folder)
        self._environment["CLUSTER_PLACE"] = str(folder)
        self.let_first(0)
        self.patch("")

    def let_first(self, count, pattern="^ends"):
        """Let the attic end so many tasks of a run, with lines of `preload.py` that match, before others begin."""
        (self.folder / "first").write_text(f"{count} (?m){pattern}")

    def patch(self, text):
        """Run a text in the attic before each task; what it changes in the modules with the games is undone."""
        (self.folder / "new.py").write_text(text)
        (self.folder / "new.py").rename(self.folder / "patch.py")

    @contextmanager
    def behaving(self, text="", *, first=1, pattern="^ends"):
        """Let the attic behave as a text wants, which runs before each of its tasks, and end some tasks first."""
        self.patch(text)
        self.let_first(first, pattern)
        try:
            yield self
        finally:
            self.patch("")
            self.let_first(0)

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
        words += PRELOAD  # after what a test changes for good
        machine = (*UNSHARE, "sh", "-c", f'{RENAME}; {HIDE}; exec "$@"', "sh", host, *missing, "--")
        worker = (ARBITER, "worker", self.file, *words)
        self._add(*(machine if can_rename() else ()), *worker, TMPDIR=place, CLUSTER_MACHINE=host, **environment)
        return place


@contextmanager
def two_machines(folder, *, first=1, **attic):
    """Start a cluster of two machines; `attic` describes one of them as in `Machines.add`.

    The other one begins once the first one has ended so many tasks of a run.
    """
    with Machines(folder) as cluster:
        cluster.let_first(first)
        places = [cluster.add("attic", **attic), cluster.add("cellar")]
        cluster.wait_for_workers()
        yield cluster, places
