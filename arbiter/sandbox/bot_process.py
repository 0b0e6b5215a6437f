"""The process of a bot: its pipes, its use of the processor, and an end that leaves no process behind."""

import os
import secrets
import signal
import subprocess
from collections.abc import Set as AbstractSet
from typing import Final

import trio
from msgspec.structs import replace

from arbiter.sandbox.beat import find_beat
from arbiter.sandbox.cores import Cores, Priority, select_priority, starting_on
from arbiter.sandbox.files.identity import check_shown
from arbiter.sandbox.isolation import (
    Isolation,
    Program,
    ProgramEnd,
    count_earlier_oom_kills,
    count_oom_kills,
)
from arbiter.sandbox.memory import MemoryWatch
from arbiter.sandbox.process import find_marked
from arbiter.sandbox.streams import ErrorLog, LineReader, LineWriter, drain, drain_rest
from arbiter.sandbox.usage import (
    cpu_ms,
    descendants,
    freeze,
    is_measurable,
    is_ready_to_run,
    peak_mib,
    prefer_as_victim,
    reaped_ms,
    thaw,
)
from protocol.reasons import ClosedStreams, Exited, Signalled, UsedMemory

_EXIT_SHOWS_S: Final = 0.1
_LATE: Final = b"(the lines above were written after the game before)\n"


