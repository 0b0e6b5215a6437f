"""Pictures as SVG: they show the ranks that a viewer may see, are well-formed, and use nothing from outside."""

import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from show.report.sample_reports import GOLDEN

from arbiter.record import read_record
from arbiter.show.boards import CardTable, write_rank
from arbiter.show.pictures.layout import CELL, lay_out, write_context, write_svg
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.show.replay.replay import Replay
from arbiter.show.text import plain
from arbiter.show.theme import THEMES

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</title><script>alert(1)</script>"&\x1b[31m'


def read_texts(drawing, *styles):
    """Return the texts of some styles with their positions."""
    nodes = [node for node in drawing.iter(f"{SVG}text") if node.get("class").split()[0] in styles]
    return [(node.text, float(node.get("x")), float(node.get("y"))) for node in nodes]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_picture_shows_the_ranks_that_a_viewer_may_see(path):
    replay = Replay(read_record(path.read_bytes()))
    for viewer in VIEWERS:
        for number in (0, replay.last // 2, replay.last):
            frame = replay.frame(number, viewer)
            view = frame.view
            layout = lay_out(frame, viewer)
            cards = isinstance(view, CardTable)
            expected = Counter(write_rank(piece.rank) for piece in view.pieces)
            if cards:
                expected["?"] += sum(count for seat, count in view.hand_counts.items() if seat not in view.hands)
            signs = read_texts(ET.fromstring(write_svg(layout, THEMES["paper"], "a")), "sign", "corner")
            assert Counter(sign for sign, _, _ in signs) == +expected


def test_pieces_stand_on_their_squares_and_blue_sees_the_board_from_its_side():
    replay = Replay(read_record(next(path for path in GOLDEN if path.stem == "duel").read_bytes()))
    for viewer, turned in (("red", False), ("blue", True)):
        frame = replay.frame(replay.last // 2, viewer)
        layout = lay_out(frame, viewer)
        drawing = ET.fromstring(write_svg(layout, THEMES["paper"], "a"))
        columns = {text: x // CELL for text, x, _ in read_texts(drawing, "label") if text.isalpha()}
        rows = {text: y // CELL for text, _, y in read_texts(drawing, "label") if text.isdigit()}
        assert (columns["a"] < columns["j"]) is not turned
        shown = {((x - 16) // CELL, y // CELL): sign for sign, x, y in read_texts(drawing, "sign", "corner")}
        assert shown == {
            (columns[piece.place[0]], rows[piece.place[1:]]): write_rank(piece.rank) for piece in frame.view.pieces
        }


def test_lines_of_text_are_above_and_below_the_board_and_inside_the_picture():
    replay = Replay(read_record(GOLDEN[0].read_bytes()))
    frame = replay.frame(replay.last, "arbiter")
    layout = lay_out(frame, "arbiter")
    lines = write_context(frame, "hunter \N{EN DASH} " + "long name " * 30)
    drawing = ET.fromstring(write_svg(layout, THEMES["paper"], "a", lines))
    texts = read_texts(drawing, "line")
    assert [text for text, *_ in texts][1:] == lines[1:]
    assert texts[0][0].endswith("…")
    _, top, _, height = map(int, drawing.get("viewBox").split())
    assert [y < 0 for _, _, y in texts] == [number == 0 for number in range(len(lines))]
    assert all(top < y < top + height for _, _, y in texts)
    assert all(y > layout.height for _, _, y in texts[1:])
    bare = ET.fromstring(write_svg(layout, THEMES["paper"], "a"))
    assert (bare.get("viewBox"), read_texts(bare, "line")) == (f"0 0 {layout.width} {layout.height}", [])


@pytest.mark.parametrize("theme", THEMES)
def test_a_picture_is_one_file_without_scripts(theme):
    replay = Replay(read_record(GOLDEN[0].read_bytes()))
    text = write_svg(lay_out(replay.frame(replay.last, "arbiter"), "arbiter"), THEMES[theme], HOSTILE)
    drawing = ET.fromstring(text)
    assert drawing.find(f"{SVG}title").text == plain(HOSTILE)
    assert not list(drawing.iter(f"{SVG}script"))
    addresses = [value for node in drawing.iter() for key, value in node.attrib.items() if key.endswith("href")]
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    assert "url(" not in text
