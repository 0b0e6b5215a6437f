"""A process that has imported the arbiter and forks, so that a test starts it in a tenth of the time.

A program that it forks is a child of the test, as if `Popen` had started it; what that starts is not forked.
"""

import atexit
import ctypes
import fcntl
import gc
import inspect
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from arbiter.cli import commands
from arbiter.sandbox import isolation
from arbiter.tournament.ratings import pool

USUAL_DRAWS = pool._MOST_DRAWS
pool._MOST_DRAWS = 500  # so that each small tournament does not compute longer than it plays
isolation._VMSTAT = os.devnull  # processes of other tests that the machine kills are no evidence

PYTHON = (sys.executable, "-m")
PROGRAMS = {
    (str(Path(sys.executable).with_name("arbiter")),): "arbiter.cli",
    (*PYTHON, "arbiter"): "arbiter.cli",
    (*PYTHON, "arbiter.serve.gateway_process"): "arbiter.serve.gateway_process",
    (*PYTHON, "arbiter.submissions.examiner"): "arbiter.submissions.examiner",
    (*PYTHON, "dask"): "dask.__main__",
}
"""First words of the command lines, and the modules with their functions `main`."""
MODULES = (
    *(f"arbiter.cli.commands.{module.name}" for module in iter_modules(commands.__path__)),
    "arbiter.arrays",
    "arbiter.cluster.coordinator",
    "arbiter.cluster.processes",
    "arbiter.cluster.worker",
    "arbiter.show.watch.app",
    *PROGRAMS.values(),
)
AT_START = ("PYTHON", "LC_", "LANG", "TZ", "TEXTUAL")  # variables that count when Python starts, or Textual is imported
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
PARAMETERS = [*inspect.signature(subprocess.Popen._execute_child).parameters][2:]
PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
MOST_BYTES, MOST_DESCRIPTORS = 1 << 20, 16  # of a request
MOST_WORDS = 8000  # characters of a command line that `ps` shows
TURN = threading.RLock()  # of the threads of a test
FREE = 1000  # the numbers of descriptors from here on are not used
GET_CHILD_SUBREAPER, SET_CHILD_SUBREAPER = 37, 36


# --- in the process that starts a program ---------------------------------------------------------


