"""A match of a knockout."""

from msgspec import Struct


class Match(Struct, frozen=True):
    """Two bots, or one with a bye, and how far they have come; `winner` is None while the match is not decided.

    `how` says what decided it: its games, further games after a tie, the lot, or a bye.
    """

    round: int
    one: str
    two: str | None
    one_points: float = 0
    two_points: float = 0
    games: int = 0
    winner: str | None = None
    how: str = ""

    @property
    def loser(self) -> str | None:
        """Who is out, if somebody is."""
        return None if self.winner is None else self.two if self.winner == self.one else self.one
