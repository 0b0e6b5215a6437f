"""The folder with the programs that authors submit: who submitted what and when, and what their checks found.

The web server only stores archives in it and never opens them; the examiner unpacks them and writes the rest.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from arbiter.errors import ConfigError, write_count
from arbiter.languages.sentences import describe_reason
from arbiter.sandbox.files.temporary import make_closed_folder
from arbiter.sandbox.files.untrusted import open_to_read, open_to_write, read_file, write_private
from protocol.reasons import NotExamined

SUFFIX: Final = ".submissions"  # of the folder next to the results
ENTRIES: Final = "entries"
"""Folder with the entries of all submissions, which nothing changes any more."""
MADE: Final = "made"
"""Archive that a build or the installation of wheels has made, while a program is examined."""
COMMAND: Final = "X-Arbiter-Command"
"""Header of an upload with the command as JSON; files in it are relative to the folder of the bot."""
BUILD: Final = "X-Arbiter-Build"
"""Header with the command that builds the program, in the same way; it may be missing."""
MOST_STORED: Final = 8 << 30  # bytes of the disk for all submissions
_EXAMINED: Final = 2 << 30  # bytes of the disk that the examination of one may need
_BLOCK: Final = 512  # bytes
_DAY: Final = timedelta(days=1)
_JOURNAL: Final = "journal.jsonl"
_FACTS: Final = "submission.json"
_STEPS: Final = "steps.jsonl"
_DECISIONS: Final = "decisions.json"
_MOST_STEPS: Final = 16 << 20  # bytes
_JOURNAL_END: Final = 1 << 16  # bytes of the journal that are shown

Command = Annotated[tuple[Annotated[str, Meta(max_length=1000)], ...], Meta(min_length=1, max_length=100)]
State = Literal["receiving", "waiting", "checking", "passed", "failed", "refused"]
"""`failed`: a step of the check failed; `refused`: there was nothing to check, for example because of a bad archive."""
OVER: Final = ("passed", "failed", "refused")


class Submission(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A program that an author submitted."""

    number: int
    bot: str
    """Name of the entrant that was invited to submit programs."""
    command: Command
    invitation: str
    """Id of the invitation."""
    build: tuple[str, ...] = ()
    """Command that builds the program; empty if it is complete."""
    created: str
    """ISO 8601 in UTC, as all times."""
    state: State = "receiving"
    reason: NotExamined | None = None
    """The reason for being refused."""
    digest: str = ""
    """Digest of the entry; empty before it is made."""
    interpreter: str = ""
    """The interpreter that is part of the digest."""
    ended: str = ""


Remedy = Literal["lift_ban", "roll_back", "withdraw", "list_contests"]
"""Action of an organiser that helps."""


class ImpossibleDecision(ConfigError):
    """A decision that is not possible, in words that are true on a page and at a command line."""

    def __init__(self, why: str, remedy: Remedy | None = None) -> None:
        super().__init__(why)
        self.remedy = remedy


class ContestedGame(Struct, kw_only=True, omit_defaults=True):
    """A game whose result an author contests."""

    game: str
    author: str
    version: str
    why: str
    at: str
    answer: str = ""
    """Reason of the organiser to keep the result; empty if the contest is open, or was answered by a ruling."""

    def describe(self) -> dict[str, str]:
        """Describe it for its author."""
        return {"why": self.why, "at": self.at, "answer": self.answer}


class Quarantine(Struct, frozen=True, kw_only=True):
    """The quarantine of a version that crashed too often."""

    at: str
    games: list[str]
    """The games in which it crashed."""
    tries: int = 0
    """Number of times that it was tried again."""


class SubmissionDecisions(Struct, kw_only=True):
    """The decisions about submissions and authors."""

    parents: dict[int, str] = {}
    """For the number of each submission that was promoted, in this order, the version before it; empty if none."""
    lines: dict[str, list[int]] = {}
    """For each author the numbers of the versions that replaced one another; the last one plays."""
    banned: dict[str, str] = {}
    """The authors who may not submit programs, each with the reason."""
    contests: list[ContestedGame] = []
    since: dict[int, str] = {}
    """For the number of each submission that was promoted, the time when it began to play last."""
    quarantines: dict[int, Quarantine] = {}
    """The versions that are or were in quarantine, by the numbers of their submissions."""
    rejected: dict[int, str] = {}
    """The numbers of the submissions that the organiser does not let play, each with the reason."""
    deciders: dict[str, str] = {}
    """For each author, who decided last which version plays."""
    changes: dict[str, list[str]] = {}
    """For each author, the times of the last own changes of the version that plays, if they count as submissions."""


