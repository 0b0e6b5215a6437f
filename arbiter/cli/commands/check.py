"""`arbiter check BOT`: test a bot before its first tournament."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

import click

from arbiter.cli.completion import complete_bot, complete_rules
from arbiter.cli.failures import EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.game_options import GameOptions, game_option, make_game_options, refuse_game_options
from arbiter.cli.options import command, format_options
from arbiter.cli.playing import prepare_bots
from arbiter.cli.signals import Stop, run_until_signal
from arbiter.cli.terminal import find_width, has_colour, print_each, print_sheets
from arbiter.director.files import TOML, results_file
from arbiter.director.run import hide_files
from arbiter.errors import ConfigError, write_count
from arbiter.games.catalogue import RULE_SETS
from arbiter.preflight.evidence import Finding
from arbiter.preflight.examination import Conditions, SelectedRules
from arbiter.preflight.examine import Task, examine, plan
from arbiter.sandbox.select import IsolationName
from arbiter.show.tables.checks import CheckedEntrant, entrants_sheet, step_object, write_step
from arbiter.show.text import plain
from arbiter.tournament.config.bot_config import BotConfig, find_program, parse_bots
from arbiter.tournament.config.tournament import Tournament, load_tournament, resolve

_OPPONENT: Final = "random"


@command
@click.argument("bot", metavar="BOT|FILE.toml", shell_complete=complete_bot)
@make_game_options(
    click.option(
        "--rules",
        multiple=True,
        shell_complete=complete_rules,
        help="Rule set to test; may be repeated. Default: all rule sets.",
    )
)
@click.option(
    "--games", default=2, show_default=True, type=click.IntRange(1, 1000), help="Complete games per rule set."
)
@game_option(
    "--seed", default=1, show_default=True, type=click.IntRange(0), help="Random seed; another seed gives other games."
)
@click.option("--stop", is_flag=True, help="Stop at the first failed step.")
@format_options
def check(bot: str, game: GameOptions, games: int, seed: int, form: str, *, stop: bool) -> None:
    """Test a bot before its first tournament, and explain how to fix each failure.

    BOT is given as for `arbiter match`. A tournament FILE tests all of its bots under its own rules, clock and
    memory limits, and prints one table. Exit code: 0 if all steps pass, 1 if a step fails.
    """
    here = Path.cwd()
    if bot.endswith(TOML):
        refuse_game_options(bot, "rules", "options", "changes", "position", "time", "start", "memory", "env", "read")
        _check_entrants(Path(bot), game.sandbox, form, games=games, seed=seed, stop=stop)
        return
    if (changes := game.list_rule_changes("first")) and not game.rules:
        raise ConfigError(f"{changes[0]}: name the rule set that it belongs to, such as --rules us")
    names = dict.fromkeys(game.rules or [ruleset.name for ruleset in RULE_SETS])
    entries = parse_bots((bot, _OPPONENT), here)
    tournaments = [resolve(game.make_file(name, entries, rules=name), here) for name in names]
    chosen = tuple(map(_select_rules, tournaments))
    examined, opponent = tournaments[0].programs
    settings = tournaments[0].file.time
    bots = prepare_bots(game.sandbox, (examined, opponent))
    examined, opponent = bots.programs
    conditions = Conditions(
        program=examined, opponent=opponent, isolation=bots.isolation, time=settings, seed=seed, games=games
    )
    if form == "table":
        click.echo(plain(f"{examined.name}: {len(plan(chosen))} steps; sandbox: {bots.isolation.name}"))
    with print_each("Steps", form) as show:
        page = _Page(form, show)

        async def work(_stop: Stop) -> None:
            await examine(conditions, chosen, page.begin, page.end, to_end=not stop)

        finished = run_until_signal(work)
    if not finished:
        click.echo("\narbiter: stopped before the end", err=True)
        sys.exit(EXIT_INTERRUPTED)
    if form == "table":
        click.echo(f"\n{write_count(page.failures, 'step')} failed" if page.failures else "\nall steps passed")
    if page.failures:
        sys.exit(EXIT_NEGATIVE)


class _Page:
    """The output of a check: one line per step; a terminal also shows the current step."""

    def __init__(self, form: str, show: Callable[[Mapping[str, Any], str], None]) -> None:
        self._is_for_people = form == "table"
        self._is_live = self._is_for_people and sys.stdout.isatty()
        self._show = show
        self._rules: SelectedRules | None = None
        self.failures = 0

    def begin(self, task: Task) -> None:
        """Show the step that begins; a heading names each rule set."""
        if task.rules != self._rules and self._is_for_people:
            self._rules = task.rules
            click.echo(f"\n{task.rules.name}:" if task.rules else "")
        if self._is_live:
            click.echo(f"{task.number:>3}  {task.step.name} ...", nl=False)

    def end(self, task: Task, finding: Finding) -> None:
        """Print the finding of a step."""
        self.failures += finding.status == "failed"
        colour = self._is_live and has_colour()
        text = write_step(task.number, task.step.name, finding, colour=colour, width=find_width())
        rules = task.rules.name if task.rules else None
        self._show(
            step_object(task.number, task.step.name, rules, finding), f"\r\x1b[K{text}" if self._is_live else text
        )


# --- all bots of a tournament file ------------------------------------------------------------------


def _check_entrants(path: Path, sandbox: IsolationName | None, form: str, *, games: int, seed: int, stop: bool) -> None:
    """Check every bot of a tournament file, print one table, and exit with code 1 if one fails.

    For people, each step that fails is printed with its details.  Raises ConfigError.
    """
    tournament = load_tournament(path)
    file = tournament.file
    opponent = find_program(BotConfig(name=_OPPONENT), path.parent)
    hidden = hide_files(results_file(path, None), path, *file.list_secret_files(path.parent))
    bots = prepare_bots(sandbox, (*tournament.programs, opponent), hidden)
    *entrants, opponent = bots.programs
    rules = _select_rules(tournament)
    if form == "table":
        click.echo(f"{plain(file.name)}: {write_count(len(entrants), 'bot')}; sandbox: {bots.isolation.name}")
    checked: list[CheckedEntrant] = []

    async def work(_stop: Stop) -> None:
        for program in entrants:
            conditions = Conditions(
                program=program, opponent=opponent, isolation=bots.isolation, time=file.time, seed=seed, games=games
            )
            findings: list[tuple[int, str, str | None, Finding]] = []
            report = partial(_report_step, program.name, findings, form)
            exam = await examine(conditions, [rules], lambda _: None, report, to_end=not stop)
            times_ms = [ms for game in exam.games.get(rules.name, ()) for ms in game.move_times_ms]
            checked.append(
                CheckedEntrant(
                    bot=program.name,
                    findings=findings,
                    median_ms=median(times_ms) if times_ms else None,
                    slowest_ms=max(times_ms, default=None),
                    peak_mib=exam.peak_mib.get(rules.name),
                )
            )

    finished = run_until_signal(work)
    if form == "table":
        click.echo()
    print_sheets([entrants_sheet(checked)], form)
    if not finished:
        click.echo("\narbiter: stopped before the end", err=True)
        sys.exit(EXIT_INTERRUPTED)
    if any(one.failures for one in checked):
        sys.exit(EXIT_NEGATIVE)


def _select_rules(tournament: Tournament) -> SelectedRules:
    """Return the rules and the starting position of a tournament."""
    file = tournament.file
    return SelectedRules(file.rule_set, tuple(file.options), tournament.overrides, file.position, file.first)


def _report_step(
    bot: str, findings: list[tuple[int, str, str | None, Finding]], form: str, task: Task, finding: Finding
) -> None:
    """Keep the finding of a step of a bot; for people, print it if it fails."""
    findings.append((task.number, task.step.name, None if task.rules is None else task.rules.name, finding))
    if finding.status == "failed" and form == "table":
        click.echo(f"\n{plain(bot)}:\n{write_step(task.number, task.step.name, finding)}")
