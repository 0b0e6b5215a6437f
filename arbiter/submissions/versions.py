"""Submissions that were promoted: each plays the ladder as a version of its own, and one of each author at a time.

The others are withdrawn by rulings, so that their games and ratings stay, and the version before can play again at
once.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.submissions.store import ENTRIES, Decisions, Submission, Submissions
from arbiter.tournament.config.bot_entries import BotEntry, rebase_command
from arbiter.tournament.config.tournament import Tournament, resolve
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.entries import OWN
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.rulings import Decision, Request, make_ruling
from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.stored_game import Ruling

_LONGEST: Final = 40  # letters of a name
_INSTEAD: Final = " plays instead"  # the end of the reason of each ruling that is made here


class Change(Struct, frozen=True):
    """A version that plays instead of another one of its author."""

    new: str
    old: str
    """Empty if the author had none."""


def name_version(author: str, number: int) -> str:
    """Return the name of the version as which a submission plays."""
    end = f"-{number}"
    return f"{author[: _LONGEST - len(end)]}{end}"


def find_playing(decisions: Decisions, author: str, bots: Collection[str]) -> str:
    """Return the version of an author that plays: one that was promoted, or one of the file's `bots`; empty if none."""
    line = decisions.lines.get(author)
    if line:
        return name_version(author, line[-1])
    return author if author in bots else ""


def promote(submissions: Submissions, number: int, bots: Collection[str], by: str) -> Change:
    """Let a submission that has passed play instead of its author's version; `bots` are those of the file.

    Raises ConfigError.
    """
    found = _find(submissions, number)
    name = name_version(found.bot, number)
    if found.state != "passed":
        raise ConfigError(f"NUMBER: {number} has the state {found.state}; only a program that has passed can play")
    if name.casefold() in map(str.casefold, bots):
        raise ConfigError(
            f"NUMBER: {number} would play as {name}, but the file has a bot of that name; rename that bot"
        )
    with submissions.deciding(by, "promoted", author=found.bot, number=number) as decisions:
        if found.bot in decisions.banned:
            raise ConfigError(f"NUMBER: {found.bot} is banned; lift the ban first with --lift-ban {found.bot}")
        own = _leave_out_versions(submissions, decisions, bots)
        old = find_playing(decisions, found.bot, own)
        if old == name:
            raise ConfigError(f"NUMBER: {number} was promoted already, as {name}")
        decisions.parents.setdefault(number, old)
        decisions.lines.setdefault(found.bot, []).append(number)
    return Change(name, old)


def roll_back(submissions: Submissions, number: int, bots: Collection[str], by: str) -> Change:
    """Let the version play again that a submission has replaced.  Raises ConfigError."""
    found = _find(submissions, number)
    name = name_version(found.bot, number)
    with submissions.deciding(by, "rolled back", author=found.bot, number=number) as decisions:
        own = _leave_out_versions(submissions, decisions, bots)
        if (playing := find_playing(decisions, found.bot, own)) != name:
            raise ConfigError(f"NUMBER: {number} does not play; {playing or 'nothing'} of {found.bot} does")
        decisions.lines[found.bot].pop()
        new = find_playing(decisions, found.bot, own)
        if not new:
            raise ConfigError(
                f"NUMBER: {found.bot} has no earlier version; `arbiter withdraw` lets {name} play no longer"
            )
    return Change(new, name)


def _find(submissions: Submissions, number: int) -> Submission:
    found = submissions.find(number)
    if found is None:
        raise ConfigError(f"NUMBER: no program with number {number} was handed in")
    return found


# --- runs -----------------------------------------------------------------------------------------


