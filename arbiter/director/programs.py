"""Programs of bots: their changes before and during a run, and whether to trust those that results name."""

import re
import shlex
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from arbiter.director.files import TOML, find_folder
from arbiter.errors import ConfigError, unknown_name, write_count
from arbiter.sandbox.files.entry import EntryFile, check_entry
from arbiter.sandbox.files.links import Forbidden
from arbiter.sandbox.files.toolchains import find_toolchain, is_on_path, is_shared, is_system
from arbiter.sandbox.isolation import Program
from arbiter.tournament.config.bot_config import OWN_PACKAGES, BotConfig, find_program
from arbiter.tournament.config.entrants import read_tournament_file
from arbiter.tournament.config.tournament import find_programs
from arbiter.tournament.programs import ProgramDigest, ProgramDigests
from arbiter.tournament.results.rows import How, SeenProgram
from sample_bots.catalogue import SAMPLE_BOTS

AddProgram = Callable[[str, ProgramDigest, How], object]
"""Stores what was found of a bot's program."""


def check_accepted(accepted: Sequence[str], bots: Sequence[str]) -> None:
    """Check the names of bots whose new programs are accepted.  Raises ConfigError."""
    for bot in accepted:
        if bot not in bots:
            raise ConfigError(f"--accept-new: {unknown_name('bot', bot, bots)}")


def digest_program(program: Program) -> tuple[ProgramDigest, Sequence[EntryFile]]:
    """Return the digest of a program and the files that belong to it.  Raises ConfigError."""
    digests = ProgramDigests([program])
    found = digests.digest(program.name)
    if found is None:
        raise ValueError(f"{program.name} has no program")
    files = digests.list_files(program.name)
    try:
        check_entry(program, files, digests.hidden_files)
    except Forbidden as error:
        raise ConfigError(f"bots.{program.name}: {error}") from None
    return found, files


class ProgramGuard:
    """Finds out which programs play."""

    def __init__(
        self,
        digests: ProgramDigests,
        bots: Collection[str],
        accepted: Collection[str],
        add: AddProgram,
        *,
        stops: bool,
        load: Callable[[str], object],
        versioned: Collection[str] = (),
    ) -> None:
        """Watch the programs of bots.

        A change during the run is recorded; if it `stops` the run, no more games begin, unless it is `accepted`.
        `load` is called with the bots of each game before it begins.  A new program of a `versioned` bot is
        a bot of its own.
        """
        self._digests = digests
        self._bots = bots
        self._accepted = accepted
        self._add = add
        self._stops = stops
        self._load = load
        self._versioned = versioned
        self._known: dict[str, ProgramDigest] = {}
        self._turn = threading.Lock()
        self.changes: list[str] = []
        """Descriptions of the changes during the run."""

    def begin(self, seen: Sequence[SeenProgram], played: Mapping[str, int]) -> None:
        """Compare the programs with those of the stored games, counted by bot.  Raises ConfigError if one differs."""
        self._known = {one.bot: one.found for one in seen}
        replaced: dict[str, str] = {}
        new: list[tuple[str, ProgramDigest, How]] = []
        for bot in self._bots:
            found = self._digests.digest(bot)
            known = self._known.get(bot)
            if found is None or (known is not None and found.is_same(known)):
                continue
            if known is not None and played.get(bot) and bot not in self._accepted:
                count = write_count(played[bot], "stored game")
                replaced[bot] = f"{found.describe_replacement(bot, known)} since its {count}"
            new.append((bot, found, "first" if known is None or not played.get(bot) else "accepted"))
        if replaced:
            old = next((bot for bot in replaced if bot in self._versioned), None)
            if old is not None:
                raise ConfigError(
                    f"{'; '.join(replaced.values())}; restore it, and enter the new program as a bot with a name of "
                    f'its own and parent = "{old}"'
                )
            options = shlex.join(word for bot in replaced for word in ("--accept-new", bot))
            raise ConfigError(
                f"{'; '.join(replaced.values())}; restore it, or continue with the new one with {options}"
            )
        for bot, found, how in new:
            self._note(bot, found, how)

    def admit(self, work: Callable[[], Sequence[Program]]) -> Sequence[Program]:
        """Return what `work` returns, the programs of bots that join; no game begins meanwhile.  Raises ConfigError."""
        with self._turn:
            return work()

    def identify(self, bots: Sequence[str]) -> Mapping[str, str] | None:
        """Return the digests of the programs of a game that begins; None if it must not begin."""
        with self._turn:
            for bot in bots:
                self._load(bot)
            found = {bot: self._digests.digest(bot) for bot in bots}
            for bot, now in found.items():
                known = self._known.get(bot)
                if now is None or (known is not None and now.is_same(known)):
                    continue
                if known is not None:
                    self.changes.append(now.describe_replacement(bot, known))
                    if self._stops and bot not in self._accepted:
                        return None
                self._note(bot, now, "first" if known is None else "during the run")
        return {bot: "" if now is None else self._known[bot].digest for bot, now in found.items()}

    def end(self) -> None:
        """Look once more for changes of programs that play in place, when all games are over."""
        for bot, now, change in self._digests.find_changes(self._known):
            self.changes.append(change)
            self._note(bot, now, "during the run")

    @property
    def known(self) -> set[str]:
        """The digests of all programs."""
        return {found.digest for found in self._known.values()}

    def _note(self, bot: str, found: ProgramDigest, how: How) -> None:
        self._known[bot] = found
        self._add(bot, found, how)


