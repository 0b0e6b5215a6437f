"""`arbiter games RESULTS`: list, filter and export games."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from arbiter.cli.files import open_results, write_into
from arbiter.cli.options import format_option, json_option
from arbiter.cli.output import print_log, print_sheets
from arbiter.cli.watching import ResultsReader
from arbiter.errors import ConfigError, unknown_name
from arbiter.games.base import Ending
from arbiter.show.replay.log import log_hint
from arbiter.show.report.names import safe
from arbiter.show.tables.games import games_sheet
from arbiter.tournament.results.store import Store
from arbiter.transcript import LOGGED


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--bot", "bots", multiple=True, help="List games of this bot; if repeated, games between two bots.")
@click.option("--ending", type=click.Choice(get_args(Ending)), metavar="ENDING", help="List games with this ending.")
@click.option("--round", "round_", type=click.IntRange(1, 1_000_000), help="List games of this round.")
@click.option("--id", "game_id", help="List the game with this id.")
@click.option("--export", type=click.Path(path_type=Path), metavar="DIR", help="Write the records to DIR/ID.jsonl.")
@click.option("--log", is_flag=True, help="With --id: print the messages of the game and the stderr of its bots.")
@format_option
@json_option
def games(
    results: Path,
    bots: tuple[str, ...],
    ending: str | None,
    round_: int | None,
    game_id: str | None,
    export: Path | None,
    form: str,
    *,
    log: bool,
    as_json: bool,
) -> None:
    """List the games of RESULTS in the order of the schedule.

    Options that select games can be combined.
    """
    with open_results(results) as store:
        if log:
            _print_log(store, game_id, as_json=as_json)
            return
        _check_bots(bots, [bot.name for bot in store.manifest.tournament.bots])
        one, two = (*bots, None, None)[:2]
        chosen = store.games(bot=one, opponent=two, ending=ending, round=round_)
        if game_id is not None:
            store.record(game_id)  # raises ConfigError if there is no such game
            chosen = [game for game in chosen if game.id == game_id]
        if export is not None:
            for game in chosen:
                write_into(export, f"{safe(game.id)}.jsonl", store.record(game.id))
        live_hint = ResultsReader(store).hint()
    print_sheets([games_sheet(chosen)], "json" if as_json else form)
    if form == "table" and not as_json:
        if any(game.ending in LOGGED for game in chosen):
            click.echo(f"\na forfeited game, {log_hint(results)}")
        if live_hint:
            click.echo(f"\n{live_hint}")
    if export is not None:
        click.echo(f"{len(chosen)} records are in {export}", err=True)


def _check_bots(bots: Sequence[str], known: Sequence[str]) -> None:
    """Raise ConfigError if there is no such bot, or if more than two are named."""
    for name in bots:
        if name not in known:
            raise unknown_name("bot", name, known)
    if len(bots) > 2:  # noqa: PLR2004 - a game has two
        raise ConfigError("--bot: a game has two bots; name one or two")


def _print_log(store: Store, game_id: str | None, *, as_json: bool) -> None:
    if game_id is None:
        raise ConfigError("--log: name the game with --id ID")
    store.record(game_id)  # raises ConfigError if there is no such game
    log = store.log(game_id)
    print_log(log, as_json=as_json)
    if not log.wire and not as_json:
        click.echo("--- no messages are kept: only forfeited games have them, or all games with --keep-logs")