def add_versions(file: TournamentFile, folder: Path, submissions: Submissions, results: Path) -> TournamentFile:
    """Add the promoted submissions to a tournament file in a folder: those that play, and those with results.

    Raises ConfigError.
    """
    decisions = submissions.read_decisions()
    if not decisions.parents:
        return file
    known: Collection[str] = ()
    if results.exists():
        with Results.read(results) as stored:
            known = stored.manifest.tournament.bot_names
    last = {line[-1] for line in decisions.lines.values() if line}
    bots = list(file.bots)
    for number, parent in decisions.parents.items():
        found = submissions.find(number)
        if found is None:
            raise ConfigError(f"{submissions.place(number)}: is missing, but it was promoted; restore it from a copy")
        name = name_version(found.bot, number)
        if number in last or name in known:
            entry = submissions.folder / ENTRIES / found.digest / OWN
            command = rebase_command(list(found.command), entry, folder)
            before = parent if parent in [bot.name for bot in bots] else None
            bots.append(BotEntry(name=name, command=command, parent=before))
    return replace(file, bots=bots)


def settle(submissions: Submissions, results: Path, by: str) -> None:
    """Withdraw each version that another one has replaced, and let the other one play, by rulings.

    A bot about which the organiser has ruled since stays as it is.  Raises ConfigError.
    """
    decisions = submissions.read_decisions()
    with Results.read(results) as stored:
        known, history = stored.manifest.tournament.bot_names, stored.history(condensed=True)
    for old, new in _list_replaced(submissions, decisions, known):
        decision = Decision(by=by, because=f"{new}{_INSTEAD}", force=True)
        for bot, undo in ((new, True), (old, False)):
            last = _find_last_ruling(history, bot)
            is_free = last is None or last.because.endswith(_INSTEAD)
            if is_free and undo == (bot in history.withdrawn):
                with suppress(ConfigError):  # another process was faster
                    make_ruling(results, Request(kind="withdraw", about=bot, undo=undo), decision)


def _find_last_ruling(history: History, bot: str) -> Ruling | None:
    """Find the last ruling that withdraws a bot or reverts that."""
    rulings = history.rulings

    def is_meant(ruling: Ruling) -> bool:
        kind = ruling.kind if ruling.undoes is None else rulings[ruling.undoes - 1].kind
        return kind == "withdraw" and ruling.bot == bot

    return next(filter(is_meant, reversed(rulings)), None)


def _list_replaced(submissions: Submissions, decisions: Decisions, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the versions of a tournament that do not play, each with the one that does."""
    authors = _list_authors(submissions, decisions)
    bots = _leave_out_versions(submissions, decisions, known)
    for author in dict.fromkeys(authors.values()):
        new = find_playing(decisions, author, bots)
        versions = [name_version(author, number) for number, one in authors.items() if one == author]
        versions += [author] if author in bots else []
        yield from ((old, new) for old in versions if old in known and old != new and new in known)


class VersionWatch:
    """Versions that join a ladder, and replace others, while it is played."""

    def __init__(self, tournament: Tournament, submissions: Submissions, results: Path, by: str) -> None:
        """Watch the decisions about the submissions of a tournament file without versions; `by` makes the rulings."""
        self._tournament = tournament
        self._submissions = submissions
        self._results = results
        self._by = by
        self._seen: object = ()

    def find(self) -> Tournament | None:
        """Return the tournament with versions that join now, after new decisions.  Raises ConfigError."""
        now = self._submissions.sign_decisions()
        if now == self._seen:
            return None
        self._seen = now
        folder = self._tournament.folder or Path()
        file = add_versions(self._tournament.file, folder, self._submissions, self._results)
        with Results.read(self._results) as stored:
            known = stored.manifest.tournament.bot_names
        if known == file.bot_names:
            self.settle()
            return None
        return replace(resolve(file, folder), path=self._tournament.path)

    def settle(self) -> None:
        """Let versions that were replaced play no longer.  Raises ConfigError."""
        settle(self._submissions, self._results, self._by)


def _leave_out_versions(submissions: Submissions, decisions: Decisions, bots: Collection[str]) -> set[str]:
    """Return the bots that are not promoted submissions."""
    return set(bots).difference(
        name_version(one, number) for number, one in _list_authors(submissions, decisions).items()
    )


def _list_authors(submissions: Submissions, decisions: Decisions) -> dict[int, str]:
    """Return the author of each promoted submission."""
    return {number: found.bot for number in decisions.parents if (found := submissions.find(number)) is not None}
