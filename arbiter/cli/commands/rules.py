"""`arbiter rules [NAME]`: the rule sets."""

import click

from arbiter.cli.completion import complete_rules
from arbiter.cli.options import command, format_options, lang_option
from arbiter.cli.terminal import print_sheets
from arbiter.games.catalogue import RULE_SETS, find_ruleset
from arbiter.show.rules_page import rules_page
from arbiter.show.tables.rules import rules_sheet


@command
@click.argument("name", required=False, shell_complete=complete_rules)
@lang_option
@format_options
def rules(name: str | None, lang: str, form: str) -> None:
    """List the rule sets, or describe the rule set NAME."""
    if form != "table" or name is None:
        sheet = rules_sheet(RULE_SETS) if name is None else rules_sheet([find_ruleset(name)], lang)
        print_sheets([sheet], form)
    else:
        click.echo(rules_page(find_ruleset(name), lang))
