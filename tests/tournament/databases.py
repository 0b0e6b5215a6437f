"""Change results as another program would."""

import sqlite3


def database(path, *statements):
    path.parent.mkdir(exist_ok=True)
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
