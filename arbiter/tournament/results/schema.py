"""SQL of the results: the format, and its tables."""

from typing import Final

from arbiter.tournament.results.chain import CHAIN

APPLICATION: Final = 0x53415242  # "SARB", identifies results of this arbiter
FORMAT: Final = 1
# If the format changes, FORMAT grows by one, and the statements that change results of the format before it belong
# here, in a table by the number of that format; `check_kind` then runs them in order instead of refusing such results.

SCHEMA: Final = (
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
    # A tournament has one series, a file of matches one for each match.
    "CREATE TABLE series (number INTEGER PRIMARY KEY, manifest TEXT NOT NULL)",
    """CREATE TABLE game (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        round INTEGER NOT NULL,
        pair INTEGER NOT NULL,
        red TEXT NOT NULL,
        blue TEXT NOT NULL,
        winner TEXT,
        ending TEXT NOT NULL,
        why TEXT NOT NULL,
        plies INTEGER NOT NULL,
        red_points REAL NOT NULL,
        blue_points REAL NOT NULL,
        started TEXT NOT NULL,
        seconds REAL NOT NULL,
        fingerprint TEXT NOT NULL,
        red_ms REAL NOT NULL,
        blue_ms REAL NOT NULL,
        conditions TEXT NOT NULL,
        series INTEGER NOT NULL,
        red_program TEXT NOT NULL,
        blue_program TEXT NOT NULL
    )""",
    "CREATE TABLE record (number INTEGER PRIMARY KEY REFERENCES game, packed BLOB NOT NULL)",
    """CREATE TABLE stderr (
        number INTEGER NOT NULL REFERENCES game,
        seat TEXT NOT NULL,
        packed BLOB NOT NULL,
        marks BLOB,
        PRIMARY KEY (number, seat)
    )""",
    """CREATE TABLE wire (
        number INTEGER NOT NULL REFERENCES game,
        seat TEXT NOT NULL,
        packed BLOB NOT NULL,
        PRIMARY KEY (number, seat)
    )""",
    "CREATE TABLE withdrawn (bot TEXT PRIMARY KEY, at TEXT NOT NULL)",
    """CREATE TABLE ruling (
        number INTEGER PRIMARY KEY,
        at TEXT NOT NULL,
        "by" TEXT NOT NULL,
        because TEXT NOT NULL,
        kind TEXT NOT NULL,
        game TEXT,
        bot TEXT,
        previous TEXT,
        result TEXT,
        replacement TEXT UNIQUE,
        undoes INTEGER UNIQUE REFERENCES ruling,
        games INTEGER NOT NULL,
        rounds INTEGER NOT NULL
    )""",
    """CREATE TABLE attempt (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        round INTEGER NOT NULL,
        red TEXT NOT NULL,
        blue TEXT NOT NULL,
        started TEXT NOT NULL,
        seconds REAL NOT NULL,
        reason TEXT NOT NULL,
        why TEXT NOT NULL,
        seat TEXT,
        plies INTEGER NOT NULL,
        conditions TEXT NOT NULL,
        log BLOB
    )""",
    # What was found of each bot's program: a row when it is first seen, and one for each change.
    """CREATE TABLE program (
        number INTEGER PRIMARY KEY,
        series INTEGER NOT NULL,
        bot TEXT NOT NULL,
        digest TEXT NOT NULL,
        interpreter TEXT NOT NULL,
        files INTEGER NOT NULL,
        size INTEGER NOT NULL,
        left_out TEXT NOT NULL,
        listing BLOB NOT NULL,
        seen TEXT NOT NULL,
        how TEXT NOT NULL
    )""",
    # A row while an arbiter plays: a copy with it and without a write-ahead log may lack games.
    "CREATE TABLE playing (one INTEGER PRIMARY KEY CHECK (one = 1), since TEXT NOT NULL)",
    CHAIN,
)
