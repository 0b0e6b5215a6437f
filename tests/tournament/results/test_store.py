import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from tournament.databases import database
from tournament.rulings import DECISION, rule_game
from tournament.stored_games import CONDITIONS, attempt, game, games
from tournament.tournaments import manifest

from arbiter.errors import ConfigError
from arbiter.tournament.new_results import NewAttempt, NewGame
from arbiter.tournament.results import live_files
from arbiter.tournament.results.integrity import MOST_LOGS
from arbiter.tournament.results.schema import FORMAT
from arbiter.tournament.results.store import Store
from arbiter.transcript import GameLog, LogLine, StderrMark, Transcript
from protocol.reasons import ArbiterFailed

TESTS = Path(__file__).parent.parent.parent
WRITER = TESTS / "tournament" / "store_writer.py"
GAME = game("hunter", "random", "red", "flag_taken")


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results" / "club.sqlite"


def environment():
    return os.environ | {"PYTHONPATH": f"{TESTS.parent}{os.pathsep}{TESTS}"}


def start(*arguments):
    words = [sys.executable, *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment())


def refusal(opening):
    with pytest.raises(ConfigError) as caught:
        opening()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_store_and_read_a_game(results):
    head = manifest()
    record = b"{}\n" * 50_000
    with Store.create_or_resume(results, head) as store:
        assert store.add([NewGame(GAME, record)]) == [True]
    with Store.read(results) as store:
        assert store.manifest == head
        assert store.games() == [GAME]
        assert {game.id for game in store.games_as_stored()} == {GAME.id}
        assert store.record(GAME.id) == record
    assert results.stat().st_size < len(record)


LOG = GameLog(
    wire={
        "red": Transcript(
            (LogLine(0.25, sent=True, text=b'{"type":"hello"}'),),
            (LogLine(9.5, sent=False, text=b"\xff\x00", whole=False, cut=7),),
            3,
            99,
        ),
        "blue": Transcript(),
    },
    stderr={"blue": "dear diary\n"},
)


TIMED = GameLog(stderr=LOG.stderr, stderr_marks={"blue": (StderrMark(0, 12.5, 3),)})


@pytest.mark.parametrize("log", [LOG, GameLog(wire=LOG.wire), GameLog(stderr=LOG.stderr), GameLog(), TIMED])
def test_store_and_read_a_log(results, log):
    with Store.create_or_resume(results, manifest()) as store:
        store.add([NewGame(GAME, b"", log)])
        store.add([NewGame(game("random", "hunter", "red", "agreed"), b"")])
    with Store.read(results) as store:
        assert store.log(GAME.id) == log
        assert store.log("random~hunter~1") == GameLog()


ATTEMPT = attempt(GAME.id, "killed", "red")


def test_store_and_read_the_conditions_of_a_game(results):
    known = replace(GAME, conditions=CONDITIONS)
    with Store.create_or_resume(results, manifest()) as store:
        store.add([NewGame(known, b"")])
        assert store.games() == [known]
        database(results, "UPDATE game SET plies = 5 WHERE json_extract(conditions, '$.lag_ms') = 12.5")
        assert store.games()[0].plies == 5


def test_store_and_read_voided_attempts(results):
    other = replace(ATTEMPT, id="random~other~1", red="random", blue="other", round=2, seat=None, cause="error")
    with Store.create_or_resume(results, manifest()) as store:
        store.add([NewAttempt(ATTEMPT, LOG)])
        store.add([NewAttempt(other)])
        store.add([NewGame(GAME, b"")])
    with Store.read(results) as store:
        assert store.attempts() == {1: ATTEMPT, 2: other}
        assert (ATTEMPT.bot, other.bot) == (GAME.red, None)
        assert store.attempt_log(1) == LOG
        assert store.attempt_log(2) == GameLog()
        assert list(store.attempts(bot=GAME.red)) == [1]
        assert list(store.attempts(bot="random", opponent="other")) == [2]
        assert list(store.attempts(round=1)) == [1]
        assert "there is no attempt 3" in refusal(lambda: store.attempt_log(3))


