"""Options for workers and clusters that cannot work: one line, with the fix."""

import json
import socket
import subprocess
import sys
import time

import pytest
from cli.command_line import ARBITER, PATIENCE_S, StartedArbiter, call, call_ok, call_refused, write_tournament
from cli.sleeping_bot import linux_only, wait_until_asleep, wake
from cluster.dask_processes import DaskProcesses, read_results
from cluster.dozing_bot import dozing_tournament

from arbiter import __version__
from arbiter.cluster import roster
from arbiter.tournament.config.tournament import load_tournament
from arbiter.tournament.execution import machines


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--workers", 2, "--cluster", "tcp://127.0.0.1:8786"), "--workers: starts workers on this machine"),
        (("--workers", 3, "--jobs", 2), "--jobs 2: is less than the number of --workers"),
        (("--cluster", "nowhere.json"), "--cluster nowhere.json: cannot be read: No such file or directory"),
    ],
)
def test_options_that_cannot_work_are_refused(tmp_path, options, message):
    assert message in call_refused("run", write_tournament(tmp_path), *options)


def test_a_person_cannot_play_on_workers(tmp_path):
    bots = ({"name": "me", "kind": "human"}, "random")
    message = call_refused("run", write_tournament(tmp_path, bots=bots), "--workers", 2)
    assert message == "arbiter: --workers: a person plays at this terminal; leave it out"


@pytest.mark.slow
def test_workers_with_another_version_are_refused(tmp_path, monkeypatch):
    file = write_tournament(tmp_path)
    with DaskProcesses(tmp_path) as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        with monkeypatch.context() as patch:
            for module in (machines, roster):
                patch.setattr(module, "__version__", "99.1")
            message = call_refused("run", file, "--cluster", cluster.file)
            doctor = call("doctor", "--cluster", cluster.file, "--json")
            assert "no worker can play" in message
            assert "99.1" in message
            (row,) = [one for one in map(json.loads, doctor.stdout.splitlines()) if "port" not in one]
            assert (doctor.exit_code, row["host"], row["arbiter"]) == (1, socket.gethostname(), __version__)
            assert row["missing"] == [
                f"arbiter 99.1: it has {__version__}; install the same version on all machines",
            ]
        assert call_ok("run", file, "--cluster", cluster.file)


@pytest.mark.slow
@linux_only
def test_a_worker_that_joins_with_another_version_is_reported(folder, tmp_path):
    file = dozing_tournament(folder)
    old = "from arbiter.tournament.execution import machines\nmachines.__version__ = '0.0.9'\n"
    (tmp_path / "old.py").write_text(old)
    command = [ARBITER, "run", file, "--cluster", tmp_path / "scheduler.json", "--sandbox", "process", "--jobs", "1"]
    with DaskProcesses(tmp_path) as cluster, (tmp_path / "err").open("w+") as err:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        running = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=err)
        try:
            wait_until_asleep(folder)
            cluster.start_dask_worker("--preload", tmp_path / "old.py")
            while "\n" not in (tmp_path / "err").read_text().partition("does not play")[2]:
                assert running.poll() is None
                time.sleep(0.05)
            wake(folder)
            assert running.wait(PATIENCE_S) == 0
        finally:
            running.kill()
            running.wait()
    _sandbox, report = (tmp_path / "err").read_text().splitlines()
    assert report.startswith("arbiter: the worker tcp://127.0.0.1:")
    assert report.endswith(
        f" does not play: it has arbiter 0.0.9, this machine has {__version__}; install the same version"
    )


@pytest.mark.slow
def test_a_scheduler_without_the_arbiter_is_reported(tmp_path):
    (tmp_path / "bare.py").write_text("import sys\nsys.modules['arbiter'] = None\n")
    plain = ("--preload", tmp_path / "bare.py", "--no-dashboard", "--host", "127.0.0.1")
    with DaskProcesses(tmp_path, *plain, program=(sys.executable, "-m", "dask")) as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        result = call("run", write_tournament(tmp_path), "--cluster", cluster.file)
    assert result.exit_code == 2
    assert f"{cluster.file}: the scheduler has no arbiter; install stratego-arbiter " in result.stderr.splitlines()[-1]


@pytest.mark.slow
@linux_only
def test_a_second_coordinator_is_refused_for_the_same_results_and_shares_the_cluster_for_others(folder, tmp_path):
    first, second = dozing_tournament(folder), write_tournament(tmp_path, bots=("random", "stdlib"))
    with DaskProcesses(tmp_path) as cluster:
        cluster.start_dask_worker()
        cluster.wait_for_workers()
        with StartedArbiter("run", first, "--cluster", cluster.file, "--jobs", 1) as running:
            wait_until_asleep(folder)
            message = call_refused("run", first, "--cluster", cluster.file)
            call_ok("run", second, "--cluster", cluster.file, "--jobs", 1)  # while a game of the first is in progress
            wake(folder)
            assert running.finish() == (0, "")
    assert f"(pid {running.popen.pid} on " in message
    assert message.endswith("is playing this tournament; wait for it or stop it")
    for file in (first, second):
        games, attempts = read_results(file)
        assert len(games) == len([*load_tournament(file).schedule(17).fixtures])
        assert attempts == []
