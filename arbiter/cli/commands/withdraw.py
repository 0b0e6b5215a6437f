"""`arbiter withdraw RESULTS BOT`: take a bot out of a tournament under way."""

from pathlib import Path

import click

from arbiter.cli.files import results_path
from arbiter.errors import ConfigError
from arbiter.tournament.results.store import Store
from arbiter.tournament.results.store import withdraw as note_withdrawal


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("bot")
@click.option("--undo", is_flag=True, help="Let it play again; walkovers that were given stay.")
def withdraw(results: Path, bot: str, *, undo: bool) -> None:
    """Take BOT out of the tournament of RESULTS, also while it is played.

    A game of its under way is finished; what is left goes to its opponents by walkover. Whether the games that it
    played still count is for the tournament's `withdrawn_games` to say.
    """
    path = results_path(results)
    if not undo:
        _check_under_way(path)
    note_withdrawal(path, bot, back=undo)
    click.echo(f"{bot} plays on" if undo else f"{bot} is withdrawn: what is left of its games are walkovers")


def _check_under_way(path: Path) -> None:
    """Refuse to change what is over.  Raises ConfigError."""
    with Store.read(path) as store:
        plan = store.manifest.schedule(store.games())
    if plan.finished:
        raise ConfigError(f"{path}: all games are played; there is nothing left that a bot could withdraw from")
