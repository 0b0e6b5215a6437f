import sqlite3
import zlib
from contextlib import closing

import pytest
from msgspec.structs import replace
from tournament.rulings import withdraw
from tournament.stored_games import game
from tournament.tournaments import manifest

from arbiter.errors import ConfigError
from arbiter.packing import SAFE_BYTES, pack, pack_start, unpack
from arbiter.tournament.new_results import NewGame
from arbiter.tournament.results.integrity import FOREIGN, digest_row, digest_table, follow, link_row, read_chain
from arbiter.tournament.results.store import Store

GAMES = [game("hunter", "random", "red", "flag_taken"), game("random", "hunter", None, "agreed")]


@pytest.fixture
def results(tmp_path):
    path = tmp_path / "club.sqlite"
    with Store.create_or_resume(path, manifest()) as store:
        for one in GAMES:
            store.add([NewGame(one, b"record")])
    return path


def open_database(path):
    return closing(sqlite3.connect(path, isolation_level=None))


def test_each_write_adds_a_link_that_follows_the_one_before(results):
    withdraw(results, "random")
    withdraw(results, "random", back=True)
    with open_database(results) as connection:
        links = read_chain(connection)
        assert [(link.number, link.part, link.row) for link in links] == [
            (1, "schema", 0),
            (2, "series", 0),
            (3, "game", 1),
            (4, "game", 2),
            (5, "ruling", 1),
            (6, "ruling", 2),
        ]
        value = ""
        for link in links:
            value = follow(value, link.part, link.row, link.digest)
            assert link.value == value
        assert [digest_row(connection, "game", row) for row in (1, 2)] == [link.digest for link in links[2:4]]
        assert digest_table(connection, "series") == links[1].digest


def test_a_resumed_tournament_without_changes_adds_no_link(results):
    Store.create_or_resume(results, manifest()).close()
    with open_database(results) as connection:
        assert len(read_chain(connection)) == 4


def test_a_change_by_another_program_leaves_a_link(results):
    with open_database(results) as connection:
        connection.execute("UPDATE series SET manifest = manifest || ' '")
    Store.create_or_resume(results, manifest()).close()
    with open_database(results) as connection:
        parts = [link.part for link in read_chain(connection)]
    assert parts == ["schema", "series", "game", "game", FOREIGN + "series", "series"]


def test_a_game_of_no_series_is_found_although_the_chain_fits(results):
    with Store.create_or_resume(results, manifest()) as store:
        store.add([NewGame(replace(GAMES[0], id="hunter~random~9"), b"record")])
    with open_database(results) as connection:
        connection.execute("UPDATE game SET series = 7 WHERE number = 3")
        connection.execute("DELETE FROM chain WHERE number = 5")
        link_row(connection, "game", 3)
    with Store.read(results) as store:
        assert store.verify_chain().faults == ("game 3 (hunter~random~9) belongs to no series",)


class TestPacking:
    @pytest.mark.parametrize("data", [b"", b"record", bytes(range(256)) * 1000])
    def test_pack_and_unpack(self, data):
        assert unpack(pack(data)) == data

    @pytest.mark.parametrize(
        ("packed", "why"),
        [
            (pack(b"record")[:-1], "cut off"),
            (pack(b"record") + b"more", "other data follows"),
            (b"record", "incorrect header"),
            ("record", "not compressed data"),
            (None, "not compressed data"),
        ],
    )
    def test_damaged_parts(self, packed, why):
        with pytest.raises(zlib.error, match=why):
            unpack(packed)

    @pytest.mark.parametrize("start", [b"", b"record", bytes(range(256)) * 1000])
    @pytest.mark.parametrize("rest", [b"", b"result", bytes(range(256)) * 1000])
    def test_the_rest_is_appended_to_a_packed_start(self, start, rest):
        assert unpack(pack_start(start).finish(rest).data) == start + rest

    def test_a_packed_start_of_other_data_is_noticed(self):
        with pytest.raises(zlib.error, match="incorrect data check"):
            unpack(replace(pack_start(b"record"), checksum=1).finish(b"result").data)

    def test_a_part_that_fills_the_memory_is_refused(self, results):
        packed = zlib.compress(bytes(SAFE_BYTES + 1))
        assert len(packed) < SAFE_BYTES / 500
        with pytest.raises(zlib.error, match=f"bytes of it become more than {SAFE_BYTES}"):
            unpack(packed)
        with open_database(results) as connection:
            connection.execute("UPDATE record SET packed = ?", (packed,))
        with Store.read(results) as store, pytest.raises(ConfigError, match="a game in it is damaged"):
            store.record(GAMES[0].id)
