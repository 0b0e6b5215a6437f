"""Change results as another program would, or into those of an earlier format."""

import sqlite3


def database(path, *statements):
    path.parent.mkdir(exist_ok=True)
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def without(*columns):
    return tuple(f"ALTER TABLE game DROP COLUMN {column}" for column in columns)


ADDED_IN = {
    2: ("DROP TABLE wire",),
    3: without("acts"),
    4: ("DROP TABLE withdrawn", *without("red_ms", "blue_ms")),
    5: (
        *(f"DROP TABLE {table}" for table in ("ruling", "attempt", "series", "program", "playing", "chain")),
        *without("conditions", "series", "red_program", "blue_program"),
        "ALTER TABLE log DROP COLUMN marks",
    ),
}


def downgrade(path, format_):
    """Remove from results what later formats have added."""
    added = [statement for later, added in ADDED_IN.items() if later > format_ for statement in added]
    database(path, *added, f"PRAGMA user_version = {format_}")
