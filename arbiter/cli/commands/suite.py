"""`arbiter suite FILE BOT`: score a bot on positions."""

import sys
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

import click

from arbiter.cli.completion import SHIPPED_SUITE, complete_bot, complete_rules, complete_suite
from arbiter.cli.failures import EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.game_options import GameOptions, game_option, make_game_options, refuse_game_options
from arbiter.cli.options import PATH, command, format_options
from arbiter.cli.play_options import force_jobs_option
from arbiter.cli.playing import prepare_bots
from arbiter.cli.signals import Stop, run_until_signal
from arbiter.cli.terminal import print_sheets
from arbiter.director.files import TOML, write_file_into
from arbiter.errors import ConfigError, write_count
from arbiter.games.ruleset import Overrides
from arbiter.preflight.examination import Conditions
from arbiter.preflight.examine import play_suite
from arbiter.preflight.suite import Suite, SuiteAnswer, SuiteFile, SuitePosition, check_suite
from arbiter.sandbox.files.visible import HiddenFiles
from arbiter.sandbox.usage import check_clock
from arbiter.show.tables.checks import answer_object, suite_sheet, write_answer
from arbiter.show.text import json_line, plain, safe
from arbiter.tournament.config.bot_entries import find_program, parse_bot
from arbiter.tournament.config.tournament import check_time, locate_faults
from arbiter.tournament.config.typed_toml import read_toml
from arbiter.tournament.machine import choose_jobs


@command
@click.argument("file", metavar="FILE.toml|first", shell_complete=complete_suite)
@click.argument("bot", shell_complete=complete_bot)
@click.option("--only", multiple=True, metavar="NAME", help="Play only this position or theme; may be repeated.")
@click.option(
    "--opponent",
    default="hunter",
    show_default=True,
    shell_complete=complete_bot,
    help="Opponent in positions with a result.",
)
@click.option("--at-least", type=click.IntRange(0), metavar="N", help="Exit with 1 if fewer positions are passed.")
@click.option("--export", type=PATH, metavar="DIR", help="Write the records to DIR/NAME.jsonl.")
@make_game_options(
    game_option(
        "--rules",
        shell_complete=complete_rules,
        callback=lambda _ctx, _param, value: (value,) if value else (),
        metavar="NAME",
        help="Rule set. Default: that of each position.",
    )
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Positions at the same time, each with its own process.",
)
@force_jobs_option
@game_option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Random seed.")
@format_options
def suite(
    file: str,
    bot: str,
    only: tuple[str, ...],
    opponent: str,
    at_least: int | None,
    export: Path | None,
    game: GameOptions,
    jobs: int,
    force_jobs: bool,
    seed: int,
    form: str,
) -> None:
    """Score a bot on a suite of positions.

    In each position the bot must find a best action, avoid bad ones, or reach a result against an opponent. `first`
    is the suite of 30 positions that comes with the arbiter. The exit code is 0 unless --at-least asks for more.
    """
    here = Path.cwd()
    refuse_game_options(file, "position")
    game.list_rule_changes()  # refuses settings of tournaments
    settings = game.make_file("suite", [parse_bot(one, here) for one in (bot, opponent)], rules="original")
    chosen = _read(file, game, settings.merge_overrides()).select(only)
    check_clock(settings.time)
    check_time(settings.time)
    at_a_time = choose_jobs(jobs, settings.time, force=force_jobs).number
    examined, other = (find_program(one, here) for one in settings.bots)
    written = HiddenFiles(folders=() if export is None else (export,))
    bots = prepare_bots(game.sandbox, (examined, other), written)
    examined, other = bots.programs
    conditions = Conditions(
        program=examined, opponent=other, isolation=bots.isolation, time=settings.time, seed=seed, games=1
    )
    answers: list[SuiteAnswer] = []
    if form == "table":
        count = write_count(len(chosen.positions), "position")
        heading = f"{chosen.name}: {count} for {examined.name}; sandbox: {bots.isolation.name}"
        click.echo(plain(heading) + "\n")

    def report(position: SuitePosition, answer: SuiteAnswer) -> None:
        answers.append(answer)
        if export is not None and answer.record:
            write_file_into(export, f"{safe(position.table.name)}.jsonl", answer.record)
        if form in ("table", "json"):
            click.echo(json_line(answer_object(position, answer)) if form == "json" else write_answer(position, answer))

    _play(chosen, conditions, report, at_a_time)
    if form == "table":
        click.echo()
    print_sheets([suite_sheet(chosen, answers)], form)
    if at_least is not None and sum(answer.passed for answer in answers) < at_least:
        sys.exit(EXIT_NEGATIVE)


def _play(
    chosen: Suite, conditions: Conditions, report: Callable[[SuitePosition, SuiteAnswer], object], jobs: int
) -> None:
    """Play the positions, `jobs` at a time, until the end or a signal.

    Raises ConfigError and OSError, also from `report`.
    """

    async def work(stop: Stop) -> None:
        def report_or_stop(position: SuitePosition, answer: SuiteAnswer) -> None:
            try:
                report(position, answer)
            except (ConfigError, OSError) as failure:
                stop(failure)

        try:
            await play_suite(chosen, conditions, report_or_stop, jobs)
        except* OSError as errors:
            error: BaseException = errors
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            stop(ConfigError(f"a process could not be started: {error}"))

    if not run_until_signal(work):
        click.echo("\narbiter: stopped before the end", err=True)
        sys.exit(EXIT_INTERRUPTED)


def _read(file: str, game: GameOptions, changes: Overrides) -> Suite:
    """Read the shipped suite or a file.  Raises ConfigError with all faults, each with its line."""
    path = Path(file)
    rules = next(iter(game.rules), None)
    if file == SHIPPED_SUITE and not path.exists():
        with as_file(files("arbiter.preflight") / "suites" / f"{SHIPPED_SUITE}{TOML}") as shipped:
            return check_suite(read_toml(shipped, SuiteFile), rules, game.options, changes)
    suite_file = read_toml(path, SuiteFile)
    with locate_faults(path):
        return check_suite(suite_file, rules, game.options, changes)