def test_a_fixture_with_many_attempts_keeps_the_latest_logs(results):
    with Store.create_or_resume(results, manifest()) as store:
        store.add([NewAttempt(replace(ATTEMPT, id="random~other~1"), LOG)])
        for _ in range(MOST_LOGS + 2):
            store.add([NewAttempt(replace(ATTEMPT, reason=ArbiterFailed("x" * 20_000)), LOG)])
        assert len(store.attempts()) == MOST_LOGS + 3
        kept = [number for number in store.attempts() if store.attempt_log(number).wire]
        assert kept == [1, *range(4, MOST_LOGS + 4)]
        assert all(len(one.why) < 30_000 for one in store.attempts().values())
        assert store.verify_chain().faults == ()


def test_a_stored_game_is_not_replaced(results):
    with Store.create_or_resume(results, manifest()) as store:
        assert store.add([NewGame(GAME, b"first")]) == [True]
        assert store.add([NewGame(game("hunter", "random", None, "agreed"), b"second")]) == [False]
        assert store.games() == [GAME]
        assert store.record(GAME.id) == b"first"


def test_games_are_in_the_order_of_the_schedule(results):
    wanted = [
        game("a", "b", "red", "no_moves", pair=1, round_=1),
        game("b", "a", "red", "no_moves", pair=1, round_=1),
        game("d", "c", "red", "no_moves", pair=1, round_=1),
        game("c", "a", "red", "no_moves", pair=1, round_=2),
        game("a", "b", "red", "no_moves", pair=2, round_=11),
    ]
    with Store.create_or_resume(results, manifest()) as store:
        for one in reversed(wanted):
            store.add([NewGame(one, b"")])
        assert store.games() == wanted


@pytest.mark.parametrize(
    ("asked", "pairs"),
    [
        ({}, [1, 2, 3, 4]),
        ({"bot": "a"}, [1, 2, 4]),
        ({"bot": "a", "opponent": "b"}, [1, 2]),
        ({"opponent": "c"}, [3, 4]),
        ({"ending": "timeout"}, [2, 4]),
        ({"ending": "timeout", "bot": "b"}, [2]),
        ({"round": 1}, [1, 2, 3, 4]),
        ({"round": 2}, []),
        ({"bot": "a' OR 1=1 --"}, []),
    ],
)
def test_filters(results, asked, pairs):
    with Store.create_or_resume(results, manifest()) as store:
        for one in games("a b 1-0\nb a timeout red\nc b 1/2\na c timeout blue"):
            store.add([NewGame(one, b"")])
        assert sorted(one.pair for one in store.games(**asked)) == pairs


def test_a_missing_record(results):
    with Store.create_or_resume(results, manifest()) as store:
        assert "there is no game 'a~b~1'; `arbiter games " in refusal(lambda: store.record("a~b~1"))


@pytest.mark.parametrize(("table", "read"), [("record", Store.record), ("stderr", Store.log)])
def test_damaged_data_is_reported_with_the_file(results, table, read):
    with Store.create_or_resume(results, manifest()) as store:
        store.add([NewGame(GAME, b"record", GameLog(stderr={"red": "text"}))])
        store._connection.execute(f"UPDATE {table} SET packed = x'00'")
        with pytest.raises(ConfigError, match=r"club\.sqlite: a game in it is damaged .*; restore a copy of the file"):
            read(store, GAME.id)


