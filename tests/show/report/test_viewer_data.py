"""Viewer data: with its changes applied as the viewer does, it equals the frames of the replay."""

import msgspec
import pytest
from packed_data import choose_texts, read_changes, unpack
from show.report.sample_reports import GOLDEN
from show.sample_record import record

from arbiter.clock import TimeSettings
from arbiter.record import read_record
from arbiter.show.boards import CardTable
from arbiter.show.replay.knowledge import SPECTATOR, VIEWERS
from arbiter.show.replay.moments import are_neighbours
from arbiter.show.replay.replay import Replay
from arbiter.show.report.flat_frames import flatten_act, flatten_clocks, flatten_position, mark_move
from arbiter.show.report.packed_data import pack
from arbiter.show.report.viewer_data import ViewerDataWriter, make_viewer_data
from arbiter.transcript import GameLog, StderrMark
from protocol.words import OPPONENT, SEATS

LASTING = ("@", "lost/", "deck/", "clock/")


def carry(table, move):
    """Move the piece of a table."""
    src, _, dst = move.partition(" ")
    moved = table | {f"@{dst}": mark_move(table[f"@{src}"], not are_neighbours(src, dst))}
    del moved[f"@{src}"]
    return moved


def apply_change(table, change):
    """Apply a change as the script of the viewer does."""
    table = {key: text for key, text in table.items() if key.startswith(LASTING)}
    if ">" in change:
        table = carry(table, change["go"])
    table |= {key: text for key, text in change.items() if key != ">"}
    return {key: text for key, text in table.items() if text}


def write_data(replay, viewers, last=None):
    writer = ViewerDataWriter(replay, viewers)
    writer.add_frames(replay.last if last is None else last)
    return writer.data()


def list_tables(shown, viewer):
    """Return the table of each frame for a viewer."""
    table, tables = {}, []
    for frame in read_changes(shown):
        table = apply_change(table, choose_texts(frame, shown["viewers"], viewer))
        tables.append(table)
    return tables


def flatten(frame):
    """Write a frame as one table."""
    return {**flatten_position(frame), **flatten_act(frame)}


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_tables_are_those_of_the_replay(path, viewer):
    game = read_record(path.read_bytes())
    replay = Replay(game)
    viewers = (viewer,) if viewer == SPECTATOR else VIEWERS
    tables = list_tables(write_data(Replay(game), viewers), viewer)
    noticed = [number for number in range(len(replay)) if any(replay.is_noticed(number, one) for one in viewers)]
    assert tables == [flatten(replay.frame(number, viewer)) for number in noticed]


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_table_contains_the_ranks_of_the_view_and_marks_those_that_the_opponent_knows(path, viewer):
    replay = Replay(read_record(path.read_bytes()))
    for number in range(len(replay)):
        frame = replay.frame(number, viewer)
        shown = flatten(frame)
        cards = isinstance(frame.view, CardTable)
        known = {
            f"{piece.seat}/{piece.place}" if cards else piece.place: piece.rank or "?" for piece in frame.view.pieces
        }
        drawn = {key[1:]: text[1:].rstrip("'*~") for key, text in shown.items() if key.startswith("@")}
        assert drawn.items() >= known.items()
        assert all(rank == "?" for place, rank in drawn.items() if place not in known)
        marked = {key[1:] for key, text in shown.items() if key[0] == "@" and "*" in text}
        assert marked == {
            f"{seat}/{piece.place}" if cards else piece.place
            for seat in SEATS
            if viewer in (seat, "arbiter")  # who is shown the secrets of this seat
            for piece in replay.view(number, OPPONENT[seat]).pieces
            if piece.seat == seat and piece.rank
        }


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_frames_have_their_plies_and_seats(path):
    game = read_record(path.read_bytes())
    replay, shown = Replay(game), make_viewer_data(Replay(game))
    numbers = range(len(replay))
    assert [sum(map(int, shown["plies"][: number + 1])) for number in numbers] == [
        replay.ply(number) for number in numbers
    ]
    assert shown["seats"] == "-" + "".join(replay.act(number).entry.seat[0] for number in numbers[1:])


def test_a_move_without_attack_is_equal_for_all_viewers():
    shown = make_viewer_data(Replay(record("a4-a5 e7-d7")))
    assert (shown["moves"][1], shown["frames"][1]) == ("a4u", {})
    assert read_changes(shown)[1] == {">": "1", "go": "a4 a5"}


