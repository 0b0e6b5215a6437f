"""The workers of a cluster, as `arbiter doctor --cluster` shows them."""

import socket

from cli.command_line import call_refused
from cluster.test_machines import DESK
from msgspec.structs import replace

from arbiter import __version__
from arbiter.cluster import connect
from arbiter.cluster.machines import survey_workers


class FakeCluster:
    """A cluster whose workers answer with given versions and machines."""

    def __init__(self, versions, machines):
        self._versions = versions
        self._machines = machines
        self.asked = []

    def ask(self, _question, *package, workers):
        if package:
            assert package == ("stratego-arbiter",)
            return {address: self._versions[address] for address in workers if address in self._versions}
        self.asked += workers
        return {address: self._machines[address] for address in workers if address in self._machines}


def test_workers_of_other_versions_are_not_measured():
    versions = {"a": __version__, "b": __version__, "old": "0.0.9", "silent": __version__}
    cluster = FakeCluster(versions, {"a": DESK, "b": replace(DESK, speed=3.0)})
    survey = survey_workers(cluster, ["a", "b", "old", "bare", "silent"])
    assert cluster.asked == ["a", "b", "silent"]
    assert survey.machines == dict.fromkeys("ab", replace(DESK, speed=2.0))
    assert survey.faults == {
        "old": f"it has arbiter 0.0.9, this machine has {__version__}; install the same version",
        "bare": f"it has no arbiter; install stratego-arbiter {__version__} there",
        "silent": "it could not be measured",
    }


def test_a_scheduler_that_does_not_exist_is_one_line(monkeypatch):
    monkeypatch.setattr(connect, "_CONNECT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    faults = ("Connection refused", f"Timed out trying to connect to {address} after 0.5 s")  # the latter if it is slow
    lines = [
        f"arbiter: --cluster {address}: there is no scheduler: {fault}; start one with `dask scheduler`"
        for fault in faults
    ]
    assert call_refused("doctor", "--cluster", address) in lines