def test_threads_can_add_games_at_the_same_time(results):
    with Store.create_or_resume(results, manifest()) as store:
        threads = [
            threading.Thread(target=store.add, args=([NewGame(game("a", "b", None, "agreed", pair=number), b"x")],))
            for number in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert len(store.games()) == 8


def test_results_can_be_read_while_they_are_written(results):
    with Store.create_or_resume(results, manifest()) as store, Store.read(results) as reader:
        assert {game.id for game in reader.games_as_stored()} == set()
        store.add([NewGame(GAME, b"")])
        assert {game.id for game in reader.games_as_stored()} == {GAME.id}


def test_a_frozen_reader_sees_one_moment(results):
    with Store.create_or_resume(results, manifest()) as store, Store.read(results) as reader:
        reader.freeze()
        store.add([NewGame(GAME, b"")])
        assert (reader.games(), reader.count_games(), reader.has(GAME.id)) == ([], 0, False)
    with Store.read(results) as reader:
        reader.freeze()
        assert reader.has(GAME.id)
        with Store.create_or_resume(results, manifest()):
            assert refusal(reader.count_games) == (
                f"{results}: a run began while this command read it; start the command again"
            )


def test_a_reader_cannot_write(results):
    Store.create_or_resume(results, manifest()).close()
    with Store.read(results) as reader:
        assert "cannot be written" in refusal(lambda: reader.add([NewGame(GAME, b"")]))


@pytest.mark.heavy(keep=1)
@pytest.mark.parametrize("together", [8, 1])
def test_kill_9_loses_no_stored_game_and_stores_no_part_of_a_transaction(results, together):
    reported = []
    for first in (1, 1001):
        writer = start(WRITER, results, first, together)
        assert writer.stdout.readline() == "ready\n"
        reported += [int(writer.stdout.readline()) for _ in range(17)]
        writer.send_signal(signal.SIGKILL)
        writer.wait(timeout=60)
        with writer.stdout:  # not communicate(timeout=...), which would miss the lines that are already in the buffer
            reported += [int(line) for line in writer.stdout if line.endswith("\n")]
    with Store.read(results) as reader:
        seen = {game.id for game in reader.games_as_stored()}
    with Store.create_or_resume(results, manifest()) as store:
        assert {game.id for game in store.games_as_stored()} == seen
        stored = [one.pair for one in store.games()]
        assert set(reported) <= set(stored)
        assert len(stored) == len(set(stored)) <= len(reported) + 3 * together + 3
        assert all(
            store.record(game_id) == b"record " * 1000 for game_id in {game.id for game in store.games_as_stored()}
        )
        transactions = Counter((number // 1000, (number - 1) % 1000 // together) for number in stored)
        assert set(transactions.values()) == {together}
        assert store.verify_chain().faults == ()


def test_results_of_one_call_are_stored_together_or_not_at_all(results):
    second = game("random", "hunter", "red", "agreed")
    with Store.create_or_resume(results, manifest()) as store:
        assert store.add([NewGame(GAME, b"1"), NewAttempt(ATTEMPT), NewGame(GAME, b"2")]) == [True, True, False]
        assert store.record(GAME.id) == b"1"
        store._connection.set_authorizer(None)
        store._connection.execute("PRAGMA max_page_count = 1")
        large = NewGame(game("hunter", "other", "red", "agreed"), os.urandom(100_000))
        refusal(lambda: store.add([NewGame(second, b""), NewAttempt(ATTEMPT), large]))
        assert ({game.id for game in store.games_as_stored()}, len(store.attempts())) == ({GAME.id}, 1)
        store._connection.execute("PRAGMA max_page_count = 1000000")
        assert store.add([NewGame(second, b""), NewAttempt(ATTEMPT)]) == [True, True]
        assert (len(store.games()), len(store.attempts())) == (2, 2)
        assert store.verify_chain().faults == ()


def test_a_second_arbiter_is_refused(results, monkeypatch):
    monkeypatch.setattr(live_files, "_RETRY_S", 0)
    with Store.create_or_resume(results, manifest()):
        text = refusal(lambda: Store.create_or_resume(results, manifest()))
        assert f"another arbiter (pid {os.getpid()} on " in text
    Store.create_or_resume(results, manifest()).close()


def test_a_changed_tournament_is_refused_and_the_results_stay_the_same(results):
    head = manifest()
    with Store.create_or_resume(results, head) as store:
        store.add([NewGame(GAME, b"")])
    text = refusal(lambda: Store.create_or_resume(results, manifest(rules="duel")))
    assert text.startswith(f"{results}: a change does not fit the 1 stored game: rules: ")
    with Store.read(results) as store:
        assert store.manifest == head
    Store.create_or_resume(results, head).close()


def test_the_manifest_is_updated_when_a_tournament_grows(results):
    with Store.create_or_resume(results, manifest()) as store:
        store.add([NewGame(GAME, b"")])
    with Store.create_or_resume(results, manifest(("hunter", "random", "stdlib"), seed=None)) as store:
        assert store.manifest.seed == 17
    with Store.read(results) as store:
        assert [bot.name for bot in store.manifest.tournament.bots] == ["hunter", "random", "stdlib"]


def test_rulings_are_stored_while_another_arbiter_has_the_results_open(results):
    with Store.create_or_resume(results, manifest()) as store, Store.read(results) as reader:
        store.add([NewGame(GAME, b"")])
        made = rule_game(results, GAME.id, "draw", DECISION)
        assert store.rulings() == reader.rulings() == (made,)
        assert store.add([NewGame(game("random", "hunter", "red", "agreed"), b"")]) == [True]


def test_a_ruling_that_cannot_be_made_changes_nothing(results):
    Store.create_or_resume(results, manifest()).close()
    assert "there is no game 'x'" in refusal(lambda: rule_game(results, "x", "draw", DECISION))
    with Store.read(results) as reader:
        assert reader.rulings() == ()


@pytest.mark.parametrize("opening", [Store.read, lambda path: Store.create_or_resume(path, manifest())])
class TestForeignFiles:
    def test_a_foreign_database(self, results, opening):
        database(results, "CREATE TABLE address (name)")
        before = results.read_bytes()
        assert (
            refusal(lambda: opening(results)) == f"{results}: is not a results file of this arbiter; name another file"
        )
        assert results.read_bytes() == before

    def test_a_text_file(self, results, opening):
        results.parent.mkdir()
        results.write_text("Dear diary, " * 100)
        assert (
            refusal(lambda: opening(results)) == f"{results}: is not a results file of this arbiter; name another file"
        )

    @pytest.mark.parametrize("other", [0, FORMAT + 1])
    def test_another_format(self, results, opening, other):
        Store.create_or_resume(results, manifest()).close()
        database(results, f"PRAGMA user_version = {other}")
        before = results.read_bytes()
        assert refusal(lambda: opening(results)) == (
            f"{results}: has format {other}, but this arbiter reads format {FORMAT}; use the arbiter that wrote it"
        )
        assert results.read_bytes() == before

    def test_an_invalid_manifest(self, results, opening):
        Store.create_or_resume(results, manifest()).close()
        database(results, "UPDATE series SET manifest = '{}'")
        assert "its manifest cannot be read" in refusal(lambda: opening(results))

    def test_a_missing_manifest(self, results, opening):
        Store.create_or_resume(results, manifest()).close()
        database(results, "DELETE FROM series")
        assert "its manifest cannot be read" in refusal(lambda: opening(results))

    def test_a_folder(self, results, opening):
        results.mkdir(parents=True)
        assert refusal(lambda: opening(results)).startswith(f"{results}: ")


def test_a_missing_results_file(results):
    assert refusal(lambda: Store.read(results)) == f"{results}: there is no such file"


def test_an_empty_file_can_be_resumed_but_not_read(results):
    results.parent.mkdir()
    results.touch()
    assert "is not a results file" in refusal(lambda: Store.read(results))
    Store.create_or_resume(results, manifest()).close()


def test_a_database_without_tables_can_be_resumed_but_not_read(results):
    database(results, "PRAGMA journal_mode = WAL")
    results.with_name("club.sqlite.lock").touch()  # as an arbiter leaves it that is killed at its start
    assert results.stat().st_size
    assert "is not a results file" in refusal(lambda: Store.read(results))
    Store.create_or_resume(results, manifest()).close()
    with Store.read(results) as reader:
        assert {game.id for game in reader.games_as_stored()} == set()


def test_a_foreign_database_without_tables(results):
    database(results, "PRAGMA application_id = 7")
    assert "is not a results file" in refusal(lambda: Store.create_or_resume(results, manifest()))


def test_a_results_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    assert "cannot be made" in refusal(lambda: Store.create_or_resume(tmp_path / "file/x/club.sqlite", manifest()))


FILL = """
import resource, signal, sys
from pathlib import Path
from tournament.stored_games import game
from tournament.tournaments import manifest
from arbiter.errors import ConfigError
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.store import Store

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store.create_or_resume(Path(sys.argv[1]), manifest())
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for number in range(1000):
    try:
        store.add([NewGame(game("a", "b", None, "agreed", pair=number), __import__("os").urandom(10_000))])
    except ConfigError as error:
        print(error)
        break
    print(number)
"""


def test_a_limit_on_the_file_size_loses_no_stored_game(results):
    *numbers, last = start("-c", FILL, results).communicate(timeout=60)[0].splitlines()
    assert (
        last
        == f"{results}: the disk cannot read or write it; check that it has free space, the games stored so far are safe"
    )
    with Store.read(results) as store:
        assert [one.pair for one in store.games()] == [int(number) for number in numbers]


def test_a_full_disk_loses_no_stored_game(results):
    with Store.create_or_resume(results, manifest()) as store:
        store.add([NewGame(GAME, b"")])
        store._connection.set_authorizer(None)
        store._connection.execute("PRAGMA max_page_count = 1")
        text = refusal(lambda: store.add([NewGame(game("a", "b", None, "agreed"), os.urandom(100_000))]))
        assert text == f"{results}: the disk is full; free some space and start again, the games stored so far are safe"
        assert {game.id for game in store.games_as_stored()} == {GAME.id}
        store._connection.execute("PRAGMA max_page_count = 1000000")
        assert store.add([NewGame(game("a", "b", None, "agreed"), os.urandom(100_000))]) == [True]


READ = """
import os, sys
from pathlib import Path
from arbiter.errors import ConfigError
from arbiter.tournament.results.store import Store
from tournament.tournaments import manifest
if os.geteuid() == 0:  # root may write to every folder
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for opening in (Store.read, lambda path: Store.create_or_resume(path, manifest())):
    try:
        print(len(opening(Path(sys.argv[1])).games()))
    except ConfigError as error:
        print(error)
"""


@pytest.fixture
def shown_to_all():
    """A folder that every user can read, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


def test_results_in_a_read_only_folder_can_be_read(shown_to_all):
    path = shown_to_all / "club.sqlite"
    with Store.create_or_resume(path, manifest()) as store:
        store.add([NewGame(GAME, b"")])
    shown_to_all.chmod(0o555)
    lines = start("-c", READ, path).communicate(timeout=60)[0].splitlines()
    assert lines[0] == "1"
    # the other user, who takes the place of root, may not write the lock either
    assert lines[1].startswith((f"{path}.lock: cannot be opened: ", f"{path}: cannot be written; "))


def test_games_in_the_log_of_a_read_only_folder_are_reported(shown_to_all):
    path = shown_to_all / "club.sqlite"
    with Store.create_or_resume(path, manifest()) as store:
        store.add([NewGame(GAME, b"")])
        log = (shown_to_all / "club.sqlite-wal").read_bytes()
    (shown_to_all / "club.sqlite-wal").write_bytes(log)
    shown_to_all.chmod(0o555)
    lines = start("-c", READ, path).communicate(timeout=60)[0].splitlines()
    assert "games are still in club.sqlite-wal; copy both files" in lines[0]


COLUMNS = {
    "game": "number id round pair red blue winner? ending reason plies red_points blue_points started seconds fingerprint "
    "red_ms blue_ms conditions series red_program blue_program",
    "ruling": "number at by reason kind game? bot? previous? result? replacement? undoes? games rounds "
    "first_round replays",
    "attempt": "number id round red blue started seconds cause reason seat? plies conditions log?",
    "program": "number series bot digest interpreter files size left_out listing seen how",
}


@pytest.mark.parametrize("table", COLUMNS)
def test_the_columns_of_the_format_stay_as_they_are(tmp_path, table):
    """FORMAT grows by one if a field of a Struct that is stored changes."""
    with Store.create_or_resume(tmp_path / "club.sqlite", manifest()):
        pass
    with closing(sqlite3.connect(tmp_path / "club.sqlite")) as connection:
        found = connection.execute(f"PRAGMA table_info({table})").fetchall()
    names = [name if is_needed or is_key else f"{name}?" for _, name, _, is_needed, _, is_key in found]
    assert " ".join(names) == COLUMNS[table]
