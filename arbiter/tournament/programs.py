"""Digests of bots' programs: they prove which program played a game."""

import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.sandbox.files.entry import MOST_FILES, MOST_SIZE, EntryFile, list_declared, list_entry
from arbiter.sandbox.files.interpreters import describe_interpreter, find_interpreter
from arbiter.sandbox.files.links import Forbidden
from arbiter.sandbox.files.untrusted import MOST_BYTES, hash_start, read_file, write_into
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.isolation import Program
from arbiter.tournament.environments import EnvironmentDigests, Packages

DIGITS: Final = 16
"""Digits of a digest in texts for people."""
_SHOWN: Final = 3  # changed files in a message
_CHECK_SHARE: Final = 50  # looking for changes takes at most a fiftieth of the time


class ProgramDigest(Struct, frozen=True, kw_only=True):
    """Identification of a program by its files and the version of its interpreter."""

    digest: str
    """SHA-256 of the interpreter and of the names, kinds and contents of all files, in hexadecimal."""
    interpreter: str
    """Name and version; empty for a program that needs none."""
    files: int
    """Number of its files and of the packages of its environment."""
    size: int
    """Bytes of its files."""
    left_out: str
    """Files and contents that the limits left out; empty if none were."""
    listing: dict[str, str]
    """The files with the starts of their digests."""

    def is_same(self, old: "ProgramDigest") -> bool:
        """Return True if a program is an earlier one, perhaps with modules that Python has compiled since then."""
        before, now = old.listing, self.listing
        return self.digest == old.digest or (
            self.interpreter == old.interpreter
            and self.left_out == old.left_out
            and before.items() < now.items()
            and all("__pycache__" in name.split("/") for name in now.keys() - before.keys())
        )

    def list_differences(self, other: "ProgramDigest", *, without: str | None = None) -> str:
        """List the first files that differ from those of another program, `without` a kind; '' if none do."""
        one, two = self.listing, other.listing
        names = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
        if without is not None:
            names = [name for name in names if not name.startswith(without)]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return ", ".join(names[:_SHOWN]) + more

    def describe_replacement(self, bot: str, old: "ProgramDigest") -> str:
        """Describe how the program of a bot differs from an earlier one."""
        what = self.list_differences(old) or f"{self.interpreter}, {old.interpreter} before"
        return f"the program of {bot} has changed from {old.digest[:DIGITS]} to {self.digest[:DIGITS]} ({what})"


