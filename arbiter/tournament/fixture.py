"""Fixtures, byes, rounds and knockout matches as values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Final, Protocol, TypeVar

from msgspec import Struct

from protocol.words import BLUE, RED, Seat

_UNRATED: Final = re.compile(r"m[1-9][0-9]*~[^~]+~[^~]+~[1-9][0-9]*")
_STAGE: Final = re.compile(r"([sm])([0-9]+)~[^~]+~[^~]+~[0-9]")
_ID: Final = re.compile(r"(?:s([2-9]|[1-9][0-9]+)~)?([^~]+)~([^~]+)~([1-9][0-9]{0,8})")


class _InRound(Protocol):
    @property
    def round(self) -> int: ...


_Game = TypeVar("_Game", bound=_InRound)
SeatsOfStage = tuple[int, str, str]
"""The number of a stage, the red bot and the blue bot."""


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
    """Number of the stage; that of an unrated match is its number, negative."""

    @property
    def is_unrated(self) -> bool:
        """True for a game of an unrated match."""
        return self.stage < 0

    @property
    def bots(self) -> dict[Seat, str]:
        """The bot of each seat."""
        return {RED: self.red, BLUE: self.blue}


PairId = tuple[int, frozenset[str], int]
"""Stage, bots, and the number of a pair of games among theirs."""


def find_pair(fixture: Fixture) -> PairId:
    """Return the pair of games that a game belongs to."""
    return fixture.stage, frozenset((fixture.red, fixture.blue)), fixture.pair


class Meeting(Struct, frozen=True):
    """Two bots that play some pairs of games."""

    one: str
    two: str
    round: int
    """Round of the first pair."""
    first_pair: int = 1
    step: int = 0
    """Number of rounds from one pair to the next."""


class Fixtures(Struct, frozen=True, dict=True):
    """The games of some meetings, computed one at a time, because there may be millions.

    All meetings have their first pair of games before any has its second, so that partial results are balanced.
    """

    meetings: Sequence[Meeting] = ()
    pairs: int = 1
    """Pairs of games of each meeting."""
    stage: int = 1
    pair_size: int = 2
    """Games of each pair; 1 = single games, in which the first bot of a meeting is red."""

    def __iter__(self) -> Iterator[Fixture]:
        for number in range(self.pairs):
            for meeting in self.meetings:
                pair = meeting.first_pair + number
                games = make_pair(meeting.one, meeting.two, pair, meeting.round + number * meeting.step, self.stage)
                yield from islice(games, self.pair_size)

    def __len__(self) -> int:
        return self.pair_size * self.pairs * len(self.meetings)

    def find(self, game_id: str) -> int | None:
        """Return the place of a game among the fixtures; None if it is not one of them."""
        parts = parse_id(game_id)
        found = None if parts is None else self._places.get(parts[0])
        if parts is None or found is None:
            return None
        place, first_pair = found
        offset = parts[1] - first_pair
        return self.pair_size * len(self.meetings) * offset + place if 0 <= offset < self.pairs else None

    def has(self, game_id: str) -> bool:
        """Return True if a game is one of the fixtures."""
        return self.find(game_id) is not None

    def select(self, games: Mapping[SeatsOfStage, Mapping[int, _Game]]) -> list[_Game]:
        """Select the games of these fixtures, in their order, given by seats and the number of the pair."""
        found: list[tuple[int, _Game]] = []
        for seats, (place, first_pair) in self._places.items():
            played = games.get(seats, {})
            pairs = range(first_pair, first_pair + self.pairs)
            found += [
                (self.pair_size * len(self.meetings) * (pair - first_pair) + place, played[pair])
                for pair in (pairs if len(pairs) < len(played) else played)
                if pair in pairs and pair in played
            ]
        return [game for _, game in sorted(found, key=itemgetter(0))]

    def count_games(self, bot: str) -> int:
        """Return the number of games of a bot."""
        return self.pair_size * self.pairs * sum(bot in (meeting.one, meeting.two) for meeting in self.meetings)

    @property
    def last_round(self) -> int:
        """The highest number of a round; 0 without games."""
        return max((meeting.round + (self.pairs - 1) * meeting.step for meeting in self.meetings), default=0)

    @cached_property
    def _places(self) -> dict[SeatsOfStage, tuple[int, int]]:
        """The place of the first game of two seats, and the number of its pair."""
        places: dict[SeatsOfStage, tuple[int, int]] = {}
        for number, meeting in enumerate(self.meetings):
            places[self.stage, meeting.one, meeting.two] = self.pair_size * number, meeting.first_pair
            if self.pair_size > 1:
                places[self.stage, meeting.two, meeting.one] = self.pair_size * number + 1, meeting.first_pair
        return places


class OpenFixtures(Fixtures, frozen=True):
    """The games of pairs that are chosen one after the other, without an end: each is a meeting of its own.

    Of the first pairs only the numbers are known, those of each pairing.
    """

    counts: dict[tuple[str, str], int] = {}
    """The number of pairs of two bots."""

    def __len__(self) -> int:
        return self.pair_size * sum(self.counts.values())

    def append(self, meeting: Meeting) -> None:
        """Add a pair of games: the next one of its two bots, in this order."""
        assert isinstance(self.meetings, list)  # noqa: S101 - it grows
        self.counts[meeting.one, meeting.two] = meeting.first_pair
        self.meetings.append(meeting)

    def has(self, game_id: str) -> bool:
        """Return True if a game is one of the fixtures."""
        parts = parse_id(game_id)
        if parts is None or parts[0][0] != self.stage:
            return False
        (_, red, blue), pair = parts
        return pair <= max(self.counts.get((red, blue), 0), self.counts.get((blue, red), 0))

    def select(self, games: Mapping[SeatsOfStage, Mapping[int, _Game]]) -> list[_Game]:
        """Select the games of these fixtures, in their order, given by seats and the number of the pair."""
        found: list[tuple[int, int, _Game]] = []
        for (one, two), count in self.counts.items():
            for second, seats in enumerate(((self.stage, one, two), (self.stage, two, one))):
                found += [(game.round, second, game) for pair, game in games.get(seats, {}).items() if pair <= count]
        return [game for _, _, game in sorted(found, key=itemgetter(0, 1))]

    def count_games(self, bot: str) -> int:
        """Return the number of games of a bot."""
        return self.pair_size * sum(count for pairing, count in self.counts.items() if bot in pairing)


class RoundBye(Struct, frozen=True):
    """A round without an opponent. In a knockout a bye is worth only the next round."""

    round: int
    bot: str
    points: float
    games: int
    """Number of games that the bye stands for."""
    share: float = 1.0
    """Share of these games that count as won: a half for an announced absence; a ruling can lower it."""
    requested: bool = False
    """True for an announced absence."""


class Round(Struct, frozen=True):
    """Games that can be played in any order once all earlier rounds are over, and byes.

    Formats in which no result changes the pairings have all their games in one such round.
    """

    fixtures: Fixtures = Fixtures()
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
    """Reason: games, further games (after a tie), sudden death, lot, or bye."""
    place: int = 1
    """The place that the winner plays for: 3 in the match for the third place."""

    @property
    def loser(self) -> str | None:
        """The bot that is out; None if there is none."""
        return None if self.winner is None else self.two if self.winner == self.one else self.one


def make_id(red: str, blue: str, pair: int, stage: int = 1) -> str:
    """Make the id of a game: `~` is in no bot's name and is safe in a shell, a file name and a URL."""
    prefix = f"s{stage}~" if stage > 1 else f"m{-stage}~" if stage < 0 else ""
    return f"{prefix}{red}~{blue}~{pair}"


def parse_id(game_id: str) -> tuple[SeatsOfStage, int] | None:
    """Return stage, seats and number of the pair of an id that `make_id` makes; None for another one."""
    parts = _ID.fullmatch(game_id)
    return None if parts is None else ((int(parts[1] or 1), parts[2], parts[3]), int(parts[4]))


def is_unrated_id(game_id: str) -> bool:
    """Return True for the id of a game of an unrated match."""
    return _UNRATED.fullmatch(game_id) is not None


def find_stage(game_id: str) -> int:
    """Return the number of the stage that a game with an id belongs to; that of an unrated match is negative."""
    found = _STAGE.match(game_id)
    return 1 if found is None else int(found[2]) if found[1] == "s" else -int(found[2])


def make_fixture(red: str, blue: str, pair: int, round_: int, stage: int = 1) -> Fixture:
    """Make a fixture with its id."""
    return Fixture(make_id(red, blue, pair, stage), round_, red, blue, pair, stage)


def make_pair(first: str, second: str, pair: int, round_: int, stage: int = 1) -> Iterator[Fixture]:
    """Yield the two games of a pair, colours swapped."""
    yield make_fixture(first, second, pair, round_, stage)
    yield make_fixture(second, first, pair, round_, stage)
