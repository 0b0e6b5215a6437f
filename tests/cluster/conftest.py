"""Fixtures: folders with bots, and for the processes of clusters."""

import pytest
from cli.command_line import call_ok
from cli.fast_bots import build_fast_bot
from cli.sleeping_bot import add_bots
from cluster.dask_processes import DaskProcesses
from cluster.machines import PRELOAD, Machines

SLOW = "from arbiter.tournament.execution import machines\nmachines.measure_speed = lambda: 0.1\n"


@pytest.fixture(scope="module", autouse=True)
def scratch(tmp_path_factory):
    """Put temporary files of processes that may be killed into the temporary folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASK_ARBITER__IDLE_S", "0")
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("scratch")))
        yield


@pytest.fixture(scope="session")
def fast_bot(tmp_path_factory):
    """Return the command of a bot that answers at once."""
    return build_fast_bot(tmp_path_factory.mktemp("fast_bot"))


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the programs of two quick bots and one that sleeps."""
    (tmp_path / "event").mkdir()
    return add_bots(tmp_path / "event")


@pytest.fixture(scope="session")
def machines(tmp_path_factory):
    """Return a cluster that tests share: the attic, which is slow, and this machine, which plays one game at a time.

    `places` are the folders for their temporary files.
    """
    folder = tmp_path_factory.mktemp("machines")
    with Machines(folder) as cluster:
        cluster.places = [cluster.add("attic", preload=SLOW), folder]
        cluster.start_arbiter_worker("--no-nanny", "--jobs", "1", *PRELOAD)
        cluster.wait_for_workers()
        yield cluster


@pytest.fixture(scope="session")
def encrypted(tmp_path_factory):
    """Return a cluster with certificates that tests share; the certificates are in its folder `tls`."""
    folder = tmp_path_factory.mktemp("encrypted")
    call_ok("certificates", folder / "tls")
    with DaskProcesses(folder, "--tls", folder / "tls") as cluster:
        cluster.start_arbiter_worker("--tls", folder / "tls")
        cluster.wait_for_workers()
        yield cluster
