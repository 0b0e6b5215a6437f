"""Check all entrants of a tournament file, under its rules, clock, memory limits and declared files."""

import sys
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

import click
from msgspec import Struct

from arbiter.cli.failures import EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.printing import print_notice, print_sheets
from arbiter.cli.signals import Stop, run_until_signal
from arbiter.director.files import results_file
from arbiter.director.run import hide_files
from arbiter.director.venue import find_isolation
from arbiter.preflight.evidence import Finding
from arbiter.preflight.examination import Conditions, Examination, SelectedRules
from arbiter.preflight.examine import Task, examine
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import IsolationName
from arbiter.show.tables.checks import CheckedEntrant, entrants_sheet, write_step
from arbiter.show.text import plain
from arbiter.tournament.config.bot_entries import BotEntry, find_program
from arbiter.tournament.config.tournament import Tournament, load_tournament

_OPPONENT: Final = "random"


class CheckOptions(Struct, frozen=True, kw_only=True):
    """Options of a check that a tournament file does not set."""

    games: int
    seed: int
    sandbox: IsolationName | None
    stop: bool
    form: str


def check_entrants(path: Path, options: CheckOptions) -> None:
    """Check every bot of a tournament file, print one table, and exit with code 1 if one fails.  Raises ConfigError."""
    tournament = load_tournament(path)
    file = tournament.file
    opponent = find_program(BotEntry(name=_OPPONENT), path.parent)
    hidden = hide_files(results_file(path, None), path, file.book_path(path.parent))
    isolation = find_isolation(options.sandbox, (*tournament.programs, opponent), print_notice, hidden)
    rules = select_rules(tournament)
    if options.form == "table":
        click.echo(f"{plain(file.name)}: {len(tournament.programs)} bots; sandbox: {isolation.name}")
    checked: list[CheckedEntrant] = []

    async def work(_stop: Stop) -> None:
        for program in tournament.programs:
            conditions = _make_conditions(tournament, program, opponent, isolation, options)
            findings: list[tuple[int, str, str | None, Finding]] = []
            report = partial(_report, program.name, findings, form=options.form)
            exam = await examine(conditions, [rules], lambda _: None, report, to_end=not options.stop)
            checked.append(_sum_up(program.name, findings, exam, rules))

    finished = run_until_signal(work)
    if options.form == "table":
        click.echo()
    print_sheets([entrants_sheet(checked)], options.form)
    if not finished:
        click.echo("\narbiter: stopped before the end", err=True)
        sys.exit(EXIT_INTERRUPTED)
    if any(one.failures for one in checked):
        sys.exit(EXIT_NEGATIVE)


def select_rules(tournament: Tournament) -> SelectedRules:
    """Return the rules and the starting position of a tournament."""
    file = tournament.file
    return SelectedRules(file.rule_set, tuple(file.options), tournament.overrides, file.position)


def _make_conditions(
    tournament: Tournament, program: Program, opponent: Program, isolation: Isolation, options: CheckOptions
) -> Conditions:
    return Conditions(
        program=program,
        opponent=opponent,
        isolation=isolation,
        time=tournament.file.time,
        seed=options.seed,
        games=options.games,
    )


def _report(
    bot: str, findings: list[tuple[int, str, str | None, Finding]], task: Task, finding: Finding, *, form: str
) -> None:
    """Keep a finding, and print it with its details if the step failed."""
    findings.append((task.number, task.step.name, None if task.rules is None else task.rules.name, finding))
    if finding.status == "failed" and form == "table":
        click.echo(f"\n{plain(bot)}:\n{write_step(task.number, task.step.name, finding)}")


def _sum_up(
    bot: str, findings: list[tuple[int, str, str | None, Finding]], exam: Examination, rules: SelectedRules
) -> CheckedEntrant:
    times_ms = [ms for game in exam.games.get(rules.name, ()) for ms in game.move_times_ms]
    return CheckedEntrant(
        bot=bot,
        findings=findings,
        median_ms=median(times_ms) if times_ms else None,
        slowest_ms=max(times_ms, default=None),
        peak_mib=exam.peak_mib.get(rules.name),
    )
