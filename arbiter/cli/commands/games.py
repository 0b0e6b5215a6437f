"""`arbiter games RESULTS`: list, filter and export games."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from arbiter.cli.files import open_results, write_bytes
from arbiter.cli.printing import format_option, json_option, print_log, print_sheets
from arbiter.cli.watched import Watched
from arbiter.errors import ConfigError, unknown_name
from arbiter.games.base import Ending
from arbiter.show.replay.log import log_hint
from arbiter.show.tables.standings import games_sheet
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from arbiter.transcript import LOGGED


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--bot", "bots", multiple=True, help="Games of this bot; given twice, games between the two.")
@click.option("--ending", type=click.Choice(get_args(Ending)), metavar="ENDING", help="Games that ended so.")
@click.option("--round", "round_", type=click.IntRange(1, 1_000_000), help="Games of this round.")
@click.option("--id", "game_id", help="The game of this id.")
@click.option("--export", type=click.Path(path_type=Path), metavar="DIR", help="Write the records to DIR/ID.jsonl.")
@click.option(
    "--log", is_flag=True, help="With --id: print what was said in the game, and what the bots wrote on stderr."
)
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
    """List the games of RESULTS, in the order of the schedule."""
    with open_results(results) as store:
        if log:
            _print_log(store, game_id, as_json=as_json)
            return
        one, two = _two(store, bots)
        chosen = store.games(bot=one, opponent=two, ending=ending, round=round_)
        if game_id is not None:
            store.record(game_id)  # which says where there is none
            chosen = [game for game in chosen if game.id == game_id]
        if export is not None:
            _export(store, chosen, export)
        hint = Watched(store).hint()
    print_sheets([games_sheet(chosen)], "json" if as_json else form, store.manifest.tournament.name)
    if form == "table" and not as_json:
        hints = [f"a forfeit {log_hint(results)}"] if any(game.ending in LOGGED for game in chosen) else []
        for line in filter(None, [*hints, hint]):
            click.echo(f"\n{line}")
    if export is not None:
        click.echo(f"{len(chosen)} records are in {export}", err=True)


def _two(store: Store, bots: Sequence[str]) -> tuple[str | None, str | None]:
    known = [bot.name for bot in store.manifest.tournament.bots]
    for name in bots:
        if name not in known:
            raise unknown_name("bot", name, known)
    if len(bots) > 2:  # noqa: PLR2004 - a game has two
        raise ConfigError("--bot: a game has two bots; name one or two")
    one, two = (*bots, None, None)[:2]
    return one, two


def _export(store: Store, chosen: Sequence[StoredGame], folder: Path) -> None:
    for game in chosen:
        write_bytes(folder / f"{game.id}.jsonl", store.record(game.id))


def _print_log(store: Store, game_id: str | None, *, as_json: bool) -> None:
    if game_id is None:
        raise ConfigError("--log: name the game with --id ID")
    store.record(game_id)  # says so where there is no such game
    log = store.log(game_id)
    print_log(log, as_json=as_json)
    if not log.wire and not as_json:
        click.echo(
            "--- what was said is kept of games that were played and ended by a forfeit, and of all that --keep-logs plays"
        )
