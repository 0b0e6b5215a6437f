"""The place where the games of a run are played, this process, worker processes or a cluster, and its settings."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arbiter.errors import ConfigError, write_count
from arbiter.games.chance import Key
from arbiter.record import NETWORK
from arbiter.remote.hub import Hub
from arbiter.resources import count_cores
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import SANDBOXED, IsolationName, SelectedIsolation, enter_programs, select_isolation
from arbiter.tournament.audits import PlayAgain
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.entries import EntryStore, open_entries
from arbiter.tournament.execution.executor import Executor
from arbiter.tournament.execution.local import IDLE_PER_JOB, LocalExecutor
from arbiter.tournament.machine import Jobs, choose_jobs, find_memory_warning, measure_speed
from arbiter.tournament.new_results import KeptLogs
from arbiter.tournament.programs import ProgramDigests
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
    tls: Path | None = None
    """Folder of certificates for the cluster; None for those in the settings of Dask, if any."""
    insecure: bool = False
    """Allow a cluster that other machines can reach without encryption."""
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
        if self.cluster is None and (self.tls is not None or self.insecure):
            option = "--insecure" if self.tls is None else f"--tls {self.tls}"
            raise ConfigError(f"{option}: is for connections to a cluster; add --cluster ADDRESS, or leave it out")
        if self.audit is not None and self.cluster is None and (self.workers or 1) == 1:
            raise ConfigError(
                "--audit: another worker plays the games again; add --cluster ADDRESS, or --workers N with N of at "
                "least 2"
            )

    def choose_jobs(self, file: TournamentFile, notify: Notify) -> Jobs:
        """Choose the number of games at a time: by the settings, the file, or the cores; `notify` receives warnings.

        Each of several worker processes plays one game or more.  Raises ConfigError.
        """
        if file.list_players("terminal"):
            return Jobs(number=1, cores=count_cores(), why="a person plays at this terminal")
        asked = self.jobs or file.jobs
        setting = "jobs" if self.jobs is None else "--jobs"
        if self.workers is not None and (asked is None or (self.jobs is None and asked < self.workers)):
            asked = self.workers
            setting = "--workers"
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


# --- places ---------------------------------------------------------------------------------------


class Venue(Struct, frozen=True):
    """A place where games are played."""

    executor: Executor
    jobs: Jobs
    programs: tuple[Program, ...]
    """The programs as they play."""
    replay: PlayAgain | None = None
    """Plays a game again on another machine or worker, if there are several."""
    admit: Callable[[Sequence[Program]], tuple[Program, ...]] | None = None
    """Returns programs of bots that join as they play; None if they join only when another run begins.

    It may take seconds.  Raises ConfigError.
    """


class Bots(Struct, frozen=True):
    """The bots of a tournament, as a venue has to know them."""

    digests: ProgramDigests
    entries: EntryStore
    hidden: HiddenFiles
    """Files that no bot may read."""
    logs: KeptLogs
    """The games whose messages are kept."""


class PreparedBots(Struct, frozen=True):
    """Bots that can play, and how."""

    isolation: Isolation
    programs: tuple[Program, ...]
    """The programs as they play, in the order in which they were given."""
    digests: ProgramDigests
    enter: Callable[[Program], Program] | None
    """Returns a program that differs from one of these in its command, as it plays; None if it needs no change."""


@contextmanager
def open_venue(
    tournament: Tournament, settings: PlaySettings, bots: Bots, notify: Notify, hub: Hub | None = None
) -> Iterator[Venue]:
    """Prepare the place where games are played; `notify` receives what the operator should know about it.

    `hub` leads to the players over the network, if there are any.  Raises ConfigError.
    """
    if tournament.file.list_players(*NETWORK) and hub is None:
        raise ConfigError(
            "players over the network play only in tournaments of `arbiter run`, which opens the way to them"
        )
    if settings.cluster is not None or settings.workers is not None:
        with _open_cluster(tournament, settings, bots, notify) as venue:
            yield venue
        return
    jobs = settings.choose_jobs(tournament.file, notify)
    selected = _select(settings.sandbox, tournament.programs, notify, bots.hidden, bots.entries)
    speed = measure_speed() if tournament.file.cluster.scale_time else None
    executor = LocalExecutor(
        selected.isolation, jobs.number, speed, keeps_processes=tournament.keeps_processes, hub=hub
    )

    def admit(programs: Sequence[Program]) -> tuple[Program, ...]:
        bots.digests.add(programs)
        return enter_programs(selected.isolation, programs, bots.hidden, bots.entries.enter)

    yield Venue(executor, jobs, selected.programs, admit=admit)


@contextmanager
def _open_cluster(tournament: Tournament, settings: PlaySettings, bots: Bots, notify: Notify) -> Iterator[Venue]:
    """Start worker processes, or connect to a cluster, and prepare the workers.  Raises ConfigError."""
    option = "--workers" if settings.cluster is None else "--cluster"
    if other := next((bot for bot in tournament.file.bots if bot.kind != "program"), None):
        raise ConfigError(
            f'{option}: {other.name}, with kind = "{other.kind}", plays only in this process; leave it out'
        )
    require_dask(option)
    from arbiter.cluster.addresses import Access  # noqa: PLC0415 - Dask is slow to import
    from arbiter.cluster.coordinator import open_cluster_executor, open_worker_executor  # noqa: PLC0415
    from arbiter.cluster.messages import RunSettings  # noqa: PLC0415

    file = tournament.file
    run = RunSettings(
        isolation=settings.sandbox,
        hidden_files=bots.hidden,
        logs=bots.logs,
        keeps_processes=tournament.keeps_processes,
        scales_time=file.cluster.scale_time,
        follow=settings.live,
    )
    if settings.cluster is not None:
        access = Access(
            role="client", option=option, given=settings.cluster, tls=settings.tls, insecure=settings.insecure
        )
        entries = None if file.cluster.shared else bots.entries
        with open_cluster_executor(
            access, run, tournament, bots.digests, notify, entries=entries, jobs=settings.jobs
        ) as executor:
            yield Venue(executor, executor.jobs, tournament.programs, executor.replay)
        return
    workers = settings.workers or 1
    jobs = settings.choose_jobs(file, notify)
    selected = _select(settings.sandbox, tournament.programs, notify, bots.hidden, bots.entries)
    programs = selected.programs
    run = replace(run, isolation=selected.isolation.name)
    with open_worker_executor(workers, jobs.number, run, replace(tournament, programs=programs), notify) as executor:
        jobs = replace(jobs, why=f"{jobs.why}, in {write_count(workers, 'worker')}")
        yield Venue(executor, jobs, programs, replay=executor.replay)


def require_dask(option: str) -> None:
    """Raise ConfigError if Dask, which an option or command needs, is not installed."""
    if find_spec("distributed") is None:
        raise ConfigError(f'{option}: needs Dask; install it with: pip install "stratego-arbiter[cluster]"')


@contextmanager
def open_bots(
    asked: IsolationName | None,
    programs: Sequence[Program],
    notify: Notify,
    hidden: HiddenFiles | None = None,
) -> Iterator[PreparedBots]:
    """Select the isolation of bots whose games are not stored, and make temporary entries of them for a sandbox.

    `notify` receives what the operator should know, also at the end if files of bots have changed without a sandbox.
    Raises ConfigError.
    """
    hidden = hidden or HiddenFiles()
    digests = ProgramDigests(programs, hidden.files, hidden.folders, has_environments=False)
    with open_entries(None, digests) as entries:
        selected = _select(asked, programs, notify, hidden, entries)
        is_sandboxed = selected.isolation.name == SANDBOXED
        in_place = [] if is_sandboxed else [program.name for program in programs]
        before = {bot: found for bot in in_place if (found := digests.digest(bot)) is not None}
        try:
            yield PreparedBots(selected.isolation, selected.programs, digests, entries.enter if is_sandboxed else None)
        finally:
            for _bot, _now, change in digests.find_changes(before):
                notify(f"{change} during the games")


def _select(
    asked: IsolationName | None,
    programs: Sequence[Program],
    notify: Notify,
    hidden: HiddenFiles,
    entries: EntryStore,
) -> SelectedIsolation:
    selected = select_isolation(asked, programs, hidden, entries.enter)
    for line in filter(None, (selected.notice, *selected.warnings)):
        notify(line)
    return selected
