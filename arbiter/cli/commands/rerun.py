"""`arbiter rerun RESULTS GAME`: play a stored game again and say whether it comes out the same."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import UNSET
from msgspec.structs import asdict, replace

from arbiter import __version__
from arbiter.cli.failures import ANSWER_IS_NO, INTERRUPTED, MUST_BE_MENDED
from arbiter.cli.files import RESULTS_FOLDER, open_results, write_bytes
from arbiter.cli.play_options import sandbox_option
from arbiter.cli.playing import find_isolation, secrets_of
from arbiter.cli.printing import json_option, print_log
from arbiter.cli.signals import Stop, do_heeding_signals
from arbiter.cli.voided_games import tell_voids
from arbiter.errors import ConfigError, unknown_name
from arbiter.record import GameHeader, GameResult, PlayerName, Record, RecordError, read_record
from arbiter.referee.game import GameSpec, PlayedGame
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import IsolationName
from arbiter.show.replay.difference import Difference, find_difference
from arbiter.show.text import json_line, plain
from arbiter.tournament.arena import make_game_spec, try_game, with_points
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import Tournament, find_programs, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.config.typed_toml import read_toml
from arbiter.tournament.events import Void
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.results.manifest import Manifest
from arbiter.tournament.results.store import Store
from protocol.words import SEATS


@click.command
@click.argument("results", type=click.Path(path_type=Path))
@click.argument("game")
@click.option("--file", type=click.Path(path_type=Path), help="Start the bots as this tournament file has them.")
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE", help="Write the new record to FILE.")
@click.option("--log", is_flag=True, help="Print what was said in the new game, and what the bots wrote on stderr.")
@sandbox_option
@json_option
def rerun(
    results: Path,
    game: str,
    file: Path | None,
    record: Path | None,
    sandbox: IsolationName | None,
    *,
    log: bool,
    as_json: bool,
) -> None:
    """Play a GAME of RESULTS again, with the same seed, rules, time and bots, and compare.

    Exits with 0 where acts and result are the same, with 1 where they are not: then it tells the first difference.
    A bot plays the same again if it draws all its luck from the seed it is given, and does not go by the clock.
    The results stay as they are.
    """
    with open_results(results) as store:
        before = _record(store, game)
        ready = _programs(store.manifest, _names(before.header), file, store.path)
        tournament = resolve_names(store.manifest.tournament)
        order = _order(before.header, tournament, ready)
        isolation = find_isolation(sandbox, ready, _secrets(store, file))
    _tell_changes(before.header, isolation)
    report = with_points(_played(order, isolation), tournament.points)
    if record is not None:
        write_bytes(record, report.record)
    difference = _compared(before, read_record(report.record), store.path)
    click.echo(_as_json(game, report.result, difference) if as_json else _in_words(game, report.result, difference))
    if log:
        print_log(report.log, as_json=as_json)
    if difference:
        sys.exit(ANSWER_IS_NO)


def _record(store: Store, game: str) -> Record:
    try:
        record = read_record(store.record(game))
    except RecordError as error:
        raise ConfigError(f"{store.path}: {game}: {error}") from None
    if record.result and record.result.ending == "walkover":
        raise ConfigError(f"{store.path}: {game} was decided without being played; there is nothing to play again")
    if record.header.seed is None:
        raise ConfigError(f"{store.path}: the record of {game} holds no seed, so it cannot be played again")
    return record


def _names(header: GameHeader) -> list[str]:
    return [header.seats[seat].name for seat in SEATS]


# --- before the game ------------------------------------------------------------------------------


def _programs(manifest: Manifest, names: Sequence[str], file: Path | None, results: Path) -> tuple[Program, ...]:
    """Find what starts the bots of a game: as the results have it, or as a tournament file does.  Raises ConfigError."""
    if person := next((name for name in manifest.tournament.humans if name in names), None):
        raise ConfigError(f"{results}: {person} is a person; only games between programs can be played again")
    if file is not None:
        return _programs_of(file, names)
    try:
        return find_programs(_only(manifest.tournament, names), _folder(manifest, results))
    except ConfigError as error:
        raise ConfigError(
            f"{error}; put it back, or name a tournament file with --file that says where it is now"
        ) from None


def _programs_of(file: Path, names: Sequence[str]) -> tuple[Program, ...]:
    tournament = read_toml(file, TournamentFile)
    try:
        return find_programs(_only(tournament, names), file.parent)
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None


def _only(tournament: TournamentFile, names: Sequence[str]) -> list[BotEntry]:
    entries: dict[str, BotEntry] = {bot.name: bot for bot in tournament.bots}
    for name in names:
        if name not in entries:
            raise unknown_name("bot", name, entries)
    return [entries[name] for name in names]


def _folder(manifest: Manifest, results: Path) -> Path:
    """Return what the bots' paths are relative to; where that was not kept, where a tournament file usually is."""
    if manifest.folder:
        return Path(manifest.folder)
    return results.parent.parent if results.parent.name == RESULTS_FOLDER else results.parent


