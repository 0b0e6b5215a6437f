"""Records in blocks: each can be read alone, and the hash chain proves it, before and after it was moved."""

import shutil
import sqlite3
from contextlib import closing, suppress

import pytest
from tournament.stored_games import game
from tournament.tournaments import manifest

from arbiter.errors import ConfigError
from arbiter.packing import Packed, pack
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.database import backup
from arbiter.tournament.results.evidence import check_evidence, read_content
from arbiter.tournament.results.records import BLOCK, IN_BLOCK
from arbiter.tournament.results.store import Store

GAMES = 3 * BLOCK + 5


def make_record(number):
    return b"".join(b'{"game":%d,"act":%d}\n' % (number, act * number) for act in range(200))


def store_games(store, first, count, together=1):
    new = [
        NewGame(
            game("hunter", "random", "red", "flag_taken", pair=number),
            make_record(number) if number % 2 else Packed(pack(make_record(number))),
        )
        for number in range(first, first + count)
    ]
    for place in range(0, count, together):
        store.add(new[place : place + together])


@pytest.fixture(scope="module")
def three_blocks(tmp_path_factory):
    """Results with three blocks of records, and some more records."""
    path = tmp_path_factory.mktemp("blocks") / "club.sqlite"
    for first, count in ((1, BLOCK), (BLOCK + 1, GAMES - BLOCK)):
        with Store.create_or_resume(path, manifest()) as store:
            store_games(store, first, count)
    return path


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "club.sqlite"
    with Store.create_or_resume(path, manifest()) as store:
        store_games(store, 1, BLOCK)
    return path


def change(path, statement, *values):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        return connection.execute(statement, values).fetchall()


def list_blocks(path):
    return [number for (number,) in change(path, "SELECT number FROM block ORDER BY number")]


@pytest.mark.parametrize(("together", "blocks"), [(1, [BLOCK, 2 * BLOCK]), (GAMES, [BLOCK])])
def test_old_records_are_moved_and_the_digest_stays(results, tmp_path, together, blocks):
    with Store.read(results) as store:
        digest, evidence = store.verify_chain().digest, store.evidence("hunter~random~3")
    assert list_blocks(results) == []
    with Store.create_or_resume(results, manifest()) as store:
        store_games(store, BLOCK + 1, GAMES - BLOCK, together)
    assert list_blocks(results) == blocks
    assert backup(results, tmp_path / "copy.sqlite", compact=True)[0] == GAMES
    for path in (results, tmp_path / "copy.sqlite"):
        with Store.read(path) as store:
            chain = store.verify_chain(digest)
            assert (chain.faults, chain.unknown) == ((), ())
            for number in (GAMES, *range(1, GAMES + 1)):
                assert store.record(f"hunter~random~{number}") == make_record(number)
            later = store.evidence("hunter~random~3")
            assert check_evidence(later).faults == ()
            assert read_content(later) == read_content(evidence)


def test_long_records_stay_alone(tmp_path):
    records = [bytes([number]) * (900_000 if number % 4 else 2_200_000) for number in range(1, 2 * BLOCK + 1)]
    path = tmp_path / "club.sqlite"
    with Store.create_or_resume(path, manifest()) as store:
        for number, record in enumerate(records, start=1):
            store.add([NewGame(game("hunter", "random", "red", "flag_taken", pair=number), record)])
        assert [store.record(f"hunter~random~{number}") for number in range(1, len(records) + 1)] == records
        assert store.verify_chain().faults == ()
    moved = change(path, "SELECT number FROM record WHERE packed = ?", IN_BLOCK)
    assert moved
    assert all(number % 4 for (number,) in moved)


@pytest.mark.parametrize(
    ("statement", "harmed"),
    [
        ("DELETE FROM block WHERE number = 16", range(1, 17)),
        ("UPDATE block SET packed = substr(packed, 2) WHERE number = 16", range(1, 17)),
        ("UPDATE block SET packed = x'00' WHERE number = 16", range(1, 17)),
        ("UPDATE block SET packed = 'text' WHERE number = 16", range(1, 17)),
        ("UPDATE block SET packed = (SELECT packed FROM block WHERE number = 32) WHERE number = 16", range(1, 17)),
        ("UPDATE block SET number = 15 WHERE number = 16", range(1, 17)),
        ("UPDATE record SET packed = x'' WHERE number = 40", [40]),
        ("UPDATE record SET packed = x'78' WHERE number = 3", [3]),
    ],
)
def test_another_program_that_changes_a_block_is_found(three_blocks, tmp_path, statement, harmed):
    results = shutil.copy(three_blocks, tmp_path / "club.sqlite")
    change(results, statement)
    with Store.read(results) as store:
        faults = store.verify_chain().faults
        assert faults == tuple(
            f"game {number} (hunter~random~{number}) was changed by another program" for number in harmed
        )
        found = b""
        with suppress(ConfigError):
            found = store.record(f"hunter~random~{harmed[0]}")
        assert found != make_record(harmed[0])
        assert store.record("hunter~random~20") == make_record(20)
    with Store.create_or_resume(results, manifest()) as store:
        store_games(store, GAMES + 1, 3 * BLOCK, BLOCK)
        assert store.verify_chain().faults == faults