def test_a_game_with_an_illegal_act_is_shown_up_to_it():
    shown = make_viewer_data(Replay(record("a4-a5 a5-a6")))
    assert len(shown["frames"]) == 2
    assert shown["fault"].startswith("act 2 cannot be shown: ")


def test_times_are_rounded():
    assert make_viewer_data(Replay(record("a4-a5", ms=1234.5678)))["ms"] == [None, 1235]
    assert make_viewer_data(Replay(record("a4-a5", ms=1.2345)))["ms"] == [None, 1.2]


def test_pieces_are_named_in_the_language():
    assert make_viewer_data(Replay(record("a4-a5"), "de"))["ranks"]["marshal"] == {
        "sign": "M",
        "army": 1,
        "red": "Feldmarschall",
        "blue": "Feldmarschall",
    }


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_data_of_some_frames_is_the_start_of_the_whole(path):
    game = read_record(path.read_bytes())
    whole = write_data(Replay(game, in_progress=True), VIEWERS)
    for last in {0, 1, len(whole["frames"]) // 2, len(whole["frames"]) - 1}:
        cut = write_data(Replay(game, in_progress=True), VIEWERS, last)
        for part in ("frames", "seats", "plies", "ms", "moves", "clocks"):
            assert cut[part] == whole[part][: last + 1]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_packed_data_is_base85_of_zlib_of_json_without_signs_of_html(path):
    shown = make_viewer_data(Replay(read_record(path.read_bytes())))
    changes = {"moves": " ".join(shown["moves"]), "frames": read_changes(shown)}
    assert unpack(pack(shown)) == msgspec.json.decode(msgspec.json.encode(shown | changes))
    assert not set(pack(shown)) & set("<>&\"'")


@pytest.mark.parametrize("bank_s", [1, 3600])
@pytest.mark.parametrize("ms", [[0.0] * 6, [1.0, 99.0, 100.0, 101.0, 350.0, 2.0], [10.0, 10.0, None, 10.0, 10.0, 10.0]])
def test_columns_keep_every_clock(bank_s, ms):
    played = record("a4-a5 c7-c8 a5-a4 c8-c7 a4-a5 c7-c8")
    header = msgspec.structs.replace(played.header, time=TimeSettings(bank_s=bank_s, increment_s=0.1))
    *setup, a, b, c, d, e, f = played.acts
    acts = [msgspec.structs.replace(act, ms=each) for act, each in zip((a, b, c, d, e, f), ms, strict=True)]
    replay = Replay(msgspec.structs.replace(played, header=header, acts=(*setup, *acts)))
    clocks = [
        {key: text for key, text in table.items() if "clock" in key}
        for table in list_tables(make_viewer_data(replay), "arbiter")
    ]
    assert clocks == [flatten_clocks(replay.banks(number)) for number in range(len(replay))]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_evaluations_are_in_the_data_of_their_own_player_and_the_arbiter_only(viewer):
    played = record("a4-a5 c7-c8 a5-a4 c8-c7")
    rated = msgspec.structs.replace(played, acts=tuple(msgspec.structs.replace(act, eval=12.5) for act in played.acts))
    tables = list_tables(write_data(Replay(rated), [viewer]), viewer)
    seen = {key: text for table in tables for key, text in table.items() if key.startswith("eval/")}
    sees = {"arbiter": ("red", "blue"), "spectator": ()}.get(viewer, (viewer,))
    assert seen == {f"eval/{seat}": "12.5" for seat in sees}
    assert b"eval" not in msgspec.json.encode(write_data(Replay(rated), [SPECTATOR]))


@pytest.mark.parametrize("viewer", VIEWERS)
def test_stderr_is_in_the_data_of_its_own_player_and_the_arbiter_only(viewer):
    log = GameLog(
        stderr={"red": "a private plan\n" * 20, "blue": "x" * 1000},
        stderr_marks={"red": (StderrMark(0, 1.0, 2),), "blue": (StderrMark(0, 2.0, 2),)},
    )
    replay = Replay(record("a4-a5 c7-c8 a5-a4 c8-c7"), log=log)
    tables = list_tables(write_data(replay, [viewer]), viewer)
    seen = {key: text.split("\n") for table in tables for key, text in table.items() if key.startswith("stderr/")}
    sees = {"arbiter": ("red", "blue"), "spectator": ()}.get(viewer, (viewer,))
    lines = {"red": ["... 12 lines before", *["a private plan"] * 8], "blue": ["x" * 400 + "..."]}
    assert seen == {f"stderr/{seat}": lines[seat] for seat in sees}
