"""The programs of a cluster that faults are done to: a scheduler, machines with a worker, and runs of tournaments."""

import os
import resource
import signal
import sqlite3
import subprocess
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from socket import create_server

from cli.command_line import ARBITER
from cluster.chaos.proxy import Proxy
from cluster.machines import UNSHARE, can_rename
from ports import reserve_port

from arbiter.cluster.games import UNPACKED
from arbiter.errors import ConfigError
from arbiter.resources import count_cores
from arbiter.sandbox.files.temporary import remove_leftovers
from arbiter.sandbox.process import SCRATCH_PREFIX
from arbiter.tournament.results.store import Store

POLL_S = 0.2
PATIENCE_S = 60  # nothing may hang for longer, on a machine with idle cores
TTL_S = 10  # after which the scheduler gives up a worker that does not answer
DISK_BYTES = 4 << 20
LOG_BYTES = 1 << 16  # more than the log of a run
JOBS = 6  # games at a time of a run: with those of another one, enough for all machines
PAUSE_US = 50_000  # of the bots: a game takes about 3 s, and some game of each run ends every two seconds


def wait_until(is_true, what):
    """Wait until a function returns something true, and return it.  Raises TimeoutError.

    Time passes more slowly if other programs use the cores too.
    """
    begun = last = time.monotonic()
    left = PATIENCE_S
    while not (found := is_true()):
        if left < 0:
            raise TimeoutError(f"{time.monotonic() - begun:.0f} s have passed: {what() if callable(what) else what}")
        time.sleep(POLL_S)
        now = time.monotonic()
        left -= (now - last) / max(1, os.getloadavg()[0] / count_cores())
        last = now
    return found


def is_free(port):
    """Return True if a server can listen at a port."""
    with suppress(OSError), create_server(("127.0.0.1", port)):
        return True
    return False


def read_processes():
    """Return the parent and the command line of each process, by its number."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            stat = (entry / "stat").read_text().rpartition(") ")[2].split()
            if stat[0] != "Z":
                found[int(entry.name)] = int(stat[1]), (entry / "cmdline").read_bytes().decode(errors="replace")
    return found


def is_running(process):
    """Return True if a process has not ended."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    return False


