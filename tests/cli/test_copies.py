"""`backup`, and copies of results that lack their write-ahead log."""

import shutil
import sqlite3
from contextlib import closing

import pytest
from cli.command_line import call, call_ok, call_refused, write_tournament

from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.store import Store

EXPLANATION = "was copied without its club.sqlite-wal file"


@pytest.fixture
def playing(played, tmp_path):
    """Open copied results for writing, as a run does, with a game in the log that is not yet in the file."""
    file = shutil.copytree(played.parent, tmp_path / "playing") / played.name
    results = file.parent / "results" / "club.sqlite"
    with Store.read(results) as store:
        first, *others = store.games()
        records = {game.id: store.record(game.id) for game in others}
        manifest = store.manifest
    results.unlink()
    with Store.create_or_resume(results, manifest) as store:
        for game in others:
            store.add([NewGame(game, records[game.id])])
        assert first.id not in {game.id for game in store.games_as_stored()}
        yield results


def copy_alone(results, tmp_path):
    folder = tmp_path / "copied"
    folder.mkdir()
    return shutil.copy(results, folder / results.name)


def test_a_backup_during_a_run_is_complete(playing, tmp_path):
    target = tmp_path / "copy.sqlite"
    count, digest = call_ok("backup", playing, target).splitlines()
    assert count == f"11 games in {target}"
    assert list(tmp_path.glob("copy*")) == [target]
    with Store.read(playing) as store, Store.read(target) as copy:
        assert copy.games() == store.games()
        assert copy.verify_chain().digest == store.verify_chain().digest == digest.removeprefix("digest ")
        assert copy.record(copy.games()[0].id) == store.record(copy.games()[0].id)
    assert call("verify", target).exit_code == 0


def test_a_backup_can_be_resumed(playing, tmp_path):
    target = tmp_path / "results" / "club.sqlite"
    target.parent.mkdir()
    call_ok("backup", playing, target)
    file = shutil.copy(playing.parent.parent / "club.toml", tmp_path)
    assert "12 games, 11 of them played before" in call_ok("run", file)


def test_a_backup_overwrites_nothing(played, tmp_path):
    target = tmp_path / "copy.sqlite"
    target.write_text("precious")
    assert f"{target}: already exists and is not overwritten" in call_refused("backup", played, target)
    assert "name a file in it" in call_refused("backup", played, tmp_path)
    assert target.read_text() == "precious"
    assert "cannot be opened" in call_refused("backup", played, tmp_path / "none" / "copy.sqlite")


def test_a_backup_of_results_that_were_changed_says_so(club, tmp_path):
    results = club.parent / "results" / "club.sqlite"
    with closing(sqlite3.connect(results, isolation_level=None)) as connection:
        connection.execute("UPDATE game SET winner = NULL WHERE number = 3")
    text = call_refused("backup", club, tmp_path / "copy.sqlite")
    assert "the copy is complete, but not correct: game 3 (" in text


@pytest.mark.parametrize("command", ["games", "standings", "status"])
def test_a_copy_without_its_log_is_named_as_such(playing, tmp_path, command):
    copied = copy_alone(playing, tmp_path)
    result = call(command, copied)
    assert EXPLANATION in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.exit_code == 0


def test_nothing_is_played_or_changed_in_a_copy_without_its_log(playing, tmp_path):
    copied = copy_alone(playing, tmp_path)
    file = shutil.copy(playing.parent.parent / "club.toml", tmp_path)
    for _ in range(2):
        assert EXPLANATION in call_refused("run", file, "--results", copied.parent)
        assert EXPLANATION in call_refused("withdraw", copied, "random")
    assert EXPLANATION in call("verify", copied).stdout
    assert list(copied.parent.iterdir()) == [copied]


def test_a_blank_copy_is_not_played_from_scratch(tmp_path):
    results = tmp_path / "club.sqlite"
    with closing(
        sqlite3.connect(results)
    ) as connection:  # what an arbiter that was killed at the start left in the file
        connection.execute("PRAGMA journal_mode = WAL")
    file = write_tournament(tmp_path)
    assert EXPLANATION in call_refused("run", file, "--results", tmp_path)
    assert EXPLANATION in call_refused("games", results)


def test_a_copy_without_its_log_can_be_used_after_a_backup(playing, tmp_path):
    copied = copy_alone(playing, tmp_path)
    result = call("backup", copied, tmp_path / "saved.sqlite")
    assert (result.exit_code, EXPLANATION in result.stderr) == (0, True)
    assert call("games", tmp_path / "saved.sqlite").stderr == ""


def test_results_of_a_killed_run_are_not_taken_for_a_copy(playing):
    with closing(sqlite3.connect(playing)) as connection:
        assert connection.execute("SELECT count(*) FROM playing").fetchone() == (1,)
    killed = playing.with_name("killed.sqlite")
    shutil.copy(playing, killed)
    shutil.copy(playing.with_name("club.sqlite.lock"), killed.with_name("killed.sqlite.lock"))
    assert call("games", killed).stderr == ""
