"""`arbiter disqualify RESULTS BOT`: disqualify a bot."""

from pathlib import Path

import click

from arbiter.cli.completion import complete_entrant
from arbiter.cli.files import results_argument
from arbiter.cli.rulings import make_decision, report_rulings, ruling_options
from arbiter.tournament.results.rulings import disqualify as rule_disqualification
from arbiter.tournament.results.rulings import undo_disqualification


@click.command
@results_argument
@click.argument("bot", shell_complete=complete_entrant)
@click.option("--undo", is_flag=True, help="Revert the disqualification; walkovers so far remain.")
@ruling_options
def disqualify(results: Path, bot: str, because: str | None, by: str | None, *, undo: bool, force: bool) -> None:
    """Disqualify BOT from the tournament of RESULTS, which may be running.

    Its remaining games are walkovers. By the setting `withdrawn_games` of the tournament file, its games so far are
    struck, or its opponents win them.
    """
    decision = make_decision(because, by, force=force)
    report_rulings([(undo_disqualification if undo else rule_disqualification)(results, bot, decision)])
