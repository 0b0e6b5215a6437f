"""A bot's program on other machines, with other paths, and its start before the first game."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace

import sample_bots
from arbiter.clock import TimeSettings
from arbiter.cluster.archives import OWN, name_in_archive
from arbiter.referee.fouls import Foul
from arbiter.referee.log import BotLog
from arbiter.referee.player import SeatedPlayer
from arbiter.referee.pool import GRACE_S
from arbiter.referee.timer import MoveTimer, lag_monitor
from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.full import Sandbox
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import find_fault
from arbiter.tournament.programs import ProgramDigest, ProgramDigests
from protocol.words import RED
from sample_bots import SAMPLE_BOTS

_MODULE: Final = ("-I", "-m")
_SAMPLES: Final = frozenset(bot.module for bot in SAMPLE_BOTS.values())
_SHOWN: Final = 3  # different files in a message


class CannotStart(Exception):
    """A bot cannot be started on this machine, through no fault of its own; the text explains it to the operator."""


class PortableBot(Struct, frozen=True, kw_only=True):
    """A bot's program, with all that another machine needs besides its files."""

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
    is_packed: bool = True
    """False if each machine has the files: at the same path, or with the arbiter."""


def make_portable(program: Program, digests: ProgramDigests, *, shared: bool) -> PortableBot:
    """Make a program portable; `shared`: its files have the same path on all machines."""
    found = digests.digest(program.name)
    if found is None:
        raise ValueError(f"{program.name} has no program")
    is_packed = not (shared or is_sample(program))
    paths = digests.list_paths(program.name) if is_packed else {}
    outside = {
        str(path): name
        for listed, path in paths.items()
        if not path.is_relative_to(program.folder) and (name := name_in_archive(listed, path, program)) is not None
    }
    return PortableBot(
        program=program,
        python=sys.executable,
        found=found,
        hidden=digests.hidden,
        named=outside,
        is_packed=is_packed,
    )


def is_sample(program: Program) -> bool:
    """Return True for a sample bot, which every machine has with the arbiter."""
    return program.argv[1:3] == _MODULE and program.argv[3] in _SAMPLES and not program.inner


def localize(bot: PortableBot, folder: Path | None) -> Program:
    """Return the program of a bot with the paths of this machine; `folder` contains its unpacked archive.

    Raises CannotStart if something is missing on this machine.
    """
    program = bot.program
    if bot.is_packed and folder is None:
        raise CannotStart("its files are not on this machine")
    if is_sample(program):
        home = Path(sample_bots.__path__[0]).absolute()
        return replace(program, argv=(sys.executable, *program.argv[1:]), folder=home)
    here = {str(program.folder): str(program.folder if folder is None else folder / OWN), bot.python: sys.executable}
    if folder is not None:
        here |= {word: str(folder / name) for word, name in bot.named.items()}
    read = tuple(Path(_move(str(path), program.folder, here)) for path in program.read)
    if missing := [str(path) for path in read if not path.exists()]:
        raise CannotStart(f"read: there is no {', '.join(missing)} on this machine; copy it there")
    return replace(
        program,
        argv=tuple(_move_command(program.argv, program.folder, here)),
        inner=tuple(_move_command(program.inner, program.folder, here)),
        folder=Path(here[str(program.folder)]),
        base=folder or program.base,
        read=read,
    )


def _move_command(argv: tuple[str, ...], folder: Path, here: dict[str, str]) -> Iterator[str]:
    """Yield the words of a command with the paths of this machine; the first is the program to start.

    Raises CannotStart.
    """
    for number, word in enumerate(argv):
        moved = _move(word, folder, here)
        if number == 0 and not os.access(moved, os.X_OK):  # the same path, or else the same name
            name = Path(moved).name
            found = shutil.which(name)
            if found is None:
                raise CannotStart(f"there is no {name} on this machine; install it")
            moved = str(Path(found).absolute())
        yield moved


def _move(word: str, folder: Path, here: dict[str, str]) -> str:
    """Return a word of a command with the path of this machine, if it is a path of the bot."""
    path = Path(word)
    if word in here or not path.is_absolute() or not path.is_relative_to(folder):
        return here.get(word, word)
    return str(Path(here[str(folder)]) / path.relative_to(folder))


