"""The client that submits programs: each request is a connection of its own, and no redirect is followed."""

import http.client
import ssl
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.show.text import plain

_TIMEOUT_S: Final = 60.0
_MOST_ANSWER: Final = 64 << 20  # bytes
_LONGEST: Final = 1000  # letters of a reason

Answer = TypeVar("Answer")


class Limits(Struct, frozen=True):
    """Limits of the programs of an author."""

    max_mb: int


class Checked(Struct, frozen=True, kw_only=True):
    """A submitted program, as the server describes it."""

    number: int
    bot: str
    state: str
    is_over: bool
    why: str = ""
    before: int = 0
    """Number of programs that are examined before it."""
    steps: list[dict[str, Any]] = []


class Listed(Struct, frozen=True, kw_only=True):
    """A program in the list of its author."""

    number: int
    state: str
    created: str
    why: str = ""
    plays: bool = False
    crashed_in: list[str] = []
    """The crashes for which it is in quarantine."""


class Own(Struct, frozen=True, kw_only=True):
    """The programs of an author, the last one first."""

    programs: list[Listed]


class Promoted(Struct, frozen=True, kw_only=True):
    """A version that plays instead of another one."""

    plays: str
    instead_of: str = ""


class _Refusal(Struct, frozen=True):
    error: str


def is_loopback(host: str) -> bool:
    """Return True for an address or name of this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class SubmissionServer:
    """The server of a tournament to which programs are submitted."""

    def __init__(self, address: str, token: str) -> None:
        """Use the address of its pages.  Raises ConfigError."""
        found = urlsplit(address)
        if found.fragment or found.username or found.query:
            raise ConfigError("ADDRESS: contains more than the address; the token does not belong into it")
        host = found.hostname or ""
        try:
            self._port = found.port
        except ValueError:
            host = ""
        if found.scheme not in ("http", "https") or not host:
            raise ConfigError(f"ADDRESS: {address!r} is no address such as https://club.example/")
        if found.scheme == "http" and not is_loopback(host):
            raise ConfigError(f"ADDRESS: everybody on the way to {host} could read the token; use https://")
        if not token.isascii() or not token.isprintable():
            raise ConfigError("the token has characters that no token has; copy it again")
        self._is_encrypted = found.scheme == "https"
        self._host = host
        self._path = f"{found.path.rstrip('/')}/submissions"
        self._token = token

    def ask(
        self, kind: type[Answer], path: str = "", body: bytes | None = None, headers: Mapping[str, str] = {}
    ) -> Answer:
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
                with connection.getresponse() as answer:
                    status = answer.status
                    data = answer.read(_MOST_ANSWER)
            finally:
                connection.close()
        except ssl.SSLCertVerificationError as error:
            raise ConfigError(
                f"{self._host}: the certificate of the server is not valid: {error.verify_message}; if the organiser "
                "gave you a certificate, set the variable SSL_CERT_FILE to its path"
            ) from None
        except (OSError, http.client.HTTPException) as error:
            raise ConfigError(f"{self._host}: {error or 'the connection was closed'}; try again later") from None
        is_refused = status >= http.client.BAD_REQUEST
        try:
            if is_refused:
                refusal = msgspec.json.decode(data, type=_Refusal).error
                raise ConfigError(f"{self._host}: {plain(refusal[:_LONGEST])}")
            return msgspec.json.decode(data, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            why = "programs are not submitted there; ask the organiser for the address"
            raise ConfigError(f"{self._host}: answers with status {status}: {why}") from None
