"""Addresses of schedulers: what an operator wrote, tested before Dask uses it, also to run workers for it."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

import dask
from distributed.cli.dask_worker import main
from distributed.comm.addressing import get_address_host_port
from distributed.comm.core import connect
from distributed.security import Security

from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError
from arbiter.tournament.machine import choose_jobs

_ANSWER_S: Final = 5
_MOST_PORT: Final = 65_535

Role = Literal["client", "worker"]
"""The certificates that an encrypted connection needs, as in the settings of Dask."""


class NoScheduler(ConfigError):
    """There is no scheduler, but it may be started later."""


def find_address(given: str, option: str) -> str:
    """Return the address of a scheduler, which is given by its address or by a scheduler file.

    `option` names where it was given.  Raises NoScheduler if there is no such file, and ConfigError if it is no
    address.
    """
    address, fault = given, ""
    if "://" not in given and Path(given).suffix == ".json":  # as `dask scheduler --scheduler-file` writes it
        try:
            address = str(json.loads(Path(given).read_text("utf-8"))["address"])
        except FileNotFoundError:
            fault = "there is no such file"
        except OSError as error:
            fault = f"cannot be read: {error.strerror}"
        except (ValueError, KeyError, TypeError, RecursionError):
            fault = "is not a scheduler file"  # or is being written
    if fault:
        raise NoScheduler(f"{option} {given}: {fault}; `dask scheduler` writes it with --scheduler-file")
    try:
        _host, port = get_address_host_port(address)
    except ValueError:
        port = 0
    if not 0 < port <= _MOST_PORT:
        raise ConfigError(f"{option} {given}: is not the address of a scheduler, such as tcp://10.0.0.1:8786")
    return address


def check_answer(address: str, given: str, option: str, role: Role, timeout_s: float) -> None:
    """Check that a scheduler answers at an address within some seconds.  Raises NoScheduler, and ConfigError."""
    certificates = Security().get_connection_args(role)
    if address.startswith("tls://") and certificates["ssl_context"] is None:
        raise ConfigError(
            f"{option} {given}: needs certificates; make some with `arbiter certificates`, and set DASK_CONFIG to the "
            f"folder `{role}`"
        )

    async def answer() -> None:
        # A program that is no scheduler may never answer, and Dask would wait for it forever.
        async with asyncio.timeout(timeout_s + _ANSWER_S):
            comm = await connect(address, timeout=timeout_s, **certificates)
        await comm.close()

    try:
        asyncio.run(answer())
    except TimeoutError:
        fault = "the program at this address does not answer as a scheduler"
        raise NoScheduler(f"{option} {given}: {fault}; use the address that `dask scheduler` prints") from None
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise explain_failure(given, option, error) from None


def explain_failure(given: str, option: str, error: BaseException) -> ConfigError:
    """Return an error that explains in a sentence why there is no connection to a scheduler."""
    causes = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    reason = getattr(causes[-1], "strerror", None) or str(causes[-1]) or str(error) or type(error).__name__
    reason = reason.splitlines()[0]
    if any(word in str(causes).lower() for word in ("tls", "ssl", "certificate", "encryption")):
        return ConfigError(
            f"{option} {given}: there is no encrypted connection: {reason}; use the certificates that were made with "
            "those of the scheduler, and set DASK_CONFIG to their folder"
        )
    return NoScheduler(f"{option} {given}: there is no scheduler: {reason}; start one with `dask scheduler`")


def is_protected(address: str) -> bool:
    """Return True if the connections to an address are encrypted, or do not leave this machine."""
    scheme, _, place = address.partition("://")
    host = place.rpartition(":")[0].strip("[]")
    return scheme in {"tls", "wss", "inproc"} or host.startswith("127.") or host in {"::1", "localhost"}


# --- worker processes on this machine for a cluster that is running -------------------------------


_COMMAND: Final = "arbiter worker"
_GAMES: Final = 8  # that one process plays at a time: more would slow its event loop
_DEATH_S: Final = 60
_POLL_S: Final = 1


def run_worker(given: str, options: Sequence[str], report: Callable[[str], object]) -> None:
    """Run worker processes until a signal ends them, or the scheduler ends.  They wait for it for up to a minute.

    `options` are options of `dask worker`, which replace the ones used here.  `report` receives a sentence for the
    operator.  Raises ConfigError.
    """
    limit = time.monotonic() + _DEATH_S
    has_certificates = any(option.startswith("--tls-") for option in options)
    has_reported = False
    while True:
        try:
            address = find_address(given, _COMMAND)
            if not has_certificates:  # with those of the options, only Dask can connect
                check_answer(address, given, _COMMAND, "worker", _POLL_S)
            break
        except NoScheduler as error:
            if time.monotonic() > limit:
                raise
            if not has_reported:
                has_reported = True
                report(f"{error}; waiting for a minute")
            time.sleep(_POLL_S)
    slots = choose_jobs(None, TimeSettings()).number
    processes = -(-slots // _GAMES)
    usual = {
        "--nworkers": str(processes),
        "--nthreads": str(-(-slots // processes)),
        "--memory-limit": "0",
        "--death-timeout": str(_DEATH_S),
    }
    used = {option.partition("=")[0] for option in options}
    settings = [word for option, value in usual.items() if option not in used for word in (option, value)]
    words = [address, *settings, "--no-dashboard", *options]
    with dask.config.set({"distributed.worker.profile.enabled": False}):
        try:
            main.main(words, prog_name=_COMMAND, standalone_mode=False)
        except (OSError, RuntimeError) as error:
            raise explain_failure(given, _COMMAND, error) from None
