"""`arbiter check BOT`: examine a bot before its first tournament."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from msgspec.structs import replace

from arbiter.cli.failures import ANSWER_IS_NO, INTERRUPTED
from arbiter.cli.play_options import sandbox_option
from arbiter.cli.playing import find_isolation
from arbiter.cli.printing import json_option
from arbiter.cli.signals import Stop, do_heeding_signals
from arbiter.cli.timing import read_time, time_option
from arbiter.errors import ConfigError
from arbiter.games.catalogue import RULE_SETS
from arbiter.preflight.evidence import Finding
from arbiter.preflight.examination import Conditions, SelectedRules
from arbiter.preflight.examine import Task, examine, plan
from arbiter.sandbox.select import IsolationName
from arbiter.show.tables.findings import step_object, write_step
from arbiter.show.text import json_line, plain
from arbiter.tournament.config.bot_entries import BotEntry, find_program, parse_bot

_OPPONENT: Final = "random"


@click.command
@click.argument("bot", metavar="BOT")
@click.option("--rules", multiple=True, help="A rule set that it plays; may be given several times. Otherwise all.")
@click.option("--option", "options", multiple=True, help="An option of the rule sets; may be given several times.")
@click.option("--games", default=2, show_default=True, type=click.IntRange(1, 1000), help="Whole games a rule set.")
@time_option
@click.option("--start", default=10.0, show_default=True, type=click.FloatRange(0.1, 3600), help="Seconds to start in.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Try other games.")
@click.option("--stop", is_flag=True, help="Stop at the first step that fails.")
@sandbox_option
@json_option
def check(
    bot: str,
    rules: tuple[str, ...],
    options: tuple[str, ...],
    games: int,
    time: str,
    start: float,
    seed: int,
    sandbox: IsolationName | None,
    *,
    stop: bool,
    as_json: bool,
) -> None:
    """Examine a bot for what a tournament would punish, and say what to mend.

    A BOT is given as to `arbiter match`. Exits with 0 if all is well and with 1 if a step failed.
    """
    here = Path.cwd()
    examined, opponent = find_program(parse_bot(bot, here), here), find_program(BotEntry(name=_OPPONENT), here)
    selected = _select_rules(rules, options)
    settings = replace(read_time(time), start_s=start)
    isolation = find_isolation(sandbox, (examined, opponent))
    conditions = Conditions(
        program=examined, opponent=opponent, isolation=isolation, time=settings, seed=seed, games=games
    )
    page = _Page(as_json=as_json)
    page.head(f"{examined.name}: {len(plan(selected))} steps; sandbox: {isolation.name}")

    async def work(_stop: Stop) -> None:
        await examine(conditions, selected, page.begin, page.report, to_end=not stop)

    if not do_heeding_signals(work):
        click.echo("\narbiter: stopped before the end", err=True)
        sys.exit(INTERRUPTED)
    page.end()
    if page.failures:
        sys.exit(ANSWER_IS_NO)


def _select_rules(names: Sequence[str], options: tuple[str, ...]) -> tuple[SelectedRules, ...]:
    """Read the rule sets that are asked for, all where none is.  Raises ConfigError."""
    if options and not names:
        raise ConfigError(f"--option {options[0]}: which rule set is to have it? name it, as in --rules us")
    selected = tuple(
        SelectedRules(name, options) for name in dict.fromkeys(names or [ruleset.name for ruleset in RULE_SETS])
    )
    for rules in selected:
        rules.game()
    return selected


class _Page:
    """What is printed while a bot is examined: a line a step, and on a terminal the step under way."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._is_live = not as_json and sys.stdout.isatty()
        self._colour = self._is_live and not os.environ.get("NO_COLOR")
        self._rules: SelectedRules | None = None
        self.failures = 0

    def head(self, text: str) -> None:
        """Say what is going to be done."""
        if not self._as_json:
            click.echo(plain(text))

    def begin(self, task: Task) -> None:
        """Say which step begins, where somebody watches; a line above those of each rule set names it."""
        if task.rules != self._rules and not self._as_json:
            self._rules = task.rules
            click.echo(f"\n{task.rules.name}:" if task.rules else "")
        if self._is_live:
            click.echo(f"{task.number:>3}  {task.step.name} ...", nl=False)

    def report(self, task: Task, finding: Finding) -> None:
        """Print what a step found."""
        self.failures += finding.status == "failed"
        rules = task.rules.name if task.rules else None
        if self._as_json:
            click.echo(json_line(step_object(task.number, task.step.name, rules, finding)))
        else:
            back = "\r\x1b[K" if self._is_live else ""
            click.echo(back + write_step(task.number, task.step.name, finding, colour=self._colour))

    def end(self) -> None:
        """Say how it ended."""
        if not self._as_json:
            click.echo(
                f"\n{self.failures} step{'s' * (self.failures > 1)} failed" if self.failures else "\nall is well"
            )
