"""`arbiter rerun RESULTS GAME`: play a stored game again and compare the records."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import UNSET
from msgspec.structs import asdict, replace

from arbiter import __version__
from arbiter.cli.completion import complete_game
from arbiter.cli.failures import EXIT_ERROR, EXIT_INTERRUPTED, EXIT_NEGATIVE
from arbiter.cli.files import open_results, results_option
from arbiter.cli.game_options import sandbox_option
from arbiter.cli.options import command, format_options
from arbiter.cli.output import report_voids
from arbiter.cli.printing import print_facts, print_log, print_notice
from arbiter.cli.signals import Stop, run_until_signal
from arbiter.director.files import find_folder, find_results, write_bytes
from arbiter.director.programs import Doubt, find_doubt
from arbiter.director.run import hide_files
from arbiter.director.venue import find_isolation
from arbiter.errors import ConfigError, unknown_name, write_count
from arbiter.games.ending_words import write_ending
from arbiter.record import GameHeader, GameResult, PlayerName, Record, RecordError, read_record
from arbiter.referee.game import GameSpec, PlayedGame
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import SANDBOXED, IsolationName
from arbiter.show.replay.difference import RecordDifference, find_difference
from arbiter.show.text import plain
from arbiter.tournament.arena import with_points
from arbiter.tournament.config.bot_entries import BotEntry
from arbiter.tournament.config.tournament import find_programs, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.config.typed_toml import read_toml
from arbiter.tournament.events import Void
from arbiter.tournament.execution.executor import Played
from arbiter.tournament.execution.local import try_game
from arbiter.tournament.execution.specs import make_game_spec
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.programs import DIGITS, ProgramDigests
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.words import SEATS


@command
@click.argument("named", metavar="RESULTS", type=click.Path(path_type=Path))
@click.argument("game", shell_complete=complete_game)
@click.option("--file", type=click.Path(path_type=Path), help="Start the bots as this tournament file does.")
@results_option
@click.option("--record", type=click.Path(path_type=Path), metavar="FILE", help="Write the new record to FILE.")
@click.option("--log", is_flag=True, help="Print the messages and stderr of the bots.")
@click.option(
    "--trust-commands",
    is_flag=True,
    help="Run the commands in RESULTS, with the files that they name.",
)
@sandbox_option
@format_options
def rerun(
    named: Path,
    game: str,
    file: Path | None,
    record: Path | None,
    place: Path | None,
    sandbox: IsolationName | None,
    form: str,
    *,
    log: bool,
    trust_commands: bool,
) -> None:
    """Play a GAME of RESULTS again with the same seed, rules, time control and bots, and compare.

    A bot plays the same game again if its random choices depend only on the given seed. RESULTS is not changed, but
    contains the commands that start the bots: without a sandbox, or with files outside the folder of the tournament,
    they run only if the tournament file that you name contains the same, or after you agree. Exit code: 0 if actions
    and result are the same, 1 if not; then the first difference is shown.
    """
    results = find_results(named, place)
    with open_results(results) as store:
        before = _read_record(store, game)
        header = before.header
        store.select_series(store.series_of(game))
        manifest = store.manifest
        # Results that do not contain the folder: guess the usual place of the tournament file.
        folder = Path(manifest.folder or find_folder(store.path))
        ready = _find_programs(store, header, folder, file)
        programs_by_name = {program.name: program for program in ready}
        # The players and the game fill in the other fields of the header again.
        bare = replace(
            header,
            first=None,
            decks=UNSET,
            facts=None,
            seats={seat: PlayerName(header.seats[seat].name) for seat in SEATS},
        )
        tournament = resolve_names(manifest.tournament)
        spec = make_game_spec(bare, header.game(), tournament.file.time, tournament.retries, programs_by_name)
        played_file = folder / f"{store.path.stem}.toml"
        hidden_files = hide_files(store.path, file, played_file, manifest.tournament.book_path(folder))
        isolation = find_isolation(sandbox, ready, print_notice, hidden_files)
        if not trust_commands:
            doubt = find_doubt(store.path, file or named, ready, is_sandboxed=isolation.name == SANDBOXED)
            if doubt is not None:
                _ask(doubt)
        hidden = [
            path for path in (store.path, file, played_file, manifest.tournament.book_path(folder)) if path is not None
        ]
        stored = next(one for one in store.games_as_stored() if one.id == game)
        _warn_of_changes(stored, ProgramDigests(ready, hidden))
    for what, was, now in (("by arbiter", header.arbiter, __version__), ("in sandbox", header.sandbox, isolation.name)):
        if was != now:
            click.echo(f"arbiter: the game was played {what} {plain(str(was))}, the rerun {what} {now}", err=True)
    played = with_points(_play(spec, isolation), tournament.points)
    if record is not None:
        write_bytes(record, played.record)
    try:
        difference = find_difference(before, read_record(played.record))
    except RecordError as error:
        raise ConfigError(f"{store.path}: {header.id} cannot be compared: {error}") from None
    _print_result(stored, played.result, difference, form)
    if log:
        print_log(played.log, form)
    if difference:
        sys.exit(EXIT_NEGATIVE)


def _ask(doubt: Doubt) -> None:
    """Ask the operator whether to start programs.  Raises ConfigError if nobody can answer, or the answer is no."""
    if sys.stdin.isatty():
        click.echo(plain(doubt.question), err=True)
        if click.confirm("Do you trust them?", err=True):
            return
    raise ConfigError(doubt.fault)


def _read_record(store: Store, game: str) -> Record:
    """Read the record of a game that can be played again.  Raises ConfigError."""
    try:
        record = read_record(store.record(game))
    except RecordError as error:
        raise ConfigError(f"{store.path}: {game}: {error}") from None
    if record.result and record.result.ending == "walkover":
        raise ConfigError(f"{store.path}: {game} is a walkover; it was not played and cannot be played again")
    if record.header.seed is None:
        raise ConfigError(f"{store.path}: the record of {game} contains no seed, so it cannot be played again")
    return record


def _print_result(game: StoredGame, result: GameResult, difference: RecordDifference | None, form: str) -> None:
    """Print the result of the rerun and the first difference, and what may have caused it."""
    earlier_games = _count_earlier_games(game)
    found: dict[str, object] = {"id": game.id, "same": difference is None}
    found |= {"winner": result.winner, "ending": result.ending, "plies": result.plies}
    if earlier_games:
        found["earlier_games"] = earlier_games
    found |= asdict(difference) if difference else {}
    print_facts("Rerun", [found], form, lambda: _describe(game.id, result, difference))
    for bot, count in earlier_games.items() if difference else ():
        click.echo(
            f"arbiter: in the stored game, the process of {plain(bot)} had already played "
            f"{write_count(count, 'game')}; in the rerun it was new, and a difference may come from that",
            err=True,
        )


def _count_earlier_games(game: StoredGame) -> dict[str, int]:
    """Return how many games the process of each bot had played before a game; bots with new processes are left out."""
    played = {} if game.conditions is None else game.conditions.earlier_games
    return {bot: played[seat] for seat, bot in zip(SEATS, (game.red, game.blue), strict=True) if seat in played}


def _warn_of_changes(game: StoredGame, digests: ProgramDigests) -> None:
    """Warn if a program is not the one that played a game."""
    for bot, played in ((game.red, game.red_program), (game.blue, game.blue_program)):
        found = digests.digest(bot)
        if found is not None and played not in ("", found.digest):
            click.echo(
                f"arbiter: the game was played by {bot} with the digest {played[:DIGITS]}, "
                f"the program of the rerun has {found.digest[:DIGITS]}",
                err=True,
            )


def _find_programs(store: Store, header: GameHeader, folder: Path, file: Path | None) -> tuple[Program, ...]:
    """Find the programs of a game: as the results name them, or as a tournament file does.  Raises ConfigError."""
    names = [header.seats[seat].name for seat in SEATS]
    if person := next((name for name in store.manifest.tournament.humans if name in names), None):
        raise ConfigError(f"{store.path}: {person} is a person; only games between programs can be played again")
    if file is not None:
        tournament = read_toml(file, TournamentFile)
        try:
            return find_programs(_find_entries(tournament, names), file.parent)
        except ConfigError as error:
            raise ConfigError(f"{file}: {error}") from None
    try:
        return find_programs(_find_entries(store.manifest.tournament, names), folder)
    except ConfigError as error:
        raise ConfigError(f"{error}; put it back, or name a tournament file with its new place with --file") from None


def _find_entries(tournament: TournamentFile, names: Sequence[str]) -> list[BotEntry]:
    """Return the entries of bots in a tournament.  Raises ConfigError."""
    entries = {bot.name: bot for bot in tournament.bots}
    for name in names:
        if name not in entries:
            raise unknown_name("bot", name, entries)
    return [entries[name] for name in names]


def _play(spec: GameSpec, isolation: Isolation) -> PlayedGame:
    """Play the game; exit if a signal stops it or it is voided."""
    header = spec.header
    red, blue = (header.seats[seat].name for seat in SEATS)
    fixture = Fixture(id=header.id, round=1, red=red, blue=blue, pair=1)
    outcome: list[Played | Void] = []

    async def work(_stop: Stop) -> None:
        outcome.append(await try_game(fixture, spec, isolation))

    if not run_until_signal(work):
        sys.exit(EXIT_INTERRUPTED)
    (played,) = outcome
    if isinstance(played, Void):
        report_voids([played], None)
        sys.exit(EXIT_ERROR)
    return played.game


def _describe(game: str, result: GameResult, difference: RecordDifference | None) -> str:
    ending = f"{result.plies} plies, {result.winner or 'nobody'} wins ({write_ending(result.ending, result.why, result.plies)})"
    if difference is None:
        return f"{plain(game)}: same game: {ending}"
    place = f"ply {difference.ply} (act {difference.act})" if difference.ply else "the deployment"
    return (
        f"{plain(game)}: different from {place} on; the rerun: {ending}\n"
        f"  before: {difference.record}\n"
        f"  now:    {difference.rerun}"
    )