def _secrets(store: Store, file: Path | None) -> tuple[Path, ...]:
    """List what no bot may read: the results, the tournament file that they are named after and its book, `file`."""
    folder = _folder(store.manifest, store.path)
    played, book = folder / f"{store.path.stem}.toml", store.manifest.tournament.book_path(folder)
    return secrets_of(store.path, file, played, book)


def _order(header: GameHeader, tournament: Tournament, ready: Sequence[Program]) -> GameSpec:
    """Order the game of a record again; what it found out by itself is left out of its header."""
    bare = replace(
        header,
        first=None,
        decks=UNSET,
        facts=None,
        seats={seat: PlayerName(header.seats[seat].name) for seat in SEATS},
    )
    return make_game_spec(bare, header.game(), tournament, {program.name: program for program in ready})


def _tell_changes(header: GameHeader, isolation: Isolation) -> None:
    """Tell in what the rerun is not like the game."""
    for what, was, now in (("by arbiter", header.arbiter, __version__), ("in sandbox", header.sandbox, isolation.name)):
        if was != now:
            click.echo(f"arbiter: the game was played {what} {plain(str(was))}, the rerun {what} {now}", err=True)


# --- the game -------------------------------------------------------------------------------------


def _played(order: GameSpec, isolation: Isolation) -> PlayedGame:
    """Play the game; exit where a signal stops it or it comes to nothing."""
    red, blue = _names(order.header)
    fixture = Fixture(id=order.header.id, round=1, red=red, blue=blue, pair=1)
    came: list[PlayedGame | Void] = []

    async def work(_stop: Stop) -> None:
        came.append(await try_game(fixture, order, isolation))

    if not do_heeding_signals(work):
        sys.exit(INTERRUPTED)
    report = came[0]
    if isinstance(report, Void):
        tell_voids([report], None)
        sys.exit(MUST_BE_MENDED)
    return report


# --- what came of it ------------------------------------------------------------------------------


def _compared(before: Record, after: Record, results: Path) -> Difference | None:
    try:
        return find_difference(before, after)
    except RecordError as error:
        raise ConfigError(f"{results}: {before.header.id} cannot be compared: {error}") from None


def _as_json(game: str, result: GameResult, difference: Difference | None) -> str:
    found = {"id": game, "same": difference is None, "winner": result.winner, "ending": result.ending}
    return json_line(found | {"plies": result.plies} | (asdict(difference) if difference else {}))


def _in_words(game: str, result: GameResult, difference: Difference | None) -> str:
    ending = f"{result.plies} plies, {result.winner or 'nobody'} wins ({result.ending})"
    if difference is None:
        return f"{plain(game)}: the same again: {ending}"
    where = f"ply {difference.ply} (act {difference.act})" if difference.ply else "the setup"
    return (
        f"{plain(game)}: not the same from {where} on; this time {ending}\n"
        f"  before: {difference.record}\n"
        f"  now:    {difference.rerun}"
    )
