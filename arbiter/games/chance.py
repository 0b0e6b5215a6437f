"""Luck: from a seed, or from a record of what luck once gave.

A seed for a bot is derived one-way, so that no bot can work out another's.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Self

from protocol.words import SEATS, RankId, Seat

Deck = tuple[RankId, ...]


def derive(seed: int, *path: str | int) -> int:
    """Derive a 53-bit seed for one purpose from a secret one; the path names the purpose.

    53 bits, because a bot in JavaScript reads numbers as doubles.
    """
    text = "\0".join([str(seed), *map(str, path)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 11


class Seeded:
    """Chance drawn from a seed: the same seed gives the same game.

    `shuffles` holds what was shuffled so far, for whoever writes the game down.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.shuffles: list[tuple[Seat, Deck]] = []

    def first(self) -> Seat:
        """Draw who begins."""
        return Random(derive(self._seed, "first")).choice(SEATS)

    def shuffle(self, seat: Seat, cards: Deck) -> Deck:
        """Shuffle a seat's deck, top card first."""
        order = list(cards)
        Random(derive(self._seed, "shuffle", seat, len(self.shuffles) + 1)).shuffle(order)
        self.shuffles.append((seat, tuple(order)))
        return tuple(order)

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(self._seed)
        twin.shuffles = self.shuffles.copy()
        return twin


class WrongDeck(Exception):
    """A deck that was written down cannot have been shuffled from these cards; the text says why."""


class Recorded:
    """Chance that gives back the decks of a record; where it holds none, they are drawn from its seed.

    `held` are the decks of the next shuffles, by seat; a deck leaves it when it is given back.
    """

    def __init__(self, seed: int | None, decks: Mapping[Seat, Deck]) -> None:
        self._seed = seed
        self._seeded = Seeded(seed or 0)
        self.held = dict(decks)

    def first(self) -> Seat:
        """Draw who begins."""
        return self._seeded.first()

    def shuffle(self, seat: Seat, cards: Deck) -> Deck:
        """Give a seat's deck back.

        Raises WrongDeck where it is not made of these cards, or neither deck nor seed was written down.
        """
        drawn = self._seeded.shuffle(seat, cards)
        deck = self.held.pop(seat, None)
        if deck is None:
            if self._seed is None:
                raise WrongDeck(f"{seat}'s deck is shuffled, but there is neither the deck nor a seed to shuffle it by")
            return drawn
        if Counter(deck) != Counter(cards):
            raise WrongDeck(f"{seat}'s deck is not made of the {len(cards)} cards that were shuffled")
        return deck

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = type(self)(self._seed, self.held)
        twin._seeded = self._seeded.copy()
        return twin
