"""A cluster with random faults: after each, all games are those of one process, and nothing hangs or is left behind."""

import os
import shutil
import time
from pathlib import Path

import pytest
from cluster.chaos.faults import FAULTS, write_table
from cluster.chaos.faulty_cluster import FaultyCluster
from cluster.chaos.workloads import make_workloads

from arbiter.sandbox.select import NoSandbox, open_sandbox

SERIES = 25
FAULTS_EACH = 20
FAULTS_WITHOUT_ALL = 12  # of the first series, if the slow tests are not run
CHECK_EVERY = 10  # faults
SCALING = Path(__file__).parents[3] / "docs" / "scaling.md"


@pytest.fixture(scope="session")
def workloads(tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("allowed: needs a C compiler")
    return make_workloads(tmp_path_factory.mktemp("workloads"))


def find_sandbox():
    """Return the isolation that this machine uses by default."""
    try:
        return open_sandbox().name
    except NoSandbox:
        return "process"


def test_the_table_of_faults_is_in_the_documentation():
    assert f"\n{write_table()}\n" in SCALING.read_text()


@pytest.mark.slow(keep=1)
@pytest.mark.heavy
@pytest.mark.timeout(3000)  # each wait has a limit of its own, which is longer if other programs use the cores
@pytest.mark.parametrize("series", range(SERIES))
def test_faults_change_no_game_and_leave_nothing_behind(series, tmp_path, workloads, pytestconfig, monkeypatch):
    seed = pytestconfig.getoption("--chaos-seed")
    faults = [fault for fault in FAULTS if series or not fault.is_long]
    count = FAULTS_EACH if pytestconfig.getoption("--all") else FAULTS_WITHOUT_ALL
    folder = tmp_path / f"chaos-{os.getpid()}"
    folder.mkdir()
    with FaultyCluster(folder, workloads, seed + series, find_sandbox()) as cluster:
        try:
            cluster.settle()
            for number, fault in enumerate(cluster.random.sample(faults, count), 1):
                begun = time.monotonic()
                fault.do(cluster)
                cluster.history.append(fault.title)
                cluster.settle()
                cluster.decide()
                cluster.history[-1] += f" ({time.monotonic() - begun:.1f} s)"
                if number % CHECK_EVERY == 0:
                    cluster.check_that_all_play()
            cluster.finish(monkeypatch)
        except BaseException as error:
            error.add_note(f"--chaos-seed {seed}, series {series}; what was done: {'; '.join(cluster.history)}")
            raise
