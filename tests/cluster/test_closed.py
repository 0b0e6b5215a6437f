"""Clusters are closed: to other machines, other users and bots; only ports that were asked for are open."""

import json
import os
import subprocess
import sys

import psutil
import pytest
from cli.command_line import ARBITER, StartedArbiter, call, call_ok, call_refused, write_tournament
from cli.sleeping_bot import SAMPLE, tournament, wait_until_asleep, wake
from cluster.dask_processes import DaskProcesses

from arbiter.sandbox.select import NoSandbox, open_sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="allowed: needs /proc")

# Tries to run code in each process of a cluster, without certificates and with its own ones.
STRANGER = """
import asyncio, contextlib, io, os, sys
from distributed.core import rpc
from distributed.protocol.pickle import dumps
from distributed.security import Security

async def attack(address, security):
    async with rpc(address, timeout=5, connection_args=security.get_connection_args("client")) as server:
        run = {"function": dumps(os.getpid), "args": dumps(()), "kwargs": dumps({})}
        operation = server.run_function if (await server.identity())["type"] == "Scheduler" else server.run
        return (await operation(**run))["result"]

async def attack_all(kinds, ports):
    attacks = [attack(f"{scheme}://127.0.0.1:{port}", kinds[scheme]) for port in ports for scheme in kinds]
    for found in await asyncio.gather(*(asyncio.wait_for(one, 10) for one in attacks), return_exceptions=True):
        print("owned" if isinstance(found, int) else "refused", repr(found))

kinds = {"tcp": Security(), "tls": Security.temporary()}
if os.geteuid() == 0:  # import all that an attack needs: the other user may not be able to read the libraries
    with contextlib.redirect_stdout(io.StringIO()):
        asyncio.run(attack_all(kinds, sys.argv[1:]))
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
asyncio.run(attack_all(kinds, sys.argv[1:]))
"""


def find_listening(cluster):
    """Return the process id, the host and the port of each socket on which the processes of a cluster listen."""
    return find_listening_of(one.pid for one in (cluster.scheduler, *cluster.workers))


def find_listening_of(pids):
    """Return the sockets on which processes and their children listen."""
    started = [psutil.Process(pid) for pid in pids]
    ids = {one.pid for parent in started for one in (parent, *parent.children(recursive=True))}
    sockets = [one for one in psutil.net_connections("inet") if one.pid in ids and one.status == psutil.CONN_LISTEN]
    return sorted((one.pid, *one.laddr) for one in sockets)


@pytest.mark.heavy
def test_schedulers_workers_and_nannies_listen_at_one_port_of_the_loopback_each(machines):
    listening = find_listening(machines)
    assert len({pid for pid, *_ in listening}) == len(listening) == 4  # of a scheduler, two workers and a nanny
    assert {host for _, host, _ in listening} == {"127.0.0.1"}
    assert "dashboard at" not in (machines.folder / "dask.log").read_text()


def test_the_doctor_lists_all_open_ports(encrypted):
    words = ("doctor", "--cluster", encrypted.file, "--tls", encrypted.folder / "tls", "--json")
    printed = call(*words).stdout  # no sandbox is a fault
    listed = [one for one in map(json.loads, printed.splitlines()) if "port" in one]
    assert {one["port"] for one in listed} == {f"{host}:{port}" for _, host, port in find_listening(encrypted)}
    assert {one["process"] for one in listed} == {"scheduler", "worker", "nanny"}
    assert {(one["open_to"], one["encrypted"], one["missing"]) for one in listed} == {("its own machine", True, "")}


def attack(listening):
    """Attack processes that listen as another user of this machine; return what the attacker reports."""
    ports = [str(port) for *_, port in listening]
    words = [sys.executable, "-c", STRANGER, *ports]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/", env={"PATH": os.environ["PATH"]})
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


def test_another_user_of_the_machine_needs_a_certificate(encrypted):
    reports = attack(find_listening(encrypted))
    assert len([line for line in reports if line.startswith("refused") and "CommClosedError" in line]) == 6
    assert not [line for line in reports if line.startswith("owned")]


@pytest.mark.heavy
def test_the_attack_of_another_user_succeeds_without_certificates(machines):
    """Otherwise the test above would prove nothing."""
    owned = {int(line.split()[1]) for line in attack(find_listening(machines)) if line.startswith("owned")}
    assert owned == {pid for pid, *_ in find_listening(machines)}


@pytest.mark.slow
def test_another_user_of_the_machine_cannot_use_the_workers_of_a_run(folder):
    file = tournament(folder, games=2, sleeping=True)
    with StartedArbiter("run", file, "--workers", "2") as running:
        wait_until_asleep(folder)
        listening = find_listening_of([running.popen.pid])
        reports = attack(listening)
        wake(folder)
        running.finish()
    assert {host for _, host, _ in listening} == {"127.0.0.1"}
    assert len(listening) == 5  # the scheduler, two nannies and two workers
    assert [line.partition(" ")[0] for line in reports if line] == ["refused"] * 10


# Plays like player.py; if it has reached a port, it prints a line in its first game that is not a message, and forfeits.
SPY = """
import runpy, socket, sys
from pathlib import Path

def read(lines):
    for line in lines:
        if reached and '"start"' in line:
            print("reached", *reached, flush=True)
        yield line

reached = []
for port in sys.argv[1:]:
    try:
        socket.create_connection(("127.0.0.1", int(port)), 5).close()
    except OSError:
        continue
    reached.append(port)
sys.stdin = read(sys.stdin)
runpy.run_path(str(Path(__file__).with_name("player.py")), run_name="__main__")
"""


