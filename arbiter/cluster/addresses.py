"""Addresses of schedulers: what an operator wrote, tested before Dask uses it."""

import asyncio
import json
from pathlib import Path
from typing import Final, Literal

from distributed.comm.addressing import get_address_host_port
from distributed.comm.core import connect
from distributed.security import Security

from arbiter.errors import ConfigError

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
    is_file = "://" not in given and Path(given).suffix == ".json"  # as `dask scheduler --scheduler-file` writes it
    address = _read_file(given, option) if is_file else given
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


def _read_file(name: str, option: str) -> str:
    """Read the address in a scheduler file.  Raises NoScheduler."""
    try:
        return str(json.loads(Path(name).read_text("utf-8"))["address"])
    except FileNotFoundError:
        fault = "there is no such file"
    except OSError as error:
        fault = f"cannot be read: {error.strerror}"
    except (ValueError, KeyError, TypeError, RecursionError):
        fault = "is not a scheduler file"  # or is being written
    raise NoScheduler(f"{option} {name}: {fault}; `dask scheduler` writes it with --scheduler-file")
