"""SQL of the results: tables, upgrades of earlier formats, statements."""

from typing import Final

from arbiter.tournament.results.chain import CHAIN
from arbiter.tournament.standings.ruling import Ruling
from arbiter.tournament.standings.stored_game import StoredGame

APPLICATION: Final = 0x53415242  # "SARB", identifies results of this arbiter
FORMAT: Final = 5

_WIRE: Final = """CREATE TABLE wire (
        number INTEGER NOT NULL REFERENCES game,
        seat TEXT NOT NULL,
        packed BLOB NOT NULL,
        PRIMARY KEY (number, seat)
    )"""

_ATTEMPT: Final = """CREATE TABLE attempt (
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
    )"""

_WITHDRAWN: Final = "CREATE TABLE withdrawn (bot TEXT PRIMARY KEY, at TEXT NOT NULL)"

_RULING: Final = """CREATE TABLE ruling (
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
    )"""

# Manifests of the further series of a results file; the first one is in the table `tournament`.
_SERIES: Final = "CREATE TABLE series (number INTEGER PRIMARY KEY, manifest TEXT NOT NULL)"

# What was found of each bot's program: a row when it is first seen, and one for each change.
_PROGRAM: Final = """CREATE TABLE program (
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
    )"""

# A row while an arbiter plays: a copy with it and without a write-ahead log may lack games.
_PLAYING: Final = "CREATE TABLE playing (one INTEGER PRIMARY KEY CHECK (one = 1), since TEXT NOT NULL)"

SCHEMA: Final = (
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {FORMAT}",
    "CREATE TABLE tournament (one INTEGER PRIMARY KEY CHECK (one = 1), manifest TEXT NOT NULL)",
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
        acts TEXT NOT NULL DEFAULT '',
        red_ms REAL NOT NULL DEFAULT 0,
        blue_ms REAL NOT NULL DEFAULT 0,
        conditions TEXT NOT NULL DEFAULT '',
        series INTEGER NOT NULL DEFAULT 1,
        red_program TEXT NOT NULL DEFAULT '',
        blue_program TEXT NOT NULL DEFAULT ''
    )""",
    "CREATE TABLE record (number INTEGER PRIMARY KEY REFERENCES game, packed BLOB NOT NULL)",
    """CREATE TABLE log (
        number INTEGER NOT NULL REFERENCES game,
        seat TEXT NOT NULL,
        packed BLOB NOT NULL,
        marks BLOB,
        PRIMARY KEY (number, seat)
    )""",
    _WIRE,
    _WITHDRAWN,
    _RULING,
    _ATTEMPT,
    _SERIES,
    _PROGRAM,
    _PLAYING,
    CHAIN,
)
# Statements that upgrade results of a format to the next one.
UPGRADES: Final[dict[int, tuple[str, ...]]] = {
    1: (_WIRE, "PRAGMA user_version = 2"),
    2: ("ALTER TABLE game ADD COLUMN acts TEXT NOT NULL DEFAULT ''", "PRAGMA user_version = 3"),
    3: (
        "ALTER TABLE game ADD COLUMN red_ms REAL NOT NULL DEFAULT 0",
        "ALTER TABLE game ADD COLUMN blue_ms REAL NOT NULL DEFAULT 0",
        _WITHDRAWN,
        "PRAGMA user_version = 4",
    ),
    4: (
        _RULING,
        "ALTER TABLE game ADD COLUMN conditions TEXT NOT NULL DEFAULT ''",
        _ATTEMPT,
        "ALTER TABLE game ADD COLUMN series INTEGER NOT NULL DEFAULT 1",
        "ALTER TABLE game ADD COLUMN red_program TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE game ADD COLUMN blue_program TEXT NOT NULL DEFAULT ''",
        _SERIES,
        _PROGRAM,
        _PLAYING,
        "ALTER TABLE log ADD COLUMN marks BLOB",
        CHAIN,
        "PRAGMA user_version = 5",
    ),
}
# Columns that were added later: the format that has them first, and their value in earlier ones.
ADDED: Final[dict[str, tuple[int, str]]] = {
    "acts": (3, "''"),
    "red_ms": (4, "0.0"),
    "blue_ms": (4, "0.0"),
    "conditions": (5, "''"),
    "series": (5, "1"),
    "red_program": (5, "''"),
    "blue_program": (5, "''"),
}
COLUMNS: Final = tuple({"fingerprint": "acts"}.get(name, name) for name in StoredGame.__struct_fields__)
PLACES: Final = ", ".join("?" * len(COLUMNS))
INSERT: Final = f"INSERT INTO game ({', '.join(COLUMNS)}) VALUES ({PLACES}) ON CONFLICT (id) DO NOTHING"  # noqa: S608
WITHDRAWN: Final = "SELECT bot FROM withdrawn ORDER BY at, bot"
WITHDRAW: Final = "INSERT OR IGNORE INTO withdrawn VALUES (:bot, :at)"
TAKE_BACK: Final = "DELETE FROM withdrawn WHERE bot = :bot"
HAS: Final = "SELECT 1 FROM game WHERE id = ?"
RECORD: Final = "SELECT packed FROM record JOIN game USING (number) WHERE id = ?"
LOGS: Final = "SELECT seat, packed, marks FROM log JOIN game USING (number) WHERE id = ? ORDER BY seat DESC"
LOGS_WITHOUT_MARKS: Final = LOGS.replace("marks", "NULL", 1)
FORMAT_WITH_MARKS: Final = 5
WIRE: Final = "SELECT seat, packed FROM wire JOIN game USING (number) WHERE id = ? ORDER BY seat DESC"
FORMAT_WITH_WITHDRAWALS: Final = 4
_RULING_COLUMNS: Final = ", ".join(f'"{name}"' for name in Ruling.__struct_fields__)
RULINGS: Final = f"SELECT {_RULING_COLUMNS} FROM ruling ORDER BY number"  # noqa: S608 - our own names
RULE: Final = f"INSERT INTO ruling ({_RULING_COLUMNS}) VALUES ({', '.join('?' * len(Ruling.__struct_fields__))})"  # noqa: S608
FORMAT_WITH_RULINGS: Final = 5
FORMAT_WITH_ATTEMPTS: Final = 5
FORMAT_WITH_CHAIN: Final = 5
FORMAT_WITH_SERIES: Final = 5


def select_games(version: int) -> str:
    """Return the statement that selects games in results of a format."""
    missing = {column: value for column, (since, value) in ADDED.items() if version < since}
    columns = (missing.get(column, column) for column in COLUMNS)
    return f"SELECT {', '.join(columns)} FROM game"  # noqa: S608 - our own names


FILTERS: Final = {
    "bot": ":bot IN (red, blue)",
    "opponent": ":opponent IN (red, blue)",
    "ending": "ending = :ending",
    "round": "round = :round",
    "series": "series = :series",
}
ORDER: Final = "ORDER BY round, min(red, blue), pair, red"
