"""Rows of games, attempts and programs: write them, and read them without trusting what another program wrote."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, structs

from arbiter.errors import ConfigError
from arbiter.packing import Packed, pack, unpack
from arbiter.tournament.attempt import Attempt
from arbiter.tournament.conditions import PlayingConditions
from arbiter.tournament.config.bot_entries import NAME_PATTERN, BotName
from arbiter.tournament.new_results import NewAttempt, NewGame
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.results.chain import link_row
from arbiter.tournament.results.schema import FILTERS, INSERT, RULINGS
from arbiter.tournament.standings.stored_game import Ruling, StoredGame
from arbiter.transcript import GameLog

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~-]{0,199}")
_MOST: Final = 10**9
_CONDITIONS: Final = msgspec.json.Decoder(PlayingConditions)

Insert = Callable[[sqlite3.Connection], bool]
"""Inserts a packed row in the current transaction; returns False if there is a row with its id."""
How = Literal["first", "accepted", "during the run"]
"""First seen, a change that the organiser accepted, or a change between two games of a run."""


class SeenProgram(Struct, frozen=True, kw_only=True):
    """The program of a bot when it was first seen or had changed."""

    series: int
    bot: str
    found: ProgramDigest
    seen: str
    """ISO 8601 in UTC."""
    how: How


# --- games ----------------------------------------------------------------------------------------


def prepare_game(new: NewGame, series: int) -> Insert:
    """Pack a game of a series with its record and log, and return what inserts it."""
    game = new.game
    conditions = "" if game.conditions is None else msgspec.json.encode(game.conditions).decode()
    row = structs.astuple(structs.replace(game, conditions=conditions, series=series))
    record = new.record.data if isinstance(new.record, Packed) else pack(new.record)
    marks = {seat: pack(msgspec.msgpack.encode(marks)) for seat, marks in new.log.stderr_marks.items()}
    stderr = {seat: (pack(text.encode()), marks.get(seat)) for seat, text in new.log.stderr.items()}
    wire = {seat: pack(msgspec.msgpack.encode(lines)) for seat, lines in new.log.wire.items()}

    def insert(connection: sqlite3.Connection) -> bool:
        inserted = connection.execute(INSERT, row)
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


def read_game(row: tuple[Any, ...]) -> StoredGame:
    """Read the row of a game.  Raises msgspec.ValidationError if it is not one that the arbiter wrote."""
    values = dict(zip(StoredGame.__struct_fields__, row, strict=True))
    values["conditions"] = _CONDITIONS.decode(str(values["conditions"])) if values["conditions"] else None
    game = msgspec.convert(values, StoredGame)
    if not (
        _ID.fullmatch(game.id)
        and _is_name(game.red)
        and _is_name(game.blue)
        and game.red != game.blue
        and 0 <= game.round <= _MOST
        and 0 <= game.pair <= _MOST
        and 0 <= game.plies <= _MOST
        and 0 <= game.seconds <= _MOST
        and 0 <= game.red_ms <= _MOST
        and 0 <= game.blue_ms <= _MOST
        and 0 <= game.series <= _MOST
        and -_MOST <= game.red_points <= _MOST
        and -_MOST <= game.blue_points <= _MOST
        and (game.conditions is None or _is_possible(game.conditions))
        and _is_time(game.started)
    ):
        raise msgspec.ValidationError(f"the row of game {game.id!r} has impossible values")
    return game


@lru_cache(maxsize=10_000)
def _is_name(text: str) -> bool:
    return re.fullmatch(NAME_PATTERN, text) is not None


def _is_possible(conditions: PlayingConditions) -> bool:
    numbers = (conditions.cores, conditions.jobs, conditions.speed or 0, *conditions.excused.values())
    return all(0 <= number <= _MOST for number in numbers)


def _is_time(text: str) -> bool:
    try:
        return not text or datetime.fromisoformat(text) is not None
    except ValueError:
        return False


# --- rulings --------------------------------------------------------------------------------------


def select_rulings(connection: sqlite3.Connection) -> tuple[Ruling, ...]:
    """Select the rulings in the order in which they were made.  Raises msgspec.ValidationError as `read_game`."""
    rows = connection.execute(RULINGS).fetchall()
    return tuple(msgspec.convert(dict(zip(Ruling.__struct_fields__, row, strict=True)), Ruling) for row in rows)


# --- programs -------------------------------------------------------------------------------------

_PROGRAM_COLUMNS: Final = "series, bot, digest, interpreter, files, size, left_out, listing, seen, how"
_INSERT_PROGRAM: Final = f"INSERT INTO program ({_PROGRAM_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608


class _Row(Struct, frozen=True, array_like=True):
    series: int
    bot: BotName
    digest: str
    interpreter: str
    files: Annotated[int, Meta(ge=0)]
    size: Annotated[int, Meta(ge=0)]
    left_out: str
    listing: bytes
    seen: str
    how: How


def insert_program(connection: sqlite3.Connection, seen: SeenProgram) -> None:
    """Insert what was found of a program."""
    found = seen.found
    listing = pack(msgspec.json.encode(found.listing))
    inserted = connection.execute(
        _INSERT_PROGRAM,
        (
            seen.series,
            seen.bot,
            found.digest,
            found.interpreter,
            found.files,
            found.size,
            found.left_out,
            listing,
            seen.seen,
            seen.how,
        ),
    )
    link_row(connection, "program", inserted.lastrowid or 0)


def select_programs(connection: sqlite3.Connection, series: int) -> Iterator[SeenProgram]:
    """Select what was found of the programs of a series, in the order of time."""
    rows = connection.execute(
        f"SELECT {_PROGRAM_COLUMNS} FROM program WHERE series = ? ORDER BY number",  # noqa: S608 - our own names
        (series,),
    ).fetchall()
    for values in rows:
        row = msgspec.convert(values, _Row)
        found = ProgramDigest(
            digest=row.digest,
            interpreter=row.interpreter,
            files=row.files,
            size=row.size,
            left_out=row.left_out,
            listing=msgspec.json.decode(unpack(row.listing), type=dict[str, str]),
        )
        yield SeenProgram(series=row.series, bot=row.bot, found=found, seen=row.seen, how=row.how)


# --- voided attempts ------------------------------------------------------------------------------


MOST_LOGS: Final = 10
"""Logs that are kept for one fixture; of older attempts only the row is kept."""
_LONGEST_WHY: Final = 20_000  # characters
_COLUMNS: Final = Attempt.__struct_fields__
_INSERT: Final = f"""INSERT INTO attempt ({", ".join(_COLUMNS)}, log)
    VALUES ({", ".join("?" * len(_COLUMNS))}, ?)"""  # noqa: S608 - our own names
_DROP_LOGS: Final = """UPDATE attempt SET log = NULL WHERE id = :id AND log IS NOT NULL AND number NOT IN
    (SELECT number FROM attempt WHERE id = :id AND log IS NOT NULL ORDER BY number DESC LIMIT :most)
    RETURNING number"""
_SELECT: Final = f"SELECT number, {', '.join(_COLUMNS)} FROM attempt"  # noqa: S608 - our own names


def prepare_attempt(new: NewAttempt) -> Insert:
    """Pack an attempt with its log, and return what inserts it; the oldest log of a fixture with many is dropped."""
    attempt, log = new.attempt, new.log
    values = msgspec.structs.asdict(attempt)
    values["why"] = attempt.why[-_LONGEST_WHY:]
    values["conditions"] = "" if attempt.conditions is None else msgspec.json.encode(attempt.conditions).decode()
    packed = pack(msgspec.msgpack.encode(log)) if log.wire or log.stderr else None
    row = (*values.values(), packed)

    def insert(connection: sqlite3.Connection) -> bool:
        inserted = connection.execute(_INSERT, row)
        link_row(connection, "attempt", inserted.lastrowid or 0)
        for (number,) in connection.execute(_DROP_LOGS, {"id": attempt.id, "most": MOST_LOGS}).fetchall():
            link_row(connection, "attempt", number)
        return True

    return insert


def select_attempts(connection: sqlite3.Connection, values: dict[str, object]) -> dict[int, Attempt]:
    """Select the attempts that pass filters by name, in the order in which they were made, by their number."""
    wanted = [FILTERS[name] for name in values]
    where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
    rows = connection.execute(f"{_SELECT} {where} ORDER BY number", values)
    return {number: _read_row(row) for number, *row in rows}


def select_log(connection: sqlite3.Connection, number: int) -> GameLog:
    """Select the log of an attempt; empty if it was not kept.  Raises ConfigError if there is no such attempt."""
    row = connection.execute("SELECT log FROM attempt WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise ConfigError(f"there is no attempt {number}")
    return GameLog() if row[0] is None else msgspec.msgpack.decode(unpack(row[0]), type=GameLog)


def _read_row(row: list[object]) -> Attempt:
    values = dict(zip(_COLUMNS, row, strict=True))
    text = str(values["conditions"])
    values["conditions"] = msgspec.json.decode(text, type=PlayingConditions) if text else None
    return Attempt(**values)  # type: ignore[arg-type]
