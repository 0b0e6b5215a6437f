"""Results are untrusted input: every change of tables or rows is refused in one line, or changes nothing that is read."""

import os
import random
import shutil
import sqlite3
from contextlib import closing

import pytest
from msgspec.structs import replace
from tournament.results import hostile_files
from tournament.rulings import rule_game, withdraw
from tournament.stored_games import game
from tournament.tournaments import manifest

from arbiter.director.verification import verify_results
from arbiter.errors import ConfigError
from arbiter.tournament.events import Attempt
from arbiter.tournament.new_results import NewAttempt, NewGame
from arbiter.tournament.programs import ProgramDigest
from arbiter.tournament.results import database
from arbiter.tournament.results.database import backup
from arbiter.tournament.results.live_files import LOCK_SUFFIX, Lock
from arbiter.tournament.results.reader import Results, Selection
from arbiter.tournament.results.rulings import Decision
from arbiter.tournament.results.schema import FORMAT
from arbiter.tournament.results.store import Store
from arbiter.transcript import GameLog, LogLine, StderrMark, Transcript
from protocol.reasons import ArbiterFailed, Stated

GAME = game("hunter", "random", "red", "flag_taken")
LOG = GameLog(
    wire={"red": Transcript(first=(LogLine(1.0, sent=True, text=b"{}"),))},
    stderr={"red": "text\n"},
    stderr_marks={"red": (StderrMark(0, 1.0, 1),)},
)
ATTEMPT = Attempt(
    id=GAME.id,
    round=1,
    red="hunter",
    blue="random",
    started="",
    seconds=1.0,
    cause="error",
    reason=ArbiterFailed("why"),
)
PROGRAM = ProgramDigest(digest="00", interpreter="python", files=1, size=9, left_out="", listing={"bot.py": "00"})
DECISION = Decision(by="ann", reason=Stated("the power failed"), force=True)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """Make results with rows in every table, and no other file next to them."""
    path = tmp_path_factory.mktemp("original") / "club.sqlite"
    with Store.create_or_resume(path, manifest()) as store:
        for one in (GAME, game("random", "hunter", None, "agreed")):
            store.add([NewGame(one, random.Random(one.id).randbytes(3000), LOG)])
        store.add([NewAttempt(ATTEMPT, LOG)])
        for bot in ("hunter", "random"):
            store.add_program(bot, replace(PROGRAM, digest=bot), "first")
    rule_game(path, GAME.id, "blue", DECISION)
    return path


@pytest.fixture
def results(original, tmp_path):
    return shutil.copy(original, tmp_path / "club.sqlite")


def read_everything(path):
    """Read all that any reader can read."""
    with Results.read(path) as store:
        found = [store.series(), store.rulings(), store.attempts()]
        for series in store.series():
            store.select_series(series)
            games = store.games_as_stored()
            found += [store.manifest, games, store.games(), store.programs(), store.history(), store.snapshot().bots]
            found += [(store.record(game.id), store.log(game.id), store.series_of(game.id)) for game in games]
            found += [list(store.list_games(Selection())), store.standings()]
        found += [store.attempt_log(number) for number in store.attempts()]
        chain = store.verify_chain()
        return (*chain.faults, *filter(None, [store.incomplete])), chain.digest, found


def read_or_refuse(path):
    """Read everything; return the error instead if results are refused, which must be one line."""
    try:
        return read_everything(path)
    except ConfigError as error:
        text = str(error)
    assert "\n" not in text
    return (text,), "", []


@pytest.mark.parametrize(
    ("columns", "table"),
    [(("reason", "by"), "ruling"), (("red_points", "blue_points"), "game"), (("red_ms", "blue_ms"), "game")],
)
def test_columns_under_other_names_are_refused(results, columns, table):
    digest = verify_results(results).digest
    hostile_files.rename_a_column(results, table, *columns)
    with pytest.raises(ConfigError, match=rf"club\.sqlite: was changed by another program: .* \({table}\); restore"):
        verify_results(results, digest)


def test_a_trigger_changes_no_ruling(results):
    hostile_files.add_a_trigger(results)
    with pytest.raises(ConfigError, match=r"its tables are not those of an arbiter \(t\)"):
        rule_game(results, GAME.id, "draw", DECISION)
    with closing(sqlite3.connect(results)) as connection:
        assert connection.execute("SELECT json_extract(reason, '$.text') FROM ruling").fetchall() == [
            (DECISION.reason.text,)
        ]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("table", ["game", "ruling", "chain", "playing", "series"])
def test_a_view_without_an_end_is_refused(results, table, tmp_path):
    hostile_files.add_an_endless_view(results, table)
    for read in (read_everything, verify_results, lambda path: backup(path, tmp_path / "copy.sqlite")):
        with pytest.raises(ConfigError, match="its tables are not those of an arbiter"):
            read(results)