class Forked(subprocess.Popen):
    """`Popen` which forks the programs of PROGRAMS, except with rare options and on other systems."""

    def _execute_child(self, args, *others):
        given = dict(zip(PARAMETERS, others, strict=True))
        environment = os.environ if given["env"] is None else given["env"]
        words = [] if isinstance(args, str | bytes | os.PathLike) else [*map(os.fsdecode, args)]
        start = next((start for start in PROGRAMS if words[: len(start)] == [*start]), None)
        is_usual = given["close_fds"] and not given["preexec_fn"] and given["uid"] is None and given["umask"] < 0
        if start is None or not is_usual or read_at_start(environment) != read_at_start(os.environ):
            super()._execute_child(args, *others)
            return
        streams = [given[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        streams = {number: number if stream == -1 else stream for number, stream in enumerate(streams)}
        streams |= {number: number for number in given["pass_fds"]}
        request = {
            "module": PROGRAMS[start],
            "command": words,
            "words": [start[-1], *words[len(start) :]],
            "folder": str(given["cwd"] or Path.cwd()),
            "environment": dict(environment),
            "is_session": given["start_new_session"],
            "group": given["process_group"],
            "ignored": [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_IGN],
            "numbers": [*streams],
        }
        with TURN, adopting_orphans():
            server = connect_to_server()
            socket.send_fds(server, [json.dumps(request).encode()], [*streams.values()])
            self.pid = int(server.recv(MOST_BYTES))
            server.recv(MOST_BYTES)  # its first parent has ended
        self._child_created = True
        self._close_pipe_fds(*(given[name] for name in PIPES))


def read_at_start(environment):
    """Return the variables of an environment that cannot be changed once Python runs."""
    return {name: value for name, value in environment.items() if name.startswith(AT_START)}


@contextmanager
def adopting_orphans():
    """Let this process adopt orphans."""
    prctl = ctypes.CDLL(None).prctl
    before = ctypes.c_int()
    prctl(GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(SET_CHILD_SUBREAPER, before.value, 0, 0, 0)


def connect_to_server():
    """Return the connection to the server for this thread; the first call starts it, as a child of this process."""
    return find_fork_server(Path("/proc/thread-self/ns/mnt").readlink())


@cache
def find_fork_server(mounts):
    """Return the connection to the server with these mounts, which the first call starts; it ends with this process.

    A process of root gets mounts of its own when it opens a sandbox, and a server from before does not see later ones.
    """
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its:
        nothing, number = subprocess.DEVNULL, its.fileno()
        words = [sys.executable, __file__, str(number), MOST_WORDS * " "]
        server = subprocess.Popen(words, stdin=nothing, stdout=nothing, pass_fds=[number])

    def end():
        ours.close()
        server.wait()

    atexit.register(end)
    return ours


# --- in the server --------------------------------------------------------------------------------


def serve(connection):
    """Answer requests until there are no more; return a request and its descriptors in the process of a program."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(connection, MOST_BYTES, MOST_DESCRIPTORS)
        if not message:
            return None
        parent = os.fork()
        if parent == 0:
            program = os.fork()
            if program == 0:
                return json.loads(message), descriptors
            connection.send(str(program).encode())
            os._exit(0)
        os.waitpid(parent, 0)
        connection.send(b"ended")
        for descriptor in descriptors:
            os.close(descriptor)


# --- in a new program -----------------------------------------------------------------------------


def change_command_line(words):
    """Let /proc and `ps` show the words of another command."""
    start, end = map(int, Path("/proc/self/stat").read_text().rpartition(") ")[2].split()[45:47])
    shown = b"\0".join(map(os.fsencode, words))[: end - start - 1]
    ctypes.memmove(start, shown.ljust(end - start, b"\0"), end - start)


def become(request, descriptors):
    """Give this process the folder, environment, group, signals and descriptors of a new program."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    if request["is_session"]:
        os.setsid()
    if request["group"] != -1:
        os.setpgid(0, request["group"])
    for number in SIGNALS:
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if number in request["ignored"] else usual)
    places = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, FREE) for descriptor in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)
    for number, place in zip(request["numbers"], places, strict=True):
        os.dup2(place, number)
        os.close(place)
    encoding = sys.stdout.encoding
    sys.stdin = sys.__stdin__ = os.fdopen(0, encoding=encoding, errors=sys.stdin.errors, closefd=False)
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", encoding=encoding, errors=sys.stdout.errors, closefd=False)
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", 1, encoding=encoding, errors="backslashreplace", closefd=False)
    tempfile.tempdir = None
    if "dask" in sys.modules:
        sys.modules["dask"].config.refresh()
    sys.argv = request["words"]
    change_command_line(request["command"])


@contextmanager
def leaving_quickly():
    """After SystemExit with a number, do what Python does at its end, but do not delete all modules first."""
    try:
        yield
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        threading._shutdown()
        atexit._run_exitfuncs()
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            raise end from None
        os._exit(end.code or 0)


if __name__ == "__main__":  # the workers of Dask import this file too
    sys.path[0] = str(Path(__file__).parents[1])
    with socket.socket(fileno=int(sys.argv[1])) as own_end:
        for module in MODULES:
            with suppress(ModuleNotFoundError):  # other Pythons are tested without Dask
                import_module(module)
        assert threading.active_count() == 1
        gc.freeze()
        forked = serve(own_end)
    if forked is not None:
        become(*forked)
        with leaving_quickly():
            sys.modules[forked[0]["module"]].main()
            sys.exit()
