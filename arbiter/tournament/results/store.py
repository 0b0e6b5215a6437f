"""Store of a tournament's results: one SQLite database."""

import re
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self, TypedDict, TypeVar, Unpack

from msgspec import structs

from arbiter.errors import ConfigError, write_command
from arbiter.games.chance import Key
from arbiter.packing import unpack
from arbiter.tournament.config.tournament_file import TournamentFile
from arbiter.tournament.events import Attempt, LockOwner
from arbiter.tournament.new_results import NewGame, NewResult
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.results.condensed import read_summary, write_summary
from arbiter.tournament.results.database import (
    Connection,
    Patience,
    describe_incomplete,
    end_playing,
    look_at,
    open_database,
    open_to_read,
    transaction,
    translate_errors,
)
from arbiter.tournament.results.evidence import GameEvidence, select_evidence
from arbiter.tournament.results.integrity import ChainCheck, verify_chain
from arbiter.tournament.results.latest import LATEST, select_game, select_latest, select_next
from arbiter.tournament.results.live_files import LOCK_SUFFIX, Lock, Look, read_lock_owner
from arbiter.tournament.results.manifest import Manifest, NewSeries, add_bots
from arbiter.tournament.results.records import find_record, move_records
from arbiter.tournament.results.rows import (
    How,
    SeenProgram,
    begin_series,
    count_series,
    find_number,
    insert_program,
    prepare_attempt,
    prepare_game,
    read_log,
    read_manifest,
    select_attempts,
    select_games,
    select_history,
    select_log,
    select_programs,
    select_rulings,
    sum_up,
    write_manifest,
)
from arbiter.tournament.results.schema import check_schema, is_blank
from arbiter.tournament.results.upkeep import drop_logs, find_dropped_logs
from arbiter.tournament.schedule.stages import Schedule
from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.stored_game import UNRATED_SERIES, Ruling, StoredGame, find_points
from arbiter.transcript import GameLog

_STDERR: Final = "SELECT seat, packed, marks FROM stderr JOIN game USING (number) WHERE id = ? ORDER BY seat DESC"
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_MOST_TRIES: Final = 10
_MOST_END_S: Final = 2.0  # wait for another program that writes, when the results are closed
PART: Final = 20_000
"""Games of a ladder that are in memory at a time."""
_WIRE: Final = "SELECT seat, packed FROM wire JOIN game USING (number) WHERE id = ? ORDER BY seat DESC"


Found = TypeVar("Found")


class Filters(TypedDict, total=False):
    """Properties of attempts to list; None = any."""

    bot: str | None
    opponent: str | None
    round: int | None


class GameFilters(Filters, total=False):
    """Properties of games to list; None = any."""

    ending: str | None


