"""A bot's program on other machines, with other paths: its files are packed and unpacked, and it is started once."""

import os
import shutil
import sys
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace

import sample_bots
from arbiter.clock import TimeSettings
from arbiter.errors import ConfigError
from arbiter.languages.sentences import write_reason
from arbiter.referee.fouls import Foul
from arbiter.referee.log import BotLog
from arbiter.referee.pool import BotKind, open_pool
from arbiter.sandbox.files.archive import BadArchive, pack
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.full import Sandbox
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import find_fault
from arbiter.tournament.entries import NAMED, OWN, EntryStore
from arbiter.tournament.environments import LABEL
from arbiter.tournament.programs import ProgramDigest, ProgramDigests
from protocol.words import RED
from sample_bots.catalogue import SAMPLE_BOTS

_SAMPLES: Final = {("-I", "-m", bot.module) for bot in SAMPLE_BOTS.values()}


class CannotStart(Exception):
    """A bot cannot be started on this machine; the text explains it to the operator."""

    def __init__(self, why: str, *, was_started: bool = False) -> None:
        """`was_started`: it was started, but did not introduce itself, so the fault may be its own."""
        super().__init__(why)
        self.was_started = was_started


class PortableBot(Struct, frozen=True, kw_only=True):
    """A bot's program, with all that another machine needs."""

    program: Program
    """With the paths of the machine of the organiser."""
    python: str
    """Path of Python on that machine."""
    found: ProgramDigest
    """Digest on that machine."""
    hidden: frozenset[str] = frozenset()
    """Files of the organiser that the digest leaves out."""
    named: dict[str, str] = {}
    """Words of the command that are files outside the bot's folder, and their names in the archive."""
    archive: bytes | None = None
    """Its files.  Default: each machine has them, at the same path or with the arbiter."""


def make_portable(program: Program, digests: ProgramDigests, entries: EntryStore | None) -> PortableBot:
    """Make a program portable, with the files of its entry.  Default: they have the same path on all machines.

    Files that are declared with `read` are not packed: each machine must have them.  Raises ConfigError if the files
    cannot be sent.
    """
    named: dict[str, str] = {}
    archive = None
    try:
        if entries is not None and not is_sample(program):
            own = replace(program, trusted=False)  # trusted bots may have pipes, but nobody can send them
            copies = entries.enter(own).copies or ((program.folder, program.folder),)  # that of the sample bots
            for number, (_copy, original) in enumerate(copies):
                if not original.is_relative_to(program.folder):
                    named[str(original)] = f"{NAMED}/{number}/{original.name}"
            archive = pack(
                (copy, named.get(str(path)) or str(Path(OWN, path.relative_to(program.folder))))
                for copy, path in copies
            )
        found = digests.digest(program.name)
        if found is None:
            raise ValueError(f"{program.name} has no program")
        if archive and (missing := [name for name, what in found.listing.items() if " unreadable" in what]):
            raise BadArchive(f"{missing[0]} cannot be read")
    except BadArchive as error:
        raise ConfigError(f"bots.{program.name}: {error}") from None
    return PortableBot(
        program=program, python=sys.executable, found=found, hidden=digests.hidden, named=named, archive=archive
    )


def is_sample(program: Program) -> bool:
    """Return True for a sample bot, which every machine has with the arbiter."""
    return program.argv[1:4] in _SAMPLES and not program.inner


# --- programs with the paths of this machine ------------------------------------------------------


