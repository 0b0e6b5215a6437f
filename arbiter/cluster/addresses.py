"""Addresses of schedulers: what an operator wrote, tested before Dask uses it, and protected by encryption."""

import asyncio
import ipaddress
import json
import socket
import ssl
from pathlib import Path
from typing import Any, Final, Literal, get_args

from distributed.comm.addressing import get_address_host, get_address_host_port
from distributed.comm.core import connect
from distributed.core import send_recv
from distributed.security import Security
from msgspec import Struct

from arbiter.errors import ConfigError

LOOPBACK: Final = "127.0.0.1"
WILDCARDS: Final = ("0.0.0.0", "::")  # noqa: S104 - hosts of programs that listen on all networks
FILES: Final = ("authority.pem", "certificate.pem", "key.pem")
"""The files of a role in a folder of `arbiter certificates`."""
_ANSWER_S: Final = 5
_MOST_PORT: Final = 65_535
ENCRYPTED: Final = ("tls", "wss")
"""Schemes of addresses."""
_CAUSES: Final = (OSError, ValueError, TypeError, RuntimeError)

Role = Literal["scheduler", "worker", "client"]
"""The certificates that an encrypted connection needs, as in the settings of Dask; `arbiter run` is a client."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)


class NoScheduler(ConfigError):
    """There is no scheduler, but it may be started later."""


class Access(Struct, frozen=True, kw_only=True):
    """The way of a program to a cluster."""

    role: Role
    option: str
    """The option or the command that names the scheduler, for messages."""
    given: str
    """Address of the scheduler, or its scheduler file, as the operator wrote it."""
    tls: Path | None = None
    """Folder of certificates; None for those in the settings of Dask, if any."""
    insecure: bool = False
    """Allow connections that leave this machine without encryption."""

    def settings(self) -> dict[str, Any]:
        """Return the settings of Dask that use the certificates.  Raises ConfigError."""
        if self.tls is None:
            return {}
        folder = self.tls / self.role if (self.tls / self.role).is_dir() else self.tls
        files = [(folder / name).absolute() for name in FILES]
        if missing := [file.name for file in files if not file.is_file()]:
            raise ConfigError(
                f"--tls {self.tls}: there is no {missing[0]} in {folder}; name a folder of `arbiter certificates`, or "
                f"a copy of its folder `{self.role}`"
            )
        authority, certificate, key = map(str, files)
        place = "distributed.comm"
        return {
            f"{place}.require-encryption": True,
            f"{place}.tls.ca-file": authority,
            f"{place}.tls.{self.role}.cert": certificate,
            f"{place}.tls.{self.role}.key": key,
        }

    def has_certificates(self) -> bool:
        """Return True if the settings of Dask contain the certificates of the role.  Raises ConfigError."""
        try:
            return Security().get_connection_args(self.role)["ssl_context"] is not None
        except _CAUSES as error:
            raise ConfigError(f"{self.option}: the certificates cannot be used: {error}") from None

    def check(self, address: str) -> None:
        """Check that an address of the cluster is encrypted or only reached from this machine.  Raises ConfigError."""
        scheme, _, place = address.partition("://")
        if scheme in ENCRYPTED:
            return
        if self.has_certificates():
            raise ConfigError(f"{self.option} {self.given}: {address} is not encrypted; use tls://{place}")
        if not (self.insecure or is_protected(address)):
            raise ConfigError(
                f"{self.option} {self.given}: without TLS, anyone who reaches {address} controls the cluster; make "
                "certificates with `arbiter certificates tls` and add --tls tls, or add --insecure if you trust the "
                "whole network"
            )

    def find_address(self) -> str:
        """Return the address of the scheduler, with its scheme.

        Raises NoScheduler if there is no such scheduler file, and ConfigError if it is not an address.
        """
        address = self.given
        if "://" not in self.given and Path(self.given).suffix == ".json":  # written with --scheduler-file
            try:
                address = str(json.loads(Path(self.given).read_text("utf-8"))["address"])
            except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:  # or it is being written
                fault = f"cannot be read: {error.strerror}" if isinstance(error, OSError) else "is not a scheduler file"
                raise NoScheduler(
                    f"{self.option} {self.given}: {fault}; `arbiter scheduler` writes it with --scheduler-file"
                ) from None
        if "://" not in address:
            address = f"{'tls' if self.has_certificates() else 'tcp'}://{address}"
        try:
            _host, port = get_address_host_port(address)
        except ValueError:
            port = 0
        if not 0 < port <= _MOST_PORT:
            raise ConfigError(
                f"{self.option} {self.given}: is not the address of a scheduler, such as tls://10.0.0.1:8786"
            )
        return address

    async def reach(self, timeout_s: float) -> tuple[str, str]:
        """Return the address of the scheduler, once it answers, and the own host in its network.

        To be called with the settings of the certificates.  Raises NoScheduler if it does not answer within some
        seconds, and ConfigError if other machines can reach it without encryption.
        """
        address = self.find_address()
        self.check(address)
        if address.startswith("tls://") and not self.has_certificates():
            raise ConfigError(
                f"{self.option} {self.given}: needs certificates; add --tls FOLDER with those of the scheduler, which "
                "`arbiter certificates` wrote"
            )
        found: dict[str, Any] = {}
        try:
            # A program that is not a scheduler may never answer, and Dask would wait for it forever.
            async with asyncio.timeout(timeout_s + _ANSWER_S):
                comm = await connect(address, timeout=timeout_s, **Security().get_connection_args(self.role))
                try:
                    found = dict(await send_recv(comm, op="identity"))
                    own = get_address_host(comm.local_address)
                finally:
                    await comm.close()
        except TimeoutError:
            pass
        except _CAUSES as error:
            raise self.explain(error) from None
        if found.get("type") != "Scheduler":
            raise NoScheduler(
                f"{self.option} {self.given}: the program at this address does not answer as a scheduler; use the "
                "address that `arbiter scheduler` prints"
            )
        # Its own address: a scheduler that listens on all networks is also reached by 127.0.0.1.
        self.check(str(found.get("address")))
        return address, own

    def explain(self, error: BaseException) -> ConfigError:
        """Return an error that explains in a sentence why there is no connection to the scheduler."""
        cause = _find_cause(error)
        reason = find_reason(error)
        if isinstance(cause, ssl.SSLError) or reason.lower().startswith(("tls ", "encryption ")):
            return ConfigError(
                f"{self.option} {self.given}: there is no encrypted connection: {reason}; add --tls FOLDER with the "
                "certificates that were made with those of the scheduler, and use its tls:// address"
            )
        return NoScheduler(
            f"{self.option} {self.given}: there is no scheduler: {reason}; start one with `arbiter scheduler`"
        )


def find_reason(error: BaseException) -> str:
    """Return the first line of the first cause of an error."""
    cause = _find_cause(error)
    return (getattr(cause, "strerror", None) or str(cause) or type(cause).__name__).splitlines()[0]


def _find_cause(error: BaseException) -> BaseException:
    """Return the first cause that has a text."""
    causes = [error]
    while causes[-1].__cause__ is not None:
        causes.append(causes[-1].__cause__)
    return next((cause for cause in reversed(causes) if str(cause)), error)


def is_protected(address: str) -> bool:
    """Return True if the connections to an address are encrypted, or do not leave this machine."""
    return address.partition("://")[0] in ENCRYPTED or is_loopback(get_address_host(address))


def is_loopback(host: str) -> bool:
    """Return True if a host, a name or an address, is only reached from this machine."""
    try:
        found = {ipaddress.ip_address(str(info[4][0])) for info in socket.getaddrinfo(host, None)} if host else set()
    except (OSError, ValueError):
        found = set()
    return bool(found) and all(address.is_loopback for address in found)
