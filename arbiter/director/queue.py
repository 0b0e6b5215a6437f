"""A queue of tests: a folder with the list of tests, the versions of bots that they compare, and their results."""

import fcntl
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct, structs

from arbiter.director.files import RESULTS_FOLDER, SUFFIX, report_write_errors
from arbiter.director.programs import digest_program
from arbiter.director.venue import Notify
from arbiter.director.versions import find_bot, make_files, name_version
from arbiter.errors import ConfigError, write_command
from arbiter.formats import FormatNumber, check_format
from arbiter.sandbox.files.untrusted import open_to_write, read_file
from arbiter.tournament.config.bot_config import BotConfig, find_program, rename_bot
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.programs import DIGITS
from arbiter.tournament.queue import FORMAT, QueuedResults, QueuedTest, QueueList, Source, Version
from arbiter.tournament.results.live_files import Lock
from arbiter.tournament.results.reader import Results
from arbiter.tournament.results.snapshot import make_matches

LIST: Final = "queue.json"
ROLES: Final = ("new", "base")
"""Names of the new version and of the baseline in options such as `--env new:DEPTH=3`."""
MakeFile = Callable[[Sequence[BotConfig]], TournamentFile]


class QueuedBot(Struct, frozen=True):
    """A bot of a new test: its command, relative to the folder of its source."""

    command: str
    source: Source | None
    """None for a sample bot, which the command names."""