class Submissions:
    """The submissions of one tournament.  All methods may raise OSError."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which is made with the first submission."""
        self.folder: Final = folder
        self._entries: dict[Path, int] = {}
        """The bytes of the disk that each entry takes."""

    def list_all(self) -> list[Submission]:
        """List the submissions in their order."""
        numbers = sorted(int(path.name) for path in self.folder.glob("[0-9]*") if path.name.isdecimal())
        return [found for number in numbers if (found := self.find(number)) is not None]

    def find(self, number: int) -> Submission | None:
        """Find a submission by its number."""
        with suppress(OSError, msgspec.MsgspecError):
            return msgspec.json.decode(read_file(self.place(number) / _FACTS), type=Submission)
        return None

    def place(self, number: int) -> Path:
        """Return the folder of a submission."""
        return self.folder / str(number)

    def find_archive(self, number: int) -> Path:
        """Return the path of what was uploaded."""
        return self.place(number) / "archive"

    def create(self, bot: str, command: Sequence[str], invitation: str, build: Sequence[str] = ()) -> Submission:
        """Begin a submission, with a number of its own."""
        make_closed_folder(self.folder)
        last = max((int(path.name) for path in self.folder.glob("[0-9]*") if path.name.isdecimal()), default=0)
        for number in count(last + 1):
            with suppress(FileExistsError):
                self.place(number).mkdir(0o700)
                break
        made = Submission(
            number=number,
            bot=bot,
            command=tuple(command),
            build=tuple(build),
            invitation=invitation,
            created=write_time(datetime.now(UTC)),
        )
        self.save(made)
        return made

    def save(self, submission: Submission) -> None:
        """Store what has changed of a submission."""
        write_private(self.place(submission.number) / _FACTS, msgspec.json.encode(submission) + b"\n")

    def change(self, submission: Submission, state: State, **facts: Any) -> Submission:  # noqa: ANN401 - its fields
        """Store a new state of a submission, and note it in the journal."""
        if state in OVER:
            facts["ended"] = write_time(datetime.now(UTC))
        changed = msgspec.structs.replace(submission, state=state, **facts)
        self.save(changed)
        why = describe_reason(changed.reason) if changed.reason else {}
        self.note(changed.bot, changed.state, invitation=changed.invitation, number=changed.number, **why)
        return changed

    def remove(self, submission: Submission) -> None:
        """Remove a submission that did not arrive."""
        shutil.rmtree(self.place(submission.number), ignore_errors=True)

    def begin_steps(self, number: int) -> None:
        """Remove the steps of an earlier check, which was interrupted."""
        (self.place(number) / _STEPS).unlink(missing_ok=True)

    def add_step(self, number: int, step: Mapping[str, Any]) -> None:
        """Add what a step of the check found."""
        _append(self.place(number) / _STEPS, step)

    def list_steps(self, number: int) -> list[dict[str, Any]]:
        """List what the steps of a check found so far."""
        try:
            lines = read_file(self.place(number) / _STEPS, _MOST_STEPS).split(b"\n")
        except FileNotFoundError:
            return []
        return [msgspec.json.decode(line) for line in lines[:-1]]

    def explain_quota(self, bot: str, per_day: int) -> str:
        """Explain why an author cannot submit a version, or change the one that plays, now; empty if that is possible.

        Both count together within 24 hours.
        """
        since = datetime.now(UTC) - _DAY
        times = [one.created for one in self.list_all() if one.bot == bot] + self.read_decisions().changes.get(bot, [])
        recent = sorted(time for time in map(datetime.fromisoformat, times) if time > since)
        if len(recent) < per_day:
            return ""
        most = write_count(per_day, "version")
        return (
            f"{most} of {bot} in 24 hours are allowed, and a change of the version that plays counts as one; "
            f"the next one at {recent[-per_day] + _DAY:%d %B %H:%M} UTC"
        )

    def count_change(self, decisions: SubmissionDecisions, found: Submission, per_day: int) -> None:
        """Count that an author changes which version plays; to let a new one play is counted already.

        Raises ImpossibleDecision if that is not allowed now.
        """
        since = datetime.now(UTC) - _DAY
        if found.number not in decisions.parents and datetime.fromisoformat(found.created) > since:
            return
        if why := self.explain_quota(found.bot, per_day):
            raise ImpossibleDecision(why)
        recent = [one for one in decisions.changes.get(found.bot, []) if datetime.fromisoformat(one) > since]
        decisions.changes[found.bot] = [*recent, write_time(datetime.now(UTC))]

    def has_room(self, arriving: int = 0) -> bool:
        """Return True if the disk has room for archives with so many bytes, and to examine one."""
        entries = set(self.folder.glob(f"{ENTRIES}/*"))
        self._entries = {entry: self._entries.get(entry) or _count_bytes(entry) for entry in entries}
        rest = sum(_count_bytes(path) for path in self.folder.glob("*") if path.name != ENTRIES)
        return rest + sum(self._entries.values()) + arriving <= MOST_STORED - _EXAMINED

    def tidy(self) -> None:
        """Remove what examinations have left, and entries of programs that cannot play; none may be in progress."""
        kept = {one.digest for one in self.list_all() if one.state not in ("failed", "refused")}
        for place in (*self.folder.glob("[0-9]*"), *self.folder.glob(ENTRIES)):
            with suppress(FileNotFoundError):  # a submission that did not arrive is removed meanwhile
                for path in place.iterdir():
                    if path.is_dir() and path.name not in kept:
                        shutil.rmtree(path, ignore_errors=True)
            (place / MADE).unlink(missing_ok=True)

    def sign_decisions(self) -> tuple[int, int] | None:
        """Return a value that changes whenever the decisions do; None before the first one."""
        try:
            found = (self.folder / _DECISIONS).stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ino

    def read_decisions(self) -> SubmissionDecisions:
        """Read what the organiser has decided."""
        if not self.folder.is_dir():
            return SubmissionDecisions()
        try:
            return msgspec.json.decode(read_file(self.folder / _DECISIONS), type=SubmissionDecisions)
        except FileNotFoundError:
            return SubmissionDecisions()

    @contextmanager
    def deciding(self, who: str, what: str, **facts: object) -> Iterator[SubmissionDecisions]:
        """Yield the decisions to change them, while no other process does; then store and note who did what."""
        make_closed_folder(self.folder)
        lock = open_to_write(self.folder / f"{_DECISIONS}-lock", os.O_RDWR | os.O_CREAT, mode=0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            decisions = self.read_decisions()
            yield decisions
            write_private(self.folder / _DECISIONS, msgspec.json.encode(decisions) + b"\n")
            self.note(who, what, **facts)
        finally:
            os.close(lock)

    def note(self, who: str, what: str, **facts: object) -> None:
        """Note in the journal who did what, if there is a journal."""
        if self.folder.is_dir():
            _append(self.folder / _JOURNAL, {"at": write_time(datetime.now(UTC)), "who": who, "what": what, **facts})

    def read_journal(self) -> list[dict[str, Any]]:
        """Return the end of the journal, the last entry first."""
        try:
            with os.fdopen(open_to_read(self.folder / _JOURNAL), "rb") as opened:
                start = max(0, opened.seek(0, os.SEEK_END) - _JOURNAL_END)
                opened.seek(start)
                lines = opened.read().split(b"\n")[1 if start else 0 : -1]
        except FileNotFoundError:
            return []
        return [msgspec.json.decode(line) for line in reversed(lines)]


def _append(file: Path, value: Mapping[str, Any]) -> None:
    with os.fdopen(open_to_write(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, mode=0o600), "ab") as opened:
        opened.write(msgspec.json.encode(value) + b"\n")


def _count_bytes(place: Path) -> int:
    """Return how many bytes of the disk a file, or a folder with all in it, takes."""
    inside = (f"{folder}/{name}" for folder, folders, files in os.walk(place) for name in (*folders, *files))
    size = 0
    for path in (str(place), *inside):
        with suppress(FileNotFoundError):  # it was removed meanwhile
            size += os.lstat(path).st_blocks * _BLOCK
    return size


def write_time(time: datetime) -> str:
    """Write a time in ISO 8601."""
    return time.isoformat(timespec="seconds")
