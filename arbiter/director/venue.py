"""The place where the games of a run are played: this process, worker processes, or a cluster."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

from msgspec import Struct
from msgspec.structs import replace

from arbiter.director.settings import Notify, PlaySettings
from arbiter.errors import ConfigError, write_count
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import IsolationName, select_isolation
from arbiter.tournament.audits import PlayAgain
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.execution.executor import Executor
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.jobs import Jobs
from arbiter.tournament.kept_logs import KeptLogs
from arbiter.tournament.programs import ProgramDigest, ProgramDigests
from arbiter.tournament.speed import measure_speed
from arbiter.tournament.standings.stored_game import StoredGame


class Venue(Struct, frozen=True):
    """A place where games are played."""

    executor: Executor
    jobs: Jobs
    sent: Mapping[str, ProgramDigest] = {}
    """Programs whose copies play, by the names of their bots: later changes of their files do not count."""
    replay: PlayAgain | None = None
    """Plays a game again on another machine or worker, if there are several."""
    note_games: Callable[[Iterable[StoredGame]], object] | None = None
    """Receives the games of earlier runs, if they decide where others are played."""


class Bots(Struct, frozen=True):
    """The bots of a tournament, as a venue has to know them."""

    digests: ProgramDigests
    hidden: HiddenFiles
    """Files that no bot may read."""
    logs: KeptLogs
    """The games whose messages are kept."""


@contextmanager
def open_venue(tournament: Tournament, settings: PlaySettings, bots: Bots, notify: Notify) -> Iterator[Venue]:
    """Prepare the place where games are played; `notify` receives what the operator should know about it.

    Raises ConfigError.
    """
    if settings.cluster is not None or settings.workers is not None:
        with _open_cluster(tournament, settings, bots, notify) as venue:
            yield venue
        return
    jobs = settings.choose_jobs(tournament.file, notify)
    isolation = find_isolation(settings.sandbox, tournament.programs, notify, bots.hidden)
    speed = measure_speed() if tournament.file.cluster.scale_time else None
    executor = LocalExecutor(isolation, jobs.number, speed, keeps_processes=tournament.keeps_processes)
    yield Venue(executor, jobs)


@contextmanager
def _open_cluster(tournament: Tournament, settings: PlaySettings, bots: Bots, notify: Notify) -> Iterator[Venue]:
    """Start worker processes, or connect to a cluster, and prepare the workers.  Raises ConfigError."""
    option = "--workers" if settings.cluster is None else "--cluster"
    if tournament.file.humans:
        raise ConfigError(f"{option}: a person plays at this terminal; leave it out")
    require_dask(option)
    from arbiter.cluster.admission import Slots  # noqa: PLC0415 - Dask is slow to import
    from arbiter.cluster.coordinator import open_cluster_executor, open_worker_executor  # noqa: PLC0415
    from arbiter.cluster.messages import RunSettings  # noqa: PLC0415

    file = tournament.file
    run = RunSettings(
        isolation=settings.sandbox,
        programs=tournament.programs,
        hidden_files=bots.hidden,
        logs=bots.logs,
        keeps_processes=tournament.keeps_processes,
    )
    if settings.cluster is not None:
        slots = None if settings.jobs is None else Slots(settings.jobs, settings.force_jobs)
        with open_cluster_executor(
            settings.cluster, run, file, bots.digests, notify, slots=slots, follow=settings.live
        ) as executor:
            jobs = Jobs(number=executor.capacity, cores=executor.cores, why=executor.where)
            yield Venue(executor, jobs, executor.sent, executor.replay, executor.note_games)
        return
    workers = settings.workers or 1
    jobs = settings.choose_jobs(file, notify)
    find_isolation(settings.sandbox, tournament.programs, notify, bots.hidden)
    with open_worker_executor(workers, jobs.number, run, file.time, notify, follow=settings.live) as executor:
        jobs = replace(jobs, why=f"{jobs.why}, in {write_count(workers, 'worker')}")
        yield Venue(executor, jobs, replay=executor.replay)


def require_dask(option: str) -> None:
    """Raise ConfigError if Dask, which an option or command needs, is not installed."""
    if find_spec("distributed") is None:
        raise ConfigError(f'{option}: needs Dask; install it with: pip install "stratego-arbiter[cluster]"')


def find_isolation(
    asked: IsolationName | None, programs: Sequence[Program], notify: Notify, hidden: HiddenFiles | None = None
) -> Isolation:
    """Select the isolation of the bots; `notify` receives what the operator should know about it.

    Raises ConfigError.
    """
    selected = select_isolation(asked, programs, hidden)
    for line in filter(None, (selected.notice, *selected.warnings)):
        notify(line)
    return selected.isolation
