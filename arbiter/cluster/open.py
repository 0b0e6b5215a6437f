"""Executors for worker processes on this machine and for running clusters, ready for the first game."""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.cluster.connect import Cluster, open_local, open_running
from arbiter.cluster.coordinator import ClusterExecutor
from arbiter.cluster.machines import measure_machine
from arbiter.cluster.messages import RunSettings
from arbiter.cluster.roster import Roster


@contextmanager
def open_worker_executor(
    workers: int, jobs: int, settings: RunSettings, time: TimeSettings, *, follow: bool
) -> Iterator[ClusterExecutor]:
    """Start worker processes on this machine, which play `jobs` games at a time together.  Raises ConfigError."""
    here = measure_machine(time)
    with open_local(workers, -(-jobs // workers)) as cluster:
        roster = Roster(cluster, replace(settings, run=cluster.run, is_local=True), time, here=here, slots=jobs)
        with _open(cluster, roster, follow=follow) as executor:
            yield executor


@contextmanager
def open_cluster_executor(
    address: str, slots: int | None, settings: RunSettings, time: TimeSettings, *, follow: bool
) -> Iterator[ClusterExecutor]:
    """Connect to a running cluster; `slots` is the number of games at a time on each machine.

    Default: as many as the cores of the machine allow.  Raises ConfigError.
    """
    with open_running(address) as cluster:
        roster = Roster(cluster, replace(settings, run=cluster.run), time, slots=slots)
        with _open(cluster, roster, follow=follow) as executor:
            yield executor


@contextmanager
def _open(cluster: Cluster, roster: Roster, *, follow: bool) -> Iterator[ClusterExecutor]:
    try:
        roster.begin()
        yield ClusterExecutor(cluster, roster, follow=follow)
    finally:
        roster.close()
