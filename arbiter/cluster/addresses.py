"""Addresses of schedulers: what an operator wrote, tested before anything connects to it."""

import json
import time
from pathlib import Path
from typing import Final, Literal

from distributed.comm.addressing import get_address_host_port
from distributed.security import Security

from arbiter.errors import ConfigError

_POLL_S: Final = 0.2


def find_address(given: str, option: str, role: Literal["client", "worker"] | None, wait_s: float = 0) -> str:
    """Return the address of a scheduler, which is given by its address or by a scheduler file.

    `option` names where it was given.  For a `role`, an encrypted connection needs certificates in the settings of
    Dask.  A file that does not exist yet is waited for.  Raises ConfigError.
    """
    address = _read_file(given, option, wait_s) if is_scheduler_file(given) else given
    try:
        get_address_host_port(address)
    except ValueError:
        raise ConfigError(f"{option} {given}: is not the address of a scheduler, such as tcp://10.0.0.1:8786") from None
    is_encrypted = address.startswith("tls://")
    if is_encrypted and role is not None and Security().get_connection_args(role)["ssl_context"] is None:
        raise ConfigError(
            f"{option} {given}: needs certificates; make some with `arbiter certificates`, and set DASK_CONFIG to the "
            f"folder `{role}`"
        )
    return address


def is_scheduler_file(given: str) -> bool:
    """Return True for the name of a file that `dask scheduler --scheduler-file` writes, False for an address."""
    return "://" not in given and Path(given).suffix == ".json"


def is_protected(address: str) -> bool:
    """Return True if the connections to an address are encrypted, or do not leave this machine."""
    scheme, _, place = address.partition("://")
    host = place.rpartition(":")[0].strip("[]")
    return scheme in {"tls", "wss", "inproc"} or host.startswith("127.") or host in {"::1", "localhost"}


def _read_file(name: str, option: str, wait_s: float) -> str:
    """Read the address in a scheduler file.  Raises ConfigError."""
    limit = time.monotonic() + wait_s
    while True:
        try:
            address = json.loads(Path(name).read_text("utf-8"))["address"]
        except FileNotFoundError:
            fault = "there is no such file"
        except OSError as error:
            fault = f"cannot be read: {error.strerror}"
        except (ValueError, KeyError, TypeError, RecursionError):
            fault = "is not a scheduler file"  # or is being written
        else:
            return str(address)
        if time.monotonic() >= limit:
            raise ConfigError(f"{option} {name}: {fault}; `dask scheduler` writes it with --scheduler-file")
        time.sleep(_POLL_S)
