"""The evidence of one game: its stored rows and the hash chain, so that it can be checked without the results."""

import sqlite3
import zlib
from itertools import chain
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from arbiter.packing import unpack
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.results.integrity import (
    SCHEMA,
    digest_schema,
    follow,
    has_digest,
    is_dropped,
    read_chain,
    read_row,
)
from arbiter.tournament.results.rows import SeenProgram, read_game_row, read_log, read_program, read_ruling
from arbiter.tournament.results.schema import FORMAT, make_schema
from arbiter.tournament.standings.stored_game import Ruling, StoredGame
from arbiter.transcript import GameLog

_MOST_PARTS: Final = {"record": 1, "stderr": 2, "wire": 2}
_MOST_PROGRAMS: Final = 2
_MOST_BYTES: Final = 16 * 2**20  # of an unpacked record or log; that of an honest game is much smaller
_PROGRAM: Final = ("number", "series", "bot", *ProgramDigest.__struct_fields__, "seen", "how")


_Part = Annotated[str, Meta(min_length=1, max_length=50)]
_Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class StoredRow(Struct, frozen=True, array_like=True):
    """A row of a growing table, as it is stored."""

    table: str
    number: int
    values: list[Any]
    parts: list[list[list[Any]]]
    """Rows of the tables with its large parts, such as the record."""


class GameEvidence(Struct, frozen=True, kw_only=True):
    """The rows of a game, of the programs of its bots and of the rulings on it, with the hash chain over all rows."""

    format: int = FORMAT
    """That of the results."""
    rows: tuple[StoredRow, ...]
    """The game first."""
    chain: tuple[tuple[_Part, int, _Digest], ...]
    """Part, row and digest of each link."""


class GameContent(Struct, frozen=True, kw_only=True):
    """The content of the rows."""

    game: StoredGame
    record: bytes
    log: GameLog
    is_log_gone: bool
    """True if a part of the log was dropped after some days."""
    programs: tuple[SeenProgram, ...]
    rulings: tuple[Ruling, ...]


def select_evidence(connection: sqlite3.Connection, game_id: str) -> GameEvidence:
    """Select the evidence of a stored game."""
    select = "SELECT number, series, red, blue, red_program, blue_program FROM game WHERE id = ?"
    number, series, red, blue, *digests = connection.execute(select, (game_id,)).fetchone()
    bots = (red, blue)
    latest = "SELECT max(number) FROM program WHERE series = ? AND bot = ? AND digest = ?"
    programs = [connection.execute(latest, (series, *played)).fetchone() for played in zip(bots, digests, strict=True)]
    about = "SELECT number FROM ruling WHERE game = :id OR instr(replays, :quoted) ORDER BY number"
    rulings = connection.execute(about, {"id": game_id, "quoted": f'"{game_id}"'}).fetchall()
    wanted = [
        ("game", number),
        *(("program", row) for (row,) in programs if row),
        *(("ruling", row) for (row,) in rulings),
    ]
    return GameEvidence(
        rows=tuple(StoredRow(table, row, *read_row(connection, table, row)) for table, row in wanted),
        chain=tuple((link.part, link.row, link.digest) for link in read_chain(connection)),
    )


def read_content(evidence: GameEvidence) -> GameContent:
    """Read the content of the rows.

    Raises msgspec.MsgspecError, zlib.error, ValueError or TypeError if they are not rows that the arbiter wrote.
    """
    if not evidence.rows or evidence.rows[0].table != "game":
        raise ValueError("it contains no game")
    first, *others = evidence.rows
    records, stderr, wire = first.parts
    for rows, most in zip(first.parts, _MOST_PARTS.values(), strict=True):
        if len(rows) > most:
            raise ValueError("it contains several logs of a seat")
    programs = [row for row in others if row.table == "program"]
    if len(programs) > _MOST_PROGRAMS:
        raise ValueError("it contains several programs of a seat")
    for row in evidence.rows:  # all of them, because digests are those of unpacked records
        for value in chain(row.values, *chain.from_iterable(row.parts)):
            if isinstance(value, bytes) and not is_dropped(value):
                decompressor = zlib.decompressobj()
                decompressor.decompress(value, _MOST_BYTES)
                if decompressor.unconsumed_tail:  # made to fill the memory
                    raise ValueError(f"a part of it is longer than {_MOST_BYTES >> 20} MiB")
    ((_, record),) = records
    return GameContent(
        game=read_game_row(first.values[1:]),
        record=unpack(record),
        log=read_log([row[1:] for row in stderr], [row[1:] for row in wire]),
        is_log_gone=any(map(is_dropped, chain(*stderr, *wire))),
        programs=tuple(read_program(dict(zip(_PROGRAM, row.values, strict=True))) for row in programs),
        rulings=tuple(read_ruling(row.values) for row in others if row.table == "ruling"),
    )


class EvidenceCheck(Struct, frozen=True, kw_only=True):
    """The evidence of a game compared with its chain."""

    digests: tuple[str, ...]
    """Values of the chain from its last row on: each, if published, proves all rows."""
    faults: tuple[str, ...]


def check_evidence(evidence: GameEvidence) -> EvidenceCheck:
    """Compare the rows with the chain."""
    value = ""
    values = []
    last = {}
    for place, link in enumerate(evidence.chain):
        value = follow(value, *link)
        values.append(value)
        last[link[:2]] = (place, link[2])
    places: list[int] = []
    faults: list[str] = []
    for row in evidence.rows:
        if (row.table, row.number) not in last:
            faults.append(f"{row.table} {row.number} is in no link of the chain")
            continue
        place, digest = last[row.table, row.number]
        places.append(place)
        if not has_digest(row.values, row.parts, digest):
            faults.append(f"{row.table} {row.number} was changed")
    if last.get((SCHEMA, 0), (0, ""))[1] != digest_schema(make_schema()):
        faults.append("the names of its columns are not those of this arbiter")
    return EvidenceCheck(digests=tuple(values[max(places, default=len(values)) :]), faults=tuple(faults))
