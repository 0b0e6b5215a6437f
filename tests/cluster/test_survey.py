"""The workers of a cluster, as `arbiter doctor --cluster` shows them."""

import socket

from cli.command_line import call_refused

from arbiter.cluster import connect


def test_a_scheduler_that_does_not_exist_is_one_line(monkeypatch):
    monkeypatch.setattr(connect, "_CONNECT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    faults = ("Connection refused", f"Timed out trying to connect to {address} after 0.5 s")  # the latter if it is slow
    lines = [
        f"arbiter: --cluster {address}: there is no scheduler: {fault}; start one with `arbiter scheduler`"
        for fault in faults
    ]
    assert call_refused("doctor", "--cluster", address) in lines


def test_logs_are_those_of_a_cluster():
    assert call_refused("doctor", "--logs", "attic") == (
        "arbiter: --logs: is for the workers of a cluster; add --cluster ADDRESS"
    )
