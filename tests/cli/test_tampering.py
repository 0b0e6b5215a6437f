"""`verify RESULTS`: each change of the results by another program is detected."""

import json
import shutil
import sqlite3
import zlib
from contextlib import closing

import msgspec
import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament
from tournament.rulings import insert

from arbiter.tournament.events import Attempt
from arbiter.tournament.machine import PlayingConditions
from arbiter.tournament.new_results import NewAttempt, NewGame
from arbiter.tournament.results.integrity import digest_row, follow, read_chain
from arbiter.tournament.results.schema import SCHEMA
from arbiter.tournament.results.store import Store
from arbiter.tournament.standings.stored_game import Ruling, StoredGame
from arbiter.transcript import GameLog
from protocol.reasons import Stated

GAME = "hunter~random~1"
RULING = Ruling(
    number=1,
    at="2026-11-22T08:00:00+00:00",
    by="ann",
    reason=Stated("the power failed"),
    kind="annul",
    game=GAME,
    previous="red",
    result="annulled",
    games=3,
    rounds=1,
)
CONDITIONS = PlayingConditions(host="here", cores=2, jobs=1, load=0.5, lag_ms=1.5)
TABLES = ("series", "game", "record", "stderr", "wire", "ruling", "attempt", "program", "chain")


def make_attempt():
    values = {"id": GAME, "round": 1, "red": "hunter", "blue": "random", "started": "2026-11-22T08:00:00+00:00"}
    values |= {
        "seconds": 1.5,
        "cause": "error",
        "reason": {"code": "arbiter_failed", "traceback": "Traceback"},
        "seat": "red",
        "plies": 3,
    }
    return msgspec.convert(values | {"conditions": msgspec.to_builtins(CONDITIONS)}, Attempt)


@pytest.fixture(scope="module")
def event(tmp_path_factory, quick):
    """Play a small tournament, and add a row to each table."""
    folder = tmp_path_factory.mktemp("event")
    call_ok("run", write_tournament(folder, bots=quick[:2], games=4, keep_logs=True))
    results = folder / "club.sqlite"
    played = Store.read(folder / "results" / "club.sqlite")
    with played, Store.create_or_resume(results, played.manifest) as store:
        for seen in played.programs():
            store.add_program(seen.bot, seen.found, seen.how)
        for game in played.games()[:3]:
            log = GameLog(wire=played.log(game.id).wire, stderr={"red": "text", "blue": "text"})
            store.add([NewGame(game, played.record(game.id), log)])
        store.add([NewAttempt(make_attempt(), GameLog(stderr={"red": "text"}))])
    insert(results, RULING)
    return results


@pytest.fixture
def results(event, tmp_path):
    return shutil.copy(event, tmp_path / "club.sqlite")


