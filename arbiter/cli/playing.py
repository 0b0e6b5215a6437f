"""Playing games under a terminal: what bots are played in, what signals do, how it ends."""

import signal
import sys
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from glob import escape
from pathlib import Path

import click

from arbiter.cli.failures import ANSWER_IS_NO, INTERRUPTED
from arbiter.cli.game_keeping import keeping
from arbiter.cli.head_to_head import HeadToHead
from arbiter.cli.play_options import PlayOptions
from arbiter.cli.run_output import RunOutput
from arbiter.cli.serving import serving
from arbiter.cli.signals import WIND_UP, Stop, do_heeding_signals, wind_up_noted
from arbiter.cli.terminal import seated
from arbiter.cli.voided_games import tell_held, tell_put_off, tell_stalls, tell_voids
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import SANDBOXED, IsolationName, select_isolation
from arbiter.show.text import plain
from arbiter.tournament.arena import Arena, Keep, default_jobs
from arbiter.tournament.config.tournament import Tournament
from arbiter.tournament.dispatcher import Dispatcher
from arbiter.tournament.events import Closing, Event, EventHandler
from arbiter.tournament.results.manifest import new_manifest


def play_tournament(
    tournament: Tournament,
    results: Path | None,
    ways: PlayOptions,
    *,
    secret: Path | None = None,
    match: HeadToHead | None = None,
) -> None:
    """Play what is missing of a tournament, show it live, print how it stands, and exit as it ended.

    Without a results file the games are counted and not kept.
    Bots in a sandbox see neither the results and events nor `secret`, the file that may tell the seed, nor the book of
    deployments.  A `match` may have enough of it before all is played.  Raises ConfigError.
    """
    ways.check(results)
    file = tournament.file
    book = None if tournament.folder is None else file.book_path(tournament.folder)
    isolation = find_isolation(ways.sandbox, tournament.programs, secrets_of(results, secret, book, ways.events_file))
    manifest = new_manifest(tournament, isolation.name)
    with wind_up_noted() as noted, keeping(results, manifest, live=ways.live) as kept, ExitStack() as closing:
        manifest, games = kept.manifest, kept.games
        withdrawn: set[str] = set()
        plan = tournament.schedule(manifest.seed, games, withdrawn)
        live = RunOutput(plan, kept, results, ways, match)
        where = closing.enter_context(serving(results, ways.serving))
        live.say(_headline(file.name, plan.total, len(games), isolation.name))
        live.point_to(where)
        _warn(ways, isolation)
        people = seated(file.humans)
        follow = None if kept.live is None else kept.live.write
        arena = Arena(
            tournament, manifest.seed, isolation, kept.keep, keep_logs=ways.keep_logs, people=people, follow=follow
        )
        source = plan if match is None else match.until_decided(plan, games)

        def ask_withdrawn() -> Collection[str]:
            if kept.ask_withdrawn is not None:
                withdrawn.clear()
                withdrawn.update(kept.ask_withdrawn())
            return withdrawn

        ask_withdrawn()
        gate = Dispatcher(source, games, suspend_after=file.suspend_after, ask_withdrawn=ask_withdrawn)
        with live.shown() as tell:
            jobs = 1 if people else ways.jobs or file.jobs or default_jobs()
            stopped = play_through(arena, gate, jobs, tell, noted) and not plan.finished
    live.print_results(manifest)
    if stopped:
        click.echo(_stopped(len(games), plan.total, kept=results is not None), err=True)
    _leave(stopped=stopped, arena=arena, gate=gate, log=results and results.with_suffix(".void.txt"))


def _warn(ways: PlayOptions, isolation: Isolation) -> None:
    if ways.live and isolation.name != SANDBOXED:
        click.echo("arbiter: bots outside a sandbox could read the games under way", err=True)


def play_quietly(tournament: Tournament, sandbox: IsolationName | None, keep: Keep) -> None:
    """Play a tournament for its records alone, and exit where that did not come to its end.  Raises ConfigError."""
    isolation = find_isolation(sandbox, tournament.programs)
    seed = new_manifest(tournament, isolation.name).seed
    arena = Arena(tournament, seed, isolation, keep)
    gate = Dispatcher(tournament.schedule(seed))
    stopped = play_through(arena, gate, default_jobs(), lambda _: None)
    _leave(stopped=stopped, arena=arena, gate=gate, log=None)


def secrets_of(results: Path | None, *files: Path | None) -> tuple[Path, ...]:
    """List what no bot may read though it may lie in its folder, as patterns: SQLite and we put more beside results."""
    kept = () if results is None else (results.with_name(f"{escape(results.stem)}.*"),)
    return (*(file.with_name(escape(file.name)) for file in files if file is not None), *kept)


def find_isolation(asked: IsolationName | None, ready: Sequence[Program], secrets: Sequence[Path] = ()) -> Isolation:
    """Choose the isolation of bots, and print its notice.  Raises ConfigError."""
    choice = select_isolation(asked, ready, secrets)
    if choice.notice:
        click.echo(f"arbiter: {choice.notice}", err=True)
    return choice.isolation


def _headline(name: str, total: int, present: int, isolation: str) -> str:
    before = f", {present} of them played before" if present else ""
    return f"{plain(name)}: {total} games{before}; sandbox: {isolation}"


def _stopped(played: int, total: int, *, kept: bool) -> str:
    after = "are kept; run again to go on" if kept else "were played"
    return f"arbiter: stopped: {played} of {total} games {after}"


def play_through(arena: Arena, gate: Dispatcher, jobs: int, tell: EventHandler, noted: Collection[int] = ()) -> bool:
    """Play until all games are played or a signal stops it, or one that was noted before; say whether one did.

    Games that a signal cuts off are void: nothing of them is kept.  Raises ConfigError.
    """

    async def work(stop: Stop) -> None:
        await arena.play(gate, jobs, _told(tell, stop))

    def heed(number: int, stop: Stop) -> bool:
        """Begin nothing more at the first word to stop; stop at once at the second, and at every other signal."""
        at_once = number not in (signal.SIGINT, WIND_UP) or gate.is_closed
        if not at_once:
            _told(tell, stop)(Closing())
        gate.close()
        return at_once

    do_heeding_signals(work, heed, noted)
    return gate.is_closed


def _told(tell: EventHandler, stop: Stop) -> EventHandler:
    """Tell what happens, and stop where nobody reads us any more."""

    def told(event: Event) -> None:
        try:
            tell(event)
        except OSError as error:
            stop(error)

    return told


def _leave(*, stopped: bool, arena: Arena, gate: Dispatcher, log: Path | None) -> None:
    """Exit as the games ended: 130 where a signal stopped them, 1 where some came to nothing."""
    tell_stalls(arena.stalls)
    tell_held(gate.held)
    tell_put_off(gate.put_off)
    if arena.voids:
        tell_voids(arena.voids, log)
    if stopped:
        sys.exit(INTERRUPTED)
    if arena.voids:
        sys.exit(ANSWER_IS_NO)