class Store:
    """The results of one tournament. Several threads may use it; they take turns."""

    def __init__(
        self,
        path: Path,
        connection: Connection,
        manifest: Manifest,
        lock: Lock | None,
        *,
        look: Look | None = None,
        new_series: NewSeries | None = None,
        incomplete: str = "",
    ) -> None:
        self.path = path
        self.manifest = manifest
        self.new_series = new_series  # set if a further series begins
        self.incomplete = incomplete  # the reason why games may be missing
        self._connection = connection
        self._lock = lock
        self._look = look  # of results that nobody wrote when they were opened: then the connection sees no change
        self._is_frozen = False
        self._opened = 1  # how often
        self._turn = threading.Lock()

    @classmethod
    def create_or_resume(
        cls,
        path: Path,
        manifest: Manifest,
        secret: Key | None = None,
        match: Mapping[str, ProgramDigest] | None = None,
        patience: Patience = Patience(),  # noqa: B008 - it is frozen
    ) -> Self:
        """Open results for writing, new ones or those of the same tournament, and lock them.

        A `match`, given by the programs of its bots that must not have changed, continues the latest series that it
        fits, or begins a further one.
        Raises ConfigError if another arbiter has them open, if the file is something else or has another format, or if
        the manifest does not fit the games in it or they have another `secret` than the user asks for.
        """
        if path.exists() and path.stat().st_size:
            opened, _ = open_to_read(path)
            with closing(opened) as connection, translate_errors(path):
                if incomplete := describe_incomplete(path, connection):
                    raise ConfigError(incomplete)
                if not is_blank(connection):
                    read_manifest(path, connection, count_series(connection))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{path.parent}: cannot be made: {error.strerror}; name another results folder") from None
        with ExitStack() as undo:
            lock = undo.enter_context(Lock(path.with_name(path.name + LOCK_SUFFIX)))
            connection = undo.enter_context(closing(open_database(path, "mode=rwc")))
            connection.patience = patience
            with translate_errors(path):
                manifest, reason = begin_series(path, connection, manifest, secret, match)
            undo.pop_all()
        return cls(path, connection, manifest, lock, new_series=reason)

    @classmethod
    def read(cls, path: Path, series: int | None = None) -> Self:
        """Open a series of results for reading only; another process may write them at the same time.

        Default: the latest series.  Raises ConfigError.
        """
        if not path.is_file():
            raise ConfigError(
                f"{path}: {'is a folder, not a results file' if path.is_dir() else 'there is no such file'}"
            )
        connection, look = open_to_read(path)
        with ExitStack() as undo:
            undo.callback(connection.close)
            with translate_errors(path):
                incomplete = describe_incomplete(path, connection)
                if incomplete and is_blank(connection):
                    raise ConfigError(incomplete)
                check_schema(path, connection)
                manifest = read_manifest(path, connection, series or count_series(connection))
            undo.pop_all()
        return cls(path, connection, manifest, None, look=look, incomplete=incomplete)

    def freeze(self) -> None:
        """Make all later reads show the results as they are now, even while another process writes them."""

        def begin(connection: Connection) -> Manifest:
            connection.execute("BEGIN")  # the first read begins the transaction, which `close` ends
            return read_manifest(self.path, connection, self.manifest.series)

        self.manifest = self._read(begin)
        self._is_frozen = True

    def add_bots(self, file: TournamentFile) -> None:
        """Store a tournament that more bots join.  Raises ConfigError."""
        manifest = add_bots(self.manifest, file)
        with self._turn, translate_errors(self.path), transaction(self._connection) as connection:
            write_manifest(connection, manifest)
        self.manifest = manifest

    def add(self, results: Sequence[NewResult]) -> list[bool]:
        """Store results in one transaction; they are safe on the disk when this returns.

        The list contains False for each game whose id is already stored: the first game stays.
        Raises ConfigError; then none is stored.
        """
        inserts = [
            prepare_game(result, UNRATED_SERIES if result.game.is_unrated else self.manifest.series)
            if isinstance(result, NewGame)
            else prepare_attempt(result)
            for result in results
        ]
        with self._turn, translate_errors(self.path), transaction(self._connection) as connection:
            are_new = [insert(connection) for insert in inserts]
            move_records(connection)
        return are_new

    def games(self, **filters: Unpack[GameFilters]) -> list[StoredGame]:
        """List the games of the series that pass all filters, in the order of the schedule, with ruled results.

        A game that is played again by a ruling is left out.
        """
        ending = filters.pop("ending", None)
        played = self.games_as_played(**filters)
        points = find_points(self.manifest.tournament.points)
        games = History(tuple(played), self.rulings(), points).games
        return [game for game in games if ending in (None, game.ending)]

    def games_as_played(self, **filters: Unpack[GameFilters]) -> list[StoredGame]:
        """List the games of the series that pass all filters, in the order of the schedule, whatever was ruled."""
        return self._read(
            lambda connection: select_games(connection, {"series": self.manifest.series, **filters}, in_order=True)
        )

    def iterate_stored(self, *, backwards: bool = False, **filters: Unpack[Filters]) -> Iterator[dict[int, StoredGame]]:
        """Yield the games of the series that pass all filters by their numbers, whatever was ruled, in parts.

        They are in the order in which they were stored or, `backwards`, the last one is the first.
        """
        selected = {"series": self.manifest.series, **filters}
        most = LATEST
        number: int | None = None
        while True:

            def read(connection: Connection, at: int | None = number) -> tuple[dict[int, StoredGame], int | None]:
                if backwards:
                    return select_latest(connection, selected, before=at, most=most)
                found = select_next(connection, selected, after=at or 0, most=most)
                return found, max(found) if len(found) == most else None

            found, number = self._read(read)
            yield found
            if number is None:
                return

    def latest_games(
        self, *, before: int | None = None, most: int = LATEST, **filters: Unpack[Filters]
    ) -> tuple[dict[int, StoredGame], int | None]:
        """List the latest games of the series that pass all filters, with ruled results, by their numbers.

        The last one is the first.  Only games that were stored before the game `before` are listed, at most `most`.
        If more may follow, also returns the `before` of these, otherwise None.
        """
        selected = {"series": self.manifest.series, **filters}
        found, following = self._read(lambda connection: select_latest(connection, selected, before=before, most=most))
        history = self.rulings_on_games()
        counted = {number: history.apply(game) for number, game in found.items()}
        return {number: game for number, game in counted.items() if game is not None}, following

    def find_game(self, game_id: str) -> tuple[int, StoredGame] | None:
        """Find a stored game of any series, with its number and ruled result; None if it is not there or replaced."""
        found = self.find_numbered(game_id)
        if not found:
            return None
        ((number, played),) = found.items()
        game = self.rulings_on_games().apply(played)
        return None if game is None else (number, game)

    def find_numbered(self, game_id: str) -> dict[int, StoredGame]:
        """Find a stored game of any series by its number, whatever was ruled; empty if it is not there."""
        found = self._read(lambda connection: select_game(connection, game_id))
        return {} if found is None else dict([found])

    def find_stored(self, game_id: str) -> StoredGame | None:
        """Find a stored game of any series, whatever was ruled; None if it is not there."""
        return next(iter(self.find_numbered(game_id).values()), None)

    def rulings_on_games(self) -> History:
        """Return a history that applies the rulings to games of the series, but has only those played again."""
        rulings = self.rulings()
        replaced = (self.find_stored(game_id) for ruling in rulings for game_id in ruling.replacements)
        points = find_points(self.manifest.tournament.points)
        return History(tuple(game for game in replaced if game is not None), rulings, points)

    def history(self, *, condensed: bool = False) -> History:
        """Return all games of the series, and all rulings; `condensed`, without the first games of a long ladder."""
        return self._read(lambda connection: select_history(connection, self.manifest, condensed=condensed))

    def has_summary(self) -> bool:
        """Return True if there is a valid summary of the first games of the series."""
        rulings = self.rulings()
        return self._read(lambda connection: read_summary(connection, self.manifest, rulings))[1] is not None

    def find_ruled_games(self) -> dict[str, str]:
        """Return the time of the ruling in force on each game that has one."""
        return {one.game: one.at for one in self.history(condensed=True).in_force if one.game is not None}

    def new_games(self, last: str) -> Sequence[StoredGame]:
        """List the games of the series that were stored after a game, in this order, whatever was ruled."""
        filters = {"series": self.manifest.series}
        return self._read(lambda connection: select_games(connection, filters, after=find_number(connection, last)))

    def condense(self, least: int) -> bool:
        """Sum up the games of a ladder, if at least so many follow the last summary; returns True if it was made.

        Others can read and write meanwhile.
        """
        with Store.read(self.path, self.manifest.series) as reader:
            reader.freeze()
            found = reader._read(lambda connection: sum_up(connection, self.manifest, least))
        if found is not None:
            with self._turn, translate_errors(self.path), transaction(self._connection) as connection:
                write_summary(connection, self.manifest.series, *found)
        return found is not None

    def drop_logs(self, before: str, done: dict[str, int]) -> bool:
        """Drop logs of ordinary games that began before a time; True if there may be more.  See `upkeep`."""
        with self._turn, translate_errors(self.path), transaction(self._connection) as connection:
            return drop_logs(connection, before, done)

    def find_dropped_logs(self, now: datetime | None = None) -> dict[str, bool]:
        """Find the games that have lost a log; True if the setting `drop_logs_after` allows that."""
        days = self.manifest.log_days
        return self._read(lambda connection: find_dropped_logs(connection, days, now or datetime.now(UTC)))

    def schedule(self, *, condensed: bool = False) -> Schedule:
        """Return the schedule after the stored games and rulings."""
        return self.manifest.schedule(self.history(condensed=condensed))

    def parts(self) -> Iterator[Schedule]:
        """Yield the schedule after all games of the series; for a ladder, after each part of them as they were stored.

        The history of each has only the games of its part, so that a long ladder needs little memory.
        """
        is_ladder = self.manifest.tournament.is_ladder
        history = History((), self.rulings(), find_points(self.manifest.tournament.points))
        filters = {"series": self.manifest.series}
        number = 0
        while True:
            most = PART if is_ladder else -1
            games = self._read(lambda connection: select_games(connection, filters, after=number, most=most))  # noqa: B023
            schedule = self.manifest.schedule(structs.replace(history, as_played=tuple(games)))
            yield schedule
            if len(games) < PART or not is_ladder:
                return
            number = self._read(lambda connection: find_number(connection, games[-1].id))  # noqa: B023
            history = structs.replace(history, earlier=schedule.sum_up())

    def select_series(self, series: int) -> None:
        """Switch to another series.  Raises ConfigError."""
        self.manifest = self._read(lambda connection: read_manifest(self.path, connection, series))

    def series_of(self, game_id: str) -> int:
        """Return the series of a game; the current one if there is no such game."""
        rows = self._select("SELECT series FROM game WHERE id = ?", game_id)
        return int(rows[0][0]) or self.manifest.series if rows else self.manifest.series

    def series(self) -> tuple[int, ...]:
        """List the numbers of the series."""
        return self._read(lambda connection: tuple(range(1, count_series(connection) + 1)))

    def find_id(self, named: str) -> str:
        """Return the id of a stored game that a user names by its number, or by its id; other names are returned."""
        rows = self._select("SELECT id FROM game WHERE number = ?", int(named)) if _NUMBER.fullmatch(named) else ()
        return str(rows[0][0]) if rows else named

    def game_numbers(self) -> dict[str, int]:
        """Return the numbers of all stored games by their ids: 1 for the game that was stored first, and so on."""
        return dict(self._select("SELECT id, number FROM game"))

    def has(self, game_id: str) -> bool:
        """Return True if a game is stored."""
        return bool(self._select("SELECT 1 FROM game WHERE id = ?", game_id))

    def version(self) -> int:
        """Return a number that changes when another program has written to the results."""
        version = int(self._select("PRAGMA data_version")[0][0])
        return version + (self._opened << 32)

    def record(self, game_id: str) -> bytes:
        """Return a game's record.  Raises ConfigError if there is no such game."""
        rows = self._select("SELECT number, packed FROM record JOIN game USING (number) WHERE id = ?", game_id)
        if not rows:
            raise ConfigError(
                f"{self.path}: there is no game {game_id!r}; `{write_command('games', self.path)}` lists them"
            )
        return self._read(lambda connection: unpack(find_record(connection, *rows[0])))

    def count_games(self) -> int:
        """Return the number of stored games of the series, without reading them."""
        return int(self._select("SELECT count(*) FROM game WHERE series = ?", self.manifest.series)[0][0])

    def count_games_by_host(self) -> dict[str, int]:
        """Count the stored games of the series by the machine that played them, in the order of their first games."""
        host = "json_extract(conditions, '$.host')"
        games = (
            f"SELECT {host}, count(*) FROM game WHERE series = ? AND conditions != '' GROUP BY 1 ORDER BY min(number)"  # noqa: S608
        )
        return {str(name): int(count) for name, count in self._select(games, self.manifest.series)}

    def last_number(self) -> int:
        """Return the number of the game that was stored last, of any series; 0 without games."""
        return int(self._select("SELECT max(number) FROM game")[0][0] or 0)

    def count_rulings(self) -> int:
        """Return the number of rulings."""
        return int(self._select("SELECT count(*) FROM ruling")[0][0])

    def rulings(self) -> tuple[Ruling, ...]:
        """List the rulings in the order in which they were made."""
        return self._read(select_rulings)

    def log(self, game_id: str) -> GameLog:
        """Return a game's log: the stored messages, and what the bots wrote to stderr."""
        errors = self._select(_STDERR, game_id)
        wire = self._select(_WIRE, game_id)
        with translate_errors(self.path):
            return read_log(errors, wire)

    def evidence(self, game_id: str) -> GameEvidence:
        """Return the stored rows of a game with the hash chain.  Raises ConfigError if there is no such game."""
        self.record(game_id)
        return self._read(lambda connection: select_evidence(connection, game_id))

    # --- verification -----------------------------------------------------------------------------

    def verify_chain(self, *published: str) -> ChainCheck:
        """Compare all rows with the hash chain, and the chain with digests that were published.

        If another process may write the results, call `freeze` first.
        """
        return self._read(lambda connection: verify_chain(connection, published))

    def games_as_stored(self, series: int | None = None) -> list[StoredGame]:
        """List the games of a series in the order in which they were stored.  Default: the current series."""
        chosen = self.manifest.series if series is None else series
        return self._read(lambda connection: select_games(connection, {"series": chosen}))

    # --- programs ---------------------------------------------------------------------------------

    def programs(self) -> tuple[SeenProgram, ...]:
        """List what was found of the programs of the series, in the order of time."""
        return self._read(lambda connection: tuple(select_programs(connection, self.manifest.series)))

    def add_program(self, bot: str, found: ProgramDigest, how: How) -> None:
        """Store what was found of a program."""
        seen = datetime.now(UTC).isoformat(timespec="seconds")
        with self._turn, translate_errors(self.path), transaction(self._connection) as connection:
            insert_program(connection, SeenProgram(self.manifest.series, bot, found, seen, how))

    # --- voided attempts --------------------------------------------------------------------------

    def attempts(self, **filters: Unpack[Filters]) -> dict[int, Attempt]:
        """List the voided attempts that pass all filters, in the order in which they were made, by their number."""
        return self._read(lambda connection: select_attempts(connection, {**filters}))

    def attempt_log(self, number: int) -> GameLog:
        """Return the log of a voided attempt; empty if it was not kept.  Raises ConfigError if it does not exist."""
        return self._read(lambda connection: select_log(connection, number))

    def lock_owner(self) -> LockOwner | None:
        """Return the arbiter that has the results open for writing; None if there is none."""
        return read_lock_owner(self.path.with_name(self.path.name + LOCK_SUFFIX))

    def close(self) -> None:
        """Close the database and release the lock."""
        with self._turn:
            if self._lock is not None:
                self._connection.patience = Patience(most_s=_MOST_END_S)
                with suppress(sqlite3.Error), transaction(self._connection):  # the disk may be full
                    end_playing(self._connection)
            self._connection.close()
            if self._lock is not None:
                self._lock.release(look_at(self.path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.close()

    def _select(self, statement: str, *values: object) -> list[Any]:
        """Return the rows that a statement selects."""
        return self._read(lambda connection: connection.execute(statement, values).fetchall())

    def _read(self, read: Callable[[Connection], Found]) -> Found:
        """Read from the database, and again if another program wrote the file meanwhile.

        Raises ConfigError if it did that after `freeze`.
        """
        with self._turn, translate_errors(self.path):
            for _ in range(_MOST_TRIES):
                self._connection.allow_steps()
                try:
                    found = read(self._connection)
                except sqlite3.DatabaseError:
                    if self._look is None or self._look == look_at(self.path):
                        raise
                else:
                    if self._look is None or self._look == look_at(self.path):
                        return found
                if self._is_frozen:
                    raise ConfigError(f"{self.path}: a run began while this command read it; start the command again")
                connection, self._look = open_to_read(self.path)
                self._connection.close()
                self._connection = connection
                self._opened += 1
        raise ConfigError(f"{self.path}: another program changes it all the time; read a copy of it")


def find_lock_owner(path: Path) -> LockOwner | None:
    """Return the arbiter that has results open for writing; None if there is none.  Raises ConfigError."""
    with Store.read(path) as store:
        return store.lock_owner()
