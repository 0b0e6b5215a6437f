"""A bot's process: started so that it dies with us, ended for certain with all that it started.

A tier says how a program is started and held; what a process is and how it ends is the same in every tier.
"""

import contextlib
import os
import secrets
import signal
import subprocess
from pathlib import Path
from typing import Final

import trio

from arbiter.sandbox.isolation import Isolation, Launch, gated
from arbiter.sandbox.orphans import MARK, carriers, end_orphans
from arbiter.sandbox.program import Program
from arbiter.sandbox.scratch import Scratch, place_for
from arbiter.sandbox.stderr import ErrorLog, drain, drain_rest
from arbiter.sandbox.streams import LineReader, LineWriter
from arbiter.sandbox.usage import cpu_ms, descendants, freeze, peak_mib, thaw

_EXIT_SHOWS_S: Final = 0.1


class ProcessIsolation:
    """Own session, limits, a clean environment, a private folder for scratch: against buggy bots, not hostile ones."""

    name = "process"

    def launch(self, program: Program, private: Path, mark: str) -> Launch:
        """Say how to start a program, and make the folder that is its own."""
        scratch = Scratch(private)
        env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": str(private),
            "TMPDIR": str(private),
            MARK: mark,
        }
        return Launch(gated(program), env, program.folder, GroupHandle(mark, scratch))


class GroupHandle:
    """Keeps a process group in hand, by its mark what leaves the group, and its folder for scratch."""

    def __init__(self, mark: str, scratch: Scratch) -> None:
        self._mark = mark
        self._scratch = scratch
        self._pid = 0

    def began(self, pid: int) -> None:
        """Hear which group it is."""
        self._pid = pid

    async def settle(self) -> None:
        """Wait for nothing: a group can be killed from its beginning."""

    def kill(self) -> None:
        """Kill the group; before its leader is reaped, for until then the number is ours."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)

    async def finish(self) -> None:
        """End what has left the group."""
        await end_orphans(self._pid, self._mark)

    def release(self) -> None:
        """Remove what was written for scratch."""
        self._scratch.remove()

    def exit_words(self, status: int) -> str:
        """Describe an exit status."""
        return f"exited with status {status}"


class BotProcess:
    """A program that has been started; `end` must be awaited whatever happens.

    `unheard` is what it wrote after the last answer that was waited for; it is known at the end.
    """

    def __init__(self, program: Program, tier: Isolation) -> None:
        """Start the program behind its gate.  Raises OSError where not even the gate can be started."""
        self._mark = secrets.token_hex(16)
        launch = tier.launch(program, place_for(self._mark), self._mark)
        self._popen = _started(launch)
        assert self._popen.stdin and self._popen.stdout  # noqa: S101, PT018 - pipes were asked for
        assert self._popen.stderr  # noqa: S101
        self._pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self._pidfd = os.pidfd_open(self._popen.pid) if hasattr(os, "pidfd_open") else None
        self._hold = launch.hold
        self._keepers = launch.keepers
        self._frozen: set[int] = set()
        self._settled = trio.Event()
        self._exited = trio.Event()
        self._draining = trio.CancelScope()
        self._drained = trio.Event()
        self.log = ErrorLog()
        self.unheard = b""
        self.writer = LineWriter(self._popen.stdin.fileno())
        self.reader = LineReader(self._popen.stdout.fileno())

    # --- while it lives ---------------------------------------------------------------------------

    async def drain(self) -> None:
        """Keep reading what the program writes on stderr, until its end or the program's."""
        try:
            with self._draining:
                await drain(self._pipes[2].fileno(), self.log)
        finally:
            self._drained.set()

    async def watch(self) -> None:
        """Wait for the program's exit, whatever is cancelled, and wake its reader then.

        The reader would not see it by itself where a child of the program still holds the pipe.
        """
        with trio.CancelScope(shield=True):
            await self._hold.settle()
            self._settled.set()
            await self._wait_exit()
        self._exited.set()
        self.reader.give_up()

    async def _wait_exit(self) -> None:
        if self._pidfd is not None:
            await trio.lowlevel.wait_readable(self._pidfd)
        else:
            await trio.to_thread.run_sync(self._popen.wait, abandon_on_cancel=True)

    async def how_it_ended(self) -> str:
        """Describe the end of the program in words, without reaping it; an exit may take a moment to show."""
        with trio.move_on_after(_EXIT_SHOWS_S):
            await self._exited.wait()
        # WNOHANG: this looks and does not wait.
        ended = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)  # noqa: ASYNC222
        if ended is None:
            return "closed its stdin or stdout"
        drain_rest(self._pipes[2].fileno(), self.log)  # its last words, which the drain may not have come to yet
        if ended.si_code == os.CLD_EXITED:
            return self._hold.exit_words(ended.si_status)
        return f"was ended by {_signal_name(ended.si_status)}"

    def cpu_ms(self) -> float:
        """Return what the program and all that it started have used of the processor, in milliseconds."""
        return cpu_ms(self._pids())

    def freeze(self) -> None:
        """Stop the program and all that it started; being killed is not hindered by that."""
        self._frozen = freeze(self._pids)

    def thaw(self) -> None:
        """Let the program go on."""
        thaw(self._frozen)
        self._frozen = set()

    def peak_mib(self) -> float | None:
        """Return the most address space that one of its processes has had, in MiB; None where nobody can tell."""
        return peak_mib(self._pids())

    def hang_up(self) -> None:
        """Close the program's stdin: it reads the end of its input."""
        self._pipes[0].close()

    def kill(self) -> None:
        """Kill the program; `end` must be awaited all the same."""
        self._hold.kill()

    async def leaves(self, within_s: float) -> bool:
        """Wait for the program's exit; say whether it came in time."""
        with trio.move_on_after(within_s):
            await self._exited.wait()
        return self._exited.is_set()

    def remains(self) -> list[int]:
        """List the processes that the program started and that live on without it; a sandbox lets none."""
        return [pid for pid in carriers(self._mark) if pid != self._popen.pid]

    def _pids(self) -> list[int]:
        root = self._popen.pid
        return [root, *descendants(root)][self._keepers :]

    # --- the end ----------------------------------------------------------------------------------

    async def end(self, grace_s: float) -> None:
        """Let the program leave by itself for a moment, then kill it and everything that it started.

        `watch` and `drain` must be running.
        """
        with trio.move_on_after(grace_s):
            await self._exited.wait()
        await self._settled.wait()
        self._hold.kill()
        await self._exited.wait()
        self._popen.wait()
        await self._hold.finish()
        self._draining.cancel()
        await self._drained.wait()  # it must not wake up to a descriptor that is closed, or another game's by then
        self._close()

    def _close(self) -> None:
        drain_rest(self._pipes[2].fileno(), self.log)
        self.unheard = self.reader.take()
        for pipe in self._pipes:
            pipe.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
        self._hold.release()


def _started(launch: Launch) -> "subprocess.Popen[bytes]":
    try:
        popen = _spawned(launch)
    except BaseException:
        launch.hold.release()
        raise
    launch.hold.began(popen.pid)
    return popen


def _spawned(launch: Launch) -> "subprocess.Popen[bytes]":
    # In the loop's own thread, never in one of trio's: the signal that a parent's death sends is per thread,
    # and trio's threads die when idle.
    return subprocess.Popen(  # noqa: S603 - starting strangers' programs is the trade
        launch.argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(launch.env),
        cwd=launch.folder,
        pass_fds=launch.descriptors,
        start_new_session=True,
        bufsize=0,
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most real-time signals have no name
        return f"signal {number}"
