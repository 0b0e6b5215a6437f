"""Commands that the arbiter runs in the sandbox on the files of a submission, within limits."""

from typing import Final

import trio
from msgspec.structs import replace

from arbiter.languages.sentences import write_reason
from arbiter.sandbox.bot_process import BotProcess
from arbiter.sandbox.files.untrusted import MOST_BYTES
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.full import Sandbox
from arbiter.sandbox.isolation import GO, Program
from arbiter.sandbox.select import NoSandbox, open_sandbox
from arbiter.sandbox.streams import LineTooLong, StreamEnd

MOST_S: Final = 300.0
MOST_MB: Final = 4096
"""Memory of all processes and files of a command together, in MiB."""
_MOST_CPU_S: Final = 120  # of each process
_MOST_TEXT: Final = 1 << 14  # characters of the output that are shown
_SCRIPT: Final = f"ulimit -t {_MOST_CPU_S}; export HOME=/tmp; "


class CommandFailed(Exception):
    """A command has failed: why, and the end of its output."""

    def __init__(self, why: str, output: str = "") -> None:
        super().__init__(why)
        self.output = output


def run_sandboxed(program: Program, script: str) -> bytes:
    """Run a script of the shell in the sandbox of a program, whose command is its "$@"; return what it prints.

    It has no network and the limits of a bot, with more memory.  Raises CommandFailed.
    """
    command = ("/bin/sh", "-c", _SCRIPT + script, program.name, *program.argv)
    shown = replace(program, argv=command, inner=program.argv, memory_mb=MOST_MB)
    try:
        sandbox = open_sandbox(HiddenFiles())
        return trio.run(_run, shown, sandbox)
    except NoSandbox as reason:
        raise CommandFailed(str(reason)) from None
    except OSError as error:
        raise CommandFailed(error.strerror or str(error)) from None


async def _run(program: Program, sandbox: Sandbox) -> bytes:
    process = BotProcess(program, sandbox)
    output: bytes | None = None
    how = f"takes more than {MOST_S:.0f} s"
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        nursery.start_soon(process.drain)
        try:
            with trio.move_on_after(MOST_S):
                try:
                    await process.reader.line()
                    await process.confine()
                    await process.writer.send(GO)
                    process.close_stdin()
                    output = await process.reader.rest(MOST_BYTES)
                    await process.exits_within(MOST_S)
                    how = write_reason((await process.find_end()).how)
                except StreamEnd:
                    how = write_reason((await process.find_end()).how)
                except OSError as error:  # a file was replaced, or there is no control group
                    how = error.strerror or str(error)
                except LineTooLong:
                    how = f"makes more than {MOST_BYTES >> 20} MiB"
        finally:
            with trio.CancelScope(shield=True):
                await process.end(0)
    if output is None or how != "exited with status 0":
        raise CommandFailed(how.replace("memory_mb = ", ""), process.log.text()[-_MOST_TEXT:].strip())
    return output
