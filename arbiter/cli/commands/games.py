"""`arbiter games RESULTS`: list, filter and export games."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, get_args

import click
from msgspec import Struct
from msgspec.structs import replace

from arbiter.cli.completion import complete_entrant, complete_game
from arbiter.cli.files import open_results, results_argument
from arbiter.cli.options import (
    PATH,
    command,
    format_options,
    group_options,
    rare_option,
    selection_option,
    series_option,
)
from arbiter.cli.terminal import print_log, print_notice, print_parts, print_sheets
from arbiter.director.bundle import write_bundle
from arbiter.director.files import is_bundle, write_file_into
from arbiter.errors import ConfigError, write_command, write_count
from arbiter.games.base import Ending
from arbiter.show.replay.log import log_hint
from arbiter.show.tables.games import games_sheet
from arbiter.show.tables.run.incidents import attempts_sheet
from arbiter.show.tables.sheet import Sheet
from arbiter.show.text import plain, safe
from arbiter.tournament.results.latest import LATEST
from arbiter.tournament.results.reader import Listing, Results, Selection
from arbiter.transcript import LOGGED

_TABLES: Final = ("table", "markdown")
"""Formats whose columns fit all rows, so that all rows are in memory."""
_bundle_option = rare_option("Protests")


class Bundle(Struct, frozen=True, kw_only=True):
    """A protest bundle to write."""

    file: Path | None
    signature: Path | None


@command
@results_argument
@click.option("--log", is_flag=True, help="With --id or --attempt: print its messages and the stderr of its bots.")
@click.option("--export", type=PATH, metavar="DIR", help="Write the records to DIR/ID.jsonl.")
@click.option(
    "--show",
    type=click.Choice(["games", "as-played", "void"]),
    default="games",
    metavar="LIST",
    help="games (default), as-played (all stored games before rulings), or void (voided attempts).",
)
@selection_option("--attempt", type=click.IntRange(1), help="With --show void: list the attempt with this number.")
@group_options(
    "asked",
    Selection,
    click.option("--id", "game", shell_complete=complete_game, help="List the game with this id."),
    click.option("--bot", "bots", multiple=True, help="List games of this bot; if repeated, games between two bots."),
    click.option("--lost-by", metavar="BOT", shell_complete=complete_entrant, help="List games that this bot lost."),
    selection_option(
        "--ending", type=click.Choice(get_args(Ending)), metavar="ENDING", help="List games with this ending."
    ),
    selection_option("--round", type=click.IntRange(1, 1_000_000), help="List games of this round."),
    selection_option(
        "--last",
        type=click.IntRange(1, 100_000),
        metavar="N",
        help="List the last N of these games, in the order in which they were stored.",
    ),
    series_option,
)
@group_options(
    "bundle",
    Bundle,
    _bundle_option(
        "--bundle", "file", type=PATH, metavar="FILE.zip", help="With --id: write all evidence of the game to FILE.zip."
    ),
    _bundle_option("--signature", type=PATH, metavar="FILE", help="Add a signed digest, FILE and FILE.sig."),
)
@format_options
def games(
    results: Path,
    export: Path | None,
    show: str,
    attempt: int | None,
    asked: Selection,
    bundle: Bundle,
    form: str,
    *,
    log: bool,
) -> None:
    """List the games of RESULTS in the order of the schedule, or of a ladder in the order in which they were stored.

    A table of a long ladder has its last 1,000 games; --json and --format csv list all. Options that select games can
    be combined. Commands such as `arbiter replay` and `arbiter export` take the number (no) of a game instead of its
    id.
    """
    _check_options(show, attempt, asked, export, bundle)
    with open_results(results) as store:
        if asked.game is not None:
            asked = replace(asked, game=store.find_id(asked.game))
        if show == "void":
            _show_attempts(store, asked, attempt, form, log=log)
            return
        if log:
            _show_log(store, asked.game, form)
            return
        if bundle.file is not None:
            _write_bundle(store, asked.game, bundle.file, bundle.signature)
            return
        if asked.game is not None:
            store.record(asked.game)  # raises ConfigError if there is no such game
            if not store.history(condensed=True).is_current(asked.game):
                print_notice(f"by a ruling, another game is played instead of {asked.game}")
        as_played = show == "as-played"
        if export is not None:
            _export_records(store, store.list_games(asked, as_played=as_played), export)
        _print_games(store, asked, form, as_played=as_played)


def _print_games(store: Results, asked: Selection, form: str, *, as_played: bool) -> None:
    """Print the selected games; those of a long ladder are not in memory together."""
    if asked.last is not None or (form in _TABLES and store.manifest.tournament.is_ladder and asked.game is None):
        listings = iter([store.list_last(asked, asked.last or LATEST, as_played=as_played)])
    else:
        listings = store.list_games(asked, as_played=as_played)
    if form not in _TABLES:
        print_parts(map(_make_sheet, listings), form)
        return
    (listing,) = listings
    print_sheets([_make_sheet(listing)], form)
    if form != "table":
        return
    if listing.is_cut and asked.last is None:
        click.echo("\nearlier games are not listed; add --last N for the last N, or --json or --format csv for all")
    if any(game.ending in LOGGED for game in listing.games.values()):
        click.echo(f"\na forfeited game, {log_hint(store.path)}")
    if hint := store.describe_watching():
        click.echo(f"\n{plain(hint)}")


def _make_sheet(listing: Listing) -> Sheet:
    numbers = {game.id: number for number, game in listing.games.items()}
    return games_sheet(listing.games.values(), listing.uncounted, numbers, has_rulings=listing.has_rulings)


def _check_options(show: str, attempt: int | None, asked: Selection, export: Path | None, bundle: Bundle) -> None:
    """Raise ConfigError if options do not go together."""
    if show == "void" and (asked.ending or asked.lost_by or export):
        raise ConfigError(
            "--show void: an attempt has no result and no record; leave out --ending, --lost-by and --export"
        )
    if asked.last is not None and (show != "games" or asked.game is not None or export is not None):
        raise ConfigError("--last: lists the last games as they count; leave out --show, --id and --export")
    if attempt is not None and show != "void":
        raise ConfigError(f"--attempt {attempt}: is a voided attempt; add --show void")
    if bundle.signature is not None and bundle.file is None:
        raise ConfigError("--signature: is for a protest bundle; add --bundle FILE.zip")


def _export_records(store: Results, listings: Iterable[Listing], folder: Path) -> None:
    """Write the records of games into a folder."""
    count = 0
    for listing in listings:
        for game in listing.games.values():
            write_file_into(folder, f"{safe(game.id)}.jsonl", store.record(game.id))
        count += len(listing.games)
    click.echo(f"{write_count(count, 'record')} in {folder}", err=True)


def _write_bundle(store: Results, game: str | None, file: Path, signature: Path | None) -> None:
    """Write the bundle of a game.  Raises ConfigError."""
    if game is None:
        raise ConfigError("--bundle: name the game with --id ID")
    if not is_bundle(file):
        raise ConfigError(f"--bundle {file}: must end in .zip")
    write_bundle(store, game, file, signature)
    click.echo(f"the evidence of {plain(game)} is in {plain(str(file))}; check it with: ", err=True, nl=False)
    click.echo(plain(write_command("verify", file)), err=True)


def _show_log(store: Results, game: str | None, form: str) -> None:
    """Print the log of a game.  Raises ConfigError."""
    if game is None:
        raise ConfigError("--log: name the game with --id ID")
    store.record(game)  # raises ConfigError if there is no such game
    log = store.log(game)
    print_log(log, form)
    if not log.wire and form == "table":
        click.echo(
            "--- no messages are kept: forfeited games have them, games that the first bot of a match lost, "
            "and all games with --keep-logs"
        )


def _show_attempts(store: Results, asked: Selection, number: int | None, form: str, *, log: bool) -> None:
    """List voided attempts, or print the log of one.  Raises ConfigError."""
    attempts = store.list_attempts(asked)
    if number is not None:
        if number not in attempts:
            listing = write_command("games", store.path, "--show", "void")
            raise ConfigError(f"--attempt {number}: there is no such attempt; `{listing}` lists them")
        attempts = {number: attempts[number]}
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
