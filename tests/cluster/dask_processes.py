"""The processes of a cluster of Dask: a scheduler and workers."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

from cli.command_line import ARBITER, PATIENCE_S, call

from arbiter.games.base import FORFEITS
from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.results.store import Store

PRELOAD = "arbiter.cluster.worker"


class DaskProcesses:
    """A scheduler and workers, each in a process group of its own; they are killed at the end."""

    def __init__(self, folder, *options, program=(ARBITER,), **settings):
        """Start a scheduler; `options` are those of `arbiter scheduler`, `settings` those of Dask, as `SECTION__KEY`."""
        self.folder = folder
        self.file = folder / "scheduler.json"
        names = {f"DASK_DISTRIBUTED__{name.upper()}": value for name, value in settings.items()}
        idle = {"DASK_ARBITER__IDLE_S": "0"}  # the machine is never idle during the tests
        self._environment = os.environ | {"TMPDIR": str(folder)} | idle | names
        self._words = (*program, "scheduler", "--port", "0", "--scheduler-file", self.file, *options)
        self.scheduler = self._start(*self._words)
        self.workers = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in (*self.workers, self.scheduler):
            kill_group(process)
            process.wait()

    @property
    def address(self):
        """The host and port of the scheduler."""
        host, port = json.loads(self.file.read_text())["address"].partition("://")[2].split(":")
        return host, int(port)

    def restart_scheduler(self):
        """Kill the scheduler, and start it again with the same scheduler file and another port."""
        kill_group(self.scheduler)
        self.scheduler.wait()
        self.scheduler = self._start(*self._words)

    def start_dask_worker(self, *options, scheduler=None, **environment):
        """Start `dask worker`, without a nanny: the process that plays is the one that is returned."""
        place = [scheduler] if scheduler else ["--scheduler-file", self.file]
        usual = ("--no-nanny", "--no-dashboard", "--nthreads", "2", "--host", "127.0.0.1", "--preload", PRELOAD)
        return self._add(sys.executable, "-m", "dask", "worker", *place, *usual, *options, **environment)

    def start_arbiter_worker(self, *options, **environment):
        """Start `arbiter worker`."""
        return self._add(ARBITER, "worker", self.file, *options, **environment)

    def _add(self, *argv, **environment):
        process = self._start(*argv, **environment)
        self.workers.append(process)
        return process

    def _start(self, *argv, **environment):
        with (self.folder / "dask.log").open("ab") as log:
            return subprocess.Popen(
                [*map(str, argv)],
                stdout=log,
                stderr=log,
                env=self._environment | {name: str(value) for name, value in environment.items()},
                cwd=self.folder,
                start_new_session=True,
            )

    def wait_until_logged(self, text, count=1):
        """Wait until a text is in the log.  Raises TimeoutError."""
        limit = time.monotonic() + PATIENCE_S
        while (self.folder / "dask.log").read_text().count(text) < count:
            if time.monotonic() > limit:
                raise TimeoutError(f"no {text!r} in {(self.folder / 'dask.log').read_text()}")
            time.sleep(0.05)

    def wait_for_workers(self):
        """Wait until all workers have joined."""
        self.wait_until_logged("Register worker", len(self.workers))


def kill_group(process, number=signal.SIGKILL):
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def wait_for_game(file):
    """Wait until the arbiter has noted a game in progress."""
    limit = time.monotonic() + PATIENCE_S
    while not json.loads(call("status", file, "--json").stdout or "{}").get("in_progress"):
        assert time.monotonic() < limit
        time.sleep(0.05)


def read_results(file):
    """Return the games and the voided attempts of a tournament file."""
    with Store.read(file.parent / "results" / f"{file.stem}.sqlite") as store:
        return store.games(), list(store.attempts().values())


def check_complete(file):
    """Check that each game is stored once and that no bot has forfeited; return the voided attempts."""
    games, attempts = read_results(file)
    expected = [fixture.id for fixture in load_tournament(file).schedule(17).fixtures]
    assert sorted(game.id for game in games) == sorted(expected)
    assert not [game for game in games if game.ending in FORFEITS]
    return attempts
