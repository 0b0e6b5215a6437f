"""`arbiter queue`: test versions of a bot from git, one after another by priority."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import click
from msgspec import structs

from arbiter.cli.completion import complete_bot
from arbiter.cli.failures import EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.files import open_results
from arbiter.cli.game_options import NO_SECRET, GameOptions, game_options, sandbox_option, secret_option
from arbiter.cli.match_options import MatchOptions, match_options
from arbiter.cli.options import HELP_ALL, PATH, Command, Group, format_options
from arbiter.cli.play_options import STDOUT, PlayOptions, queue_options
from arbiter.cli.playing import play_tournament
from arbiter.cli.signals import wait_for_signal
from arbiter.cli.terminal import print_facts, print_notice, print_sheets
from arbiter.director.queue import LIST, Queue, QueuedBot, write_now
from arbiter.director.run import Run
from arbiter.director.versions import Repository, split_revision
from arbiter.errors import ConfigError, check_known, write_command
from arbiter.games.chance import Key
from arbiter.languages.sentences import write_reason
from arbiter.sandbox.select import IsolationName
from arbiter.show.queue import describe_rules, history_sheet, make_queue_sheet, make_rows, make_version_rows
from arbiter.show.text import plain
from arbiter.tournament.config.tournament import resolve
from arbiter.tournament.queue import QueuedTest, find_forfeiter
from arbiter.tournament.results.reader import rate_pool
from arbiter.tournament.results.snapshot import Matches
from sample_bots.catalogue import SAMPLE_BOTS

_SHOWN: Final = 10  # tests that are over


class _QueueGroup(Group):
    """The subcommands; without one, `list`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:  # the shell completes the words
            return super().parse_args(ctx, args)
        if not args or (args[0].startswith("-") and args[0] not in (*ctx.help_option_names, HELP_ALL)):
            args = ["list", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_QueueGroup)
def queue() -> None:
    """Test versions of a bot from git: a queue of matches, played one after another by priority.

    Change to the folder of the bot, in its git repository. A test is a match of `arbiter match` between two commits,
    which are checked out, and built, in a folder of their own. Without a subcommand, the tests are listed.
    """


_subcommand = partial(queue.command, cls=Command)
_queue_option = click.option(
    "--queue",
    "place",
    type=PATH,
    metavar="PATH",
    help="Folder of the queue. Default: next to the repository.",
)
_tests_argument = click.argument("numbers", metavar="TEST...", nargs=-1, required=True, type=click.IntRange(1))


def _find_queue(place: Path | None) -> Queue:
    """Find the queue that the command line means.  Raises ConfigError."""
    if place is not None:
        return Queue(place)
    here = Path.cwd()
    if (here / LIST).is_file():
        return Queue(here)
    try:
        top = Repository(here).top
    except ConfigError as error:
        raise ConfigError(f"{error}, or name a queue with --queue") from None
    return Queue(top.with_name(f"{top.name}-queue"))


# --- tests ----------------------------------------------------------------------------------------


@_subcommand()
@click.argument("bot", metavar="BOT[@REV]", shell_complete=complete_bot)
@click.option("--baseline", required=True, metavar="REV", help="Baseline: REV, BOT@REV or a sample bot.")
@click.option("--build", metavar="COMMAND", help="Build each version with this command.")
@click.option("--priority", type=int, default=0, metavar="N", help="The highest is played first. Default: 0.")
@click.option("--note", default="", metavar="TEXT", help="A note for the list of tests.")
@_queue_option
@game_options
@match_options
@secret_option
@format_options
def add(
    bot: str,
    baseline: str,
    build: str | None,
    priority: int,
    note: str,
    place: Path | None,
    game: GameOptions,
    settings: MatchOptions,
    secret: Key | None,
    form: str,
) -> None:
    """Add a test of BOT at REV against a baseline.

    BOT is given as for `arbiter match`; REV is a branch, tag or commit. Default: HEAD. Both versions are checked out
    and built now, without uncommitted changes.
    """
    sprt = settings.read_test()
    repository = Repository(Path.cwd())
    command, rev = split_revision(bot)
    sides = [QueuedBot(command, repository.find(rev, build)), _find_baseline(baseline, command, repository, build)]
    for source in {side.source for side in sides if side.source is not None}:
        if lacking := repository.describe_uncommitted(source):
            print_notice(f"{source.label or source.short}: {lacking}")
    if settings.setups is not None:
        settings = structs.replace(settings, setups=settings.setups.absolute())
    draft = QueuedTest(
        sprt=sprt,
        sandbox=game.sandbox,
        secret=secret or (None if settings.seed is None else NO_SECRET),
        priority=priority,
        note=note,
        added=write_now(),
    )
    found = _find_queue(place)
    test = found.add(sides, lambda bots: settings.make_file(bots, "test", game), draft, print_notice)
    facts = {"test": test.number, "name": test.file.name, "queue": str(found.folder)}
    run = write_command("queue", "run", *(() if place is None else ("--queue", place)))
    print_facts("Test", [facts], form, lambda: plain(f"test {test.number}: {test.file.name}; to play it: {run}"))


