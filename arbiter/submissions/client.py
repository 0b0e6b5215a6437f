"""The client that hands in programs: each request is a connection of its own, and no redirect is followed."""

import http.client
import ssl
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from arbiter.errors import ConfigError

_TIMEOUT_S: Final = 60.0
_MOST_ANSWER: Final = 64 << 20  # bytes


def is_loopback(host: str) -> bool:
    """Return True for an address or name of this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Server:
    """The server of a tournament to which programs are handed in."""

    def __init__(self, address: str, token: str) -> None:
        """Use the address of its pages.  Raises ConfigError."""
        found = urlsplit(address)
        if found.fragment or found.username or found.query:
            raise ConfigError("ADDRESS: contains more than the address; the token does not belong into it")
        try:
            host, port = found.hostname or "", found.port
        except ValueError:
            host, port = "", None
        if found.scheme not in ("http", "https") or not host:
            raise ConfigError(f"ADDRESS: {address!r} is no address such as https://club.example/")
        if found.scheme == "http" and not is_loopback(host):
            raise ConfigError(f"ADDRESS: everybody on the way to {host} could read the token; use https://")
        if not token.isascii() or not token.isprintable():
            raise ConfigError("the token has characters that no token has; copy it again")
        self._is_encrypted = found.scheme == "https"
        self._host, self._port = host, port
        self._path = f"{found.path.rstrip('/')}/uploads"
        self._token = token

    def ask(self, path: str = "", body: bytes | None = None, headers: Mapping[str, str] = {}) -> dict[str, Any]:
        """Send a request, a POST if there is a body, and return the answer.  Raises ConfigError if it is refused."""
        where = (self._host, self._port)
        try:
            if self._is_encrypted:
                connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                    *where, timeout=_TIMEOUT_S, context=ssl.create_default_context()
                )
            else:
                connection = http.client.HTTPConnection(*where, timeout=_TIMEOUT_S)
            try:
                sent = {"Authorization": f"Bearer {self._token}", **headers}
                connection.request("GET" if body is None else "POST", self._path + path, body, sent)
                answer = connection.getresponse()
                status, data = answer.status, answer.read(_MOST_ANSWER)
            finally:
                connection.close()
        except (OSError, http.client.HTTPException) as error:
            raise ConfigError(f"{self._host}: {error or 'the connection was closed'}; try again later") from None
        try:
            found = msgspec.json.decode(data, type=dict[str, Any])
        except msgspec.MsgspecError:
            why = "programs are not handed in there; ask the organiser for the address"
            raise ConfigError(f"{self._host}: answers with status {status}: {why}") from None
        if status >= http.client.BAD_REQUEST:
            raise ConfigError(f"{self._host}: {found.get('error', status)}")
        return found
