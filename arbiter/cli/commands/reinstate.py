"""`arbiter reinstate RESULTS BOT`: lift the suspension of a bot."""

from pathlib import Path

import click

from arbiter.cli.completion import complete_entrant
from arbiter.cli.files import results_argument
from arbiter.cli.rulings import make_decision, report_rulings, ruling_options
from arbiter.tournament.results.rulings import reinstate as rule_reinstatement
from arbiter.tournament.results.rulings import undo_reinstatement


@click.command
@results_argument
@click.argument("bot", shell_complete=complete_entrant)
@click.option("--undo", is_flag=True, help="Revert the reinstatement; walkovers not played again yet count.")
@ruling_options
def reinstate(results: Path, bot: str, because: str | None, by: str | None, *, undo: bool, force: bool) -> None:
    """Lift the suspension of BOT in the tournament of RESULTS, which may be running.

    The games that it lost by walkover because of the suspension are played, and its forfeits are counted from zero.
    """
    decision = make_decision(because, by, force=force)
    report_rulings((undo_reinstatement if undo else rule_reinstatement)(results, bot, decision))