def compare_program(bot: PortableBot, program: Program) -> str:
    """Compare the program on this machine with that of the organiser; return a warning about its interpreter, or ''.

    Raises CannotStart if its files differ, or if its interpreter is missing.
    """
    here = ProgramDigests([program], map(Path, bot.hidden)).digest(program.name)
    if here is None or is_sample(program):
        return ""
    different = sorted(
        name
        for name in here.listing.keys() | bot.found.listing.keys()
        if here.listing.get(name) != bot.found.listing.get(name)
    )
    if different:
        more = f" and {len(different) - _SHOWN} more" if len(different) > _SHOWN else ""
        raise CannotStart(
            f"its files on this machine differ from those of the organiser: {', '.join(different[:_SHOWN])}{more}"
        )
    wanted, version = bot.found.interpreter, here.interpreter
    if wanted == version:
        return ""
    if version.split(" ")[0] in ("", "env"):  # what a first line such as `#!/usr/bin/env node` names was not found
        raise CannotStart(f"there is no {wanted.split(' ')[0]} on this machine; install it")
    return f"runs with {version}, on the machine of the organiser with {wanted}"


# --- the start of each bot: it is not blamed for what a machine lacks -----------------------------


FindFolder = Callable[[str], Path | None]
"""Returns the folder of an unpacked archive with a digest, if it is on this machine."""


class Readiness(Struct, frozen=True, kw_only=True):
    """The outcome of starting a bot on a machine."""

    bot: str
    fault: str = ""
    """Reason why the bot cannot start there; empty if it can."""
    warning: str = ""
    """Difference to the machine of the organiser."""
    program: Program | None = None
    """The program with the paths of the machine; None if something is missing there, so that it was not started."""


class StartOptions(Struct, frozen=True, kw_only=True):
    """The way to start bots before the first game."""

    time: TimeSettings
    at_once: int = 1
    """Number of bots that are started at the same time."""
    trust_all: bool = False
    """If True, bots that are not trusted may play without a sandbox too."""
    is_tried: bool = True
    """If False, bots are found but not started, because another process of this machine does that."""


async def prepare_bots(
    bots: Sequence[PortableBot],
    find_folder: FindFolder,
    isolation: Isolation,
    options: StartOptions,
    hidden_files: HiddenFiles | None = None,
) -> list[Readiness]:
    """Find each bot on this machine, start it once, and let it introduce itself.

    A sandbox hides `hidden_files`.
    """
    outcomes: dict[str, Readiness] = {}
    limit = trio.CapacityLimiter(options.at_once)

    async def prepare(bot: PortableBot) -> None:
        async with limit:
            name = bot.program.name
            try:
                program = localize(bot, find_folder(bot.found.digest) if bot.is_packed else None)
                outcomes[name] = Readiness(bot=name, program=program)
                if options.is_tried:
                    outcomes[name] = await _start_bot(bot, program, isolation, options, hidden_files)
            except CannotStart as fault:
                outcomes[name] = Readiness(bot=name, fault=str(fault))

    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(prepare, bot)
    return [outcomes[bot.program.name] for bot in bots]


async def _start_bot(
    bot: PortableBot, program: Program, isolation: Isolation, options: StartOptions, hidden_files: HiddenFiles | None
) -> Readiness:
    """Start a bot on this machine, let it introduce itself, and end it.  Raises CannotStart."""
    warning = await trio.to_thread.run_sync(compare_program, bot, program)
    if isinstance(isolation, Sandbox):
        # In this thread: a sandbox of root changes the mounts of the thread that starts bots.
        if fault := find_fault(isolation, program, hidden_files or HiddenFiles()):
            raise CannotStart(fault)
    elif not (program.trusted or options.trust_all):
        raise CannotStart("there is no sandbox on this machine; if you trust the bot, set trusted = true for it")
    try:
        process = BotProcess(program, isolation)
    except OSError as error:
        raise CannotStart(f"cannot be started: {error}") from None
    fault = ""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        nursery.start_soon(process.drain)
        try:
            player = SeatedPlayer(RED, process, MoveTimer(options.time, lag_monitor()), BotLog(trio.current_time()))
            await player.greet(options.time.start_s)
            await player.send_bye()
        except (Foul, OSError) as error:
            fault = str(error)
        finally:
            with trio.CancelScope(shield=True):
                await process.end(GRACE_S)
        nursery.cancel_scope.cancel()
    fault = fault.replace(RED, program.name, 1)
    return Readiness(bot=program.name, fault=fault, warning=warning, program=program)
