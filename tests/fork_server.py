"""A process that has imported the arbiter and forks, so that a test starts many programs in a tenth of the time.

Each program is a process, session and group of its own, as if a shell had started it.
"""

import atexit
import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from importlib import import_module
from pathlib import Path

COMMANDS = ("match", "run", "scheduler", "worker")
MODULES = ("arbiter.cluster.coordinator", "arbiter.cluster.processes", "arbiter.serve.gateway")


@cache
def find_fork_server():
    """Return the process, which the first call starts and which ends with this one."""
    server = ForkServer()
    atexit.register(server.close)
    return server


class ForkServer:
    def __init__(self):
        pipe = subprocess.PIPE
        self._popen = subprocess.Popen([sys.executable, __file__], stdin=pipe, stdout=pipe, text=True)

    def close(self):
        self._popen.communicate()

    def ask(self, **request):
        self._popen.stdin.write(json.dumps(request) + "\n")
        self._popen.stdin.flush()
        return json.loads(self._popen.stdout.readline())

    def start(self, words, log, cwd, environment):
        """Start `arbiter WORDS`, with its output in a file."""
        return Forked(self, self.ask(words=words, log=str(log), cwd=str(cwd), environment=environment))


class Forked:
    """A program, with a part of the interface of `Popen`."""

    def __init__(self, server, pid):
        self._server = server
        self.pid = pid
        self.returncode = None

    def poll(self):
        if self.returncode is None:
            self.returncode = self._server.ask(pid=self.pid)
        return self.returncode

    def wait(self, timeout):
        limit = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > limit:
                raise subprocess.TimeoutExpired("arbiter", timeout)
            time.sleep(0.02)
        return self.returncode


def serve():
    """Answer requests until stdin ends; return the request of a program in its process, and None in this one."""
    for line in sys.stdin:
        request = json.loads(line)
        if "pid" in request:
            found, status = os.waitpid(request["pid"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if found else None
        else:
            answer = os.fork()
            if answer == 0:
                return request
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    return None


def become(request):
    """Make this process one of its own, with its environment, folder, input and output."""
    os.setsid()
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environment"])
    with Path(os.devnull).open() as nothing, Path(request["log"]).open("ab") as log:
        os.dup2(nothing.fileno(), 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    tempfile.tempdir = None
    sys.modules["dask"].config.refresh()
    sys.argv = ["arbiter", *request["words"]]


if __name__ == "__main__":  # the workers of Dask import this file too
    sys.path[0] = str(Path(__file__).parents[1])
    for name in (*(f"arbiter.cli.commands.{name}" for name in COMMANDS), *MODULES):
        import_module(name)
    from arbiter.cli import main

    assert threading.active_count() == 1
    gc.freeze()
    if program := serve():
        become(program)
        main()
