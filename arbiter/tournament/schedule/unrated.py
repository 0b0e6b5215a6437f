"""Unrated matches of a ladder: anyone who can write next to its results asks for one, and its run plays them in turn.

A request is a line of a file next to the results.  Which games are played follows from the stored games, so matches
continue after a stop like everything else.
"""

import fcntl
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from arbiter.errors import ConfigError, check_known
from arbiter.sandbox.files.untrusted import open_to_write, read_file
from arbiter.tournament.config.bot_config import BotName
from arbiter.tournament.dispatcher import FixtureSource
from arbiter.tournament.fixture import Fixture, make_pair
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import SEATS

SUFFIX: Final = ".matches"
MOST_GAMES: Final = 100
"""Games of a match."""
MOST_WAITING: Final = 100
"""Matches that are not over."""
_MOST_BYTES: Final = 4 * 2**20
_PAIR: Final = len(SEATS)
_APPEND: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND


class UnratedMatch(Struct, frozen=True, kw_only=True):
    """A match that somebody has asked for."""

    number: Annotated[int, Meta(ge=1, le=10**6)]
    one: BotName
    two: BotName
    games: Annotated[int, Meta(ge=2, le=MOST_GAMES, multiple_of=2)]
    by: Annotated[str, Meta(max_length=200)]
    at: Annotated[str, Meta(max_length=40)]
    """ISO 8601 in UTC."""

    @property
    def fixtures(self) -> Iterator[Fixture]:
        """The games of the match."""
        for pair in range(1, self.games // _PAIR + 1):
            yield from make_pair(self.one, self.two, pair, self.number, -self.number)


def find_file(results: Path) -> Path:
    """Return the file with the requests of a ladder."""
    return results.with_suffix(SUFFIX)


def read_matches(results: Path) -> list[UnratedMatch]:
    """Read the matches that were asked for; lines that no arbiter has written are left out."""
    try:
        lines = read_file(find_file(results))[:_MOST_BYTES].splitlines()
    except OSError:
        return []
    found: list[UnratedMatch] = []
    for line in lines:
        try:
            match = msgspec.json.decode(line, type=UnratedMatch)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        if match.number == len(found) + 1 and match.one != match.two:
            found.append(match)
    return found


def ask_for_match(
    results: Path, bots: Sequence[str], games: int, *, by: str, known: Sequence[str], has: Callable[[str], bool]
) -> UnratedMatch:
    """Ask for a match of two of the `known` bots.

    `has` returns True for the id of a stored game.  Raises ConfigError.
    """
    for bot in bots:
        check_known("bot", bot, known)
    if len(set(bots)) != _PAIR:
        raise ConfigError("BOT: an unrated match is played by two different bots of the ladder")
    if games % _PAIR or not _PAIR <= games <= MOST_GAMES:
        raise ConfigError(f"--games {games}: must be an even number from 2 to {MOST_GAMES}")
    path = find_file(results)
    try:
        file = open_to_write(path, _APPEND)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        earlier = read_matches(results)
        if sum(not all(has(one.id) for one in match.fixtures) for match in earlier) >= MOST_WAITING:
            raise ConfigError(f"{MOST_WAITING} unrated matches wait already; let the ladder play them first")
        at = datetime.now(UTC).isoformat(timespec="seconds")
        match = UnratedMatch(number=len(earlier) + 1, one=bots[0], two=bots[1], games=games, by=by, at=at)
        os.write(file, msgspec.json.encode(match) + b"\n")
        return match
    finally:
        os.close(file)


class MatchQueue:
    """The games of a ladder, with those of unrated matches in between: a pair of them after each pair of the ladder."""

    def __init__(self, source: FixtureSource, results: Path, has: Callable[[str], bool]) -> None:
        """Add the matches that were asked for to a source; `has` returns True for the id of a stored game."""
        self._source = source
        self._results = results
        self._has = has
        self._look: tuple[int, int] | None = None
        self._known = 0
        self._matches: deque[deque[Fixture]] = deque()
        """The games that are not played of each match, the next match first."""
        self._begun: deque[Fixture] = deque()
        """The second game of a pair whose first one was taken."""
        self._rated = _PAIR
        """Games of the ladder that were taken since the last pair of a match."""
        self.is_ready: Callable[[str], bool] = lambda _bot: True
        """Returns False for a bot that cannot begin a game now."""

    def take(self) -> Fixture | None:
        """Take the next game to play; None if others must finish first."""
        if self._begun:
            return self._begun.popleft()
        if self._rated >= _PAIR and (fixture := self._take_unrated()) is not None:
            return fixture
        fixture = self._source.take()
        if fixture is None:
            return self._take_unrated()
        self._rated += 1
        return fixture

    def add(self, game: StoredGame) -> None:
        """Add a finished game; one of an unrated match does not count."""
        if not game.is_unrated:
            self._source.add(game)

    def _take_unrated(self) -> Fixture | None:
        """Take the next game of the first match whose bots can begin one; it goes to the end of the queue."""
        self._read()
        for place, left in enumerate(self._matches):
            if all(map(self.is_ready, left[0].bots.values())):
                fixture = left.popleft()
                if left and left[0].pair == fixture.pair:
                    self._begun.append(left.popleft())
                del self._matches[place]
                if left:
                    self._matches.append(left)
                self._rated = 0
                return fixture
        return None

    def _read(self) -> None:
        """Read new requests."""
        try:
            found = find_file(self._results).stat()
        except OSError:
            return
        look = found.st_mtime_ns, found.st_size
        if look == self._look:
            return
        self._look = look
        for match in read_matches(self._results)[self._known :]:
            self._known += 1
            if left := deque(fixture for fixture in match.fixtures if not self._has(fixture.id)):
                self._matches.append(left)
