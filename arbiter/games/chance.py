"""Random choices: from a seed, or from the decks in a record.

Seeds are derived one-way, and in a tournament from a secret: from its own seed and its cards, a bot can neither compute
nor test another seed.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random
from typing import Annotated, Final

from msgspec import Meta

from arbiter.games.base import Copied
from protocol.words import SEATS, RankId, Seat

Deck = tuple[RankId, ...]
Key = Annotated[str, Meta(pattern=r"^[0-9a-f]{32}\Z", description="32 hex digits")]
Seed = int | Key
"""A number, or a key of 128 bits.  A short number can be found by trial, a key cannot."""

KEY_BYTES: Final = 16


def derive_seed(seed: Seed, *path: str | int) -> int:
    """Derive a seed for one purpose, named by the path.

    It has 53 bits, because JavaScript reads numbers as doubles.
    """
    return int.from_bytes(_digest(seed, path)[:8], "big") >> 11


def derive_key(seed: Seed, *path: str | int) -> Seed:
    """Derive a seed for several purposes, as hard to find as the seed: a key from a key, a number from a number."""
    return derive_seed(seed, *path) if isinstance(seed, int) else _digest(seed, path).hex()


def _digest(seed: Seed, path: Iterable[str | int]) -> bytes:
    parts = [str(part) for part in path]
    if isinstance(seed, int):
        return hashlib.sha256("\0".join([str(seed), *parts]).encode()).digest()
    return hashlib.blake2b("\0".join(parts).encode(), key=bytes.fromhex(seed), digest_size=KEY_BYTES).digest()


class SeededChance(Copied):
    """Random choices from a seed: the same seed gives the same choices."""

    __slots__ = ("_seed", "shuffles")

    def __init__(self, seed: Seed) -> None:
        self._seed = seed
        self.shuffles: list[tuple[Seat, Deck]] = []  # all decks so far, for the record of the game

    def draw_first(self) -> Seat:
        """Draw the seat that moves first."""
        return Random(derive_seed(self._seed, "first")).choice(SEATS)

    def shuffle(self, seat: Seat, cards: Deck) -> Deck:
        """Shuffle a seat's deck, top card first."""
        order = list(cards)
        Random(derive_seed(self._seed, "shuffle", seat, len(self.shuffles) + 1)).shuffle(order)
        self.shuffles.append((seat, tuple(order)))
        return tuple(order)


class WrongDeck(Exception):
    """The deck in a record cannot have been shuffled from these cards; the text explains why."""


class RecordedChance(Copied):
    """Random choices from a record: its decks, or its seed for decks that it does not contain."""

    __slots__ = ("_is_seeded", "_seed", "_seeded", "held")

    def __init__(self, seed: Seed | None, decks: Mapping[Seat, Deck], *, is_seeded: bool = False) -> None:
        """Use recorded decks.  If `is_seeded`, they must be those that follow from the seed."""
        self._seed = seed
        self._is_seeded = is_seeded
        self._seeded = SeededChance(seed or 0)
        self.held = dict(decks)  # the deck of the next shuffle of each seat; a shuffle removes it

    def draw_first(self) -> Seat:
        """Draw the seat that moves first."""
        return self._seeded.draw_first()

    def shuffle(self, seat: Seat, cards: Deck) -> Deck:
        """Return a seat's recorded deck, or shuffle by the seed.

        Raises WrongDeck if the recorded deck does not consist of these cards, or if there is neither deck nor seed.
        """
        drawn = self._seeded.shuffle(seat, cards)
        deck = self.held.pop(seat, None)
        if deck is None:
            if self._seed is None:
                raise WrongDeck(f"{seat}'s deck is shuffled here, but the record contains neither this deck nor a seed")
            return drawn
        if Counter(deck) != Counter(cards):
            raise WrongDeck(f"{seat}'s deck does not consist of the {len(cards)} cards that are shuffled here")
        if self._is_seeded and deck != drawn:
            raise WrongDeck(f"{seat}'s deck is not the one that follows from the seed")
        return deck


Chance = SeededChance | RecordedChance
"""Source of a game's random choices."""