def _find_baseline(text: str, command: str, repository: Repository, build: str | None) -> QueuedBot:
    """Find the baseline: another revision of the same bot, another bot at a revision, or a sample bot.

    Raises ConfigError.
    """
    if repository.has(text):
        return QueuedBot(command, repository.find(text, build))
    if text in SAMPLE_BOTS:
        return QueuedBot(text, None)
    other, rev = split_revision(text)
    return (
        QueuedBot(command, repository.find(text, build))
        if other == text
        else QueuedBot(other, repository.find(rev, build))
    )


@_subcommand(name="list")
@_queue_option
@click.option(
    "--all", "shows_all", is_flag=True, help=f"Show all tests. Default: of those that are over, the last {_SHOWN}."
)
@format_options
def list_tests(place: Path | None, form: str, *, shows_all: bool) -> None:
    """List the tests.

    Shown are the log-likelihood ratio with its bounds, Elo, games, results, and elapsed and expected time.
    """
    _print_tests(_find_queue(place), form, shows_all=shows_all)


def _print_tests(found: Queue, form: str, *, shows_all: bool = False) -> None:
    tests = [found.read_results(test) for test in found.read().tests]
    over = [one.test.number for one in tests if one.is_over or one.test.decision == "cancelled"]
    hidden = [] if shows_all or form != "table" else over[:-_SHOWN]
    shown = [one for one in tests if one.test.number not in hidden]
    shown.sort(key=lambda one: (one.test.number in over, -one.test.priority))
    print_sheets([make_queue_sheet(make_rows(shown), len(hidden))], form)


def _change(
    place: Path | None, numbers: Sequence[int], form: str, *, for_finished: bool = True, **changes: object
) -> None:
    """Change tests, and print them.  Raises ConfigError, also for tests that are over unless `for_finished`."""
    found = _find_queue(place)
    found.read()
    with found.change() as listed:
        for number in numbers if not for_finished else ():
            test = listed.find(number)
            if test.decision != "cancelled" and found.read_results(test).is_over:
                raise ConfigError(f"TEST {number}: is over; nothing was changed")
        tests = [listed.replace(number, **changes) for number in numbers]
    facts = [
        {"test": one.number, "name": one.file.name, "decision": one.decision, "priority": one.priority} for one in tests
    ]
    lines = [f"test {one.number}, {one.file.name}: {one.decision}, priority {one.priority}" for one in tests]
    print_facts("Tests", facts, form, lambda: "\n".join(map(plain, lines)))


@_subcommand()
@_tests_argument
@_queue_option
@format_options
def cancel(numbers: Sequence[int], place: Path | None, form: str) -> None:
    """Cancel tests. Their games are kept; one that is being played stops after the games in progress."""
    _change(place, numbers, form, decision="cancelled")


@_subcommand()
@_tests_argument
@_queue_option
@format_options
def pause(numbers: Sequence[int], place: Path | None, form: str) -> None:
    """Pause tests until they are resumed. One that is being played stops after the games in progress."""
    _change(place, numbers, form, for_finished=False, decision="paused")


@_subcommand()
@_tests_argument
@_queue_option
@format_options
def resume(numbers: Sequence[int], place: Path | None, form: str) -> None:
    """Resume paused, cancelled and stopped tests. After a stop for forfeits, all games are played."""
    _change(place, numbers, form, for_finished=False, decision="ready", reason=None, keeps_forfeits=True)


@_subcommand()
@_tests_argument
@click.option("--to", "priority", type=int, required=True, metavar="N", help="The new priority; the default is 0.")
@_queue_option
@format_options
def priority(numbers: Sequence[int], priority: int, place: Path | None, form: str) -> None:
    """Set the priority of tests. The highest is played first, even if another test is being played."""
    _change(place, numbers, form, priority=priority)


# --- playing --------------------------------------------------------------------------------------


