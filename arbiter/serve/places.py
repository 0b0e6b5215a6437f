"""Places for connections and streams, which clients share: nobody keeps another one out."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

import trio
from msgspec import Struct
from starlette.types import Scope

PLACE: Final = "arbiter.place"  # in the scope of a request
_KEPT: Final = 8  # places that a client with a valid credential keeps: those of a browser


class Client(Struct, frozen=True):
    """The client that takes a place."""

    name: str
    """Its address, or the entrant whose credential it has shown."""
    is_invited: bool = False
    """True if it has shown a valid cookie or token."""


class Place:
    """A place that a connection or a stream takes."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.scope: Final = trio.CancelScope()
        """Cancelled if another client gets the place."""


class Full(Exception):
    """All places are taken, and the client has no fewer than others."""


class Places:
    """A limited number of places.  If all are taken, the client that has the most loses its oldest one.

    So one address can use all of them, such as a club behind one router, until another one needs some.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.taken: Final[dict[Place, None]] = {}
        """The places that are taken, the oldest one first."""

    @contextmanager
    def take(self, client: Client, *, is_patient: bool = False) -> Iterator[Place]:
        """Take a place until the block ends, which another client may cause.

        If a client is patient, it takes a place only from a client with more.  Raises Full.
        """
        if len(self.taken) >= self._most:
            counts = Counter(place.client for place in self.taken)
            counts.subtract({one: _KEPT for one in counts if one.is_invited})
            loser = max(self.taken, key=lambda place: counts[place.client])
            if is_patient and counts[client] + 1 >= counts[loser.client]:
                raise Full
            loser.scope.cancel()
            del self.taken[loser]
        place = Place(client)
        self.taken[place] = None
        try:
            with place.scope:
                yield place
        finally:
            self.taken.pop(place, None)


def find_client(scope: Scope) -> Client:
    """Find who sends a request."""
    place: Place | None = scope.get(PLACE)
    return Client(scope["client"][0]) if place is None else place.client


def keep_place(scope: Scope, entrant: str) -> None:
    """Keep the place of a connection whose request has the valid credential of an entrant."""
    if (place := scope.get(PLACE)) is not None:
        place.client = Client(entrant, is_invited=True)


def find_network(address: str) -> str:
    """Return what stands for a client in limits: its address, or with IPv6 its network /64, which is all its own."""
    try:
        found = ip_address(address)
    except ValueError:  # some proxies add a port
        try:
            found = ip_address(urlsplit(f"//{address}").hostname or "")
        except ValueError:
            return address
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or ip_network((int(found), 64), strict=False))
