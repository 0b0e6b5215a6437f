"""`arbiter rules [NAME]`: the rule sets."""

import click

from arbiter.cli.printing import json_option, lang_option, print_sheets
from arbiter.games.catalogue import RULE_SETS, find_ruleset
from arbiter.show.tables.rules import rules_object, rules_page, rules_sheet
from arbiter.show.tables.sheet import Sheet


@click.command
@click.argument("name", required=False)
@lang_option
@json_option
def rules(name: str | None, lang: str, *, as_json: bool) -> None:
    """List the rule sets, or describe the one of that NAME."""
    if name is None:
        print_sheets([rules_sheet(RULE_SETS)], "json" if as_json else "table")
        return
    ruleset = find_ruleset(name)
    if as_json:
        print_sheets([Sheet(title=name, head=(), rows=(), objects=(rules_object(ruleset, lang),))], "json")
    else:
        click.echo(rules_page(ruleset, lang))
