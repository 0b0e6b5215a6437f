"""Results of earlier formats: read from a copy, and changed when they are played or ruled on."""

import bz2
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tournament.rulings import FORCED, rule_game, undo_reinstatement, withdraw

from arbiter.director.verification import verify_results
from arbiter.errors import ConfigError
from arbiter.tournament.results.database import backup
from arbiter.tournament.results.schema import FORMAT
from arbiter.tournament.results.store import Store

FORMAT_1 = Path(__file__).parents[2] / "data" / "results" / "format-1.sqlite.bz2"
"""A Swiss tournament of eight bots that was stopped in round 4 of 5: c withdrew, e was reinstated, and a game ruled on."""
DIGEST = "da629584cdc40d65fa97f57f649d0e845c418f2b136dba308123d9a42a0d1a76"
POINTS = {"a": 45, "b": 34, "d": 28, "f": 26, "h": 17, "g": 16, "c": 14, "e": 0}


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "club.sqlite"
    path.write_bytes(bz2.decompress(FORMAT_1.read_bytes()))
    return path


def read_format(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def check(path):
    with Store.read(path) as store:
        chain = store.verify_chain(DIGEST)
        history = store.history()
        schedule = store.schedule()
    assert chain.faults == ()
    assert chain.unknown == ()
    assert history.withdrawn == {"c"}
    assert [ruling.kind for ruling in history.rulings][:5] == ["result", "reinstate", "replay", "replay", "withdraw"]
    assert {one.bot: one.points for one in schedule.rank(schedule.stages[0])} == POINTS
    return schedule


def test_reading_leaves_the_file_as_it_is(results):
    before = results.read_bytes()
    results.chmod(0o444)
    schedule = check(results)
    met = [{meeting.one + meeting.two for meeting in one.fixtures.meetings} for one in schedule.stages[0].rounds]
    assert met == [{"ae", "bf", "cg", "dh"}, {"ac", "bd", "fh", "ge"}, {"ab", "cf", "dg"}, {"ad", "bh", "fg"}]
    faults = verify_results(results, DIGEST).faults
    assert all("its record cannot be read" in fault for fault in faults), "the records are not those of games"
    assert results.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda path: withdraw(path, "b"),
        lambda path: rule_game(path, "a~d~1", "draw", FORCED),
        lambda path: undo_reinstatement(path, "e", FORCED),
        lambda path: withdraw(path, "c", back=True),
    ],
)
def test_a_ruling_changes_the_format(results, change):
    change(results)
    assert read_format(results) == FORMAT
    with Store.read(results) as store:
        chain = store.verify_chain(DIGEST)
        assert (chain.faults, chain.unknown) == ((), ())
        assert len(store.rulings()) == 6


def test_a_run_changes_the_format(results):
    with Store.read(results) as store:
        manifest = store.manifest
    Store.create_or_resume(results, manifest).close()
    assert read_format(results) == FORMAT
    check(results)


def test_a_backup_is_verified(results, tmp_path):
    assert backup(results, tmp_path / "copy.sqlite")[0] == 27
    assert read_format(results) == 1
    check(tmp_path / "copy.sqlite")


@pytest.mark.parametrize("statement", ["CREATE VIEW v AS SELECT 1", "ALTER TABLE withdrawn ADD COLUMN x"])
def test_other_tables_are_refused(results, statement):
    with closing(sqlite3.connect(results)) as connection:
        connection.execute(statement)
    for use in (Store.read, lambda path: withdraw(path, "b")):
        with pytest.raises(ConfigError, match="its tables are not those of an arbiter"):
            use(results)
    assert read_format(results) == 1


def test_a_withdrawal_by_another_program_stays_visible(results):
    with closing(sqlite3.connect(results)) as connection:
        connection.execute("INSERT INTO withdrawn VALUES ('g', '2026-11-22')")
        connection.commit()
    withdraw(results, "b")
    with Store.read(results) as store:
        assert any("table withdrawn was changed by another program" in fault for fault in store.verify_chain().faults)
