"""Damaged results: every command that reads them reports the damage in one line, or shows what it can."""

import json
import random
import shutil
import sqlite3
import zlib
from contextlib import closing, suppress

import pytest
from cli.command_line import call
from tournament.rulings import withdraw

from arbiter.errors import ConfigError
from arbiter.packing import pack, unpack
from arbiter.serve.results import ServedResults

GAME = "hunter~random~1"
COMMANDS = [
    line.split()
    for line in f"""
games RESULTS
games RESULTS --id {GAME} --log
games RESULTS --show void
standings RESULTS
standings RESULTS --show crosstable
status RESULTS
verify RESULTS
replay RESULTS {GAME} --plain --at end
report RESULTS -o OUT
backup RESULTS OUT/copy.sqlite
rerun RESULTS none~such~1
""".strip().splitlines()
]
TABLES = ("series", "game", "record", "stderr", "wire", "ruling", "program", "chain")
BLOB = zlib.compress(b'{"type":"game"}\n' * 9)
TEXTS = "x red a~b~1 ../../x timeout 2026-13-99 [] {} null random s9~hunter~random~1 nan walkover"
VALUES = (
    *(None, -1, 0, 2**62, 1.5, 9e999, -9e999, "", "\x1b[2J", "9" * 400, b"", b"x", b"\xff" * 9, *TEXTS.split()),
    *(zlib.compress(b""), zlib.compress(b"\xff\xfe"), zlib.compress(b"{}\n" * 9), BLOB, BLOB[:-2]),
    *('{"tournament":{}}', "[" * 5000, '{"host":1}'),
)


@pytest.fixture(scope="module")
def healthy(logged, tmp_path_factory):
    """Return results with logs and a withdrawal."""
    folder = tmp_path_factory.mktemp("healthy")
    results = shutil.copy(logged.parent / "results" / "club.sqlite", folder / "club.sqlite")
    withdraw(results, "random")
    return results


def flip_bytes(path, rng):
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice((1, 3, 30))):
        data[rng.randrange(rng.choice((100, 4096, len(data))))] = rng.randrange(256)
    path.write_bytes(data)


def cut_off(path, rng):
    data = path.read_bytes()
    path.write_bytes(data[: rng.choice((rng.randrange(200), rng.randrange(len(data)), len(data) // 4096 // 2 * 4096))])


def replace_values(path, rng):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for _ in range(rng.choice((1, 1, 3))):
            table = rng.choice(TABLES)
            column = rng.choice(connection.execute(f"PRAGMA table_info({table})").fetchall())[1]
            with suppress(sqlite3.IntegrityError):
                connection.execute(f'UPDATE {table} SET "{column}" = ?', (rng.choice(VALUES),))


def change_text(path, rng):
    """Change a character of the manifest or of a record."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        if rng.random() < 0.5:
            (text,) = connection.execute("SELECT manifest FROM series").fetchone()
            place = rng.randrange(len(text))
            text = text[:place] + rng.choice('019x"{}[]:,-e.') + text[place + 1 :]
            connection.execute("UPDATE series SET manifest = ?", (text,))
        else:
            (packed,) = connection.execute("SELECT packed FROM record LIMIT 1").fetchone()
            data = bytearray(unpack(packed))
            data[rng.randrange(len(data))] = rng.randrange(256)
            connection.execute("UPDATE record SET packed = ?", (pack(bytes(data)),))


def change_tables(path, rng):
    table = rng.choice(TABLES)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(
            rng.choice((f"DROP TABLE {table}", f"DELETE FROM {table}", f"ALTER TABLE {table} RENAME TO x"))
        )
        if rng.random() < 0.3:
            connection.execute(f"PRAGMA user_version = {rng.randrange(7)}")


DAMAGES = (flip_bytes, cut_off, replace_values, replace_values, change_text, change_tables)


@pytest.mark.parametrize("first", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in range(12, 900, 12))])
def test_damaged_results(healthy, tmp_path, first):
    for number in range(first, first + 12):
        rng = random.Random(number)
        folder = tmp_path / str(number)
        folder.mkdir()
        results = shutil.copy(healthy, folder / "club.sqlite")
        damage = DAMAGES[number % len(DAMAGES)]
        damage(results, rng)
        words = [COMMANDS[(number // len(DAMAGES) + step) % len(COMMANDS)] for step in range(3)]
        for command in words:
            places = {"RESULTS": results, "OUT": folder / "out", "OUT/copy.sqlite": folder / "copy.sqlite"}
            result = call(*(places.get(word, word) for word in command))
            assert result.exit_code in (0, 1, 2), (number, command)
            if result.exit_code == 2:
                assert len(result.stderr.splitlines()) == 1, (number, command, result.stderr)
        with suppress(ConfigError), ServedResults.read(results) as store:
            store.results()


CRAFTED = {"nested too deep": "[" * 100_000, "too large a number": '{"cores": 1%s}' % ("0" * 30)}


@pytest.mark.parametrize("conditions", CRAFTED.values(), ids=CRAFTED)
def test_crafted_conditions_are_one_line(healthy, tmp_path, conditions):
    results = shutil.copy(healthy, tmp_path / "club.sqlite")
    with closing(sqlite3.connect(results, isolation_level=None)) as connection:
        known = connection.execute("SELECT conditions FROM game").fetchone()[0]
        changed = json.dumps(json.loads(known) | json.loads(conditions)) if conditions[0] == "{" else conditions
        connection.execute("UPDATE game SET conditions = ?", (changed,))
    for command in ("games", "standings", "status", "report"):
        result = call(command, results, *(["-o", tmp_path / "out"] * (command == "report")))
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1), (command, result.stderr)
        assert "a game in it is damaged" in result.stderr
    assert call("verify", results).exit_code == 1