class BotProcess:
    """A program that has been started; `end` must be awaited whatever happens."""

    def __init__(self, program: Program, isolation: Isolation, cores: Cores | None = None) -> None:
        """Start the program behind its launcher, on some cores or on all.

        Raises OSError if the launcher cannot be started.
        """
        self._mark = secrets.token_hex(16)
        self._oom_kills = count_oom_kills()
        launch = isolation.launch(program, self._mark)
        try:
            # In the thread of the event loop, never in one of trio's: the signal that announces a parent's death is
            # sent when the thread ends, and trio's threads end when they are idle.
            with starting_on(cores):
                self._popen = subprocess.Popen(  # noqa: S603 - starting other people's programs is the purpose
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
        except BaseException:
            launch.handle.release()
            raise
        launch.handle.attach(self._popen.pid)
        assert self._popen.stdin and self._popen.stdout  # noqa: S101, PT018 - all three are pipes
        assert self._popen.stderr  # noqa: S101
        self._pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self._pidfd = os.pidfd_open(self._popen.pid) if hasattr(os, "pidfd_open") else None
        self._handle = launch.handle
        self._shown = launch.shown
        self._wrapper_processes = launch.wrapper_processes
        self._memory_mb = program.memory_mb
        self._memory: MemoryWatch | None = None
        self._used_mib: float | None = None  # at the moment at which it was more than the limit
        self._waiting = trio.CancelScope()
        self._frozen: set[int] = set()
        self._priority: Priority | None = None
        self._killable = trio.Event()
        self._exited = trio.Event()
        self._draining = trio.CancelScope()
        self._drained = trio.Event()
        self.log = ErrorLog()
        """Output on stderr in the current game."""
        self._writes_errors = False
        self.unread = b""
        """Output after the last answer that was waited for; known at the end."""
        self.writer = LineWriter(self._popen.stdin.fileno())
        self.reader = LineReader(self._popen.stdout.fileno())

    @property
    def process(self) -> "BotProcess":
        """The process itself: the link to a player without one has None."""
        return self

    # --- while it runs ----------------------------------------------------------------------------

    async def drain(self) -> None:
        """Read what the program writes on stderr until it closes it or ends."""
        try:
            with self._draining:
                await drain(self._pipes[2].fileno(), self.log)
        finally:
            self._drained.set()

    async def watch(self) -> None:
        """Wait for the program's exit, even if cancelled; then wake the task that reads from it.

        The reader does not notice the exit by itself if a child of the program holds the pipe.
        """
        with trio.CancelScope(shield=True):
            await self._handle.wait_killable()
            self._killable.set()
            if self._pidfd is None:
                await trio.to_thread.run_sync(self._popen.wait, abandon_on_cancel=True)
            else:
                try:
                    while True:
                        with trio.CancelScope() as self._waiting:
                            await trio.lowlevel.wait_readable(self._pidfd)
                            break
                        # Without a control group for memory: kill it if its processes together use more than its limit.
                        if self._memory is not None and (used_mib := await self._memory.look()) is not None:
                            self._used_mib = used_mib
                            self._handle.kill()
                finally:
                    find_beat().remove(self._on_beat)
        self._exited.set()
        self.reader.stop_waiting()

    async def confine(self) -> None:
        """Put the launcher under the limits of its group, before it runs the program.

        Raises OSError if it does not see the files that were checked, or cannot be put into its group.
        """
        pids = [self._popen.pid, *descendants(self._popen.pid)]
        if self._shown:
            check_shown(pids[-1], self._shown)
        for pid in pids:
            prefer_as_victim(pid)
        await _wait_for(self._killable)
        if self._handle.group_fault is not None:
            raise self._handle.group_fault
        group = self._handle.group
        if group is not None and (outside := set(pids) - group.processes()):  # the move was earlier than their start
            await trio.to_thread.run_sync(group.attach, outside)
        is_limited = group is not None and "memory" in group.controllers
        if is_measurable() and not self.has_exited and not is_limited:
            first = pids[1] if self._wrapper_processes and pids[1:] else None
            self._memory = MemoryWatch(self._memory_mb, self._processes, first, group)
            find_beat().add(self._on_beat)

    def _on_beat(self, now: float) -> None:
        """End the wait for the program's exit if its memory is to be measured."""
        if self._memory is not None and self._used_mib is None and self._memory.is_due(now):
            self._waiting.cancel()

    async def find_end(self) -> ProgramEnd:
        """Find out how the program ended, without reaping it; an exit may take a moment to show."""
        with trio.move_on_after(_EXIT_SHOWS_S):
            await self._exited.wait()
        # With WNOHANG this does not wait.
        ended = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)  # noqa: ASYNC222
        if ended is None:
            return ProgramEnd(ClosedStreams())
        drain_rest(self._pipes[2].fileno(), self.log)  # its last line, which may not have been read yet
        if self._used_mib is not None:
            return ProgramEnd(UsedMemory(round(self._used_mib), self._memory_mb or 0))
        how: Exited | Signalled
        if ended.si_code == os.CLD_EXITED:
            reported = self._handle.find_signal(ended.si_status)
            how = Exited(ended.si_status, reported.name if reported else "")
            is_killed = reported == signal.SIGKILL
            is_outside = False
        else:
            try:
                how = Signalled(signal.Signals(ended.si_status).name)
            except ValueError:  # most real-time signals have no name
                how = Signalled(f"signal {ended.si_status}")
            is_killed = ended.si_status == signal.SIGKILL
            is_outside = self._wrapper_processes > 0  # the process is the sandbox's, not the bot's
        if not is_killed:
            return ProgramEnd(how)
        if self._handle.group is not None and self._handle.group.count_out_of_memory():
            return ProgramEnd(replace(how, memory_mb=self._memory_mb))
        oom_kills = count_oom_kills() - self._oom_kills
        return ProgramEnd(
            how, "out_of_memory" if oom_kills else "sandbox_killed" if is_outside else "killed", oom_kills
        )

    def cpu_ms(self) -> float:
        """Return the processor time that the program and all that it started have used, in milliseconds.

        Without a control group, this misses processes that end while their parent ignores SIGCHLD.  A process whose
        parents have ended belongs to the first process of its sandbox, which reaps it.
        """
        return self.activity()[0]

    def activity(self) -> tuple[float, AbstractSet[int]]:
        """Return the processor time used so far in milliseconds, and the processes whose end may hide some of it."""
        if self._handle.group is not None:
            return self._handle.group.cpu_ms(), frozenset()
        wrappers, programs = self._split_pids()
        return cpu_ms(programs) + sum(map(reaped_ms, wrappers)), set(programs)

    def freeze(self) -> None:
        """Stop the program and all that it started; they can still be killed."""
        if self._handle.group is not None:
            self._handle.group.freeze()
        else:
            self._frozen |= freeze(self._processes)

    def thaw(self) -> None:
        """Let the program continue."""
        if self._handle.group is not None:
            self._handle.group.thaw()
        thaw(self._frozen)
        self._frozen = set()

    def lower_priority(self) -> None:
        """Let the processes of others come before this program's."""
        if self._priority is None:
            wrappers, programs = self._split_pids()
            first = [*wrappers, *programs][max(0, len(wrappers) - 1)]
            self._priority = select_priority(self._handle.group, first, self._processes)
        if self._priority is not None:
            self._priority.lower()

    def restore_priority(self) -> None:
        """Undo `lower_priority`."""
        if self._priority is not None and self._priority.restore is not None:
            self._priority.restore()

    # --- between two games ------------------------------------------------------------------------

    @property
    def writes_errors(self) -> bool:
        """True if the program writes on stderr: then it needs a moment for its last lines when a game is over."""
        return self._writes_errors or not self.log.is_empty

    def take_log(self) -> ErrorLog:
        """End the log of a game and return it; the program stays."""
        drain_rest(self._pipes[2].fileno(), self.log)
        self._writes_errors = self.writes_errors
        return self.log.take()

    def begin_next_game(self) -> None:
        """Begin another game: what the program wrote on stderr meanwhile is marked, and earlier kills do not count."""
        drain_rest(self._pipes[2].fileno(), self.log)
        if not self.log.is_empty:
            self.log.add(_LATE, trio.current_time())
        self._oom_kills = count_earlier_oom_kills()

    @property
    def has_exited(self) -> bool:
        """True if the program is known to have ended."""
        return self._exited.is_set()

    def peak_mib(self) -> float | None:
        """Return the most memory that one of its processes has used, in MiB; None if unknown."""
        return peak_mib(self._processes())

    def _processes(self) -> list[int]:
        return self._split_pids()[1]

    def close_stdin(self) -> None:
        self._pipes[0].close()

    def kill(self) -> None:
        """Kill the program; `end` must still be awaited."""
        self._handle.kill()

    async def exits_within(self, within_s: float) -> bool:
        """Wait for the program's exit; return True if it came in time."""
        with trio.move_on_after(within_s):
            await _wait_for(self._exited)
        return self._exited.is_set()

    def remaining_processes(self) -> list[int]:
        """List the processes that the program started and that live on without it.  A sandbox leaves none."""
        return [pid for pid in find_marked(self._mark) if pid != self._popen.pid]

    def is_ready_to_run(self) -> bool:
        """Return True if a process that the program started is running, or would be if a core or a disk were free."""
        root = self._popen.pid
        return any(is_ready_to_run(pid) for pid in (root, *descendants(root), *self.remaining_processes()))

    def _split_pids(self) -> tuple[list[int], list[int]]:
        """List the processes of the isolation, and those of the program."""
        root = self._popen.pid
        pids = [root, *descendants(root)]
        return pids[: self._wrapper_processes], pids[self._wrapper_processes :]

    # --- the end ----------------------------------------------------------------------------------

    async def end(self, grace_s: float) -> None:
        """Close the input of the program, give it a moment to exit, then kill it and everything that it started.

        A program that did not flush its output writes it then.  `watch` and `drain` must be running.
        """
        if grace_s:
            self.close_stdin()
        await self.exits_within(grace_s)
        await _wait_for(self._killable)
        self._handle.kill()
        await _wait_for(self._exited)
        self._popen.wait()
        await self._handle.wait_dead()
        self._draining.cancel()
        # Otherwise the task could read a descriptor that is closed, or that another game has by then.
        await _wait_for(self._drained)
        drain_rest(self._pipes[2].fileno(), self.log)
        self.unread = self.reader.take()
        for pipe in self._pipes:
            pipe.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
        if self._memory is not None:
            self._memory.close()
        self._handle.release()


async def _wait_for(event: trio.Event) -> None:
    """Wait for an event; unlike the method of the event, this does not let other tasks run if it has happened."""
    if not event.is_set():
        await event.wait()
