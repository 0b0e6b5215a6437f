"""Worker processes on this machine for a cluster that is running: `dask worker` with settings that suit games."""

from collections.abc import Sequence
from typing import Final

import dask
from distributed.cli.dask_worker import main

from arbiter.clock import TimeSettings
from arbiter.cluster.connect import is_scheduler_file
from arbiter.tournament.jobs import choose_jobs

_GAMES: Final = 8  # that one process plays at a time: more would slow its event loop
_DEATH_S: Final = 60


def run_worker(address: str, options: Sequence[str]) -> None:
    """Run worker processes until a signal ends them, or there is no scheduler for a minute.

    `options` are options of `dask worker`, which replace the ones used here.
    """
    slots = choose_jobs(None, TimeSettings()).number
    processes = -(-slots // _GAMES)
    place = ["--scheduler-file", address] if is_scheduler_file(address) else [address]
    usual = {
        "--nworkers": str(processes),
        "--nthreads": str(-(-slots // processes)),
        "--memory-limit": "0",
        "--death-timeout": str(_DEATH_S),
    }
    given = {option.partition("=")[0] for option in options}
    settings = [word for option, value in usual.items() if option not in given for word in (option, value)]
    with dask.config.set({"distributed.worker.profile.enabled": False}):
        main.main([*place, *settings, "--no-dashboard", *options], prog_name="arbiter worker", standalone_mode=False)
