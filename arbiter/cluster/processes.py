"""The processes of a cluster that operators start: schedulers and workers of Dask, open only to this cluster."""

import asyncio
import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import dask
from distributed.cli import dask_scheduler, dask_worker

from arbiter.cluster.addresses import LOOPBACK, WILDCARDS, Access, NoScheduler, Role, find_reason
from arbiter.cluster.settings import SETTINGS, make_dask_folder
from arbiter.errors import ConfigError

_GAMES: Final = 8  # that one process plays at a time: more would slow its event loop
_DEATH_S: Final = 60
_POLL_S: Final = 1
_PLACES: Final = {"--interface", "--listen-address"}  # other ways to name the own address
_LOST: Final = {"worker-handle-scheduler-connection-broken", "worker-heartbeat-missing", "scheduler-close"}
"""Reasons for which Dask ends a worker process that is to join again."""
_CLOSED: Final = ("--no-dashboard", "--preload=arbiter.cluster", f"--dashboard-address={LOOPBACK}:0")
"""Options for no port but the one of Dask: --no-dashboard alone keeps a web server without a dashboard."""

Report = Callable[[str], object]
"""Receives a sentence for the operator."""


def run_scheduler(access: Access, port: int, options: Sequence[str], report: Report) -> None:
    """Run a scheduler that listens at the host that `access` names, until a signal ends it.

    `options` are options of `dask scheduler`, which replace the ones used here.  Raises ConfigError.
    """
    names = _find_names(access.role, dask_scheduler.main, options)
    with _use_settings(access):
        scheme = "tls" if access.has_certificates() else "tcp"
        host = "" if names & _PLACES else access.given
        access.check(f"{scheme}://{host}:{port}")
        usual = {"--host": host, "--port": str(port), "--protocol": scheme}
        web: Sequence[str] = [f"--dashboard-address={LOOPBACK}:8787"]
        if names.isdisjoint({"--dashboard", "--dashboard-address"}):
            web = _CLOSED
            # Dask names this port, which the preload module closes at once.
            logging.getLogger("distributed.scheduler").addFilter(
                lambda record: "dashboard at:" not in record.getMessage()
            )
        if port:
            folder = f" --tls {access.tls}" if access.tls is not None else ""
            place = "HOST" if host in ("", *WILDCARDS) else host
            report(f"start workers with `arbiter worker {scheme}://{place}:{port}{folder}`")
        try:
            dask_scheduler.main.main([*_write(usual), *web, *options], "arbiter scheduler", standalone_mode=False)
        except (OSError, RuntimeError, ValueError) as error:
            raise ConfigError(
                f"{access.option} {access.given}: cannot listen at port {port}: {find_reason(error)}; choose another "
                "host or port"
            ) from None


def run_worker(access: Access, host: str | None, jobs: int, options: Sequence[str], report: Report) -> None:
    """Run worker processes that play `jobs` games at a time, until a signal ends them, or the scheduler retires them.

    They listen at `host`; None for the address that reaches the scheduler, for which they wait for up to a minute.
    If the scheduler is lost later, they join it again as soon as it is back.
    `options` are options of `dask worker`, which replace the ones used here.  Raises ConfigError.
    """
    names = _find_names(access.role, dask_worker.main, options)
    threads = max(number for number in range(1, _GAMES + 1) if jobs % number == 0)
    usual = {
        "--nworkers": str(jobs // threads),
        "--nthreads": str(threads),
        "--memory-limit": "0",
        "--death-timeout": str(_DEATH_S),
    }
    preloads = [f"--preload={name}" for name in dask.config.get("distributed.worker.preload")]
    games = ["--preload=arbiter.cluster.worker", f"--jobs={jobs}"]
    reasons = _collect_reasons()
    patience_s: float = _DEATH_S
    with _use_settings(access):
        while True:
            address, reached_by = _wait_for_scheduler(access, report, patience_s)
            own = "" if names & _PLACES else host or reached_by
            access.check(f"{address.partition('://')[0]}://{own}:0")
            words = [address, *_write({**usual, "--host": own}), *_CLOSED, *games, *preloads, *options]
            reasons.clear()
            try:
                dask_worker.main.main(words, "arbiter worker", standalone_mode=False)
            except (OSError, RuntimeError) as error:
                raise access.explain(error) from None
            except SystemExit:  # the scheduler was lost before a worker could join
                if patience_s == _DEATH_S:
                    raise
            else:
                if not reasons or reasons - _LOST:
                    return
            patience_s = math.inf


def _use_settings(access: Access) -> AbstractContextManager[Any]:
    """Set what these processes need of Dask, as a context.  Raises ConfigError."""
    folder = make_dask_folder(f"arbiter {access.role}")
    usual: dict[str, Any] = {}
    dask.config.set(SETTINGS, config=usual)
    dask.config.update_defaults(usual)  # those of the operator count more
    return dask.config.set({**access.settings(), "temporary-directory": folder})


def _collect_reasons() -> set[str]:
    """Return a set to which Dask adds from now on why it ends each worker process for good, as it logs that."""
    reasons: set[str] = set()

    def collect(record: logging.LogRecord) -> bool:
        begin, found, reason = record.getMessage().partition("Reason: ")
        # Dask logs other reasons if it starts the process again, and a second one after the cause.
        if found and begin.startswith("Closing") and reason != "nanny-close-gracefully":
            reasons.add(reason)
        return True

    logging.getLogger("distributed.nanny").addFilter(collect)
    return reasons


def _wait_for_scheduler(access: Access, report: Report, patience_s: float) -> tuple[str, str]:
    limit = time.monotonic() + patience_s
    has_reported = False
    while True:
        try:
            return asyncio.run(access.reach(_POLL_S))
        except NoScheduler as error:
            if time.monotonic() > limit:
                raise
            if not has_reported:
                has_reported = True
                report(f"{error}; waiting {'for a minute' if patience_s == _DEATH_S else 'until there is one'}")
            time.sleep(_POLL_S)


def _write(options: Mapping[str, str]) -> list[str]:
    """Write options of a command as words; those without a value are left out."""
    return [f"{name}={value}" for name, value in options.items() if value]


def _find_names(role: Role, command: Any, options: Sequence[str]) -> set[str]:  # noqa: ANN401 - a command of click
    """Return the names of options.  Raises ConfigError if the command of Dask does not have one of them."""
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    names = {option.partition("=")[0] for option in options if option.startswith("--")}
    if not (names <= known or "--preload" in names):  # which may have options of its own
        raise ConfigError(
            f"arbiter {role}: no such option '{min(names - known)}'; see `arbiter {role} --help` and "
            f"`dask {role} --help`"
        )
    return names
