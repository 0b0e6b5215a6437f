"""Programs of bots: their changes before and during a run, and whether to trust those that results name."""

import shlex
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from arbiter.director.files import TOML, find_folder
from arbiter.errors import ConfigError, unknown_name, write_count
from arbiter.sandbox.files.toolchains import find_toolchain, is_on_path, is_shared, is_system
from arbiter.sandbox.isolation import Program
from arbiter.tournament.config.bot_entries import BotEntry, find_program
from arbiter.tournament.config.tournament import find_programs
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.config.typed_toml import read_toml
from arbiter.tournament.programs import ProgramDigest, ProgramDigests
from arbiter.tournament.results.rows import How, SeenProgram
from arbiter.tournament.standings.stored_game import StoredGame
from sample_bots import SAMPLE_BOTS

AddProgram = Callable[[str, ProgramDigest, How], object]
"""Stores what was found of a bot's program."""


def check_accepted(accepted: Sequence[str], bots: Sequence[str]) -> None:
    """Check the names of bots whose new programs are accepted.  Raises ConfigError."""
    for bot in accepted:
        if bot not in bots:
            raise ConfigError(f"--accept-new: {unknown_name('bot', bot, bots)}")


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
        sent: Mapping[str, ProgramDigest] | None = None,
    ) -> None:
        """Watch the programs of bots, except those that were `sent` elsewhere: copies do not change.

        A change during the run is recorded; if it `stops` the run, no more games begin, unless it is `accepted`.
        """
        self._digests = digests
        self._bots = bots
        self._accepted = accepted
        self._add = add
        self._stops = stops
        self._sent = sent or {}
        self._known: dict[str, ProgramDigest] = {}
        self._turn = threading.Lock()
        self.changes: list[str] = []
        """Descriptions of the changes during the run."""

    def begin(self, seen: Sequence[SeenProgram], games: Sequence[StoredGame]) -> None:
        """Compare the programs with those of the stored games.  Raises ConfigError if one was replaced."""
        self._known = {one.bot: one.found for one in seen}
        played = {bot: sum(bot in (game.red, game.blue) for game in games) for bot in self._bots}
        replaced: dict[str, str] = {}
        new: list[tuple[str, ProgramDigest, How]] = []
        for bot in self._bots:
            found = self._find(bot)
            known = self._known.get(bot)
            if found is None or (known is not None and known.digest == found.digest):
                continue
            if known is not None and played[bot] and bot not in self._accepted:
                count = write_count(played[bot], "stored game")
                replaced[bot] = f"{found.describe_replacement(bot, known)} since its {count}"
            new.append((bot, found, "first" if known is None or not played[bot] else "accepted"))
        if replaced:
            options = shlex.join(word for bot in replaced for word in ("--accept-new", bot))
            raise ConfigError(
                f"{'; '.join(replaced.values())}; restore it, or continue with the new one with {options}"
            )
        for bot, found, how in new:
            self._note(bot, found, how)

    def identify(self, bots: Sequence[str]) -> Mapping[str, str] | None:
        """Return the digests of the programs of a game that begins; None if it must not begin."""
        with self._turn:
            found = {bot: self._find(bot) for bot in bots}
            for bot, now in found.items():
                known = self._known.get(bot)
                if now is None or (known is not None and known.digest == now.digest):
                    continue
                if known is not None:
                    self.changes.append(now.describe_replacement(bot, known))
                    if self._stops and bot not in self._accepted:
                        return None
                self._note(bot, now, "first" if known is None else "during the run")
        return {bot: "" if now is None else now.digest for bot, now in found.items()}

    def _find(self, bot: str) -> ProgramDigest | None:
        return self._sent.get(bot) or self._digests.digest(bot)

    def _note(self, bot: str, found: ProgramDigest, how: How) -> None:
        self._known[bot] = found
        self._add(bot, found, how)


# --- programs that results name -------------------------------------------------------------------


class Doubt(Struct, frozen=True):
    """A reason to ask the operator before programs are started as results name them."""

    question: str
    """Description of the programs for an operator who can answer."""
    fault: str
    """The same, for an error message."""


def find_doubt(results: Path, file: Path, programs: Sequence[Program], *, is_sandboxed: bool) -> Doubt | None:
    """Return what the operator should agree to before programs are started as results name them.

    Somebody else may have written the results.  Programs are trusted if they are sample bots, or if the tournament
    file `file` starts them in the same way.  In a sandbox, others may be started if they see only files in the folder
    of the tournament.
    """
    trusted = [find_program(BotEntry(name=name), file.parent) for name in SAMPLE_BOTS]
    names = [program.name for program in programs]
    with suppress(ConfigError):
        entries = read_toml(file, TournamentFile).bots if file.suffix == TOML else []
        trusted += find_programs([entry for entry in entries if entry.name in names], file.parent)
    known = [_list_contents(program) for program in trusted]
    doubtful = [program for program in programs if _list_contents(program) not in known]
    if is_sandboxed:
        home = find_folder(results).resolve()
        shown = {program.name: list(_list_outside(program, home)) for program in doubtful}
        listed = "; ".join(f"{name}: {shlex.join(map(str, paths))}" for name, paths in shown.items() if paths)
        question = f"{results} shows these files to bots: {listed}"
        fault = f"contains commands that would show bots files outside {home}: {listed}"
    else:
        listed = "; ".join(f"{program.name}: {shlex.join(program.argv)}" for program in doubtful)
        question = f"{results} starts these programs without a sandbox: {listed}"
        fault = f"contains commands that would run without a sandbox: {listed}"
    if not listed:
        return None
    hint = "if you trust them, add --trust-commands, or name your own tournament file with --file"
    return Doubt(question, f"{results}: {fault}; {hint}")


def _list_contents(program: Program) -> tuple[object, ...]:
    """Return all that decides what a program runs and sees."""
    return program.argv, program.inner, program.folder, program.read


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
