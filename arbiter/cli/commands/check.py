"""`arbiter check BOT`: test a bot before its first tournament."""

import sys
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from arbiter.cli.completion import complete_bot, complete_rules
from arbiter.cli.entrants import CheckOptions, check_entrants, select_rules
from arbiter.cli.failures import EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.game_options import OPTIONS, GameOptions, game_options
from arbiter.cli.options import json_option, wide_option
from arbiter.cli.output import print_notice
from arbiter.cli.play_options import sandbox_option
from arbiter.cli.signals import Stop, run_until_signal
from arbiter.cli.terminal import find_width, has_colour
from arbiter.director.files import TOML
from arbiter.director.venue import find_isolation
from arbiter.errors import ConfigError, write_count
from arbiter.games.catalogue import RULE_SETS
from arbiter.preflight.evidence import Finding
from arbiter.preflight.examination import Conditions, SelectedRules
from arbiter.preflight.examine import Task, examine, plan
from arbiter.sandbox.select import IsolationName
from arbiter.show.tables.checks import step_object, write_step
from arbiter.show.text import json_line, plain
from arbiter.tournament.config.bot_entries import parse_two_bots
from arbiter.tournament.config.tournament import resolve

_OPPONENT: Final = "random"


@click.command
@click.argument("bot", metavar="BOT|FILE.toml", shell_complete=complete_bot)
@game_options(
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
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(0), help="Random seed; another seed gives other games."
)
@click.option("--stop", is_flag=True, help="Stop at the first failed step.")
@sandbox_option
@wide_option
@json_option
def check(
    bot: str,
    rules: tuple[str, ...],
    games: int,
    seed: int,
    sandbox: IsolationName | None,
    *,
    stop: bool,
    as_json: bool,
    **given: Any,  # noqa: ANN401 - the other options of `game_options`
) -> None:
    """Test a bot before its first tournament, and explain how to fix each failure.

    BOT is given as for `arbiter match`. A tournament FILE tests all of its bots under its own rules, clock and
    memory limits, and prints one table. Exit code: 0 if all steps pass, 1 if a step fails.
    """
    here = Path.cwd()
    if bot.endswith(TOML):
        _check_options_of_file(bot)
        check_entrants(Path(bot), CheckOptions(games=games, seed=seed, sandbox=sandbox, stop=stop, as_json=as_json))
        return
    options = GameOptions.take(given)
    options.check_for_rules(rules)
    names = dict.fromkeys(rules or [ruleset.name for ruleset in RULE_SETS])
    entries = parse_two_bots((bot, _OPPONENT), here)
    tournaments = [resolve(options.make_file(name, name, entries), here) for name in names]
    chosen = tuple(map(select_rules, tournaments))
    examined, opponent = tournaments[0].programs
    settings = tournaments[0].file.time
    isolation = find_isolation(sandbox, (examined, opponent), print_notice)
    conditions = Conditions(
        program=examined, opponent=opponent, isolation=isolation, time=settings, seed=seed, games=games
    )
    page = _Page(as_json=as_json)
    if not as_json:
        click.echo(plain(f"{examined.name}: {len(plan(chosen))} steps; sandbox: {isolation.name}"))

    async def work(_stop: Stop) -> None:
        await examine(conditions, chosen, page.begin, page.end, to_end=not stop)

    if not run_until_signal(work):
        click.echo("\narbiter: stopped before the end", err=True)
        sys.exit(EXIT_INTERRUPTED)
    if not as_json:
        click.echo(f"\n{write_count(page.failures, 'step')} failed" if page.failures else "\nall steps passed")
    if page.failures:
        sys.exit(EXIT_NEGATIVE)


def _check_options_of_file(file: str) -> None:
    """Raise ConfigError if an option is given that a tournament file sets."""
    ctx = click.get_current_context()
    for name, option in (("rules", "rules"), *OPTIONS.items()):
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise ConfigError(f"--{option}: {file} sets it; leave it out")


class _Page:
    """The output of a check: one line per step; a terminal also shows the current step."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._is_live = not as_json and sys.stdout.isatty()
        self._colour = self._is_live and has_colour()
        self._rules: SelectedRules | None = None
        self.failures = 0

    def begin(self, task: Task) -> None:
        """Show the step that begins; a heading names each rule set."""
        if task.rules != self._rules and not self._as_json:
            self._rules = task.rules
            click.echo(f"\n{task.rules.name}:" if task.rules else "")
        if self._is_live:
            click.echo(f"{task.number:>3}  {task.step.name} ...", nl=False)

    def end(self, task: Task, finding: Finding) -> None:
        """Print the finding of a step."""
        self.failures += finding.status == "failed"
        if self._as_json:
            rules = task.rules.name if task.rules else None
            click.echo(json_line(step_object(task.number, task.step.name, rules, finding)))
        else:
            line_start = "\r\x1b[K" if self._is_live else ""
            click.echo(
                line_start + write_step(task.number, task.step.name, finding, colour=self._colour, width=find_width())
            )