class _Watch:
    """Watches a test that is being played, and stops it for a test with a higher rank, a decision, or forfeits."""

    def __init__(self, found: Queue, test: QueuedTest, done: set[int]) -> None:
        self.reason = ""
        """The reason why the test was stopped by the queue."""
        self.is_forfeited = False
        self.run: Run | None = None
        self._queue = found
        self._test = test
        self._done = done
        self._stamp = found.stamp
        self._games = -1

    @property
    def is_interrupted(self) -> bool:
        """True if a signal stopped the run."""
        return self.run is not None and self.run.is_closing and not self.reason

    def __call__(self, run: Run) -> None:
        """Stop the run if something demands that."""
        self.run = run
        if run.is_closing:
            return
        try:
            self.reason = self._find_forfeits(run) or self._find_decision()
        except ConfigError as error:  # the list cannot be read or written; the next look at it reports that too
            self.reason = str(error)
        if self.reason:
            run.stop(announce=False)

    def _find_forfeits(self, run: Run) -> str:
        games = run.journal.games
        if len(games) == self._games or self._test.keeps_forfeits:
            return ""
        self._games = len(games)
        if reason := find_forfeiter(games):
            self.is_forfeited = True
            with self._queue.change() as listed:
                listed.replace(self._test.number, decision="stopped", reason=reason)
        return write_reason(reason)

    def _find_decision(self) -> str:
        stamp = self._queue.stamp
        if stamp == self._stamp:
            return ""
        self._stamp = stamp
        listed = self._queue.read()
        now = listed.find(self._test.number)
        if now.decision != "ready":
            return now.decision
        left = [one for one in listed.tests if one.decision == "ready" and one.number not in self._done]
        first = max(left, key=lambda one: one.rank)
        return "" if first.number == now.number else f"test {first.number} goes first"


@_subcommand()
@_queue_option
@click.option("--watch", "waits", is_flag=True, help="Wait for new tests when all are over.")
@sandbox_option
@queue_options
@format_options
def run(place: Path | None, sandbox: IsolationName | None, play: PlayOptions, form: str, *, waits: bool) -> None:
    """Play the tests by priority until all are over.

    Tests with the same priority are played in their order. After Ctrl-C or a crash, run it again: it plays the
    remaining games. Tests can be added, cancelled and given another priority meanwhile. Exit code: 1 if a test could
    not be played to its end.
    """
    found = _find_queue(place)
    found.read()
    done: set[int] = set()
    failed = False
    with found.lock_run():
        while True:
            stamp = found.stamp
            test = found.choose(done)
            if test is None:
                if not waits or not _wait(found, stamp):
                    break
                continue
            watch = _Watch(found, test, done)
            try:
                isolation = sandbox or test.sandbox
                _play(found, test, structs.replace(play, sandbox=isolation, form=form, usual_secret=test.secret), watch)
            except ConfigError as error:
                failed = True
                done.add(test.number)
                print_notice(f"test {test.number}: {error}")
                continue
            if watch.is_interrupted:
                sys.exit(EXIT_INTERRUPTED)
            if watch.reason:
                print_notice(f"test {test.number} stops: {watch.reason}")
                failed = failed or watch.is_forfeited
                continue
            done.add(test.number)
            failed = failed or not found.read_results(test).is_over
    if form == "table" and play.events != STDOUT:
        click.echo()
        _print_tests(found, form)
    if failed:
        sys.exit(EXIT_NEGATIVE)


def _play(found: Queue, test: QueuedTest, options: PlayOptions, watch: _Watch) -> None:
    """Play a test as `arbiter match` does.  Raises ConfigError."""
    found.prepare(test, print_notice)
    if options.form == "table" and options.events != STDOUT:
        click.echo(f"test {test.number}, priority {test.priority}")
    tournament = resolve(test.file, found.folder)
    matches = Matches(test.file.bot_names, test.sprt, len(tournament.deployments))
    play_tournament(
        tournament,
        found.results(test),
        options,
        matches=matches,
        watch=watch,
        advises=lambda: not watch.reason,  # the queue continues by itself, or its list names the command
    )


def _wait(found: Queue, stamp: tuple[int, int]) -> bool:
    """Wait until the list changes; return False if a signal ends that."""
    wait_for_signal(lambda: found.stamp == stamp, lambda: print_notice("waits for new tests until Ctrl-C"))
    return found.stamp != stamp


# --- history --------------------------------------------------------------------------------------


@_subcommand()
@_queue_option
@click.option("--anchor", metavar="VERSION=RATING", help="Fix the rating of another version than the first one.")
@format_options
def history(place: Path | None, anchor: str | None, form: str) -> None:
    """Show the versions with Elo against the first.

    They are ordered by the dates of their commits. All games of tests with the same rules and clock are rated by one
    fit, as by `arbiter ratings`.
    """
    found = _find_queue(place)
    listed = found.read()
    sheets = []
    groups: dict[str, list[QueuedTest]] = {}
    for test in listed.tests:
        if found.results(test).is_file():
            groups.setdefault(describe_rules(test), []).append(test)
    if anchor is not None:
        check_known("version", anchor.partition("=")[0], [one.name for one in listed.versions])
    for rules, tests in groups.items():
        names = {name for test in tests for name in test.file.bot_names}
        versions = sorted((one for one in listed.versions if one.name in names), key=lambda one: one.age)
        first = anchor if anchor and anchor.partition("=")[0] in names else f"{versions[0].name}=0"
        with ExitStack() as reading:
            opened = [reading.enter_context(open_results(found.results(test))) for test in tests]
            if any(one.games() for one in opened):
                ratings = rate_pool(opened, first, merge_versions=True).ratings
                sheets.append(history_sheet(rules, first, make_version_rows(versions, tests, ratings, rules)))
    print_sheets(sheets, form)
