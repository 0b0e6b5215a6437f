"""Addresses of schedulers: the operator is warned if other machines can reach one without encryption."""

import socket

import pytest
from cli.command_line import call, write_tournament
from cluster.dask_processes import DaskProcesses

from arbiter.cluster.addresses import is_protected

ADDRESSES = {
    "tcp://127.0.0.1:8786": True,
    "tcp://127.0.1.1:8786": True,
    "tcp://[::1]:8786": True,
    "tcp://localhost:8786": True,
    "tls://10.0.0.1:8786": True,
    "wss://10.0.0.1:8786": True,
    "inproc://10.0.0.1/7/1": True,
    "tcp://10.0.0.1:8786": False,
    "tcp://[2001:db8::1]:8786": False,
    "tcp://[fe80::127:1]:8786": False,
    "tcp://scheduler.example.org:8786": False,
    "ws://10.0.0.1:8786": False,
}


@pytest.mark.parametrize(("address", "protected"), ADDRESSES.items())
def test_addresses_that_other_machines_cannot_reach_or_only_with_encryption_are_protected(address, protected):
    assert is_protected(address) == protected


def find_address():
    """Return an address of this machine that others may reach; None if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            return None
        host = probe.getsockname()[0]
    return None if host.startswith("127.") else host


@pytest.mark.slow
@pytest.mark.skipif(find_address() is None, reason="allowed: no other machine can reach this one")
def test_a_scheduler_that_listens_on_all_networks_is_reported_although_it_is_reached_by_loopback(tmp_path):
    file = write_tournament(tmp_path)
    with DaskProcesses(tmp_path, host="0.0.0.0") as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        _host, port = cluster.address
        address = f"tcp://127.0.0.1:{port}"
        result = call("run", file, "--cluster", address)
    assert result.exit_code == 0
    assert result.stderr == (
        f"arbiter: {address}: anyone who reaches the scheduler at tcp://{find_address()}:{port} controls the workers, "
        "because its connections are not encrypted; use TLS (`arbiter certificates`), or start it with --host 127.0.0.1 "
        "if all workers are on its machine\n"
    )
