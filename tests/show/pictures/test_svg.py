"""Pictures as SVG: they show the ranks that a viewer may see, are well-formed, and use nothing from outside."""

import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from show.report.sample_reports import GOLDEN

from arbiter.record import read_record
from arbiter.show.boards import write_rank
from arbiter.show.cards import CardTable, list_cards
from arbiter.show.pictures.layout import CELL, lay_out
from arbiter.show.pictures.svg import write_small_svg, write_svg
from arbiter.show.replay.knowledge import VIEWERS
from arbiter.show.replay.replay import Replay
from arbiter.show.text import plain
from arbiter.show.theme import THEMES

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</title><script>alert(1)</script>"&\x1b[31m'
MOST_BYTES = 5500


def read_texts(drawing, *styles):
    """Return the texts of some styles with their positions; a small picture has several in one element."""
    found = []
    for node in drawing.iter(f"{SVG}text"):
        if node.get("class").split()[0] in styles:
            xs, ys = node.get("x").split(), node.get("y").split()
            texts = [node.text] if len(xs) == 1 else node.text
            found += [(text, float(x), float(y)) for text, x, y in zip(texts, xs, ys, strict=True)]
    return found


def parse(text):
    return ET.fromstring(text if "xmlns" in text else text.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"'))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_picture_shows_the_ranks_that_a_viewer_may_see(path):
    replay = Replay(read_record(path.read_bytes()))
    for viewer in VIEWERS:
        for number in (0, replay.last // 2, replay.last):
            frame = replay.frame(number, viewer)
            view = frame.view
            layout = lay_out(frame, viewer)
            cards = isinstance(view, CardTable)
            expected = Counter(write_rank(piece.rank) for piece in (list_cards(view) if cards else view.pieces))
            if cards:
                expected["?"] += sum(count for seat, count in view.hand_counts.items() if seat not in view.hands)
            for text in (write_svg(layout, THEMES["paper"], "a"), write_small_svg(layout, "a")):
                signs = read_texts(parse(text), "sign", "corner")
                assert Counter(sign for sign, _, _ in signs) == +expected


def test_pieces_stand_on_their_squares_and_blue_sees_the_board_from_its_side():
    replay = Replay(read_record(next(path for path in GOLDEN if path.stem == "duel").read_bytes()))
    for viewer, turned in (("red", False), ("blue", True)):
        frame = replay.frame(replay.last // 2, viewer)
        layout = lay_out(frame, viewer)
        drawing = parse(write_small_svg(layout, "a"))
        columns = {text: x for text, x, _ in read_texts(drawing, "label") if text.isalpha()}
        rows = {text: y for text, _, y in read_texts(drawing, "label") if text.isdigit()}
        assert (columns["a"] < columns["j"]) is not turned
        shown = {(round(x / CELL), round(y / CELL - 0.7)): sign for sign, x, y in read_texts(drawing, "sign")}
        assert shown == {
            (round(columns[piece.place[0]] / CELL), round(rows[piece.place[1:]] / CELL - 0.7)): write_rank(piece.rank)
            for piece in frame.view.pieces
        }


@pytest.mark.parametrize("theme", THEMES)
def test_a_picture_is_one_file_without_scripts(theme):
    replay = Replay(read_record(GOLDEN[0].read_bytes()))
    text = write_svg(lay_out(replay.frame(replay.last, "arbiter"), "arbiter"), THEMES[theme], HOSTILE)
    drawing = parse(text)
    assert drawing.find(f"{SVG}title").text == plain(HOSTILE)
    assert not list(drawing.iter(f"{SVG}script"))
    addresses = [value for node in drawing.iter() for key, value in node.attrib.items() if key.endswith("href")]
    assert addresses
    assert all(address.startswith("#") for address in addresses)
    assert "url(" not in text


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_small_picture_is_small_and_has_no_style_of_its_own(path):
    replay = Replay(read_record(path.read_bytes()))
    for number in (0, replay.last):
        text = write_small_svg(lay_out(replay.frame(number, "arbiter"), "arbiter"), HOSTILE)
        drawing = parse(text)
        assert drawing.get("aria-label") == plain(HOSTILE)
        assert len(text) < MOST_BYTES
        assert not {"style", "href"} & {key for node in drawing.iter() for key in node.attrib}
        assert not list(drawing.iter(f"{SVG}style"))
