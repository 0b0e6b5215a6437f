"""What a page is given of a game: folded as the viewer folds it, it is what the reel shows, frame by frame."""

import base64
import zlib

import msgspec
import pytest
from show.recorded import record
from show.report.reported import GOLDEN

from arbiter.record import read_record
from arbiter.show.cards import CardTable, list_cards
from arbiter.show.replay.knowledge import SPECTATOR, VIEWERS
from arbiter.show.replay.replay import Replay
from arbiter.show.report.viewer_data import ALL_SEATS, ViewerDataWriter, carry, flatten, make_viewer_data, pack

LASTING = ("@", "lost/", "deck/", "clock/")


def follow(table, change):
    """Fold a change as the viewer's script does."""
    table = {key: text for key, text in table.items() if key.startswith(LASTING)}
    if ">" in change:
        table = carry(table, change["go"])
    table |= {key: text for key, text in change.items() if key != ">"}
    return {key: text for key, text in table.items() if text}


def shot(reel, viewers, last=None):
    filming = ViewerDataWriter(reel, viewers)
    filming.add_frames(reel.last if last is None else last)
    return filming.data()


def folded(shown, viewer):
    """Fold all of a film for one who watches."""
    table, tables = {}, []
    for frame in shown["frames"]:
        change = frame[shown["viewers"].index(viewer)] if isinstance(frame, list) else frame
        table = follow(table, change)
        tables.append(table)
    return tables


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_folded_it_is_what_the_reel_shows(path, viewer):
    game = read_record(path.read_bytes())
    reel = Replay(game)
    viewers = (viewer,) if viewer == SPECTATOR else ALL_SEATS
    tables = folded(shot(Replay(game), viewers), viewer)
    noticed = [number for number in range(len(reel)) if any(reel.is_noticed(number, one) for one in viewers)]
    assert tables == [flatten(reel.frame(number, viewer)) for number in noticed]


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_table_holds_the_ranks_that_the_view_holds_and_no_others(path, viewer):
    reel = Replay(read_record(path.read_bytes()))
    for number in range(len(reel)):
        frame = reel.frame(number, viewer)
        shown = flatten(frame)
        cards = isinstance(frame.view, CardTable)
        known = {
            f"{piece.seat}/{piece.place}" if cards else piece.place: piece.rank or "?"
            for piece in (list_cards(frame.view) if cards else frame.view.pieces)
        }
        drawn = {key[1:]: text[1:].rstrip("'") for key, text in shown.items() if key.startswith("@")}
        assert drawn.items() >= known.items()
        assert all(rank == "?" for place, rank in drawn.items() if place not in known)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_frames_have_their_plies_and_seats(path):
    game = read_record(path.read_bytes())
    reel, shown = Replay(game), make_viewer_data(Replay(game))
    numbers = range(len(reel))
    assert [sum(map(int, shown["plies"][: number + 1])) for number in numbers] == [
        reel.ply(number) for number in numbers
    ]
    assert shown["seats"] == "-" + "".join(reel.act(number).entry.seat[0] for number in numbers[1:])


def test_a_plain_move_is_the_same_for_all_who_watch():
    shown = make_viewer_data(Replay(record("a4-a5 e7-d7")))
    assert shown["frames"][1] == {">": "1", "go": "a4 a5"}


def test_what_cannot_be_is_told_as_far_as_the_game_goes():
    shown = make_viewer_data(Replay(record("a4-a5 a5-a6")))
    assert len(shown["frames"]) == 2
    assert shown["fault"].startswith("act 2 cannot be shown: ")


def test_times_are_told_in_few_digits():
    assert make_viewer_data(Replay(record("a4-a5", ms=1234.5678)))["ms"] == [None, 1235]
    assert make_viewer_data(Replay(record("a4-a5", ms=1.2345)))["ms"] == [None, 1.2]


def test_pieces_are_named_in_the_language():
    assert make_viewer_data(Replay(record("a4-a5"), "de"))["ranks"]["marshal"] == {
        "sign": "10",
        "red": "Feldmarschall",
        "blue": "Feldmarschall",
    }


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_film_that_is_cut_off_is_the_beginning_of_the_whole(path):
    game = read_record(path.read_bytes())
    whole = shot(Replay(game, in_progress=True), ALL_SEATS)
    for last in {0, 1, len(whole["frames"]) // 2, len(whole["frames"]) - 1}:
        cut = shot(Replay(game, in_progress=True), ALL_SEATS, last)
        for part in ("frames", "seats", "plies", "ms"):
            assert cut[part] == whole[part][: last + 1]


def test_it_is_packed_for_the_browser():
    shown = make_viewer_data(Replay(record("a4-a5")))
    assert msgspec.json.decode(zlib.decompress(base64.b64decode(pack(shown)))) == shown
