"""The tests of a queue as values: matches of two versions of a bot, what was decided about them, and their results."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct, structs

from arbiter.errors import ConfigError
from arbiter.games.chance import Key
from arbiter.sandbox.select import IsolationName
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.ratings.sprt import Sprt, SprtRun
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.snapshot import HeadToHead
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.reasons import ForfeitsOften

VERSIONS: Final = "versions"
"""Folder in that of a queue with the files of versions."""
FORMAT: Final = 1
_DIGITS: Final = 7  # of a commit in names
_LAST_GAMES: Final = 10
_MOST_FORFEITS: Final = 5  # among them
Decision = Literal["ready", "paused", "cancelled", "stopped"]


# --- versions -------------------------------------------------------------------------------------


class Source(Struct, frozen=True, kw_only=True):
    """The origin of a version: a commit, and how it is built."""

    repository: str
    """Top folder of the repository."""
    commit: str
    """The whole hash."""
    label: str
    """Name of the branch or tag; empty for other revisions."""
    subject: str
    committed: str
    """ISO 8601."""
    prefix: str = ""
    """Folder in the repository in which the build runs, and to which the command of the bot is relative."""
    build: str | None = None
    """Command for the shell that builds the program."""

    @property
    def folder(self) -> str:
        """The folder of the files in that of a queue; versions with the same files share it."""
        built = f"-{hashlib.sha256(f'{self.prefix}:{self.build}'.encode()).hexdigest()[:6]}" if self.build else ""
        return f"{VERSIONS}/{self.commit[:12]}{built}"

    @property
    def short(self) -> str:
        """The start of the commit, for people."""
        return self.commit[:_DIGITS]


class Version(Struct, frozen=True, kw_only=True):
    """A version of a bot, or a sample bot."""

    bot: BotConfig
    """Under the name of the version; its command is relative to the folder of the queue."""
    source: Source | None = None
    """None for a sample bot."""
    digest: str = ""
    """Digest of the program; empty for a sample bot."""

    @property
    def name(self) -> str:
        return self.bot.name

    @property
    def age(self) -> tuple[bool, float]:
        """The order of versions by the dates of their commits; sample bots come last."""
        if self.source is None:
            return True, 0.0
        return False, datetime.fromisoformat(self.source.committed).timestamp()

    def is_same(self, other: "Version") -> bool:
        """Return True for the same files and the same command with the same settings."""
        return structs.replace(self.bot, name=other.name) == other.bot

    def is_like(self, other: "Version") -> bool:
        """Return True if only names, files and commands may differ."""
        return structs.replace(self.bot, name=other.name, command=other.bot.command) == other.bot


# --- tests ----------------------------------------------------------------------------------------


class QueuedTest(Struct, frozen=True, kw_only=True):
    """A test and what was decided about it; its results are in a results file."""

    number: int = 0
    """From 1, in the order in which they were added."""
    file: TournamentFile = TournamentFile(name="-", bots=[])
    """The match; its bots are the new version and the baseline."""
    sprt: Sprt | None = None
    sandbox: IsolationName | None = None
    secret: Key | None = None
    """Secret of all random choices.  Default: drawn when the test begins."""
    priority: int = 0
    """Tests with a higher one are played first."""
    note: str = ""
    added: str
    """ISO 8601 in UTC."""
    decision: Decision = "ready"
    reason: ForfeitsOften | None = None
    """The reason for which the arbiter stopped the test."""
    keeps_forfeits: bool = False
    """Play on although a version forfeits most games."""

    @property
    def rank(self) -> tuple[int, int]:
        """The order of tests: the highest is played first."""
        return self.priority, -self.number

    @property
    def settings(self) -> tuple[object, ...]:
        """All that differs between two different tests."""
        return structs.replace(self.file, name=""), self.sprt, self.sandbox, self.secret


class QueueList(Struct, kw_only=True):
    """The tests of a queue and the versions that they compare."""

    format: int = FORMAT
    tests: list[QueuedTest] = []
    versions: list[Version] = []

    def find(self, number: int) -> QueuedTest:
        """Return the test with a number.  Raises ConfigError."""
        for test in self.tests:
            if test.number == number:
                return test
        there = f"there are tests 1 to {len(self.tests)}" if self.tests else "the queue is empty"
        raise ConfigError(f"TEST {number}: is not in the queue; {there}")

    def replace(self, number: int, **changes: object) -> QueuedTest:
        """Change a test.  Raises ConfigError."""
        test = structs.replace(self.find(number), **changes)
        self.tests[number - 1] = test
        return test

    def find_version(self, name: str) -> Version:
        """Return the version with a name."""
        return next(version for version in self.versions if version.name == name)


class QueuedResults(Struct, frozen=True, kw_only=True):
    """A test and its results so far."""

    test: QueuedTest
    path: Path
    """The results file."""
    total: int
    """Games at most."""
    manifest: Manifest | None = None
    match: HeadToHead | None = None
    """None before the first run."""
    games: tuple[StoredGame, ...] = ()
    is_played: bool = False
    """True if an arbiter plays it now."""

    @property
    def run(self) -> SprtRun | None:
        """The sequential test in progress, if there is one."""
        if self.test.sprt is None:
            return None
        new = SprtRun(self.test.sprt, self.test.file.bot_names[0])
        return new if self.match is None else self.match.sprt_run or new

    @property
    def is_over(self) -> bool:
        """True if no more games are needed."""
        return len(self.games) >= self.total or (self.match is not None and self.match.is_over)

    @property
    def seconds(self) -> float:
        """The time in which games of the test were played, several at a time counted once.

        Starts are stored in whole seconds, so a game may have ended up to a second later.
        """
        total = until = 0.0
        spans = [(datetime.fromisoformat(game.started).timestamp(), game.seconds + 1) for game in self.games]
        for begun, seconds in sorted(spans):
            total += max(0.0, begun + seconds - max(begun, until))
            until = max(until, begun + seconds)
        return total


def find_forfeiter(games: Sequence[StoredGame]) -> ForfeitsOften | None:
    """Find the version that forfeits games again and again; None if there is none."""
    last = games[-_LAST_GAMES:]
    for bot, count in Counter(bot for game in last for bot in game.forfeiters).items():
        if count >= _MOST_FORFEITS:
            return ForfeitsOften(bot, count, len(last))
    return None