class Queue:
    """The folder of a queue.  Several processes may use it; each change of the list is complete or not made at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    @property
    def exists(self) -> bool:
        """True if the queue has a list of tests."""
        return (self.folder / LIST).exists()

    @property
    def stamp(self) -> tuple[int, int]:
        """A value that differs after each change of the list."""
        with suppress(OSError):
            found = (self.folder / LIST).stat()
            return found.st_mtime_ns, found.st_ino
        return 0, 0

    def results(self, test: QueuedTest) -> Path:
        """Return the path of the results file of a test."""
        return self.folder / RESULTS_FOLDER / f"test-{test.number}{SUFFIX}"

    def read(self) -> QueueList:
        """Read the list.  Raises ConfigError."""
        path = self.folder / LIST
        try:
            data = read_file(path)
            check_format(msgspec.json.decode(data, type=FormatNumber).format, FORMAT, path)
            found = msgspec.json.decode(data, type=QueueList)
        except FileNotFoundError:
            add = write_command("queue", "add", "./mybot@BRANCH", "--baseline", "main")
            raise ConfigError(f"{self.folder}: is not a queue; `{add}` begins one, and --queue names another") from None
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
        except msgspec.DecodeError as error:
            raise ConfigError(f"{path}: is not the list of a queue ({error}); restore it from a copy") from None
        return found

    @contextmanager
    def change(self) -> Iterator[QueueList]:
        """Read the list, let the caller change it, and write it.  Raises ConfigError."""
        with self._hold("list"):
            listed = self.read() if self.exists else QueueList()
            yield listed
            data = msgspec.json.format(msgspec.json.encode(listed))
            new = self.folder / f".{LIST}.new"
            with report_write_errors(new):
                file = open_to_write(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                try:
                    left = memoryview(data)
                    while left:
                        left = left[os.write(file, left) :]
                    os.fsync(file)
                finally:
                    os.close(file)
                new.replace(self.folder / LIST)

    @contextmanager
    def hold_versions(self) -> Iterator[None]:
        """Wait until no other process builds versions, and keep others from it.  Raises ConfigError."""
        with self._hold("versions"):
            yield

    def lock_run(self) -> Lock:
        """Lock the queue for playing.  Raises ConfigError if another arbiter plays it."""
        return Lock(self.folder / ".run.lock", "this queue")

    @contextmanager
    def _hold(self, name: str) -> Iterator[None]:
        path = self.folder / f".{name}.lock"
        with report_write_errors(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            file = open_to_write(path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)

    # --- tests ----------------------------------------------------------------------------------------

    def add(self, sides: Sequence[QueuedBot], make_file: MakeFile, draft: QueuedTest, notify: Notify) -> QueuedTest:
        """Build the two versions of a test, and add it; return it with its number and its match.

        `make_file` makes the match of bots with the names of ROLES.  Raises ConfigError; then nothing is added.
        """
        with self.hold_versions(), ExitStack() as undo:
            known = self.read().versions if self.exists else []
            entries = [self._find_bot(*one, known, undo, notify) for one in zip(sides, ROLES, strict=True)]
            file = make_file(entries)
            versions: list[Version] = []
            for side, entry in zip(sides, file.bots, strict=True):
                read = [str(Path(path).absolute()) for path in entry.read]
                versions.append(self._name(side, structs.replace(entry, read=read), [*known, *versions]))
            new, base = versions
            if new.digest == base.digest and new.is_like(base) and sides[0].command == sides[1].command:
                raise ConfigError(
                    f"{new.name}: is the same program as the baseline {base.name}; commit a change, or name another "
                    "branch or commit"
                )
            title = f"{new.name} against {base.name}"
            draft = structs.replace(draft, file=structs.replace(file, name=title, bots=[new.bot, base.bot]))
            resolve(draft.file, self.folder)
            with self.change() as listed:
                for test in listed.tests:
                    if test.settings == draft.settings and test.decision != "cancelled":
                        raise ConfigError(
                            f"test {test.number} is the same; for other games, change a setting such as --seed, or "
                            f"cancel it first: {write_command('queue', 'cancel', str(test.number))}"
                        )
                draft = structs.replace(draft, number=len(listed.tests) + 1)
                for version in (base, new):
                    if all(version.name != one.name for one in listed.versions):
                        listed.versions.append(version)
                listed.tests.append(draft)
            undo.pop_all()
        return draft

    def _find_bot(
        self, side: QueuedBot, role: str, known: Sequence[Version], undo: ExitStack, notify: Notify
    ) -> BotConfig:
        """Build a version, and find its bot, under the name of its role."""
        if side.source is None:
            return rename_bot(BotConfig(name=side.command), role, self.folder)
        if self.provide(side.source, known, notify):
            undo.callback(shutil.rmtree, self.folder / side.source.folder, ignore_errors=True)
        return structs.replace(find_bot(side.command, side.source, self.folder), name=role)

    def _name(self, side: QueuedBot, entry: BotConfig, known: Sequence[Version]) -> Version:
        """Return the known version of the same program with the same settings, or name a new one."""
        version = Version(bot=entry, source=side.source)
        for one in known:
            if version.is_same(one):
                return one
        name = name_version(side.command, side.source, [one.name for one in known])
        version = structs.replace(version, bot=structs.replace(entry, name=name))
        return structs.replace(version, digest=self.digest(version))

    def provide(self, source: Source, known: Iterable[Version], notify: Notify) -> bool:
        """Check out and build the files of a version; return False if they are there.  Raises ConfigError."""
        is_known = any(version.source is not None and version.source.folder == source.folder for version in known)
        if is_known and (self.folder / source.folder).is_dir():
            return False
        if source.build is not None:
            notify(f"builds {source.short} ({source.label or source.subject}): {source.build}")
        make_files(source, self.folder)
        return True

    def digest(self, version: Version) -> str:
        """Return the digest of the program of a version.  Raises ConfigError."""
        return digest_program(find_program(version.bot, self.folder))[0].digest

    def prepare(self, test: QueuedTest, notify: Notify) -> None:
        """Build the versions of a test again if their files are gone.  Raises ConfigError if they were changed."""
        with self.hold_versions():
            listed = self.read()
            for version in map(listed.find_version, test.file.bot_names):
                if version.source is None:
                    continue
                is_new = self.provide(version.source, listed.versions, notify)
                now = self.digest(version)
                if now == version.digest:
                    continue
                if not is_new:
                    raise ConfigError(
                        f"{self.folder / version.source.folder}: the program of {version.name} has changed from "
                        f"{version.digest[:DIGITS]} to {now[:DIGITS]} since it was built; remove the folder, and it "
                        "is built again"
                    )
                with self.change() as changed:  # a build may give another program each time
                    place = changed.versions.index(version)
                    changed.versions[place] = structs.replace(version, digest=now)

    def read_results(self, test: QueuedTest) -> QueuedResults:
        """Read the results of a test.  Raises ConfigError."""
        path = self.results(test)
        if not path.is_file():
            return QueuedResults(test=test, path=path, total=test.file.games)
        with Results.read(path) as stored:
            found = stored.snapshot()
            match = make_matches(found.manifest, found.games).each[0]
            return QueuedResults(
                test=test,
                path=path,
                total=found.plan.total,
                manifest=found.manifest,
                match=match,
                games=tuple(match.select(found.games)),
                is_played=stored.is_being_played,
            )

    def choose(self, left_out: Collection[int]) -> QueuedTest | None:
        """Choose the next test to play; None if there is none.  `left_out` are numbers.  Raises ConfigError."""
        for test in sorted(self.read().tests, key=lambda one: one.rank, reverse=True):
            if test.decision == "ready" and test.number not in left_out:
                with suppress(ConfigError):  # playing it reports the fault
                    if self.read_results(test).is_over:
                        continue
                return test
        return None


def write_now() -> str:
    """Return the time in ISO 8601, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