# --- programs that results name -------------------------------------------------------------------


class Doubt(Struct, frozen=True):
    """A reason to ask the operator before programs are started as results name them."""

    question: str
    """Description of the programs, in several lines, for an operator who can answer."""
    fault: str
    """The same in one line, for an error message."""
    changes: tuple[str, ...]
    """Descriptions of what is not done although the results name it."""


_LOADERS: Final = re.compile(
    r"(LD|DYLD|MALLOC|PYTHON|PERL|RUBY|NODE|NPM|JAVA|_JAVA|JDK|DOTNET|CORECLR|COMPlus|MONO|LUA|PHP|JULIA|GUILE|BASH)"
    r".*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|CLASSPATH|ENV|SHELLOPTS|IFS|PS4|PATH|HOME|TMPDIR"
)
"""Environment variables that make linkers, shells and interpreters load or run something."""


def examine_programs(
    results: Path, file: Path, programs: Sequence[Program], *, is_sandboxed: bool
) -> tuple[tuple[Program, ...], Doubt | None]:
    """Return programs that results name as they may be started, and what the operator should agree to before.

    Somebody else may have written the results.  Sample bots, and programs that the tournament file `file` of the
    operator starts in the same way, are trusted.  Others get no variables that make programs load something, except
    from their own folders, and need a sandbox unless the operator chooses none.
    """
    trusted = [find_program(BotConfig(name=name), file.parent) for name in SAMPLE_BOTS]
    names = [program.name for program in programs]
    with suppress(ConfigError):
        entries = read_tournament_file(file).bots if file.suffix == TOML else []
        trusted += find_programs([entry for entry in entries if entry.name in names], file.parent)
    known = [_list_contents(program) for program in trusted]
    doubtful = [program for program in programs if _list_contents(program) not in known]
    if not doubtful:
        return tuple(programs), None
    home = find_folder(results).resolve()
    where = "in a sandbox" if is_sandboxed else "without a sandbox"
    if is_sandboxed and any(any(_list_outside(program, home)) for program in doubtful):
        where = f"in a sandbox, and would show bots files outside {home}"
    described = [_describe(program, home, is_sandboxed=is_sandboxed) for program in doubtful]
    hint = "if you trust them, add --trust-commands, or name your own tournament file with --file"
    started: list[Program] = []
    changes: list[str] = []
    for program in programs:
        if program not in doubtful:
            started.append(program)
            continue
        loading = [pair for pair in program.environment if _LOADERS.fullmatch(pair[0]) and pair != OWN_PACKAGES]
        dropped = [name for name, _ in loading]
        if dropped:
            changes.append(f"{program.name} gets no {', '.join(dropped)}, which only {results} names")
        usual = tuple(pair for pair in program.environment if pair not in loading)
        started.append(replace(program, environment=usual, trusted=False))
    question = "\n".join([f"{results} contains commands that would run {where}:", *described])
    fault = f"{results}: contains commands that would run {where}: {'; '.join(described)}; {hint}"
    return tuple(started), Doubt(question, fault, tuple(changes))


def _list_contents(program: Program) -> tuple[object, ...]:
    """Return all that decides what a program runs and sees."""
    return program.argv, program.inner, program.folder, program.read, program.environment


def _describe(program: Program, home: Path, *, is_sandboxed: bool) -> str:
    """Describe all that decides what a program runs and sees."""
    parts = [f"{program.name}: {shlex.join(program.argv)}", f"in the folder {program.folder}"]
    if program.inner:
        parts.append(f"which starts {shlex.join(program.inner)}")
    if program.read:
        parts.append(f"reads {shlex.join(map(str, program.read))}")
    if program.environment:
        parts.append(f"with {shlex.join(f'{name}={value}' for name, value in program.environment)}")
    if is_sandboxed and (outside := list(_list_outside(program, home))):
        parts.append(f"sees {shlex.join(map(str, outside))}")
    return ", ".join(parts)


def _list_outside(program: Program, home: Path) -> Iterator[Path]:
    """Yield the files and folders outside `home`, or in a shared folder, that a sandbox would show to a program."""
    yield from program.read
    for tool in (Path(argv[0]) for argv in (program.argv, program.inner) if argv):
        is_usual = is_system(tool) or is_on_path(tool) or find_toolchain(tool) is not None
        if not (is_usual or _is_inside(tool, home)):
            yield tool
    folders = (program.folder, program.base or program.folder)
    yield from dict.fromkeys(folder for folder in folders if not _is_inside(folder, home))


def _is_inside(path: Path, home: Path) -> bool:
    return path.resolve().is_relative_to(home) and not is_shared(home)
