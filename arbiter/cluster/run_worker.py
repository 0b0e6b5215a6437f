"""Worker processes on this machine for a cluster that is running: `dask worker` with settings that suit games."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import dask
from distributed.cli.dask_worker import main

from arbiter.clock import TimeSettings
from arbiter.cluster.addresses import find_address, is_scheduler_file
from arbiter.tournament.jobs import choose_jobs

_GAMES: Final = 8  # that one process plays at a time: more would slow its event loop
_DEATH_S: Final = 60


def run_worker(given: str, options: Sequence[str], report: Callable[[str], object]) -> None:
    """Run worker processes until a signal ends them, or there is no scheduler for a minute.

    `options` are options of `dask worker`, which replace the ones used here.  `report` receives a sentence for the
    operator.  Raises ConfigError.
    """
    if is_scheduler_file(given) and not Path(given).exists():
        report(f"waiting for {given}, which `dask scheduler --scheduler-file {given}` writes")
    has_certificates = any(option.startswith("--tls-") for option in options)
    address = find_address(given, "arbiter worker", None if has_certificates else "worker", wait_s=_DEATH_S)
    slots = choose_jobs(None, TimeSettings()).number
    processes = -(-slots // _GAMES)
    usual = {
        "--nworkers": str(processes),
        "--nthreads": str(-(-slots // processes)),
        "--memory-limit": "0",
        "--death-timeout": str(_DEATH_S),
    }
    used = {option.partition("=")[0] for option in options}
    settings = [word for option, value in usual.items() if option not in used for word in (option, value)]
    with dask.config.set({"distributed.worker.profile.enabled": False}):
        main.main([address, *settings, "--no-dashboard", *options], prog_name="arbiter worker", standalone_mode=False)
