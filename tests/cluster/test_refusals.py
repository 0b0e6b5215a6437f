"""Options for workers and clusters that cannot work: one line, with the fix."""

import json
import sys

import pytest
from cli.command_line import call, call_refused, write_tournament
from cluster.dask_processes import DaskProcesses

from arbiter import __version__
from arbiter.cluster import roster
from arbiter.tournament.execution import machines as machine


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
    bots = ({"name": "me", "kind": "terminal"}, "random")
    message = call_refused("run", write_tournament(tmp_path, bots=bots), "--workers", 2)
    assert message == 'arbiter: --workers: me, with kind = "terminal", plays only in this process; leave it out'


def test_workers_with_another_version_are_refused(tmp_path, machines, monkeypatch):
    for module in (machine, roster):
        monkeypatch.setattr(module, "__version__", "99.1")
    message = call_refused("run", write_tournament(tmp_path), "--cluster", machines.file)
    assert "no worker can play" in message
    assert message.count(f"it has arbiter {__version__}, this machine has 99.1") == 2
    doctor = call("doctor", "--cluster", machines.file, "--json")
    rows = [one for one in map(json.loads, doctor.stdout.splitlines()) if "port" not in one]
    assert (doctor.exit_code, {row["arbiter"] for row in rows}) == (1, {__version__})
    fault = f"arbiter 99.1: it has {__version__}; install the same version on all machines"
    assert all(fault in row["missing"] for row in rows)


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
