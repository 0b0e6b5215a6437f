"""Changes of a results file that mislead a program which trusts it: tables, indexes, pages and files next to it."""

import random
import sqlite3
import struct
from contextlib import closing, suppress

PAGE = 4096
SUPER = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"  # magic of a rollback journal


def run(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def rename_a_column(path, table="ruling", column="reason", other="by"):
    """Show one column under the name of another: no value changes, and no place of a value."""
    run(
        path,
        f'ALTER TABLE {table} RENAME COLUMN "{column}" TO old_{column}',
        f'ALTER TABLE {table} RENAME COLUMN "{other}" TO "{column}"',
        f'ALTER TABLE {table} RENAME COLUMN old_{column} TO "{other}"',
    )


def add_a_trigger(path):
    run(path, "CREATE TRIGGER t AFTER INSERT ON ruling BEGIN UPDATE ruling SET reason = '{}', result = 'red'; END")


def add_an_endless_view(path, table="game"):
    """Replace a table by a view without an end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        names = [f'"{name}"' for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
    columns = ", ".join(f"n AS {name}" for name in names)
    endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
    run(path, f"ALTER TABLE {table} RENAME TO old", f"CREATE VIEW {table} AS {endless} SELECT {columns} FROM c")


def find_root(path, name):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()[0]


def change_page(path, number, change):
    with path.open("r+b") as file:
        file.seek((number - 1) * PAGE)
        page = bytearray(file.read(PAGE))
        change(page)
        file.seek((number - 1) * PAGE)
        file.write(page)


def change_an_index(path, name, old, new):
    """Replace a text in an index only: SQLite then finds another row by it, or lists another value."""

    def change(page):
        assert old in page
        page[:] = page.replace(old, new)

    change_page(path, find_root(path, name), change)


def make_a_table_endless(path, table="attempt"):
    """Make pages of a table the children of each other, so that a walk through it visits a leaf 200^4 times."""
    root = find_root(path, table)
    with path.open("r+b") as file:
        data = file.read()
        leaf = data[(root - 1) * PAGE : root * PAGE]
        count = len(data) // PAGE
        levels = [count + number for number in range(1, 5)]
        children = [*levels, count + 5]
        pages = []
        for child in children[1:]:
            page = bytearray(PAGE)
            cells = 200
            struct.pack_into(">BHHHBI", page, 0, 5, 0, cells, PAGE - 5 * cells, 0, child)
            for cell in range(cells):
                place = PAGE - 5 * (cell + 1)
                struct.pack_into(">I", page, place, child)
                page[place + 4] = 1
                struct.pack_into(">H", page, 12 + 2 * cell, place)
            pages.append(bytes(page))
        file.seek((root - 1) * PAGE)
        file.write(pages[0])
        file.seek(count * PAGE)
        file.write(b"".join([*pages, leaf]))
        file.seek(28)
        file.write(struct.pack(">I", count + 5))


def write_hot_journal(path, victim):
    """Put a journal next to results; SQLite deletes another file when it reads it."""
    name = str(victim).encode()
    header = (SUPER + struct.pack(">IIIII", 0, 0, path.stat().st_size // PAGE, 512, PAGE)).ljust(512, b"\0")
    end = struct.pack(">I", 0x40000000 // PAGE + 1) + name + struct.pack(">II", len(name), sum(name)) + SUPER
    path.with_name(path.name + "-journal").write_bytes(header + end)


# --- random changes -------------------------------------------------------------------------------


TABLES = ("series", "game", "record", "stderr", "wire", "ruling", "attempt", "program", "playing", "chain")
VALUES = (None, 0, 1, 2, -1, 2**62, 1.0, 0.5, "", "red", "blue", "hunter", "random", "1", "x" * 5000, b"", b"red")


def pick_column(connection, rng, table):
    return rng.choice(connection.execute(f"PRAGMA table_info({table})").fetchall())[1]


def change_definition(connection, rng):
    """Change the tables with statements, as a person with a shell of SQLite would."""
    table, other = rng.sample(TABLES, 2)
    column, second = pick_column(connection, rng, table), pick_column(connection, rng, table)
    copy = f"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 99) SELECT {table}.* FROM {table}, c"
    statements = rng.choice((
        (f'ALTER TABLE {table} RENAME COLUMN "{column}" TO x', f'ALTER TABLE {table} ADD COLUMN "{column}" DEFAULT 1'),
        (f'ALTER TABLE {table} RENAME COLUMN "{column}" TO x', f'ALTER TABLE {table} RENAME COLUMN "{second}" TO "{column}"', f'ALTER TABLE {table} RENAME COLUMN x TO "{second}"'),
        (f"ALTER TABLE {table} ADD COLUMN x AS (1)",),
        (f'ALTER TABLE {table} ADD COLUMN "{column.upper()}x"',),
        (f'ALTER TABLE {table} DROP COLUMN "{column}"',),
        (f"ALTER TABLE {table} RENAME TO x", f"CREATE VIEW {table} AS SELECT * FROM x"),
        (f"ALTER TABLE {table} RENAME TO x", f"CREATE TABLE {table} AS SELECT * FROM x"),
        (f"ALTER TABLE {table} RENAME TO x", f"CREATE VIEW {table} AS {copy.replace(table, 'x')}"),
        (f"CREATE VIEW x AS {copy}",),
        (f"CREATE TRIGGER x AFTER INSERT ON {table} BEGIN DELETE FROM {other}; END",),
        (f"CREATE TRIGGER x BEFORE UPDATE ON {table} BEGIN SELECT RAISE(IGNORE); END",),
        (f'CREATE INDEX x ON {table} ("{column}")',),
        (f'CREATE UNIQUE INDEX x ON {table} ("{column}", abs("{second}"))',),
        ("CREATE TABLE x (a)",),
        ("CREATE VIRTUAL TABLE x USING fts5(a)",),
        (f"DROP TABLE {table}",),
        ("ANALYZE",),
        ("VACUUM",),
        ("REINDEX",),
        ("PRAGMA journal_mode = DELETE",),
    ))  # fmt: skip
    for statement in statements:
        connection.execute(statement)


def change_schema_rows(connection, rng):
    """Change the table of the tables itself."""
    connection.execute("PRAGMA writable_schema = ON")
    table = rng.choice(TABLES)
    old, new = rng.choice((
        ("TEXT", "INTEGER"), ("TEXT", "TEXT COLLATE NOCASE"), ("INTEGER", "REAL"), ("NOT NULL", ""), ("NOT NULL", "DEFAULT 1"),
        ("PRIMARY KEY", '"PRIMARY" KEY'), ("CREATE TABLE", "CREATE  TABLE"), ("(", "( "), ('"', ""), ("UNIQUE", ""),
        ("number", '"number"'), ("REFERENCES game", "REFERENCES series"), ("NOT NULL)", "NOT NULL) STRICT"), (")", ") /* */"),
        ("BLOB", "BLOB AS (x'00')"), ("winner", "loser"), ("red ", "blue2 "), ("packed", "marks2"), ("CHECK (one = 1)", ""),
        (")", ", CHECK (abs(1) = 1))"), (", ", ", \x1b[2J"), ("TEXT", "TEXT DEFAULT (randomblob(9))"), ("CREATE", "CREATE TEMP"),
    ))  # fmt: skip
    other = rng.choice(TABLES)
    root = f"(SELECT rootpage FROM sqlite_schema WHERE name = '{other}')"
    statement, *values = rng.choice((
        *[("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?", old, new, table)] * 4,
        (f"UPDATE sqlite_schema SET rootpage = {root} WHERE name = ?", table),
        ("UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", rng.randrange(30), table),
        ("UPDATE sqlite_schema SET rootpage = rootpage + ? WHERE name LIKE 'sqlite_auto%'", rng.choice((-1, 1))),
        ("DELETE FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?", table),
        ("UPDATE sqlite_schema SET name = ? WHERE name = ?", rng.choice(("x", "", "sqlite_x", other)), table),
        ("UPDATE sqlite_schema SET tbl_name = ? WHERE name = ?", other, table),
        ("UPDATE sqlite_schema SET type = ? WHERE name = ?", rng.choice(("view", "trigger", "index", "x")), table),
        (f"INSERT INTO sqlite_schema SELECT 'table', 'y', 'y', {root}, 'CREATE TABLE y (a)'",),
        ("INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = ?", table),
    ))  # fmt: skip
    connection.execute(statement, values)
    connection.execute("PRAGMA writable_schema = OFF")


def change_rows(connection, rng):
    connection.execute("PRAGMA ignore_check_constraints = ON")
    table = rng.choice(TABLES)
    column = pick_column(connection, rng, table)
    statement, *values = rng.choice((
        *[(f'UPDATE {table} SET "{column}" = ?', rng.choice(VALUES))] * 2,
        (f'UPDATE {table} SET "{column}" = CAST("{column}" AS {rng.choice(("BLOB", "TEXT", "REAL", "INTEGER"))})',),
        (f'UPDATE {table} SET "{column}" = zeroblob(?)', rng.choice((9, 2**18))),
        (f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})",),
        (f"UPDATE {table} SET rowid = rowid + 1 WHERE rowid = (SELECT max(rowid) FROM {table})",),
        (f"UPDATE {table} SET rowid = -rowid WHERE rowid = 1",),
        ("INSERT INTO playing VALUES (1, ?)", rng.choice(("now", "\x1b[2J", "2026-11-22T08:00:00"))),
        ("INSERT OR REPLACE INTO series SELECT number + 1, manifest FROM series",),
    ))  # fmt: skip
    connection.execute(statement, values)


def change_settings(connection, rng):
    name = rng.choice(("user_version", "application_id", "schema_version", "encoding", "auto_vacuum", "page_size"))
    connection.execute(f"PRAGMA {name} = {rng.choice((0, 1, 2, 1024, 999, -1))}")
    if rng.random() < 0.5:
        connection.execute("VACUUM")


def change_bytes(path, rng):
    """Change bytes of one page: its head, the cells of a small table or index, or anything."""
    pages = path.stat().st_size // PAGE
    number = rng.randrange(1, pages + 1)

    def change(page):
        if rng.random() < 0.3:
            page[:] = page.replace(*rng.sample((b"hunter", b"random"), 2))
            return
        for _ in range(rng.choice((1, 1, 4))):
            page[rng.randrange(rng.choice((12, 110, PAGE)))] = rng.choice((0, 1, 2, 5, 10, 13, 255, rng.randrange(256)))

    change_page(path, number, change)


def mutate(path, number):
    """Change a file in one or two ways that follow from a number."""
    rng = random.Random(number)
    for _ in range(rng.choice((1, 1, 2))):
        kind = rng.choice((change_definition, change_schema_rows, change_rows, change_settings, change_bytes))
        if kind is change_bytes:
            change_bytes(path, rng)
            continue
        with closing(sqlite3.connect(path, isolation_level=None)) as connection, suppress(sqlite3.Error, TypeError):
            connection.execute("PRAGMA synchronous = OFF")
            kind(connection, rng)
