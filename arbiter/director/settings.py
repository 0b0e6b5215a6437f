"""Settings of a run that are not in the tournament file."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from arbiter.errors import ConfigError
from arbiter.games.chance import Key
from arbiter.resources import count_cores
from arbiter.sandbox.select import IsolationName
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.execution.local import IDLE_PER_JOB
from arbiter.tournament.jobs import Jobs, choose_jobs, find_memory_warning
from protocol.words import SEATS

Notify = Callable[[str], object]
"""Receives sentences for the operator."""


class PlaySettings(Struct, frozen=True, kw_only=True):
    """Settings of a run; each is also an option of `arbiter run`."""

    jobs: int | None = None
    """Number of games played at the same time; None for the setting of the tournament."""
    force_jobs: bool = False
    """Play more games at a time than the machine has cores for."""
    sandbox: IsolationName | None = None
    """Isolation of the bots.  Default: a sandbox if this machine supports it."""
    keep_logs: bool = False
    """Keep the messages of all games."""
    live: bool = False
    """Report each act, and write games in progress to disk, so that other processes can show them."""
    secret: Key | None = None
    """Secret that the user asks for."""
    usual_secret: Key | None = None
    """Secret of a new event if the user asks for none.  Default: random."""
    accept_new: tuple[str, ...] = ()
    """Bots whose programs may have changed since the stored games."""
    workers: int | None = None
    """Number of worker processes on this machine; None to play in this process."""
    cluster: str | None = None
    """Address of the scheduler of a cluster, or its scheduler file."""
    audit: float | None = None
    """Share of the games that are played again on other workers."""

    def check(self, results: Path | None) -> None:
        """Check that the settings go together.  Raises ConfigError."""
        if self.live and results is None:
            raise ConfigError("--live: games in progress are stored next to the results; name a file with --results")
        if self.workers is not None and self.cluster is not None:
            raise ConfigError(
                "--workers: starts workers on this machine, but --cluster has its own; leave one of them out"
            )
        if self.audit is not None and self.cluster is None and (self.workers or 1) == 1:
            raise ConfigError(
                "--audit: another worker plays the games again; add --cluster ADDRESS, or --workers N with N of at "
                "least 2"
            )

    def choose_jobs(self, file: TournamentFile, notify: Notify) -> Jobs:
        """Choose the number of games at a time: by the settings, the file, or the cores; `notify` receives warnings.

        Each of several worker processes plays one game or more.  Raises ConfigError.
        """
        if file.humans:
            return Jobs(number=1, cores=count_cores(), why="a person plays at this terminal")
        asked = self.jobs or file.jobs
        setting = "jobs" if self.jobs is None else "--jobs"
        if self.workers is not None and (asked is None or (self.jobs is None and asked < self.workers)):
            asked, setting = self.workers, "--workers"
        elif self.workers is not None and asked is not None and asked < self.workers:
            raise ConfigError(
                f"--jobs {asked}: is less than the number of --workers; each of them plays one game at least"
            )
        jobs = choose_jobs(asked, file.time, setting=setting, force=self.force_jobs)
        # The processes of only two bots seldom wait.
        waiting = IDLE_PER_JOB * jobs.number if file.processes == "reused" and len(file.bots) > len(SEATS) else 0
        memory_warning = find_memory_warning([bot.memory_mb for bot in file.bots], jobs.number, waiting)
        for warning in filter(None, (jobs.warning, memory_warning)):
            notify(warning)
        return jobs
