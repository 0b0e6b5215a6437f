"""Voided attempts to play a game: find the one that a command is to show."""

import click

from arbiter.errors import ConfigError, write_command
from arbiter.tournament.attempt import Attempt
from arbiter.tournament.results.store import Store

attempt_option = click.option(
    "--attempt",
    type=click.IntRange(1),
    help="Take the voided attempt of GAME with this number. Default: the last one if the game has no result.",
)


def find_attempt(store: Store, game: str, number: int | None) -> tuple[int, Attempt] | None:
    """Find a voided attempt to play a game and its number; None if the game has a result or was never tried.

    Raises ConfigError if no attempt of the game has the number.
    """
    if number is None and store.has(game):
        return None
    attempts = {key: attempt for key, attempt in store.attempts().items() if attempt.id == game}
    if number is None:
        return max(attempts.items(), default=None)
    if number not in attempts:
        listing = f"`{write_command('games', store.path, '--show', 'void')}` lists the voided attempts"
        raise ConfigError(f"--attempt {number}: is no voided attempt of {game!r}; {listing}")
    return number, attempts[number]
