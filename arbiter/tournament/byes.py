"""A round that a bot sits out."""

from msgspec import Struct


class Bye(Struct, frozen=True):
    """What a bot gets for a round without an opponent, and for how many games that stands.

    In a knockout a bye is worth nothing but the next round.
    """

    round: int
    bot: str
    points: float
    games: int