@pytest.mark.parametrize(("isolation", "endings"), [("full", False), ("process", True)])
def test_bots_reach_no_port_of_the_cluster_from_a_sandbox(machines, tmp_path, isolation, endings):
    """Without a sandbox they do, which proves that the test works."""
    if isolation == "full":
        try:
            open_sandbox()
        except NoSandbox as lack:
            pytest.skip(f"no sandbox: {lack}")
    ports = [str(port) for *_, port in find_listening(machines)]
    for name in ("spy", "honest"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "player.py").write_bytes(SAMPLE.read_bytes())
    (tmp_path / "spy" / "spy.py").write_text(SPY)
    spy = {"name": "spy", "command": ["./spy/spy.py", *ports]}
    honest = {"name": "honest", "command": ["./honest/player.py"]}
    file = write_tournament(tmp_path, bots=(spy, honest), games=2)
    call_ok("run", file, "--cluster", machines.file, "--sandbox", isolation)
    games = [json.loads(line) for line in call_ok("games", file, "--json").splitlines()]
    assert len(games) == 2
    assert {game["ending"] == "protocol" for game in games} == {endings}


def test_a_temporary_folder_of_another_user_is_not_used(tmp_path):
    """Programs of Dask import modules from their temporary folder, and anyone may have made the usual one before."""
    scratch = tmp_path / "dask-scratch-space"
    scratch.mkdir()
    scratch.chmod(0o777)
    (scratch / "jupyter_server_proxy.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w').close()")
    with DaskProcesses(tmp_path) as cluster:
        cluster.wait_until_logged("Scheduler at")
    assert not (tmp_path / "owned").exists()
    (tmp_path / f"arbiter-dask-{os.geteuid()}").chmod(0o777)
    words = [ARBITER, "scheduler", "--port", "0"]
    done = subprocess.run(
        words, env=os.environ | {"TMPDIR": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (
        2,
        f"arbiter: arbiter scheduler: {tmp_path}/arbiter-dask-{os.geteuid()} is not a folder that only this user can change; remove it\n",
    )


CURE = (
    "controls the cluster; make certificates with `arbiter certificates tls` and add --tls tls, or add --insecure if you "
    "trust the whole network"
)


@pytest.mark.parametrize(
    ("words", "named", "address"),
    [
        (["scheduler", "--host", "192.0.2.1"], "arbiter scheduler --host 192.0.2.1", "tcp://192.0.2.1:8786"),
        (["scheduler", "--host", "0.0.0.0"], "arbiter scheduler --host 0.0.0.0", "tcp://0.0.0.0:8786"),
        (["worker", "tcp://192.0.2.1:8786"], "arbiter worker tcp://192.0.2.1:8786", "tcp://192.0.2.1:8786"),
        (["worker", "192.0.2.1:8786"], "arbiter worker 192.0.2.1:8786", "tcp://192.0.2.1:8786"),
        (["doctor", "--cluster", "192.0.2.1:8786"], "--cluster 192.0.2.1:8786", "tcp://192.0.2.1:8786"),
        (["match", "random", "random", "--rules", "duel", "--cluster", "192.0.2.1:1"], "--cluster 192.0.2.1:1", "tcp://192.0.2.1:1"),
    ],
)  # fmt: skip
def test_connections_to_other_machines_need_certificates(words, named, address):
    assert call_refused(*words) == f"arbiter: {named}: without TLS, anyone who reaches {address} {CURE}"


def test_a_worker_that_listens_on_all_networks_needs_certificates(machines):
    address = "tcp://0.0.0.0:0"
    assert call_refused("worker", machines.file, "--host", "0.0.0.0") == (
        f"arbiter: arbiter worker {machines.file}: without TLS, anyone who reaches {address} {CURE}"
    )


REFUSED = {
    "--tls without a cluster": (
        ["match", "random", "random", "--rules", "duel", "--tls", "tls"],
        "arbiter: --tls tls: is for connections to a cluster; add --cluster ADDRESS, or leave it out",
    ),
    "--insecure without a cluster": (
        ["match", "random", "random", "--rules", "duel", "--insecure"],
        "arbiter: --insecure: is for connections to a cluster; add --cluster ADDRESS, or leave it out",
    ),
    "a misspelt option of Dask": (
        ["scheduler", "--dashbord"],
        "arbiter: arbiter scheduler: no such option '--dashbord'; see `arbiter scheduler --help` and `dask scheduler --help`",
    ),
    "a misspelt option of a worker": (
        ["worker", "127.0.0.1:1", "--nthread=2"],
        "arbiter: arbiter worker: no such option '--nthread'; see `arbiter worker --help` and `dask worker --help`",
    ),
    "no certificates": (
        ["scheduler", "--tls", "."],
        "arbiter: --tls .: there is no authority.pem in .; name a folder of `arbiter certificates`, or a copy of its folder `scheduler`",
    ),
}


@pytest.mark.parametrize(("words", "error"), REFUSED.values(), ids=REFUSED.keys())
def test_refusals(tmp_path, monkeypatch, words, error):
    monkeypatch.chdir(tmp_path)
    assert call_refused(*words) == error


def test_a_dashboard_is_only_open_if_it_is_asked_for(tmp_path):
    with DaskProcesses(tmp_path, "--dashboard", "--dashboard-address", "127.0.0.1:0") as cluster:
        cluster.wait_until_logged("Scheduler at")
        assert [host for _, host, _ in find_listening(cluster)] == ["127.0.0.1"] * 2
        cluster.wait_until_logged("dashboard at")
