"""Builds of submissions: a command that runs in the sandbox, without a network, on a copy of the files."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from subprocess import PIPE
from typing import Final

import trio

from arbiter.sandbox.files.untrusted import MOST_BYTES, write_private
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.isolation import ARMED, GO, Program
from arbiter.sandbox.select import NoSandbox, open_sandbox

MOST_S: Final = 300.0
_MOST_CPU_S: Final = 120  # of each process
_MOST_KB: Final = 6 << 20  # of address space of each process
_MOST_TEXT: Final = 1 << 14  # bytes of the output that are shown
_OOM: Final = Path("/proc/self/oom_score_adj")
# The files are copied, built and packed in the scratch folder of the sandbox, whose size is limited.
_SCRIPT: Final = (
    f"ulimit -t {_MOST_CPU_S}; ulimit -v {_MOST_KB}; export HOME=/tmp GOCACHE=/tmp/go GOFLAGS=-mod=mod GOPROXY=off; "
    "mkdir /tmp/build && cp -R . /tmp/build/bot && cd /tmp/build/bot && chmod -R u+w . && "
    '"$@" >&2 && cd .. && exec tar -cf - bot'
)


class BuildFailed(Exception):
    """A build has failed: why, and the end of its output."""

    def __init__(self, why: str, output: str = "") -> None:
        super().__init__(why)
        self.output = output


def build(program: Program, archive: Path) -> None:
    """Build a program by its command in its folder, and write an archive of the result.  Raises BuildFailed."""
    try:
        sandbox = open_sandbox(HiddenFiles())
    except NoSandbox as reason:
        raise BuildFailed(str(reason)) from None
    command = ("/bin/sh", "-c", _SCRIPT, "build", *program.argv)
    launch = sandbox.launch(program, "build", command)
    try:
        start = partial(
            trio.lowlevel.open_process,
            launch.argv,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=dict(launch.env),
            cwd=launch.folder,
            pass_fds=launch.descriptors,
        )
        status, data, errors = trio.run(_run, start)
    except OSError as error:
        raise BuildFailed(error.strerror or str(error)) from None
    finally:
        launch.handle.release()
    text = errors.decode("utf-8", "replace").strip()
    if status is None:
        raise BuildFailed(f"takes more than {MOST_S:.0f} s, or makes more than {MOST_BYTES >> 20} MiB", text)
    if status:
        raise BuildFailed(f"ended with status {status}", text)
    write_private(archive, data.removeprefix(ARMED + b"\n"))


async def _run(start: Callable[[], Awaitable[trio.Process]]) -> tuple[int | None, bytes, bytes]:
    """Run a build; return its status, or None if it exceeds a limit, its archive and the end of its output."""
    with suppress(OSError):
        _OOM.write_text("1000", encoding="ascii")  # if memory runs out, builds end first
    process = await start()
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    assert stdin is not None and stdout is not None and stderr is not None  # noqa: S101, PT018 - pipes were asked for
    output, errors = bytearray(), bytearray()
    is_whole = False

    async def read(stream: trio.abc.ReceiveStream, data: bytearray, most: int, *, keeps_end: bool) -> None:
        while chunk := await stream.receive_some():
            data += chunk
            if len(data) > most and not keeps_end:
                scope.cancel()
            del data[: max(0, len(data) - most)]

    with trio.move_on_after(MOST_S) as scope:
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(read, stdout, output, MOST_BYTES, keeps_end=False))
                nursery.start_soon(partial(read, stderr, errors, _MOST_TEXT, keeps_end=True))
                await stdin.send_all(GO)
                await stdin.aclose()
                await process.wait()
            is_whole = True
        finally:
            process.kill()
    with trio.CancelScope(shield=True):
        await process.wait()
    return process.returncode if is_whole else None, bytes(output), bytes(errors)
