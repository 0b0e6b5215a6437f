"""Rows of games, attempts, programs and series: write them, and read them without trusting their content."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, structs
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.chance import Key
from arbiter.packing import Packed, pack, unpack
from arbiter.tournament.config.bot_config import NAME_PATTERN, BotName
from arbiter.tournament.events import Attempt
from arbiter.tournament.machine import PlayingConditions
from arbiter.tournament.new_results import NewAttempt, NewGame
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.results.condensed import LEAST_GAMES, read_summary, write_summary
from arbiter.tournament.results.database import Connection, begin_playing, transaction
from arbiter.tournament.results.integrity import MOST_LOGS, changing, is_dropped, link_row, link_schema
from arbiter.tournament.results.manifest import Manifest, NewSeries, describe_other_match, resume_manifest
from arbiter.tournament.results.schema import SCHEMA, is_blank
from arbiter.tournament.standings.history import Earlier, History
from arbiter.tournament.standings.stored_game import Ruling, StoredGame, find_points
from arbiter.tournament.standings.tie_breaks import check_tie_breaks
from arbiter.transcript import GameLog, StderrMark, Transcript
from protocol.reasons import AnyReason

_CHUNK: Final = 20_000  # games that are summed up at a time
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~-]{0,199}")
_MOST: Final = 10**9
_CONDITIONS: Final = msgspec.json.Decoder(PlayingConditions)
_REASON: Final[msgspec.json.Decoder[AnyReason]] = msgspec.json.Decoder(AnyReason)

_FILTERS: Final = {
    "bot": ":bot IN (red, blue)",
    "opponent": ":opponent IN (red, blue)",
    "ending": "ending = :ending",
    "round": "round = :round",
    "series": "series = :series",
}

Insert = Callable[[sqlite3.Connection], bool]
"""Inserts a packed row in the current transaction; returns False if there is a row with its id."""
How = Literal["first", "accepted", "during the run"]
"""First seen, a change that the organiser accepted, or a change between two games of a run."""


def insert_row(connection: sqlite3.Connection, table: str, values: Mapping[str, object]) -> None:
    """Insert a row into a growing table, in the current transaction, and its link into the chain."""
    inserted = connection.execute(_write_insert(table, values), tuple(values.values()))
    link_row(connection, table, inserted.lastrowid or 0)


def _write_insert(table: str, columns: Iterable[str]) -> str:
    names = [f'"{name}"' for name in columns]
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"  # noqa: S608


def write_where(values: Mapping[str, object]) -> str:
    """Write the condition of the filters that are set."""
    return " AND ".join(["true", *(_FILTERS[name] for name, value in values.items() if value is not None)])


# --- games ----------------------------------------------------------------------------------------


GAME: Final = StoredGame.__struct_fields__
_INSERT_GAME: Final = _write_insert("game", GAME) + " ON CONFLICT (id) DO NOTHING"


def _encode_conditions(conditions: PlayingConditions | None) -> str:
    """Encode conditions as JSON without what is empty, which is most of it; '' if they are not known."""
    if conditions is None:
        return ""
    known = {name: value for name, value in structs.asdict(conditions).items() if value not in ({}, "")}
    return msgspec.json.encode(known).decode()


def prepare_game(new: NewGame, series: int) -> Insert:
    """Pack a game of a series with its record and log, and return what inserts it."""
    game = new.game
    conditions = _encode_conditions(game.conditions)
    reason = "" if game.reason is None else msgspec.json.encode(game.reason).decode()
    row = structs.astuple(structs.replace(game, conditions=conditions, reason=reason, series=series))
    record = new.record.data if isinstance(new.record, Packed) else pack(new.record)
    marks = {seat: pack(msgspec.msgpack.encode(marks)) for seat, marks in new.log.stderr_marks.items()}
    stderr = {seat: (pack(text.encode()), marks.get(seat)) for seat, text in new.log.stderr.items()}
    wire = {seat: pack(msgspec.msgpack.encode(lines)) for seat, lines in new.log.wire.items()}

    def insert(connection: sqlite3.Connection) -> bool:
        inserted = connection.execute(_INSERT_GAME, row)
        if not inserted.rowcount:
            return False
        number = inserted.lastrowid or 0
        connection.execute("INSERT INTO record VALUES (?, ?)", (number, record))
        for seat, parts in stderr.items():
            connection.execute("INSERT INTO stderr VALUES (?, ?, ?, ?)", (number, seat, *parts))
        for seat, part in wire.items():
            connection.execute("INSERT INTO wire VALUES (?, ?, ?)", (number, seat, part))
        link_row(connection, "game", number)
        return True

    return insert


def select_games(
    connection: sqlite3.Connection,
    filters: Mapping[str, object],
    *,
    in_order: bool = False,
    after: int = 0,
    most: int = -1,
) -> list[StoredGame]:
    """Select the games that pass filters, whatever was ruled, as they were stored or in the order of the schedule.

    `after` is the number of a game: it and earlier ones are left out; of the others, at most so many are selected.
    Raises msgspec.ValidationError if a row is not one that the arbiter wrote.
    """
    order = "round, min(red, blue), pair, red" if in_order else "number"
    where = f"number > :after AND {write_where(filters)} ORDER BY {order} LIMIT :most"
    statement = f"SELECT {', '.join(GAME)} FROM game WHERE {where}"  # noqa: S608 - our own names
    return list(map(read_game_row, connection.execute(statement, {**filters, "after": after, "most": most}).fetchall()))


@lru_cache(maxsize=1024)  # most games end in one of a few hundred ways
def _read_reason(text: str) -> AnyReason:
    return _REASON.decode(text)


def read_game_row(row: Sequence[Any]) -> StoredGame:
    """Read the values of a game, in the order of its fields.  Raises msgspec.ValidationError."""
    values = dict(zip(GAME, row, strict=True))
    values["conditions"] = _CONDITIONS.decode(str(values["conditions"])) if values["conditions"] else None
    values["reason"] = _read_reason(str(values["reason"])) if values["reason"] else None
    game = msgspec.convert(values, StoredGame)
    numbers: tuple[float, ...] = (
        game.round,
        game.pair,
        game.plies,
        game.seconds,
        game.red_ms,
        game.blue_ms,
        game.series,
    )
    if at := game.conditions:
        numbers += (at.cores, at.jobs, at.speed or 0, *at.excused.values())
    if not (
        _ID.fullmatch(game.id)
        and _is_name(game.red)
        and _is_name(game.blue)
        and game.red != game.blue
        and 0 <= min(numbers) <= max(numbers) <= _MOST
        and -_MOST <= game.red_points <= _MOST
        and -_MOST <= game.blue_points <= _MOST
        and _is_time(game.started)
    ):
        raise msgspec.ValidationError(f"the row of game {game.id!r} has impossible values")
    return game


@lru_cache(maxsize=10_000)
def _is_name(text: str) -> bool:
    return re.fullmatch(NAME_PATTERN, text) is not None


def _is_time(text: str) -> bool:
    try:
        return not text or datetime.fromisoformat(text) is not None
    except ValueError:
        return False


def read_log(stderr: Iterable[Sequence[Any]], wire: Iterable[Sequence[Any]]) -> GameLog:
    """Read a log from its rows, each without the number of the game.  Raises zlib.error and msgspec.MsgspecError."""
    errors = [row for row in stderr if not is_dropped(row[1])]
    return GameLog(
        wire={
            seat: msgspec.msgpack.decode(unpack(part), type=Transcript) for seat, part in wire if not is_dropped(part)
        },
        stderr={seat: unpack(part).decode() for seat, part, _ in errors},
        stderr_marks={
            seat: msgspec.msgpack.decode(unpack(part), type=tuple[StderrMark, ...])
            for seat, _, part in errors
            if part is not None
        },
    )


# --- rulings --------------------------------------------------------------------------------------


def insert_ruling(connection: sqlite3.Connection, ruling: Ruling) -> None:
    """Insert a ruling, in the current transaction."""
    replays = msgspec.json.encode(ruling.replays).decode()
    reason = msgspec.json.encode(ruling.reason).decode()
    insert_row(connection, "ruling", structs.asdict(ruling) | {"replays": replays, "reason": reason})


def select_rulings(connection: sqlite3.Connection) -> tuple[Ruling, ...]:
    """Select the rulings in the order in which they were made.  Raises msgspec.ValidationError as `select_games`."""
    names = ", ".join(f'"{name}"' for name in Ruling.__struct_fields__)
    rows = connection.execute(f"SELECT {names} FROM ruling ORDER BY number").fetchall()  # noqa: S608 - our own names
    return tuple(map(read_ruling, rows))


def read_ruling(row: Sequence[Any]) -> Ruling:
    """Read the values of a ruling, in the order of its fields.  Raises msgspec.MsgspecError."""
    values = dict(zip(Ruling.__struct_fields__, row, strict=True))
    decoded = {name: msgspec.json.decode(values[name]) for name in ("reason", "replays")}
    return msgspec.convert(values | decoded, Ruling)


# --- programs -------------------------------------------------------------------------------------


class SeenProgram(Struct, frozen=True):
    """The program of a bot when it was first seen or had changed."""

    series: int
    bot: BotName
    found: ProgramDigest
    seen: str
    """ISO 8601 in UTC."""
    how: How


_FOUND: Final = ProgramDigest.__struct_fields__


def insert_program(connection: sqlite3.Connection, seen: SeenProgram) -> None:
    """Insert what was found of a program."""
    found = structs.asdict(seen.found) | {"listing": pack(msgspec.json.encode(seen.found.listing))}
    insert_row(
        connection, "program", {"series": seen.series, "bot": seen.bot, **found, "seen": seen.seen, "how": seen.how}
    )


def select_programs(connection: sqlite3.Connection, series: int) -> Iterator[SeenProgram]:
    """Select what was found of the programs of a series, in the order of time."""
    columns = ("series", "bot", "seen", "how", *_FOUND)
    statement = f"SELECT {', '.join(columns)} FROM program WHERE series = ? ORDER BY number"  # noqa: S608
    for row in connection.execute(statement, (series,)).fetchall():
        yield read_program(dict(zip(columns, row, strict=True)))


def read_program(values: Mapping[str, Any]) -> SeenProgram:
    """Read what was found of a program from the values of its row.  Raises zlib.error and msgspec.MsgspecError."""
    found = {name: values[name] for name in _FOUND} | {"listing": msgspec.json.decode(unpack(values["listing"]))}
    return msgspec.convert({**values, "found": found}, SeenProgram)


# --- voided attempts ------------------------------------------------------------------------------


_DROP_LOGS: Final = """UPDATE attempt SET log = NULL WHERE id = :id AND log IS NOT NULL AND number NOT IN
    (SELECT number FROM attempt WHERE id = :id AND log IS NOT NULL ORDER BY number DESC LIMIT :most)
    RETURNING number"""
_ATTEMPT: Final = Attempt.__struct_fields__


def prepare_attempt(new: NewAttempt) -> Insert:
    """Pack an attempt with its log, and return what inserts it; the oldest log of a fixture with many is dropped."""
    attempt = new.attempt
    log = new.log
    values = msgspec.structs.asdict(attempt)
    values["reason"] = msgspec.json.encode(attempt.reason).decode()
    values["conditions"] = _encode_conditions(attempt.conditions)
    values["log"] = pack(msgspec.msgpack.encode(log)) if log.wire or log.stderr else None

    def insert(connection: sqlite3.Connection) -> bool:
        insert_row(connection, "attempt", values)
        for (number,) in connection.execute(_DROP_LOGS, {"id": attempt.id, "most": MOST_LOGS}).fetchall():
            link_row(connection, "attempt", number)
        return True

    return insert


def select_attempts(connection: sqlite3.Connection, filters: Mapping[str, object]) -> dict[int, Attempt]:
    """Select the attempts that pass filters, in the order in which they were made, by their number.

    Raises msgspec.ValidationError as `select_games`.
    """
    columns = ", ".join(_ATTEMPT)
    statement = f"SELECT number, {columns} FROM attempt WHERE {write_where(filters)} ORDER BY number"  # noqa: S608
    found: dict[int, Attempt] = {}
    for number, *row in connection.execute(statement, {**filters}):
        values = dict(zip(_ATTEMPT, row, strict=True))
        text = str(values["conditions"])
        values["conditions"] = _CONDITIONS.decode(text) if text else None
        values["reason"] = msgspec.json.decode(values["reason"])
        found[number] = msgspec.convert(values, Attempt)
    return found


def select_log(connection: sqlite3.Connection, number: int) -> GameLog:
    """Select the log of an attempt; empty if it was not kept.  Raises ConfigError if there is no such attempt."""
    row = connection.execute("SELECT log FROM attempt WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise ConfigError(f"there is no attempt {number}")
    return GameLog() if row[0] is None else msgspec.msgpack.decode(unpack(row[0]), type=GameLog)


# --- series ---------------------------------------------------------------------------------------

# A tournament has one series; matches that do not continue each other have one each.


def count_series(connection: sqlite3.Connection) -> int:
    """Count the series of a results file."""
    (last,) = connection.execute("SELECT max(number) FROM series").fetchone()
    return int(last or 1)


def read_manifest(path: Path, connection: sqlite3.Connection, series: int) -> Manifest:
    """Read the manifest of a series.  Raises ConfigError."""
    row = connection.execute("SELECT manifest FROM series WHERE number = ?", (series,)).fetchone()
    if row is None and series > 1:
        raise ConfigError(f"{path}: has no series {series}; it has {count_series(connection)}")
    try:
        manifest = msgspec.json.decode((row or ("",))[0], type=Manifest)
        file = manifest.tournament
        if file.tie_breaks is not None:
            check_tie_breaks(file.tie_breaks)
        return replace(manifest, series=series)
    except (msgspec.DecodeError, ConfigError, TypeError, RecursionError) as error:
        raise ConfigError(f"{path}: its manifest cannot be read ({error}); restore a copy of the file") from None


def write_manifest(connection: sqlite3.Connection, manifest: Manifest) -> None:
    """Write the manifest of a series, new or resumed, in a transaction."""
    text = msgspec.json.encode(manifest).decode()
    with changing(connection, "series"):
        connection.execute("REPLACE INTO series VALUES (?, ?)", (manifest.series, text))


def select_history(connection: sqlite3.Connection, manifest: Manifest, *, condensed: bool = False) -> History:
    """Select the games of a series, and all rulings; `condensed`, without the first games of a long ladder."""
    rulings = select_rulings(connection)
    number, earlier = read_summary(connection, manifest, rulings) if condensed else (0, None)
    played = tuple(select_games(connection, {"series": manifest.series}, after=number))
    return History(played, rulings, find_points(manifest.tournament.points), earlier)


def sum_up(
    connection: sqlite3.Connection, manifest: Manifest, least: int = LEAST_GAMES
) -> tuple[int, Earlier, Earlier | None] | None:
    """Sum up the games of a ladder, if at least so many follow the last summary; this takes long after many games.

    Returns what `write_summary` takes.  The summary stays valid if games, or rulings on others, are stored meanwhile.
    """
    if not manifest.tournament.is_ladder:
        return None
    rulings = select_rulings(connection)
    number, earlier = read_summary(connection, manifest, rulings)
    points = find_points(manifest.tournament.points)
    filters = {"series": manifest.series}
    before = earlier
    is_new = False
    while games := select_games(connection, filters, after=number, most=_CHUNK):
        if len(games) < least and not is_new:
            return None
        number = find_number(connection, games[-1].id)
        earlier = manifest.schedule(History(tuple(games), rulings, points, earlier)).sum_up()
        is_new = True
    return None if earlier is None or not is_new else (number, earlier, before)


def find_number(connection: sqlite3.Connection, game_id: str) -> int:
    """Return the number of a stored game."""
    ((number,),) = connection.execute("SELECT number FROM game WHERE id = ?", (game_id,)).fetchall()
    return int(number)


def begin_series(
    path: Path,
    connection: Connection,
    manifest: Manifest,
    secret: Key | None,
    match: Mapping[str, ProgramDigest] | None,
) -> tuple[Manifest, NewSeries | None]:
    """Make the tables, or check those that are there; then write the manifest of the series that is played.

    Resumes the latest series or, if it is a match, the latest one of the same match.  A `match` is given by the
    programs of its bots: games of different bots, settings or programs never count in one result.
    Returns the manifest, and the differences if a further series begins because none is the same match.
    Raises ConfigError if the manifest does not fit the games.
    """
    fresh = is_blank(connection)
    if fresh:
        connection.execute("PRAGMA journal_mode = MEMORY")  # no journal that would be left by a crash
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    differences: NewSeries | None = None
    latest = 0 if fresh else count_series(connection)
    # Before the transaction, so that no other program waits long.
    summary = sum_up(connection, read_manifest(path, connection, latest)) if latest else None
    with transaction(connection):
        if fresh:
            for statement in SCHEMA:
                connection.execute(statement)
            link_schema(connection)
        if summary is not None:
            write_summary(connection, latest, *summary)
        for series in range(latest, 0, -1):
            old = read_manifest(path, connection, series)
            history = select_history(connection, old, condensed=True)
            is_match = match is not None and history.as_played
            if is_match and (found := _compare_matches(connection, old, manifest, match or {})):
                differences = differences or found
                continue
            try:
                manifest = replace(resume_manifest(old, manifest, history, secret), series=series)
            except ConfigError as error:
                raise ConfigError(f"{path}: {error}") from None
            differences = None
            break
        else:
            manifest = replace(manifest, series=latest + 1)
        write_manifest(connection, manifest)
        begin_playing(connection)
    # So that a copy of the file alone is never blank.  It waits for no reader: meanwhile nobody could write.
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    return manifest, differences


def _compare_matches(
    connection: sqlite3.Connection, old: Manifest, new: Manifest, programs: Mapping[str, ProgramDigest]
) -> NewSeries | None:
    """Find out why a match does not continue a series; None if it does."""
    known = {seen.bot: seen.found for seen in select_programs(connection, old.series)}
    replaced = [
        found.describe_replacement(bot, known[bot])
        for bot, found in programs.items()
        if bot in known and not found.is_same(known[bot])
    ]
    settings = list(describe_other_match(old, new))
    return NewSeries(settings, replaced) if settings or replaced else None
