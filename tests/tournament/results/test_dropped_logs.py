"""Logs of ordinary games that are dropped after some days: everything else is still proved."""

import hashlib
import json
import re
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime
from functools import partialmethod
from pathlib import Path

import pytest
from cli.command_line import call, call_ok, write_tournament
from tournament.rulings import DECISION, rule_game
from tournament.stored_games import attempt

from arbiter.director.files import results_file
from arbiter.director.journal import Journal
from arbiter.tournament.new_results import NewAttempt
from arbiter.tournament.results import upkeep
from arbiter.tournament.results.integrity import is_dropped, link_row
from arbiter.tournament.results.store import Store
from arbiter.transcript import GameLog, Transcript

LATER = datetime(2040, 1, 1, tzinfo=UTC)
DIARY = {
    "name": "diary",
    "command": [sys.executable, "-ES", str(Path(__file__).parents[2] / "bots/logs_at_the_end.py")],
}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Results of six games with logs, one of which has a ruling, and of a voided attempt."""
    folder = tmp_path_factory.mktemp("logs")
    file = write_tournament(
        folder,
        rules="original",
        bots=("hunter", "random", DIARY),
        keep_logs=True,
        draws={"max_plies": 6},
        drop_logs_after=30,
    )
    call_ok("run", file)
    results = results_file(file, None)
    rule_game(results, "hunter~random~1", "red", DECISION)
    with Store.read(results) as store:
        manifest = store.manifest
    with Store.create_or_resume(results, manifest) as store:
        store.add([NewAttempt(attempt("hunter~diary~1"), GameLog(wire={"red": Transcript()}))])
    return results


@pytest.fixture
def copy(played, tmp_path):
    call_ok("backup", played, tmp_path / "copy.sqlite")
    return tmp_path / "copy.sqlite"


@pytest.fixture
def later(monkeypatch):
    """Let `arbiter verify` run when all games are old."""
    monkeypatch.setattr(Store, "find_dropped_logs", partialmethod(Store.find_dropped_logs, now=LATER))


def drop(results, table, column, games):
    """Put the digests of parts of some games, or of other rows, in their place."""
    number = "game" if table in ("record", "stderr", "wire") else "number"
    select = f"SELECT {table}.rowid, {column} FROM {table}" + (" JOIN game USING (number)" if number == "game" else "")
    where = f" WHERE {'id' if number == 'game' else table + '.number'} = ?"
    with closing(sqlite3.connect(results)) as connection, connection:
        rows = [row for one in games for row in connection.execute(select + where, (one,)).fetchall()]
        assert rows
        for row, part in rows:
            dropped = b"\0dropped" + hashlib.sha256(part).digest()
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (dropped, row))


@pytest.mark.usefixtures("later")
def test_old_logs_are_dropped_and_the_chain_still_fits(copy, tmp_path, monkeypatch):
    monkeypatch.setattr(upkeep, "MOST_AT_ONCE", 3)
    with Store.read(copy) as store:
        manifest, digest = store.manifest, store.verify_chain().digest
        before = {game.id: store.log(game.id) for game in store.games_as_stored()}
    assert all(log.wire for log in before.values())
    with Store.create_or_resume(copy, manifest) as store:
        journal = Journal(store.manifest, store=store)
        assert not journal.drop_logs(), "the games are new"
        batches = 1
        while journal.drop_logs(LATER):
            batches += 1
        assert batches > 1
        assert not journal.drop_logs(LATER)
    with Store.read(copy) as store:
        chain = store.verify_chain(digest)
        assert chain.faults == ()
        assert chain.unknown == ()
        for game, log in before.items():
            found = store.log(game)
            assert found == log if game == "hunter~random~1" else not (found.wire or found.stderr)
            assert store.record(game)
    assert "; logs of 5 games are gone; " in call_ok("verify", copy)
    assert json.loads(call_ok("verify", copy, "--json"))["dropped"] == 5
    bundle = tmp_path / "bundle.zip"
    assert call("games", copy, "--id", "random~hunter~1", "--bundle", bundle).exit_code == 0
    assert "that a log of the game was old enough to be dropped" in call_ok("verify", bundle)
    compact = tmp_path / "compact.sqlite"
    call_ok("backup", copy, compact, "--compact")
    assert compact.stat().st_size < copy.stat().st_size
    call_ok("verify", compact)


def test_another_digest_in_place_of_a_log_is_found(copy):
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE wire SET packed = ? WHERE number = 1", (b"\0dropped" + bytes(32),))
    assert is_dropped(b"\0dropped" + bytes(32))
    assert not is_dropped(b"\0dropped" + bytes(31))
    with Store.read(copy) as store:
        assert "game 1 (" in "".join(store.verify_chain().faults)


CHANGED = "was changed by another program"
GONE = "its log is gone, but `drop_logs_after` does not allow that"
DROPPED = {
    "a record": ("record", "packed", "hunter~random~1", f"(hunter~random~1) {CHANGED}"),
    "the files of a program": ("program", "listing", 1, f"program 1 {CHANGED}"),
    "the log of a voided attempt": ("attempt", "log", 1, f"voided attempt 1 {CHANGED}"),
    "messages, before the ruling": ("wire", "packed", "hunter~random~1", f"hunter~random~1: {GONE}"),
    "the times of stderr alone": ("stderr", "marks", "hunter~diary~1", f"hunter~diary~1: {GONE}"),
}


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("what", DROPPED)
def test_nothing_but_old_logs_can_be_dropped(copy, what):
    table, column, game, fault = DROPPED[what]
    drop(copy, table, column, [game])
    verified = call("verify", copy)
    assert verified.exit_code == 1
    assert f"{fault}\n" in verified.stdout


CHANGES = {
    "program": "files = 0",
    "attempt": "log = NULL",
    "ruling": """reason = '{"code":"stated","text":"of the weather"}' """,
}


@pytest.mark.parametrize("table", CHANGES)
def test_a_row_that_a_later_link_replaces_is_found(copy, table):
    """The links before it, and so every published digest, still fit."""
    with Store.read(copy) as store:
        digest = store.verify_chain().digest
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute(f"UPDATE {table} SET {CHANGES[table]} WHERE number = 1")
        link_row(connection, table, 1)
    verified = call("verify", copy, "--digest", digest)
    assert verified.exit_code == 1
    assert re.search(rf"{table} 1 was stored twice\n", verified.stdout)


def test_new_logs_cannot_be_dropped(copy):
    drop(copy, "wire", "packed", ["hunter~diary~1", "diary~hunter~1"])
    verified = call("verify", copy)
    assert verified.exit_code == 1
    assert verified.stdout.count(GONE) == 2


@pytest.mark.usefixtures("later")
def test_logs_that_an_earlier_setting_dropped_may_be_gone(played, copy):
    file = played.parent.parent / "club.toml"
    resumed = copy.parent / "club.toml"
    resumed.write_text(file.read_text().replace("drop_logs_after = 30\n", ""))
    drop(copy, "wire", "packed", ["hunter~diary~1"])
    call_ok("run", resumed, "--results", copy)
    assert "; logs of 1 game are gone; " in call_ok("verify", copy)
