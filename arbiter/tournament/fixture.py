"""A game that is to be played, and the games that can be played at one time."""

from collections.abc import Iterator

from msgspec import Struct


class Fixture(Struct, frozen=True):
    """A game to play: who has which seat, in which round of which stage.

    `pair` counts the pairs of games of one pairing within a stage from 1; the two games of a pair swap the seats.
    The id depends on seats, pair and stage alone, so that it stays when bots join or games are added.
    """

    id: str
    round: int
    red: str
    blue: str
    pair: int
    stage: int = 1


class Bye(Struct, frozen=True):
    """What a bot gets for a round without an opponent, and for how many games that stands.

    In a knockout a bye is worth nothing but the next round.
    """

    round: int
    bot: str
    points: float
    games: int


class Round(Struct, frozen=True):
    """What can be played once all before it has been: games in any order, and the byes.

    `extra` of the games were not foreseen before, as those that break a tie.
    """

    fixtures: tuple[Fixture, ...]
    byes: tuple[Bye, ...] = ()
    extra: int = 0


def fixture(red: str, blue: str, pair: int, round_: int, stage: int = 1) -> Fixture:
    """Make a fixture; `~` stands in no bot's name and needs no care in a shell, a file name or an address."""
    prefix = f"s{stage}~" if stage > 1 else ""
    return Fixture(f"{prefix}{red}~{blue}~{pair}", round_, red, blue, pair, stage)


def meeting(pairing: tuple[str, str], pairs: int, before: int, round_: int, stage: int = 1) -> Iterator[Fixture]:
    """Yield the pairs of games of two bots that have met `before` times in the stage, each time for as many pairs."""
    for number in range(pairs):
        yield from pair_of_games(*pairing, before * pairs + number + 1, round_, stage)


def pair_of_games(first: str, second: str, pair: int, round_: int, stage: int = 1) -> Iterator[Fixture]:
    """Yield the two games of a pair, colours swapped."""
    yield fixture(first, second, pair, round_, stage)
    yield fixture(second, first, pair, round_, stage)
