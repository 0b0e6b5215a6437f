"""Worker processes on this machine for a cluster that is running: `dask worker` with settings that suit games."""

import time
from collections.abc import Callable, Sequence
from typing import Final

import dask
from distributed.cli.dask_worker import main

from arbiter.clock import TimeSettings
from arbiter.cluster.addresses import NoScheduler, check_answer, explain_failure, find_address
from arbiter.tournament.jobs import choose_jobs

_COMMAND: Final = "arbiter worker"
_GAMES: Final = 8  # that one process plays at a time: more would slow its event loop
_DEATH_S: Final = 60
_POLL_S: Final = 1


def run_worker(given: str, options: Sequence[str], report: Callable[[str], object]) -> None:
    """Run worker processes until a signal ends them, or the scheduler ends.  They wait for it for up to a minute.

    `options` are options of `dask worker`, which replace the ones used here.  `report` receives a sentence for the
    operator.  Raises ConfigError.
    """
    address = _wait_for_scheduler(given, report, has_certificates=any(one.startswith("--tls-") for one in options))
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
    words = [address, *settings, "--no-dashboard", *options]
    with dask.config.set({"distributed.worker.profile.enabled": False}):
        try:
            main.main(words, prog_name=_COMMAND, standalone_mode=False)
        except (OSError, RuntimeError) as error:
            raise explain_failure(given, _COMMAND, error) from None


def _wait_for_scheduler(given: str, report: Callable[[str], object], *, has_certificates: bool) -> str:
    """Return the address of a scheduler, which may be started during the next minute.  Raises ConfigError."""
    limit = time.monotonic() + _DEATH_S
    has_reported = False
    while True:
        try:
            address = find_address(given, _COMMAND)
            if not has_certificates:  # with those of the options, only Dask can connect
                check_answer(address, given, _COMMAND, "worker", _POLL_S)
        except NoScheduler as error:
            if time.monotonic() > limit:
                raise
            if not has_reported:
                has_reported = True
                report(f"{error}; waiting for a minute")
            time.sleep(_POLL_S)
        else:
            return address
