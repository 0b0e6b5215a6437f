"""The start of each bot on each machine before the first game: a bot is not blamed for what a machine lacks."""

from collections.abc import Callable, Sequence
from pathlib import Path

import trio
from msgspec import Struct

from arbiter.clock import TimeSettings
from arbiter.cluster.bots.portable import CannotStart, PortableBot, compare_program, localize
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
from protocol.words import RED

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
                folder = find_folder(bot.found.digest) if bot.is_packed else None
                program = localize(bot, folder)
                if not options.is_tried:
                    outcomes[name] = Readiness(bot=name, program=program)
                    return
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
    """Start a bot on this machine.  Raises CannotStart."""
    warning = await trio.to_thread.run_sync(compare_program, bot, program)
    if isinstance(isolation, Sandbox):
        # In this thread: a sandbox of root changes the mounts of the thread that starts bots.
        if fault := find_fault(isolation, program, hidden_files or HiddenFiles()):
            raise CannotStart(fault)
    elif not (program.trusted or options.trust_all):
        raise CannotStart("there is no sandbox on this machine; if you trust the bot, set trusted = true for it")
    fault = await try_start(program, isolation, options.time)
    return Readiness(bot=program.name, fault=fault, warning=warning, program=program)


async def try_start(program: Program, isolation: Isolation, time: TimeSettings) -> str:
    """Start a program, let it introduce itself, and end it; return what went wrong, or ''.  Raises CannotStart."""
    try:
        process = BotProcess(program, isolation)
    except OSError as error:
        raise CannotStart(f"cannot be started: {error}") from None
    fault = ""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        nursery.start_soon(process.drain)
        try:
            player = SeatedPlayer(RED, process, MoveTimer(time, lag_monitor()), BotLog(trio.current_time()))
            await player.greet(time.start_s)
            await player.send_bye()
        except (Foul, OSError) as error:
            fault = str(error)
        finally:
            with trio.CancelScope(shield=True):
                await process.end(GRACE_S)
        nursery.cancel_scope.cancel()
    return fault.replace(RED, program.name, 1)
