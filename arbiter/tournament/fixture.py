"""Fixtures, byes, rounds and knockout matches as values."""

from collections.abc import Iterator

from msgspec import Struct


class Fixture(Struct, frozen=True):
    """A game to play."""

    id: str
    """Depends only on seats, pair and stage, so it stays the same when bots join or games are added."""
    round: int
    red: str
    blue: str
    pair: int
    """Number of the pair among those of its pairing in its stage, from 1. The two games of a pair swap the seats."""
    stage: int = 1


class RoundBye(Struct, frozen=True):
    """A round without an opponent. In a knockout a bye is worth only the next round."""

    round: int
    bot: str
    points: float
    games: int
    """Number of games that the bye stands for."""


class Round(Struct, frozen=True):
    """Games that can be played in any order once all earlier rounds are over, and byes."""

    fixtures: tuple[Fixture, ...]
    byes: tuple[RoundBye, ...] = ()
    extra: int = 0
    """Games among them that nobody could foresee, such as playoff games after a tie."""


class Match(Struct, frozen=True):
    """A match of a knockout between two bots, or a bye."""

    round: int
    one: str
    two: str | None
    """None for a bye."""
    one_points: float = 0
    two_points: float = 0
    games: int = 0
    winner: str | None = None
    """None while the match is not decided."""
    how: str = ""
    """Reason: games, further games (after a tie), lot, or bye."""

    @property
    def loser(self) -> str | None:
        """The bot that is out; None if there is none."""
        return None if self.winner is None else self.two if self.winner == self.one else self.one


def make_fixture(red: str, blue: str, pair: int, round_: int, stage: int = 1) -> Fixture:
    """Make a fixture with its id: `~` is in no bot's name and is safe in a shell, a file name and a URL."""
    prefix = f"s{stage}~" if stage > 1 else ""
    return Fixture(f"{prefix}{red}~{blue}~{pair}", round_, red, blue, pair, stage)


def make_pair(first: str, second: str, pair: int, round_: int, stage: int = 1) -> Iterator[Fixture]:
    """Yield the two games of a pair, colours swapped."""
    yield make_fixture(first, second, pair, round_, stage)
    yield make_fixture(second, first, pair, round_, stage)