class ProgramDigests:
    """The digests of programs, computed again only for files that seem changed.  Methods may take seconds."""

    def __init__(
        self,
        programs: Iterable[Program],
        hidden: Iterable[Path] = (),
        hidden_folders: Iterable[Path] = (),
        *,
        has_environments: bool = True,
    ) -> None:
        """Digest nothing yet.  `hidden` are files that bots cannot read, such as the tournament file or results.

        `has_environments`: the packages of environments outside the folders of bots belong to their programs.
        """
        self._programs = {program.name: program for program in programs}
        files = dict.fromkeys(path for one in hidden for path in (one.absolute(), one.resolve()))
        self.hidden_files = HiddenFiles(tuple(files), tuple(hidden_folders))
        """Files and folders that bots cannot read."""
        self.hidden = frozenset(map(str, files))
        """Paths of the hidden files."""
        self._contents: dict[str, tuple[tuple[int, ...], str]] = {}
        self._used: set[str] = set()
        self._found: dict[str, tuple[tuple[EntryFile, ...], Packages, ProgramDigest]] = {}
        self._check_at: dict[str, float] = {}
        self._held: set[str] = set()
        self._describe_interpreter = cache(describe_interpreter)
        self._environments = EnvironmentDigests(self.digest_file) if has_environments else None

    def add(self, programs: Iterable[Program]) -> None:
        """Add programs of bots that join."""
        self._programs |= {program.name: program for program in programs}

    def digest(self, bot: str) -> ProgramDigest | None:
        """Return the digest of a bot's program; None if it has none.

        Raises ConfigError, for example if the files of a submitted program are not those that were examined.
        """
        if bot in self._found and time.monotonic() < self._check_at.get(bot, 0):
            return self._found[bot][-1]
        return self._look(bot)

    def digest_now(self, bot: str) -> ProgramDigest | None:
        """Look for changes of a program even if that was done a moment ago.  Raises ConfigError."""
        if self._environments is not None:
            self._environments.look_again()
        return self._look(bot)

    def _look(self, bot: str) -> ProgramDigest | None:
        program = self._programs.get(bot)
        if program is None:
            return None
        begun = time.thread_time()
        try:
            if program.name in self._held:
                copied = (file for file in self._found[program.name][0] if not file.is_declared)
                files = (*copied, *list_declared(program, self.hidden_files))
            else:
                files = tuple(list_entry(program, self.hidden_files))
        except Forbidden as error:
            raise ConfigError(f"bots.{program.name}: {error}") from None
        took = time.thread_time() - begun if bot in self._found else 0.0  # the first time, modules are imported too
        interpreter = find_interpreter(program)
        packages = Packages() if self._environments is None else self._environments.digest(program, interpreter)
        if bot not in self._found or self._found[bot][:2] != (files, packages):
            version = "" if interpreter is None else self._describe_interpreter(interpreter)
            if program.examined is not None:
                examined, known = program.examined
                if self._digest(known, files, Packages()).digest != examined:
                    raise ConfigError(
                        f"bots.{bot}: its files are not those that were examined; restore {program.folder}"
                    )
            self._found[bot] = (files, packages, self._digest(version, files, packages))
        self._check_at[bot] = time.monotonic() + _CHECK_SHARE * took
        return self._found[bot][-1]

    def find_changes(self, before: Mapping[str, ProgramDigest]) -> Iterator[tuple[str, ProgramDigest, str]]:
        """Yield the programs of bots that are others than `before`, and descriptions of the changes."""
        for bot, old in tuple(before.items()):
            now = self.digest_now(bot)
            if now is not None and not now.is_same(old):
                yield bot, now, now.describe_replacement(bot, old)

    def hold(self, bot: str, like: str) -> None:
        """Look for no more changes of the files that are copied: those of a bot, or of another one with the same."""
        self._found[bot] = self._found[like]
        self._held.add(bot)

    def list_files(self, bot: str) -> tuple[EntryFile, ...]:
        """Return the files of the last digest of a bot's program, also those that the limits leave out."""
        return self._found[bot][0]

    def _digest(self, version: str, files: Sequence[EntryFile], packages: Packages) -> ProgramDigest:
        entries: dict[str, tuple[str, str]] = {}
        size = 0
        budgets = {False: MOST_SIZE, True: MOST_BYTES}  # of the entry, and of declared files
        unread: list[int] = []
        for file in files[:MOST_FILES]:
            size += file.size
            is_whole = not stat.S_ISREG(file.mode) or file.size <= budgets[file.is_declared]
            if not is_whole and not file.is_named:
                unread.append(file.size)
                entries[file.name] = ("size", str(file.size))
                continue
            if is_whole:
                budgets[file.is_declared] -= file.size
                content = self.digest_file(file.path, file.signature)
            else:  # a huge program must not hide the files next to it
                content = f"{_digest_content(file.path, file.mode, MOST_BYTES)} {file.size}"
                unread.append(file.size - MOST_BYTES)
            if stat.S_ISREG(file.mode):
                kind = "program" if file.mode & stat.S_IXUSR else "file"
            else:
                kind = "link" if stat.S_ISLNK(file.mode) else "special"
            entries[file.name] = (kind, content)
        left_out = [f"the contents of {len(unread)} files ({sum(unread) / 2**20:.0f} MiB)"] * bool(unread)
        left_out += [f"all but {MOST_FILES} files"] * (len(files) > MOST_FILES)
        left_out += packages.left_out
        entries |= {name: ("package", digest) for name, digest in packages.digests.items()}
        encoded = msgspec.msgpack.encode((version, sorted(entries.items()), left_out))
        return ProgramDigest(
            digest=hashlib.sha256(encoded).hexdigest(),
            interpreter=version,
            files=len(entries),
            size=size,
            left_out="; ".join(left_out),
            listing={name: f"{kind} {digest[:DIGITS]}" for name, (kind, digest) in entries.items()},
        )

    def digest_file(self, path: Path | str, signature: tuple[int, ...]) -> str:
        """Return the SHA-256 of a file or of the target of a link, in hexadecimal, or why it cannot be read."""
        self._used.add(str(path))
        known = self._contents.get(str(path))
        if known is None or known[0] != signature:
            known = self._contents[str(path)] = (signature, _digest_content(Path(path), signature[0]))
        return known[1]

    # --- between runs ---------------------------------------------------------------------------------

    def recall(self, file: Path) -> None:
        """Take over from a file what an earlier run knew of files that have not changed since then."""
        with suppress(OSError, msgspec.DecodeError, msgspec.ValidationError):
            self._contents |= msgspec.msgpack.decode(read_file(file), type=dict[str, tuple[tuple[int, ...], str]])

    def remember(self, file: Path) -> None:
        """Write what is known of the files of this run for the next one, into a folder that exists."""
        known = {path: self._contents[path] for path in self._used}
        with suppress(OSError, UnicodeEncodeError):  # then the next run takes a little longer
            write_into(file.parent, file.name, msgspec.msgpack.encode(known))


def _digest_content(path: Path, mode: int, most: int = MOST_SIZE) -> str:
    try:
        if stat.S_ISLNK(mode):
            return hashlib.sha256(os.fsencode(os.readlink(path))).hexdigest()  # noqa: PTH115 - Path changes it
        if stat.S_ISREG(mode):
            return hash_start(path, most)
    except OSError as error:
        return f"unreadable: {error.strerror}"
    return ""
