"""The series of a results file: a tournament has one; matches that do not continue each other have one each."""

import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from arbiter.errors import ConfigError
from arbiter.games.chance import Key
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.results.chain import changing
from arbiter.tournament.results.database import begin_playing, check_kind, is_blank, transaction
from arbiter.tournament.results.manifest import Manifest, describe_other_match, resume_manifest
from arbiter.tournament.results.rows import select_games, select_programs, select_rulings
from arbiter.tournament.results.schema import SCHEMA
from arbiter.tournament.standings.history import History
from arbiter.tournament.standings.points import find_points
from arbiter.tournament.standings.tie_breaks import check_tie_breaks


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
        if manifest.tournament.tie_breaks is not None:
            check_tie_breaks(manifest.tournament.tie_breaks)
        return replace(manifest, series=series)
    except (msgspec.DecodeError, ConfigError, TypeError, RecursionError) as error:
        raise ConfigError(f"{path}: its manifest cannot be read ({error}); restore a copy of the file") from None


def write_manifest(connection: sqlite3.Connection, manifest: Manifest) -> None:
    """Write the manifest of a series, new or resumed, in a transaction."""
    text = msgspec.json.encode(manifest).decode()
    with changing(connection, "series"):
        connection.execute("REPLACE INTO series VALUES (?, ?)", (manifest.series, text))


def select_history(connection: sqlite3.Connection, manifest: Manifest) -> History:
    """Select the games of a series, and all rulings."""
    played = tuple(select_games(connection, {"series": manifest.series}))
    return History(played, select_rulings(connection), find_points(manifest.tournament.points))


def begin_series(
    path: Path,
    connection: sqlite3.Connection,
    manifest: Manifest,
    secret: Key | None,
    match: Mapping[str, ProgramDigest] | None,
) -> tuple[Manifest, str]:
    """Make the tables, or check those that are there; then write the manifest of the series that is played.

    Returns the manifest, and the reason if a further series begins.
    """
    fresh = is_blank(connection)
    if not fresh:
        check_kind(path, connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    reason = ""
    with transaction(connection):
        if fresh:
            for statement in SCHEMA:
                connection.execute(statement)
        else:
            manifest, reason = _resume(path, connection, manifest, secret, match)
        write_manifest(connection, manifest)
        begin_playing(connection)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # a copy of the file alone is never blank
    return manifest, reason


def _resume(
    path: Path,
    connection: sqlite3.Connection,
    new: Manifest,
    secret: Key | None,
    match: Mapping[str, ProgramDigest] | None,
) -> tuple[Manifest, str]:
    """Resume the latest series or, if it is a match, the latest one of the same match.

    A `match` is given by the programs of its bots: games of different bots, settings or programs never count in one
    result.  If no series is the same match, a new one begins; its reason is returned.
    Raises ConfigError if the manifest does not fit the games.
    """
    latest = count_series(connection)
    reason = ""
    for series in range(latest, 0, -1):
        old = read_manifest(path, connection, series)
        history = select_history(connection, old)
        why = "" if match is None or not history.as_played else "; ".join(_list_reasons(connection, old, new, match))
        if not why:
            try:
                return replace(resume_manifest(old, new, history, secret), series=series), ""
            except ConfigError as error:
                raise ConfigError(f"{path}: {error}") from None
        reason = reason or why
    return replace(new, series=latest + 1), reason


def _list_reasons(
    connection: sqlite3.Connection, old: Manifest, new: Manifest, programs: Mapping[str, ProgramDigest]
) -> Iterator[str]:
    """Describe why a match does not continue a series."""
    yield from describe_other_match(old, new)
    known = {seen.bot: seen.found for seen in select_programs(connection, old.series)}
    for bot, found in programs.items():
        if bot in known and known[bot].digest != found.digest:
            yield found.describe_replacement(bot, known[bot])
