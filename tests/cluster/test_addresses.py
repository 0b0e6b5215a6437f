"""Addresses of schedulers: wrong ones are refused, and the operator is warned if other machines can reach one."""

import socket

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament
from cluster.dask_processes import DaskProcesses, read_results

from arbiter.cluster import addresses, connect, processes
from arbiter.cluster.addresses import is_protected

NO_ADDRESS = "is not the address of a scheduler, such as tls://10.0.0.1:8786"
WRONG = {
    "nowhere": NO_ADDRESS,
    "10.0.0.1": NO_ADDRESS,
    "tcp://10.0.0.1": NO_ADDRESS,
    "tcp://10.0.0.1:x": NO_ADDRESS,
    "tcp://10.0.0.1:99999": NO_ADDRESS,
    "tcp://[::1": NO_ADDRESS,
    "nonsense://10.0.0.1:8786": NO_ADDRESS,
    "wrong.json": NO_ADDRESS,
    "empty.json": "is not a scheduler file; `arbiter scheduler` writes it with --scheduler-file",
    "list.json": "is not a scheduler file; `arbiter scheduler` writes it with --scheduler-file",
    "folder.json": "cannot be read: Is a directory; `arbiter scheduler` writes it with --scheduler-file",
    "missing.json": "cannot be read: No such file or directory; `arbiter scheduler` writes it with --scheduler-file",
    "tls://10.0.0.1:8786": "needs certificates; add --tls FOLDER with those of the scheduler, which `arbiter certificates` wrote",
}


@pytest.mark.parametrize(("given", "fault"), WRONG.items())
def test_a_wrong_address_is_one_line(given, fault, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(processes, "_DEATH_S", -1)
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "wrong.json").write_text('{"address": "here"}')
    (tmp_path / "folder.json").mkdir()
    for option, words in {"--cluster": ("doctor", "--cluster", given), "arbiter worker": ("worker", given)}.items():
        assert call_refused(*words) == f"arbiter: {option} {given}: {fault}"


@pytest.fixture
def listener():
    """Listen on a port, and never answer."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


def test_a_program_that_is_no_scheduler_is_reported(listener, monkeypatch):
    monkeypatch.setattr(connect, "_CONNECT_S", 30)  # Dask may connect slowly, but both together have half a second
    monkeypatch.setattr(addresses, "_ANSWER_S", 0.5 - 30)
    assert call_refused("doctor", "--cluster", listener) == (
        f"arbiter: --cluster {listener}: the program at this address does not answer as a scheduler; use the address that "
        "`arbiter scheduler` prints"
    )


@pytest.mark.heavy
def test_a_worker_waits_for_its_scheduler_and_reports_that_once(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "_DEATH_S", 1)
    monkeypatch.setattr(processes, "_POLL_S", 0.3)
    result = call("worker", tmp_path / "missing.json")
    fault = f"arbiter: arbiter worker {tmp_path}/missing.json: {WRONG['missing.json']}"
    assert (result.exit_code, result.stdout, result.stderr.splitlines()) == (
        2,
        "",
        [f"{fault}; waiting for a minute", fault],
    )


ADDRESSES = {
    "tcp://127.0.0.1:8786": True,
    "tcp://127.0.1.1:8786": True,
    "tcp://[::1]:8786": True,
    "tcp://localhost:8786": True,
    "tls://10.0.0.1:8786": True,
    "wss://10.0.0.1:8786": True,
    "tcp://10.0.0.1:8786": False,
    "tcp://[2001:db8::1]:8786": False,
    "tcp://[fe80::127:1]:8786": False,
    "tcp://127.example.org:8786": False,
    "tcp://0.0.0.0:8786": False,
    "tcp://[::]:8786": False,
    "tcp://:8786": False,
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


needs_network = pytest.mark.skipif(find_address() is None, reason="allowed: no other machine can reach this one")


@needs_network
def test_a_scheduler_that_listens_on_all_networks_is_refused_although_it_is_reached_by_loopback(tmp_path):
    with DaskProcesses(tmp_path, "--host", "0.0.0.0", "--insecure") as cluster:
        cluster.wait_until_logged("Scheduler at")
        _host, port = cluster.address
        address = f"tcp://127.0.0.1:{port}"
        for option, words in {"--cluster": ["doctor", "--cluster"], "arbiter worker": ["worker"]}.items():
            assert call_refused(*words, address) == (
                f"arbiter: {option} {address}: without TLS, anyone who reaches tcp://{find_address()}:{port} controls the "
                "cluster; make certificates with `arbiter certificates tls` and add --tls tls, or add --insecure if you "
                "trust the whole network"
            )


@needs_network
@pytest.mark.slow
def test_a_cluster_without_encryption_plays_if_the_operator_allows_it(tmp_path):
    file = write_tournament(tmp_path)
    with DaskProcesses(tmp_path, "--host", find_address(), "--insecure") as cluster:
        cluster.start_arbiter_worker("--insecure")
        cluster.wait_for_workers()
        call_ok("run", file, "--cluster", cluster.file, "--insecure")
    assert len(read_results(file)[0]) == 2
