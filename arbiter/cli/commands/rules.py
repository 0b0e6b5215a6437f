"""`arbiter rules [NAME]`: the rule sets."""

import click

from arbiter.cli.completion import complete_option, complete_rules
from arbiter.cli.game_options import find_changed_rules
from arbiter.cli.options import command, format_options, lang_option
from arbiter.cli.terminal import print_sheets
from arbiter.games.catalogue import RULE_SETS
from arbiter.show.rules_page import rules_page
from arbiter.show.tables.rules import rules_sheet


@command
@click.argument("rules", metavar="[NAME]", required=False, shell_complete=complete_rules)
@click.option(
    "--option",
    "--options",
    "options",
    multiple=True,
    shell_complete=complete_option,
    metavar="OPTION",
    help="Option of the rule set, to describe the game as it is played with it; may be repeated.",
)
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Setting of the rules as in a tournament file, such as two_squares=0 or army.scout=5; may be repeated.",
)
@lang_option
@format_options
def rules(rules: str | None, options: tuple[str, ...], changes: tuple[str, ...], lang: str, form: str) -> None:
    """List the rule sets, or describe the rule set NAME.

    The description is that of the game as it is played: with options and settings, in the language of --lang.
    """
    if rules is None:
        if options or changes:
            raise click.UsageError("--option and --set: name the rule set that they change")
        print_sheets([rules_sheet(RULE_SETS, lang)], form)
    elif form == "table":
        click.echo(rules_page(find_changed_rules(rules, options, changes), lang))
    else:
        print_sheets([rules_sheet([find_changed_rules(rules, options, changes)], lang)], form)
