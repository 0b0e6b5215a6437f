"""Executors for worker processes on this machine and for running clusters, ready for the first game."""

from collections.abc import Iterator
from contextlib import contextmanager

from arbiter.cluster.connect import Cluster, open_local, open_running
from arbiter.cluster.coordinator import ClusterExecutor
from arbiter.cluster.machines import measure_machine
from arbiter.cluster.messages import RunSettings
from arbiter.cluster.roster import Roster
from arbiter.sandbox.files.visible import Secrets
from arbiter.sandbox.select import IsolationName
from arbiter.tournament.config.tournament import Tournament


@contextmanager
def open_worker_executor(
    workers: int,
    jobs: int,
    tournament: Tournament,
    sandbox: IsolationName | None,
    secrets: Secrets,
    *,
    keep_logs: bool,
    follow: bool,
) -> Iterator[ClusterExecutor]:
    """Start worker processes on this machine, which play `jobs` games at a time together.  Raises ConfigError."""
    here = measure_machine(tournament.file.time)
    with open_local(workers, -(-jobs // workers)) as cluster:
        settings = _make_settings(cluster, tournament, sandbox, secrets, keep_logs=keep_logs)
        roster = Roster(cluster, settings, tournament.file.time, here=here, slots=jobs)
        with _open(cluster, roster, follow=follow) as executor:
            yield executor


@contextmanager
def open_cluster_executor(
    address: str,
    tournament: Tournament,
    sandbox: IsolationName | None,
    secrets: Secrets,
    slots: int | None,
    *,
    keep_logs: bool,
    follow: bool,
) -> Iterator[ClusterExecutor]:
    """Connect to a running cluster; `slots` is the number of games at a time on each machine.

    Default: as many as the cores of the machine allow.  Raises ConfigError.
    """
    with open_running(address) as cluster:
        settings = _make_settings(cluster, tournament, sandbox, secrets, keep_logs=keep_logs)
        roster = Roster(cluster, settings, tournament.file.time, slots=slots)
        with _open(cluster, roster, follow=follow) as executor:
            yield executor


@contextmanager
def _open(cluster: Cluster, roster: Roster, *, follow: bool) -> Iterator[ClusterExecutor]:
    try:
        roster.begin()
        yield ClusterExecutor(cluster, roster, follow=follow)
    finally:
        roster.close()


def _make_settings(
    cluster: Cluster, tournament: Tournament, sandbox: IsolationName | None, secrets: Secrets, *, keep_logs: bool
) -> RunSettings:
    return RunSettings(
        run=cluster.run,
        isolation=sandbox,
        programs=tournament.programs,
        secrets=secrets,
        keep_logs=keep_logs,
        cores=(),
        jobs=1,
        speed=None,
    )
