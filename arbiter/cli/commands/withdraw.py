"""`arbiter withdraw RESULTS BOT`: withdraw a bot from a tournament."""

from pathlib import Path

import click

from arbiter.cli.completion import complete_entrant
from arbiter.cli.files import results_argument
from arbiter.errors import ConfigError
from arbiter.tournament.results.store import Store
from arbiter.tournament.results.store import withdraw as store_withdrawal


@click.command
@results_argument
@click.argument("bot", shell_complete=complete_entrant)
@click.option("--undo", is_flag=True, help="Let the bot play again; walkovers so far remain.")
def withdraw(results: Path, bot: str, *, undo: bool) -> None:
    """Withdraw BOT from the tournament of RESULTS, which may be running.

    Its games in progress are finished; its opponents win the remaining games by walkover. The setting
    `withdrawn_games` of the tournament file decides if games already played count.
    """
    if not undo:
        with Store.read(results) as store:
            plan = store.schedule()
        if plan.finished:
            raise ConfigError(f"{results}: all games are played; there is nothing left to withdraw from")
    store_withdrawal(results, bot, back=undo)
    click.echo(f"{bot} plays again" if undo else f"{bot} is withdrawn; its remaining games are walkovers")
