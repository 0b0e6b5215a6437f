"""`arbiter games RESULTS`: list, filter and export games."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click

from arbiter.cli.completion import complete_entrant, complete_game
from arbiter.cli.files import open_results, results_argument
from arbiter.cli.options import command, format_options, selection_option, series_option
from arbiter.cli.printing import print_log, print_sheets
from arbiter.director.files import write_into
from arbiter.errors import ConfigError, unknown_name, write_command
from arbiter.games.base import Ending
from arbiter.show.replay.log import log_hint
from arbiter.show.report.files import safe
from arbiter.show.tables.games import games_sheet
from arbiter.show.tables.incidents import attempts_sheet
from arbiter.show.text import plain
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame, is_lost_by
from arbiter.transcript import LOGGED


@command
@results_argument
@click.option("--bot", "bots", multiple=True, help="List games of this bot; if repeated, games between two bots.")
@selection_option(
    "--ending", type=click.Choice(get_args(Ending)), metavar="ENDING", help="List games with this ending."
)
@click.option("--lost-by", metavar="BOT", shell_complete=complete_entrant, help="List games that this bot lost.")
@selection_option("--round", "round_", type=click.IntRange(1, 1_000_000), help="List games of this round.")
@click.option("--id", "game_id", shell_complete=complete_game, help="List the game with this id.")
@click.option("--export", type=click.Path(path_type=Path), metavar="DIR", help="Write the records to DIR/ID.jsonl.")
@click.option(
    "--show",
    type=click.Choice(["games", "as-played", "void"]),
    default="games",
    metavar="LIST",
    help="games (default), as-played (all stored games before rulings), or void (voided attempts).",
)
@selection_option("--attempt", type=click.IntRange(1), help="With --show void: list the attempt with this number.")
@click.option("--log", is_flag=True, help="With --id or --attempt: print its messages and the stderr of its bots.")
@series_option
@format_options
def games(
    results: Path,
    bots: tuple[str, ...],
    ending: str | None,
    lost_by: str | None,
    round_: int | None,
    game_id: str | None,
    export: Path | None,
    show: str,
    attempt: int | None,
    series: int | None,
    form: str,
    *,
    log: bool,
) -> None:
    """List the games of RESULTS in the order of the schedule.

    Options that select games can be combined. `arbiter export` writes one game as a page or a picture.
    """
    if show == "void" and (ending or lost_by or export):
        raise ConfigError(
            "--show void: an attempt has no result and no record; leave out --ending, --lost-by and --export"
        )
    if attempt is not None and show != "void":
        raise ConfigError(f"--attempt {attempt}: is a voided attempt; add --show void")
    with open_results(results) as store:
        if show == "void":
            _list_attempts(store, bots, round_, game_id, attempt, form, log=log)
            return
        if log:
            _print_log(store, game_id, form)
            return
        one, two = _check_bots(bots, store)
        loser, _ = _check_bots([] if lost_by is None else [lost_by], store)
        filters = {"bot": one, "opponent": two, "ending": ending, "round": round_}
        chosen = [
            game
            for number in (store.series() if series is None else [series])
            for game in _list_series(store, number, filters, as_played=show == "as-played")
            if loser is None or is_lost_by(game, loser)
        ]
        if game_id is not None:
            chosen = [game for game in chosen if game.id == game_id]
            _check_id(store, game_id)
        if export is not None:
            for game in chosen:
                write_into(export, f"{safe(game.id)}.jsonl", store.record(game.id))
        live_hint = plain(store.describe_watching())
    print_sheets([games_sheet(chosen)], form)
    if form == "table":
        _print_hints(results, chosen, live_hint)
    if export is not None:
        click.echo(f"{len(chosen)} records are in {export}", err=True)


def _list_series(store: Store, series: int, filters: dict[str, Any], *, as_played: bool) -> list[StoredGame]:
    store.select_series(series)
    return store.games_as_played(**filters) if as_played else store.games(**filters)


def _check_id(store: Store, game_id: str) -> None:
    """Raise ConfigError if there is no such game; print a hint if another one is played instead."""
    store.record(game_id)
    if not store.history().is_current(game_id):
        click.echo(f"arbiter: by a ruling, another game is played instead of {plain(game_id)}", err=True)


def _print_hints(results: Path, games: Sequence[StoredGame], live_hint: str) -> None:
    if any(game.ending in LOGGED for game in games):
        click.echo(f"\na forfeited game, {log_hint(results)}")
    if live_hint:
        click.echo(f"\n{live_hint}")


def _check_bots(bots: Sequence[str], store: Store) -> tuple[str | None, str | None]:
    """Return the bots to select.  Raises ConfigError if there is no such bot, or if more than two are named."""
    known: dict[str, None] = {}
    for number in store.series():
        store.select_series(number)
        known |= dict.fromkeys(store.manifest.tournament.bot_names)
    for name in bots:
        if name not in known:
            raise unknown_name("bot", name, known)
    if len(bots) > 2:  # noqa: PLR2004 - a game has two
        raise ConfigError("--bot: a game has two bots; name one or two")
    one, two = (*bots, None, None)[:2]
    return one, two


def _print_log(store: Store, game_id: str | None, form: str) -> None:
    if game_id is None:
        raise ConfigError("--log: name the game with --id ID")
    store.record(game_id)  # raises ConfigError if there is no such game
    log = store.log(game_id)
    print_log(log, form)
    if not log.wire and form == "table":
        click.echo(
            "--- no messages are kept: forfeited games have them, games that the first bot of a match lost, "
            "and all games with --keep-logs"
        )


def _list_attempts(
    store: Store,
    bots: Sequence[str],
    round_: int | None,
    game_id: str | None,
    number: int | None,
    form: str,
    *,
    log: bool,
) -> None:
    """List voided attempts, or print the log of one.  Raises ConfigError."""
    one, two = _check_bots(bots, store)
    attempts = store.attempts(bot=one, opponent=two, round=round_)
    if number is not None and number not in attempts:
        raise ConfigError(
            f"--attempt {number}: there is no such attempt; `{write_command('games', store.path, '--show', 'void')}` lists them"
        )
    attempts = {key: found for key, found in attempts.items() if number in (None, key) and game_id in (None, found.id)}
    if not log:
        print_sheets([attempts_sheet(attempts)], form)
        if form == "table" and attempts:
            command = write_command("games", store.path, "--show", "void", "--attempt", "NUMBER", "--log")
            click.echo(f"\nline by line: {plain(command)}")
        return
    if number is None:
        raise ConfigError("--log: name the attempt with --attempt NUMBER")
    if form == "table":
        for line in attempts[number].why.splitlines():
            click.echo(plain(line))
    print_log(store.attempt_log(number), form)
