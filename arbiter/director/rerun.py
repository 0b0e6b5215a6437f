"""Play a stored game again, with the same seed, rules, time control and bots."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from arbiter import __version__
from arbiter.director.files import find_folder
from arbiter.director.programs import Doubt, examine_programs
from arbiter.director.run import hide_files
from arbiter.director.venue import Notify, open_bots
from arbiter.errors import ConfigError, check_known
from arbiter.record import Record, RecordError, read_record
from arbiter.referee.game import GameSpec
from arbiter.sandbox.isolation import Isolation, Program
from arbiter.sandbox.select import IsolationName, has_sandbox
from arbiter.tournament.arena import with_points
from arbiter.tournament.config.bot_config import BotConfig
from arbiter.tournament.config.entrants import read_tournament_file
from arbiter.tournament.config.tournament import find_programs, resolve_names
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.events import Void
from arbiter.tournament.execution.executor import Played, make_game_spec, strip_header
from arbiter.tournament.execution.local import try_game
from arbiter.tournament.fixture import Fixture
from arbiter.tournament.programs import DIGITS
from arbiter.tournament.results.reader import Results
from arbiter.tournament.standings.stored_game import Points, StoredGame
from protocol.words import SEATS


class Rerun(Struct, frozen=True, kw_only=True):
    """A stored game that is ready to be played again."""

    game: StoredGame
    record: Record
    spec: GameSpec
    points: Points
    isolation: Isolation
    notices: tuple[str, ...]
    """Sentences about what differs from the stored game: programs, the version of the arbiter, the sandbox."""

    async def play(self) -> Played | Void:
        """Try once to play the game."""
        game = self.game
        fixture = Fixture(id=game.id, round=1, red=game.red, blue=game.blue, pair=1)
        outcome = await try_game(fixture, self.spec, self.isolation)
        return outcome if isinstance(outcome, Void) else replace(outcome, game=with_points(outcome.game, self.points))


@contextmanager
def open_rerun(
    results: Results,
    game: str,
    *,
    file: Path | None,
    named: Path,
    sandbox: IsolationName | None,
    notify: Notify,
    agree: Callable[[Doubt], object],
) -> Iterator[Rerun]:
    """Prepare to play a stored game again.

    Its bots are started as the results name them, or as the tournament file `file` does.  `named` is what the
    operator wrote for the results.  `notify` receives what the operator should know about the sandbox.  `agree` is
    called before anything is done with programs that no tournament file of the operator names, and raises ConfigError
    if the operator does not agree.  Raises ConfigError.
    """
    record = _read_record(results, game)
    header = record.header
    names = [header.seats[seat].name for seat in SEATS]
    results.select_series(results.series_of(game))
    manifest = results.manifest
    # Results that do not contain the folder: guess the usual place of the tournament file.
    folder = Path(manifest.folder or find_folder(results.path))
    programs = _find_programs(results, names, folder, file)
    tournament = resolve_names(manifest.tournament)
    played_file = folder / f"{results.path.stem}.toml"
    programs, doubt = examine_programs(results.path, file or named, programs, is_sandboxed=has_sandbox(sandbox))
    if doubt is not None:
        agree(doubt)
    stored = next(one for one in results.games_as_stored() if one.id == game)
    hidden = hide_files(results.path, file, played_file, *manifest.tournament.list_secret_files(folder))
    with open_bots(sandbox, programs, notify, hidden) as bots:
        notices = [] if doubt is None else list(doubt.changes)
        for bot, played in ((stored.red, stored.red_program), (stored.blue, stored.blue_program)):
            found = bots.digests.digest(bot)
            if found is not None and played not in ("", found.digest):
                notices.append(
                    f"the game was played by {bot} with the digest {played[:DIGITS]}, "
                    f"the program of the rerun has {found.digest[:DIGITS]}"
                )
        sandboxes = header.sandbox, bots.isolation.name
        for what, was, now in (("by arbiter", header.arbiter, __version__), ("in sandbox", *sandboxes)):
            if was != now:
                notices.append(f"the game was played {what} {was}, the rerun {what} {now}")
        players = {program.name: program for program in bots.programs}
        yield Rerun(
            game=stored,
            record=record,
            spec=make_game_spec(strip_header(header), header.game(), tournament.file.time, tournament.retries, players),
            points=tournament.points,
            isolation=bots.isolation,
            notices=tuple(notices),
        )


def _read_record(results: Results, game: str) -> Record:
    """Read the record of a game that can be played again.  Raises ConfigError."""
    try:
        record = read_record(results.record(game))
    except RecordError as error:
        raise ConfigError(f"{results.path}: {game}: {error}") from None
    if record.result and record.result.ending == "walkover":
        raise ConfigError(f"{results.path}: {game} is a walkover; it was not played and cannot be played again")
    if record.header.seed is None:
        raise ConfigError(f"{results.path}: the record of {game} contains no seed, so it cannot be played again")
    return record


def _find_programs(results: Results, names: Sequence[str], folder: Path, file: Path | None) -> tuple[Program, ...]:
    """Find the programs of a game: as the results name them, or as a tournament file does.  Raises ConfigError."""
    if other := next(
        (bot for bot in results.manifest.tournament.bots if bot.name in names and bot.kind != "program"), None
    ):
        raise ConfigError(
            f'{results.path}: {other.name} has kind = "{other.kind}"; only games between programs of this machine can '
            "be played again"
        )
    if file is not None:
        tournament = read_tournament_file(file)
        try:
            return find_programs(_find_entries(tournament, names), file.parent)
        except ConfigError as error:
            raise ConfigError(f"{file}: {error}") from None
    try:
        return find_programs(_find_entries(results.manifest.tournament, names), folder)
    except ConfigError as error:
        raise ConfigError(f"{error}; put it back, or name a tournament file with its new place with --file") from None


def _find_entries(tournament: TournamentFile, names: Sequence[str]) -> list[BotConfig]:
    """Return the bots with these names in a tournament.  Raises ConfigError."""
    entries = {bot.name: bot for bot in tournament.bots}
    for name in names:
        check_known("bot", name, entries)
    return [entries[name] for name in names]
