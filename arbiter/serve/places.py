"""Places for connections and streams, which clients share: nobody keeps another one out."""

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


class Visitor(Struct, frozen=True):
    """The client that takes a place."""

    name: str
    """Its address, or the entrant whose credential it has shown."""
    is_invited: bool = False
    """True if it has shown a valid cookie or token."""


class Full(Exception):
    """All places are taken, and the client has no fewer than others."""


class TakenPlace:
    """A place that a connection or a stream takes."""

    def __init__(self, places: "Places", client: Visitor) -> None:
        self.scope: Final = trio.CancelScope()
        """Cancelled if another client gets the place."""
        self.client = client
        self._places = places

    def move(self, client: Visitor) -> None:
        """Let the place count for another client, unless it is lost."""
        if self._places.remove(self):
            self.client = client
            self._places.add(self)


class Places:
    """A limited number of places.  If all are taken, the client that has the most loses its oldest one.

    So one address can use all of them, such as a club behind one router, until another one needs some.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_client: dict[Visitor, dict[TakenPlace, None]] = {}
        """The places of each client, the oldest one first."""

    def __len__(self) -> int:
        return sum(map(len, self._by_client.values()))

    @contextmanager
    def take(self, client: Visitor, *, is_patient: bool = False) -> Iterator[TakenPlace]:
        """Take a place until the block ends, which another client may cause.

        If a client is patient, it takes a place only from a client with more.  Raises Full.
        """
        if len(self) >= self._most:
            loser = max(self._by_client, key=lambda one: len(self._by_client[one]) - _KEPT * one.is_invited)
            if is_patient and len(self._by_client.get(client, ())) + 1 >= len(self._by_client[loser]):
                raise Full
            oldest = next(iter(self._by_client[loser]))
            oldest.scope.cancel()
            self.remove(oldest)
        place = TakenPlace(self, client)
        self.add(place)
        try:
            with place.scope:
                yield place
        finally:
            self.remove(place)

    def add(self, place: TakenPlace) -> None:
        """Add a place to those of its client, as the newest one."""
        self._by_client.setdefault(place.client, {})[place] = None

    def remove(self, place: TakenPlace) -> bool:
        """Remove a place; return False if it was lost before."""
        places = self._by_client.get(place.client, {})
        was_there = places.pop(place, place) is None
        if was_there and not places:
            del self._by_client[place.client]
        return was_there


def find_client(scope: Scope) -> Visitor:
    """Find who sends a request."""
    place: TakenPlace | None = scope.get(PLACE)
    return Visitor(scope["client"][0]) if place is None else place.client


def keep_place(scope: Scope, entrant: str) -> None:
    """Keep the place of a connection whose request has the valid credential of an entrant."""
    if (place := scope.get(PLACE)) is not None:
        place.move(Visitor(entrant, is_invited=True))


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
