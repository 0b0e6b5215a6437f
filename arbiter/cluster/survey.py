"""A survey of the workers of a cluster: their machines, and why some of them cannot play."""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from arbiter import __version__
from arbiter.clock import TimeSettings
from arbiter.cluster.connect import Cluster
from arbiter.cluster.machines import Machine, measure_machine, merge_measurements


class Survey(Struct, frozen=True):
    """Workers of a cluster."""

    machines: dict[str, Machine]
    """Machine of each worker that can play, by its address; workers of one machine have the same."""
    faults: dict[str, str]
    """Reasons why the other workers cannot play."""
    versions: dict[str, str]
    """Version of the arbiter of each worker that has one."""


def survey_workers(
    cluster: Cluster, workers: Sequence[str], time: TimeSettings | None = None, *, list_interpreters: bool = False
) -> Survey:
    """Measure the machines of workers, all at the same time, because the cores of a busy machine are slower.

    Raises ConfigError if the connection is lost.
    """
    versions = dict(cluster.find_versions(workers))
    faults = {}
    for address in workers:
        if address not in versions:
            faults[address] = f"it has no arbiter; install stratego-arbiter {__version__} there"
        elif versions[address] != __version__:
            faults[address] = (
                f"it has arbiter {versions[address]}, this machine has {__version__}; install the same version"
            )
    able = [address for address in workers if address not in faults]
    measured = cluster.ask(partial(measure_machine, time, list_interpreters=list_interpreters), workers=able)
    faults |= dict.fromkeys(set(able) - measured.keys(), "it could not be measured")
    merged = {machine.id: machine for machine in merge_measurements(measured.values())}
    return Survey({address: merged[machine.id] for address, machine in measured.items()}, faults, versions)