def test_an_index_that_lists_other_rows_than_its_table(results):
    """A game is found by the index alone, and the chain was made from the table."""
    digest = verify_results(results).digest
    hostile_files.change_an_index(results, "sqlite_autoindex_game_1", b"hunter~random~1", b"hunter~random~9")
    faults, found, _ = read_or_refuse(results)
    assert faults or found != digest


@pytest.mark.timeout(60)
@pytest.mark.parametrize("table", ["attempt", "ruling", "chain", "sqlite_schema"])
def test_pages_that_are_children_of_each_other(results, table):
    if table == "sqlite_schema":
        hostile_files.change_page(
            results, 1, lambda page: page.__setitem__(slice(100, 112), b"\5\0\0\0\0\x10\0\0\0\0\0\1")
        )
    else:
        hostile_files.make_a_table_endless(results, table)
    with pytest.raises(ConfigError, match="is damaged"):
        read_everything(results)


@pytest.mark.timeout(60)
def test_pages_that_are_children_of_each_other_in_a_run_in_progress(results, monkeypatch):
    """The structure of results that grow is not checked, so the number of steps is limited."""
    monkeypatch.setattr(database, "_LEAST_STEPS", database._LEAST_STEPS // 20)
    hostile_files.make_a_table_endless(results, "attempt")
    with (
        Lock(results.with_name(results.name + LOCK_SUFFIX)),
        Results.read(results) as store,
        pytest.raises(ConfigError, match="its tables do not end"),
    ):
        store.attempts()


def test_a_row_that_is_too_large(results):
    hostile_files.run(results, "UPDATE record SET packed = zeroblob(65 << 20) WHERE number = 1")
    with Results.read(results) as store, pytest.raises(ConfigError, match="a row of more than 64 MiB"):
        store.record(GAME.id)


def test_a_journal_deletes_no_other_file(results, tmp_path):
    victim = tmp_path / "letters.txt"
    victim.write_text("dear ann")
    hostile_files.write_hot_journal(results, victim)
    for read in (read_everything, verify_results, lambda path: withdraw(path, "hunter")):
        with pytest.raises(ConfigError, match=r"club\.sqlite-journal: is not a file of this arbiter"):
            read(results)
    assert victim.read_text() == "dear ann"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_pipes_are_not_opened(results, suffix):
    path = results.with_name(results.name + suffix)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(ConfigError, match=r"is not a regular file|there is no such file"):
        read_everything(results)


def test_reading_leaves_the_file_and_its_folder_as_they_were(results):
    before = (results.read_bytes(), results.stat().st_mtime_ns)
    results.chmod(0o444)
    read_everything(results)
    assert (results.read_bytes(), results.stat().st_mtime_ns) == before
    assert list(results.parent.iterdir()) == [results]


def test_a_reader_sees_what_is_written_after_it_opened_the_file(results):
    with Results.read(results) as store:
        version = store.version()
        assert store.history().withdrawn == frozenset()
        withdraw(results, "hunter")
        assert store.history().withdrawn == {"hunter"}
        assert store.version() != version
        with Store.create_or_resume(results, manifest()) as writer:
            assert not store.has("late")
            writer.add([NewGame(game("hunter", "random", "red", "flag_taken", pair=9), b"record")])
            assert store.has("hunter~random~9")


def test_the_digest_covers_the_names_of_the_columns(results):
    digest = verify_results(results).digest
    with closing(sqlite3.connect(results, isolation_level=None)) as connection:
        connection.execute("UPDATE chain SET digest = 'x' WHERE part = 'schema'")
    faults, found, _ = read_or_refuse(results)
    assert faults or found != digest


@pytest.mark.parametrize("first", range(0, 5000, 50))
@pytest.mark.heavy(keep=1)
@pytest.mark.slow(keep=3)
def test_random_changes_are_refused_or_read_identically(original, tmp_path, first):
    faults, digest, everything = read_everything(original)
    assert faults == ()
    refused = 0
    path = tmp_path / "club.sqlite"
    for number in range(first, first + 50):
        shutil.copy(original, path)
        hostile_files.mutate(path, number)
        faults, found, read = read_or_refuse(path)
        if faults or found != digest:
            refused += 1
        else:
            assert read == everything, number
        for left in path.parent.iterdir():
            left.unlink()
    assert refused > 20


def test_an_index_that_lists_other_rows_is_refused_with_a_log_too(results, tmp_path):
    """Results that nobody plays are checked whether or not they have a log."""
    hostile_files.change_an_index(results, "sqlite_autoindex_game_1", b"hunter~random~1", b"hunter~random~9")
    copy = tmp_path / "copy"
    copy.mkdir()
    with closing(sqlite3.connect(results)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        for name in ("club.sqlite", "club.sqlite-wal"):
            shutil.copy(results.with_name(name), copy / name)
    assert (copy / "club.sqlite-wal").stat().st_size
    with pytest.raises(ConfigError, match="is damaged"):
        read_everything(copy / "club.sqlite")
