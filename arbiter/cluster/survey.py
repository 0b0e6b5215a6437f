"""Survey: the machines of a running cluster, what each of them lacks, its open ports, and the logs of its workers."""

import asyncio
import os
import socket
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import msgspec
import psutil
from distributed import Client
from distributed.comm.addressing import get_address_host_port, unparse_host_port
from msgspec.structs import asdict

from arbiter import __version__
from arbiter.cluster.addresses import ENCRYPTED, WILDCARDS, Access, is_loopback, is_protected
from arbiter.cluster.connect import open_running
from arbiter.cluster.worker import NAME, ask_interpreters
from arbiter.errors import check_known
from arbiter.tournament.execution.machines import Machine, find_missing

_ANSWER_S: Final = 10


def examine_cluster(access: Access) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """List the machines of a running cluster, and the workers that cannot play, each with what is missing there.

    The second list contains the open ports.  Raises ConfigError.
    """
    with open_running(access) as cluster:

        async def ask() -> tuple[dict[str, Any], dict[str, dict[str, str]], list[dict[str, Any]]]:
            found = await cluster.describe()
            able = [worker for worker, one in found["workers"].items() if NAME in one]
            interpreters = await cluster.client.run(ask_interpreters, workers=able, on_error="ignore")
            return found, interpreters, await _list_ports(cluster.client, found)

        scheduler, interpreters, ports = cluster.loop.call(ask())
    facts = {worker: one.get(NAME) for worker, one in scheduler["workers"].items() if one["status"] == "running"}
    able = {worker: msgspec.convert(one, Machine) for worker, one in facts.items() if one is not None}
    workers = Counter(machine.id for machine in able.values())
    machines: list[dict[str, Any]] = [
        {
            **asdict(machine),
            "interpreters": interpreters.get(worker, {}),
            "workers": workers[machine.id],
            "missing": list(find_missing(machine)),
        }
        for worker, machine in {machine.id: (worker, machine) for worker, machine in able.items()}.values()
    ]
    for worker in facts.keys() - able.keys():
        fault = f"it was not started for games; install stratego-arbiter {__version__} and start `arbiter worker` there"
        machines.append({"host": None, "worker": worker, "workers": 1, "missing": [fault]})
    return machines, ports


def read_logs(access: Access, worker: str) -> list[tuple[str, str, str]]:
    """Return the last lines of the logs of workers of a running cluster: the address, the level and the text.

    `worker` is the address or the name of a worker, or the host of several.  Raises ConfigError.
    """
    with open_running(access) as cluster:

        async def ask() -> dict[str, list[tuple[str, str]]]:
            found = (await cluster.describe())["workers"].items()
            names = {
                address: {address, str(one["name"]), one["host"], (one.get(NAME) or one)["host"]}
                for address, one in found
            }
            check_known("worker", worker, {each: None for every in names.values() for each in sorted(every)})
            chosen = [address for address, every in names.items() if worker in every]
            return dict(await cluster.client.get_worker_logs(workers=chosen))

        logs = cluster.loop.call(ask())
    return [(address, level, line) for address, lines in logs.items() for level, line in reversed(lines)]


# --- open ports -----------------------------------------------------------------------------------


async def find_listening() -> tuple[str, list[tuple[str, int]]]:
    """Return the name of this machine, and the host and the port of each TCP socket on which this process listens."""

    def find() -> list[tuple[str, int]]:  # in a thread, because it reads the sockets of all processes
        sockets = psutil.net_connections("tcp")
        return sorted({tuple(one.laddr) for one in sockets if one.pid == pid and one.status == psutil.CONN_LISTEN})

    pid = os.getpid()
    return socket.gethostname(), await asyncio.to_thread(find)


async def _list_ports(client: Client, scheduler: Mapping[str, Any]) -> list[dict[str, Any]]:
    """List the open ports of the scheduler, the workers and their nannies, and who reaches each.

    `scheduler` is what it reports about itself and its workers.  If a process does not answer within some seconds, or
    has no arbiter, only the address that Dask knows is listed.
    """
    asked = {("scheduler", scheduler["address"]): client.run_on_scheduler(find_listening)}
    for address, worker in scheduler["workers"].items():
        ask = partial(client.run, find_listening, workers=[address])
        asked["worker", address] = ask()
        if worker["nanny"]:
            asked["nanny", worker["nanny"]] = ask(nanny=True)
    waiting = (asyncio.wait_for(answer, _ANSWER_S) for answer in asked.values())
    found = []
    for (process, address), answer in zip(asked, await asyncio.gather(*waiting, return_exceptions=True), strict=True):
        known = get_address_host_port(address)
        machine = None
        sockets = [known]
        if not isinstance(answer, BaseException):
            machine, sockets = answer if process == "scheduler" else next(iter(answer.values()))
        for host, port in sockets:
            scheme = address.partition("://")[0] if port == known[1] else "tcp"
            place = unparse_host_port(host, port)
            if machine is None:
                open_to = "unknown: it does not answer, or has no arbiter"
            elif is_loopback(host):
                open_to = "its own machine"
            else:
                open_to = "all networks" if host in WILDCARDS else f"machines that reach {host}"
            found.append(
                {
                    "host": machine,
                    "process": process,
                    "port": place,
                    "open_to": open_to,
                    "encrypted": scheme in ENCRYPTED,
                    "missing": "" if is_protected(f"{scheme}://{place}") else "TLS, or another --host",
                }
            )
    return found
