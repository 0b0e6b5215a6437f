"""Executors for worker processes on this machine and for running clusters, ready for the first game."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from arbiter.clock import TimeSettings
from arbiter.cluster.admission import Admission, Slots
from arbiter.cluster.bots.shipment import Shipment
from arbiter.cluster.connect import Cluster, open_local, open_running
from arbiter.cluster.coordinator import ClusterExecutor
from arbiter.cluster.machines import measure_machine
from arbiter.cluster.messages import RunSettings
from arbiter.cluster.roster import Roster
from arbiter.cluster.wire import Wire
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.programs import ProgramDigests

Report = Callable[[str], object]
"""Receives a sentence for the operator, before the first game and during the run."""


@contextmanager
def open_worker_executor(
    workers: int, jobs: int, settings: RunSettings, time: TimeSettings, report: Report, *, follow: bool
) -> Iterator[ClusterExecutor]:
    """Start worker processes on this machine, which play `jobs` games at a time together.  Raises ConfigError."""
    here = measure_machine(time)
    with open_local(workers, -(-jobs // workers)) as cluster:
        settings = replace(settings, run=cluster.run, is_local=True)
        admission = Admission(cluster, settings, time, report, here=here, slots=Slots(jobs, force=True))
        with _open(cluster, admission, follow=follow) as executor:
            yield executor


@contextmanager
def open_cluster_executor(
    address: str,
    settings: RunSettings,
    file: TournamentFile,
    digests: ProgramDigests,
    report: Report,
    *,
    slots: Slots | None,
    follow: bool,
) -> Iterator[ClusterExecutor]:
    """Connect to a running cluster, and send it the bots of a tournament, unless their folder is shared.

    `slots` is the number of games at a time on each machine.  Default: as many as the cores of the machine allow.
    Raises ConfigError.
    """
    with open_running(address) as cluster:
        if warning := cluster.find_warning():
            report(warning)
        settings = replace(settings, run=cluster.run, mix_sandboxes=file.cluster.mix_sandboxes)
        trust_all = settings.isolation == "process"
        shipment = Shipment(
            cluster, settings.programs, digests, file.time, shared=file.cluster.shared, trust_all=trust_all
        )
        admission = Admission(cluster, settings, file.time, report, slots=slots, shipment=shipment)
        with _open(cluster, admission, follow=follow) as executor:
            yield executor


@contextmanager
def _open(cluster: Cluster, admission: Admission, *, follow: bool) -> Iterator[ClusterExecutor]:
    wire = Wire(cluster)
    roster = Roster(cluster, admission)
    try:
        roster.begin()
        yield ClusterExecutor(cluster, roster, wire, follow=follow)
    finally:
        roster.close()
