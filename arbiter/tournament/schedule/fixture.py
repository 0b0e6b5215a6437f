"""A game that is to be played."""

from msgspec import Struct


class Fixture(Struct, frozen=True):
    """A game to play: who has which seat, in which round.

    `pair` counts the pairs of games of one pairing from 1; the two games of a pair swap the seats.
    The id depends on these three alone, so that it stays when bots join or games are added.
    """

    id: str
    round: int
    red: str
    blue: str
    pair: int


def fixture(red: str, blue: str, pair: int, round_: int) -> Fixture:
    """Make a fixture; `~` stands in no bot's name and needs no care in a shell, a file name or an address."""
    return Fixture(f"{red}~{blue}~{pair}", round_, red, blue, pair)
