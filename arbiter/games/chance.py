"""Luck from a seed.  A seed for a bot is derived one-way, so that no bot can work out another's."""

import hashlib
from random import Random

from protocol.words import SEATS, Seat


def derive(seed: int, *path: str | int) -> int:
    """Derive a 53-bit seed for one purpose from a secret one; the path names the purpose.

    53 bits, because a bot in JavaScript reads numbers as doubles.
    """
    text = "\0".join([str(seed), *map(str, path)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 11


class Seeded:
    """Chance drawn from a seed: the same seed gives the same game."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._shuffles = 0

    def first(self) -> Seat:
        """Draw who begins."""
        return Random(derive(self._seed, "first")).choice(SEATS)

    def shuffle(self, seat: Seat, cards: tuple[str, ...]) -> tuple[str, ...]:
        """Shuffle a seat's deck, top card first."""
        self._shuffles += 1
        order = list(cards)
        Random(derive(self._seed, "shuffle", seat, self._shuffles)).shuffle(order)
        return tuple(order)