def change(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement, *values in statements:
            connection.execute(statement, values)


def verify(path, *options):
    result = call("verify", path, "--json", *options)
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def list_columns():
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in SCHEMA:
            connection.execute(statement)
        columns = [
            (table, column) for table in TABLES for _, column, *_ in connection.execute(f"PRAGMA table_info({table})")
        ]
    return [(table, column) for table, column in columns if column != "one"]  # its table accepts only one value


def tamper(value, table, column):
    """Return another value that could be taken for a true one."""
    if column == "conditions" and value:
        return value.replace('"jobs":1', '"jobs":2')
    if column == "seat" and table != "attempt":
        return "green"
    if isinstance(value, bytes):
        return zlib.compress(zlib.decompress(value).replace(b"e", b"f", 1) + b" ")
    if isinstance(value, int | float):
        return value + 1
    other = {"red": "blue", "blue": "red", "hunter": "random", "random": "hunter", None: "red"}.get(value)
    changed = other or value.replace("Club", "Pub").replace("2026", "2025")
    return f"{value}x" if changed == value else changed


def test_the_results_are_correct_before(results):
    code, report = verify(results)
    assert (code, report["faults"], report["games"], report["missing"]) == (0, [], 3, 1)


@pytest.mark.parametrize(("table", "column"), list_columns())
def test_each_column(results, table, column):
    with closing(sqlite3.connect(results)) as connection:
        (value,) = connection.execute(f'SELECT "{column}" FROM {table} ORDER BY rowid DESC LIMIT 1').fetchone()
    new = tamper(value, table, column)
    assert new != value
    where = f"rowid = (SELECT max(rowid) FROM {table})"
    change(results, (f'UPDATE {table} SET "{column}" = ? WHERE {where}', new))
    code, report = verify(results)
    assert code == 1
    assert report["faults"]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_removed_game(results, number):
    change(
        results, *((f"DELETE FROM {table} WHERE number = ?", number) for table in ("game", "record", "stderr", "wire"))
    )
    code, report = verify(results)
    assert code == 1
    assert f"game {number} was removed" in report["faults"]


def test_a_removed_game_and_its_link(results):
    change(
        results,
        ("DELETE FROM chain WHERE part = 'game' AND row = 2",),
        *((f"DELETE FROM {table} WHERE number = 2",) for table in ("game", "record", "stderr", "wire")),
    )
    code, report = verify(results)
    assert code == 1
    assert any(fault.startswith("link ") and fault.endswith("of the chain is missing") for fault in report["faults"])


def test_two_games_that_are_swapped(results):
    swap = "number = CASE number WHEN 1 THEN -2 WHEN 2 THEN -1 END WHERE number IN (1, 2)"
    tables = ("game", "record", "stderr", "wire")
    change(
        results,
        *((f"UPDATE {table} SET {swap}",) for table in tables),
        *((f"UPDATE {table} SET number = -number WHERE number < 0",) for table in tables),
    )
    code, report = verify(results)
    assert code == 1
    assert sum("was changed by another program" in fault for fault in report["faults"]) == 2


def test_two_results_that_are_swapped(results):
    with closing(sqlite3.connect(results)) as connection:
        one, two = connection.execute("SELECT packed FROM record ORDER BY number LIMIT 2").fetchall()
    change(results, *(("UPDATE record SET packed = ? WHERE number = ?", *new) for new in ((*two, 1), (*one, 2))))
    code, report = verify(results)
    assert code == 1
    assert any("by its record" in fault for fault in report["faults"])


def test_a_game_that_is_duplicated(results):
    names = ", ".join(StoredGame.__struct_fields__[1:])
    columns = names.replace("pair", "pair + 6")
    change(
        results,
        (f"INSERT INTO game (number, id, {names}) SELECT 9, 'hunter~random~7', {columns} FROM game WHERE number = 1",),
        ("INSERT INTO record SELECT 9, packed FROM record WHERE number = 1",),
    )
    code, report = verify(results)
    assert code == 1
    assert "game 9 (hunter~random~7) was inserted by another program" in report["faults"]


def test_a_manifest_that_is_changed_stays_visible_after_another_change(results):
    change(results, ("UPDATE series SET manifest = manifest || ' '",))
    with Store.read(results) as store:
        manifest = store.manifest
    Store.create_or_resume(results, manifest).close()
    code, report = verify(results)
    assert code == 1
    assert any("table series was changed by another program before link" in fault for fault in report["faults"])


def forge(path):
    """Change the winner and its record in the last game, and make the chain again, as a careful forger would."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE game SET seconds = seconds + 1 WHERE number = 1")
        value = ""
        for link in read_chain(connection):
            digest = digest_row(connection, "game", 1) if (link.part, link.row) == ("game", 1) else link.digest
            value = follow(value, link.part, link.row, digest)
            connection.execute("UPDATE chain SET digest = ?, value = ? WHERE number = ?", (digest, value, link.number))


def test_a_published_digest_reveals_a_forged_chain_and_missing_rows_at_the_end(results):
    digest = verify(results)[1]["digest"]
    change(results, ("DELETE FROM chain WHERE part = 'ruling'",), ("DELETE FROM ruling",))
    assert verify(results)[0] == 0
    assert verify(results, "--digest", digest)[0] == 1
    earlier = verify(results)[1]["digest"]
    insert(results, RULING)
    assert verify(results, "--digest", earlier)[0] == 0  # rows were only added
    forge(results)
    assert verify(results)[0] == 0
    assert verify(results, "--digest", earlier)[0] == 1


def test_endings_that_no_record_can_prove_are_counted(results):
    with Store.read(results) as store:
        game = store.games()[0]
        record = store.record(game.id)
    lines = record.splitlines()
    result = json.loads(lines[-1]) | {"ending": "timeout", "plies": 0}
    forged = b"\n".join([lines[0], json.dumps(result).encode(), b""])
    change(
        results,
        ("UPDATE record SET packed = ? WHERE number = 1", zlib.compress(forged)),
        ("UPDATE game SET ending = 'timeout', plies = 0, fingerprint = ? WHERE number = 1", ""),
    )
    _, report = verify(results)
    assert report["unchecked"] == {"timeout": 1}
    assert [fault for fault in report["faults"] if "breaks the rules" in fault] == []


def test_a_digest_is_not_for_records(results, tmp_path):
    (tmp_path / "game.jsonl").write_bytes(b"{}")
    assert "--digest and --publish are for results" in call_refused("verify", tmp_path / "game.jsonl", "--digest", "00")