def localize(bot: PortableBot, folder: Path | None) -> Program:
    """Return the program of a bot with the paths of this machine; `folder` contains its unpacked archive.

    Raises CannotStart if something is missing on this machine.
    """
    program = bot.program
    if is_sample(program):
        home = Path(sample_bots.__path__[0]).absolute()
        return replace(program, argv=(sys.executable, *program.argv[1:]), folder=home)
    home = program.folder if folder is None else folder / OWN
    here = {bot.python: sys.executable} | {word: f"{folder}/{name}" for word, name in bot.named.items()}

    def move(word: str) -> str:
        path = Path(word)
        if word in here or not path.is_absolute() or not path.is_relative_to(program.folder):
            return here.get(word, word)
        return str(home / path.relative_to(program.folder))

    def find(start: str) -> str:
        """Find the program to start: with the same path, or else the same name."""
        moved = move(start)
        found = moved if os.access(moved, os.X_OK) else shutil.which(Path(moved).name)
        if found is None:
            raise CannotStart(f"there is no {Path(moved).name} on this machine; install it")
        return str(Path(found).absolute())

    read = tuple(Path(move(str(path))) for path in program.read)
    if missing := [str(path) for path in read if not path.exists()]:
        raise CannotStart(f"read: there is no {', '.join(missing)} on this machine; copy it there")
    return replace(
        program,
        argv=(*map(find, program.argv[:1]), *map(move, program.argv[1:])),
        inner=(*map(find, program.inner[:1]), *map(move, program.inner[1:])),
        folder=home,
        base=folder or program.base,
        read=read,
    )


def compare_program(bot: PortableBot, program: Program) -> str:
    """Compare the program on this machine with that of the organiser.

    Return a warning about its interpreter or the packages of its environment, or ''.

    Raises CannotStart if its files differ, or if its interpreter is missing.
    """
    if is_sample(program):
        return ""
    has_environment = any(name.startswith(LABEL) for name in bot.found.listing)
    try:
        here = ProgramDigests([program], map(Path, bot.hidden), has_environments=has_environment).digest(program.name)
    except ConfigError as error:
        raise CannotStart(str(error)) from None
    if here is None:
        return ""
    if different := here.list_differences(bot.found, without=LABEL):
        raise CannotStart(f"its files on this machine differ from those of the organiser: {different}")
    wanted = bot.found.interpreter
    version = here.interpreter
    if wanted == version:
        packages = here.list_differences(bot.found)
        return f"has other packages than on the machine of the organiser: {packages}" if packages else ""
    if version.split(" ")[0] in ("", "env"):  # what a first line such as `#!/usr/bin/env node` names was not found
        raise CannotStart(f"there is no {wanted.split(' ')[0]} on this machine; install it")
    return f"runs with {version}, on the machine of the organiser with {wanted}"


# --- the start of each bot: it is not blamed for what a machine lacks -----------------------------


async def find_program(
    bot: PortableBot, folder: Path | None, isolation: Isolation, hidden: HiddenFiles, *, trusts_all: bool = False
) -> tuple[Program, str]:
    """Return the program of a bot on this machine, and a warning if it differs from that of the organiser, or ''.

    `folder` contains the unpacked archive of the bot.  A sandbox hides the files `hidden`; without one, bots that are
    not trusted may play only with `trusts_all`.  Raises CannotStart.
    """
    program = localize(bot, folder)
    warning = await trio.to_thread.run_sync(compare_program, bot, program)
    if isinstance(isolation, Sandbox):
        # In this thread: a sandbox of root changes the mounts of the thread that starts bots.
        if fault := find_fault(isolation, program, hidden):
            raise CannotStart(fault)
    elif not (program.trusted or trusts_all):
        raise CannotStart("there is no sandbox on this machine; if you trust the bot, set trusted = true for it")
    return program, warning


async def start_once(program: Program, isolation: Isolation, time: TimeSettings) -> None:
    """Start a program, let it introduce itself, and end it.  Raises CannotStart."""
    fault: CannotStart | None = None  # stored, not raised: a nursery would wrap it
    async with open_pool(isolation, 0) as pool:
        bots = []
        try:
            bots.append(pool.take(BotKind(program, time), RED, BotLog(trio.current_time())))
            await bots[0].player.greet(time.start_s)
        except OSError as error:
            fault = CannotStart(f"cannot be started: {error}", was_started=bool(bots))
        except Foul as foul:
            fault = CannotStart(write_reason(foul.reason, names={RED: program.name}), was_started=True)
        finally:
            with trio.CancelScope(shield=True):
                await pool.release(bots, is_voided=True)
    if fault is not None:
        raise fault
