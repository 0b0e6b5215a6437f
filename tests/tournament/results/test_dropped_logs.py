"""Logs of ordinary games that are dropped after some days: everything else is still proved."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
from cli.command_line import call, call_ok, write_tournament
from tournament.rulings import DECISION, rule_game

from arbiter.director.files import results_file
from arbiter.director.journal import Journal
from arbiter.tournament.results import upkeep
from arbiter.tournament.results.integrity import is_dropped
from arbiter.tournament.results.store import Store

LATER = datetime(2040, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Results of six games with logs, one of which has a ruling."""
    folder = tmp_path_factory.mktemp("logs")
    file = write_tournament(
        folder, bots=("hunter", "random", "stdlib"), keep_logs=True, draws={"max_plies": 20}, drop_logs_after=30
    )
    call_ok("run", file)
    results = results_file(file, None)
    rule_game(results, "hunter~random~1", "red", DECISION)
    return results


def test_old_logs_are_dropped_and_the_chain_still_fits(played, tmp_path, monkeypatch):
    monkeypatch.setattr(upkeep, "MOST_AT_ONCE", 3)
    results = tmp_path / "copy.sqlite"
    call_ok("backup", played, results)
    with Store.read(results) as store:
        manifest, digest = store.manifest, store.verify_chain().digest
        before = {game.id: store.log(game.id) for game in store.games_as_stored()}
    assert all(log.wire for log in before.values())
    with Store.create_or_resume(results, manifest) as store:
        journal = Journal(store.manifest, store=store)
        assert not journal.drop_logs(), "the games are new"
        batches = 1
        while journal.drop_logs(LATER):
            batches += 1
        assert batches > 1
        assert not journal.drop_logs(LATER)
    with Store.read(results) as store:
        chain = store.verify_chain(digest)
        assert chain.faults == ()
        assert chain.unknown == ()
        for game, log in before.items():
            found = store.log(game)
            assert found == log if game == "hunter~random~1" else not (found.wire or found.stderr)
            assert store.record(game)
    call_ok("verify", results)
    bundle = tmp_path / "bundle.zip"
    assert call("games", results, "--id", "random~hunter~1", "--bundle", bundle).exit_code == 0
    call_ok("verify", bundle)
    compact = tmp_path / "compact.sqlite"
    call_ok("backup", results, compact, "--compact")
    assert compact.stat().st_size < results.stat().st_size
    call_ok("verify", compact)


def test_another_digest_in_place_of_a_log_is_found(played, tmp_path):
    results = tmp_path / "copy.sqlite"
    call_ok("backup", played, results)
    with closing(sqlite3.connect(results)) as connection, connection:
        connection.execute("UPDATE wire SET packed = ? WHERE number = 1", (b"\0dropped" + bytes(32),))
    assert is_dropped(b"\0dropped" + bytes(32))
    assert not is_dropped(b"\0dropped" + bytes(31))
    with Store.read(results) as store:
        assert "game 1 (" in "".join(store.verify_chain().faults)
