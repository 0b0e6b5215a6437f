"""Settings of Dask for all processes of a cluster, and the folder for their files."""

from typing import Final

from arbiter.errors import ConfigError
from arbiter.sandbox.files.temporary import make_own_folder

SETTINGS: Final = {
    "distributed.comm.timeouts.connect": "10s",
    "distributed.worker.profile.enabled": False,  # it takes samples of all threads all the time
    "distributed.admin.low-level-log-length": 10,  # messages of each connection, and events, that Dask keeps
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.cycle": "1s",
    "distributed.admin.system-monitor.interval": "60s",  # it reads many files of /proc
    "distributed.scheduler.active-memory-manager.start": False,  # for results, which are taken at once
    "distributed.scheduler.worker-saturation": 1.0,  # a game waits for a worker, not on one
    "distributed.worker.memory.terminate": False,
    "distributed.scheduler.worker-ttl": "30s",  # a worker that is silent for this long is given up
}
"""Settings of Dask by their names."""


def make_dask_folder(option: str) -> str:
    """Return the folder for the files of Dask, which an option or command needs.  Raises ConfigError."""
    # Programs import modules from there first: a folder of another user would let that user in.
    try:
        return str(make_own_folder("arbiter-dask"))
    except OSError as error:
        raise ConfigError(f"{option}: {error}") from None
