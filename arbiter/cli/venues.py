"""The place where the games of a command are played: this process, worker processes, or a cluster."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

import click
from msgspec import Struct
from msgspec.structs import replace

from arbiter.cli.play_options import PlayOptions
from arbiter.errors import ConfigError, write_count
from arbiter.sandbox.files.visible import Secrets
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import IsolationName, select_isolation
from arbiter.show.text import plain
from arbiter.tournament.audits import PlayAgain
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.execution.executor import Executor
from arbiter.tournament.execution.local import LocalExecutor
from arbiter.tournament.head_to_head import HeadToHead
from arbiter.tournament.jobs import Jobs
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


@contextmanager
def open_venue(
    tournament: Tournament,
    options: PlayOptions,
    secrets: Secrets,
    digests: ProgramDigests,
    match: HeadToHead | None = None,
) -> Iterator[Venue]:
    """Prepare the place where games are played, and print what the operator should know about it.

    Sandboxes hide the `secrets`.  Raises ConfigError.
    """
    if options.cluster is not None or options.workers is not None:
        with _open_cluster(tournament, options, secrets, digests, match) as venue:
            yield venue
        return
    jobs = options.choose_jobs(tournament.file)
    isolation = find_isolation(options.sandbox, tournament.programs, secrets)
    speed = measure_speed() if tournament.file.cluster.scale_time else None
    executor = LocalExecutor(isolation, jobs.number, speed, keeps_processes=tournament.keeps_processes)
    yield Venue(executor, jobs)


@contextmanager
def _open_cluster(
    tournament: Tournament,
    options: PlayOptions,
    secrets: Secrets,
    digests: ProgramDigests,
    match: HeadToHead | None,
) -> Iterator[Venue]:
    """Start worker processes, or connect to a cluster, and prepare the workers.  Raises ConfigError."""
    option = "--workers" if options.cluster is None else "--cluster"
    if tournament.file.humans:
        raise ConfigError(f"{option}: a person plays at this terminal; leave it out")
    require_dask(option)
    from arbiter.cluster.admission import Slots  # noqa: PLC0415 - Dask is slow to import
    from arbiter.cluster.messages import RunSettings  # noqa: PLC0415
    from arbiter.cluster.open import open_cluster_executor, open_worker_executor  # noqa: PLC0415

    file = tournament.file
    settings = RunSettings(
        isolation=options.sandbox,
        programs=tournament.programs,
        secrets=secrets,
        keep_logs=options.keep_logs or file.keep_logs,
        keep_losses_of=None if match is None else match.bot,
        keeps_processes=tournament.keeps_processes,
    )
    if options.cluster is not None:
        slots = None if options.jobs is None else Slots(options.jobs, options.force_jobs)
        with open_cluster_executor(
            options.cluster, settings, file, digests, print_notice, slots=slots, follow=options.live
        ) as executor:
            jobs = Jobs(number=executor.capacity, cores=executor.cores, why=executor.where)
            yield Venue(executor, jobs, executor.sent, executor.replay, executor.note_games)
        return
    workers = options.workers or 1
    jobs = options.choose_jobs(file)
    find_isolation(options.sandbox, tournament.programs, secrets)
    with open_worker_executor(workers, jobs.number, settings, file.time, print_notice, follow=options.live) as executor:
        jobs = replace(jobs, why=f"{jobs.why}, in {write_count(workers, 'worker')}")
        yield Venue(executor, jobs, replay=executor.replay)


def print_notice(sentence: str) -> None:
    """Print a sentence for the operator."""
    click.echo(f"arbiter: {plain(sentence)}", err=True)


def require_dask(option: str) -> None:
    """Raise ConfigError if Dask, which an option or command needs, is not installed."""
    if find_spec("distributed") is None:
        raise ConfigError(f'{option}: needs Dask; install it with: pip install "stratego-arbiter[cluster]"')


def find_isolation(
    asked: IsolationName | None, programs: Sequence[Program], secrets: Secrets | None = None
) -> Isolation:
    """Select the isolation of the bots, and print what the operator should know about it.  Raises ConfigError."""
    selected = select_isolation(asked, programs, secrets)
    for line in filter(None, (selected.notice, *selected.warnings)):
        print_notice(line)
    return selected.isolation