class Program:
    """A process with a group, a log and a folder for temporary files of its own."""

    def __init__(self, folder, name):
        self.name = name
        self.place = folder / name
        self.place.mkdir()
        self.log = folder / f"{name}.log"
        self.popen = None
        self.kept = ExitStack()
        """Ports and proxies, which are closed at the end."""

    def start(self, *words, **changes):
        """Start a program with changes of its environment."""
        environment = os.environ | {"TMPDIR": str(self.place)} | changes
        with self.log.open("ab") as log:
            self.popen = subprocess.Popen(
                [*map(str, words)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                cwd=self.place.parent,
                start_new_session=True,
            )

    def is_alive(self):
        return self.popen is not None and self.popen.poll() is None

    def send(self, number):
        if self.is_alive():
            os.kill(self.popen.pid, number)

    def wait(self):
        """Wait for the end; return the exit code.  Raises TimeoutError."""
        wait_until(lambda: not self.is_alive(), lambda: f"{self.name} has not ended: {self.read_log()}")
        return self.popen.returncode

    def kill(self):
        """Kill the process and all of its group."""
        if self.popen is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.popen.pid, signal.SIGKILL)
            self.popen.wait(PATIENCE_S)

    def close(self):
        self.kill()
        self.kept.close()

    def read_log(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""


class Scheduler(Program):
    def __init__(self, folder):
        super().__init__(folder, "scheduler")
        self.port = self.kept.enter_context(reserve_port())

    def start(self):
        before = self.read_log().count("Scheduler at")
        place = ("--host", "127.0.0.1", "--port", self.port)
        environment = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": f"{TTL_S}s"}
        super().start(ARBITER, "scheduler", *place, **environment)
        wait_until(lambda: self.read_log().count("Scheduler at") > before, self.read_log)


class Machine(Program):
    """`arbiter worker` with one nanny and one worker, always at the same address."""

    def __init__(self, folder, name, scheduler, *, slots=1, disk=False):
        """Use a small disk of its own for temporary files with `disk`, if this user can mount one."""
        super().__init__(folder, name)
        self.proxy = self.kept.enter_context(closing(Proxy(scheduler.port)))
        self.port = self.kept.enter_context(reserve_port())
        self.slots = slots  # few: a game that waits takes processor time too
        self.disk = disk and can_rename()

    def start(self, **environment):
        mount = f'mount -t tmpfs -o size={DISK_BYTES} none "$TMPDIR" && exec "$@"'
        before = (*UNSHARE, "sh", "-c", mount, "sh") if self.disk else ()
        scheduler = f"tcp://127.0.0.1:{self.proxy.port}"
        slots = ("--jobs", self.slots, "--force-jobs")
        super().start(*before, ARBITER, "worker", scheduler, *slots, "--worker-port", self.port, **environment)

    def count_joins(self):
        """Return how often a worker has joined the scheduler."""
        return self.read_log().count("Registered to")

    def find_worker(self):
        """Return the number of the process that plays; None while the nanny starts it."""
        for number, (parent, words) in read_processes().items():
            if parent == self.popen.pid and "spawn_main" in words:
                return number
        return None

    def send_worker(self, number):
        """Send a signal to the process that plays, once there is one."""
        if self.is_alive():
            worker = wait_until(lambda: self.find_worker() or not self.is_alive(), f"{self.name} has no worker")
            if worker is not True:
                with suppress(ProcessLookupError):
                    os.kill(worker, number)

    def remove_leftovers(self, monkeypatch):
        """Remove what a worker that had to be killed left, as later ones here do before they play."""
        with monkeypatch.context() as patch:
            patch.setattr("tempfile.tempdir", str(self.place))
            for prefix in (UNPACKED, SCRATCH_PREFIX):
                remove_leftovers(prefix)

    @property
    def files(self):
        """The folder for temporary files as its processes see it."""
        return Path(f"/proc/{self.popen.pid}/root{self.place}") if self.disk else self.place

    def is_playing(self, token):
        """Return True if a process with a word in its command line descends from this one."""
        processes = read_processes()
        for number, (_, words) in processes.items():
            if token in words:
                while number in processes and number != self.popen.pid:
                    number, _ = processes[number]  # noqa: PLW2901 - go to the parent
                if number == self.popen.pid:
                    return True
        return False


class Run(Program):
    """A run of a tournament on the cluster, which is started again with the same results until all games are played."""

    def __init__(self, folder, number, workload, scheduler, options):
        """`workload` writes the tournament and returns the words that play it."""
        super().__init__(folder, f"{workload.name}-{number}")
        self.workload = workload
        self.results = folder / f"{self.name}.sqlite"
        self.proxy = self.kept.enter_context(closing(Proxy(scheduler.port)))
        self.page = self.kept.enter_context(reserve_port()) if workload.is_served else None
        self._options = options
        self.killed_bots = set()
        self.has_withdrawals = False
        self.may_end = False
        """True if the process may end with a line and exit code 2, because of a fault that was done to it."""
        self.is_stopped = False
        self.token = f"{folder.name}-{self.name}"
        """A word in the command line of each process of its bots."""
        words = workload.write(folder, self.name, PAUSE_US, self.token)
        cluster = ("--cluster", f"tcp://127.0.0.1:{self.proxy.port}", "--jobs", JOBS, "--force-jobs", *options)
        served = ("--serve", self.page) if self.page else ()
        self.command = (ARBITER, *words, "--results", self.results, *cluster, *served)

    def start(self):
        self.may_end = self.is_stopped = False
        self.log.unlink(missing_ok=True)
        if self.page:  # the server of a run that was killed ends soon after it
            wait_until(lambda: is_free(self.page), f"port {self.page} of the pages of {self.name} is in use")
        super().start(*self.command)

    def is_playing(self):
        """Return True until all games are played or the process has ended."""
        return self.is_alive() and "the pages stay at" not in self.read_log()

    def count_games(self):
        """Return the number of stored games; 0 if there are no results yet."""
        with (
            suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(f"file:{self.results}?mode=ro", uri=True)) as store,
        ):
            return store.execute("SELECT count(*) FROM game").fetchone()[0]
        return 0

    def read_games(self):
        """Return all stored games, as they were played."""
        try:
            with Store.read(self.results) as store:
                return store.games_as_played()
        except ConfigError:  # there are no results yet
            return []

    def find_games_dealt_again(self):
        """Return the ids of the games that have other seeds than those of a run without faults."""
        with Store.read(self.results) as store:
            return {attempt.id for attempt in store.attempts().values() if attempt.needs_deal(())}

    def find_bots(self):
        """Return the names of the running bots by the numbers of their processes."""
        processes = read_processes().items()
        return {
            number: words.partition(f"{self.token}\0")[2].split("\0")[0]
            for number, (_, words) in processes
            if f"{self.token}\0" in words
        }

    def interrupt(self):
        """Ctrl-C, as a terminal sends it."""
        self.is_stopped = True
        if self.is_alive():
            os.killpg(self.popen.pid, signal.SIGINT)

    def fill_disk(self):
        """Let the results grow no more, as if the disk were full; the log, which is smaller, still can."""
        written = self.results.with_name(f"{self.results.name}-wal")
        if self.is_alive() and written.exists():
            limits = (max(written.stat().st_size, LOG_BYTES), resource.RLIM_INFINITY)
            resource.prlimit(self.popen.pid, resource.RLIMIT_FSIZE, limits)
