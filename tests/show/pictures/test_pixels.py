"""Pictures made of pixels: paths become polygons, squares have the colours of the theme, animations all frames."""

from io import BytesIO
from math import hypot

import pytest
from PIL import Image
from show.report.sample_reports import GOLDEN

from arbiter.record import read_record
from arbiter.show.pictures import pixels
from arbiter.show.pictures.layout import CELL, lay_out
from arbiter.show.pictures.pixels import Painter, flatten_path, write_gif, write_png
from arbiter.show.replay.clip import LAST_MS, show_all
from arbiter.show.replay.replay import Replay
from arbiter.show.theme import PAPER, SHAPES, THEMES, list_designs

PATHS = [
    ("M1 2L3 4", [([(1, 2), (3, 4)], False)]),
    ("m1 2 3 4h1v-1z", [([(1, 2), (4, 6), (5, 6), (5, 5)], True)]),
    ("M1 2H5V7z", [([(1, 2), (5, 2), (5, 7)], True)]),
    ("M0 0h1m1 1h1", [([(0, 0), (1, 0)], False), ([(2, 1), (3, 1)], False)]),
    ("M1-2.5.5 3", [([(1, -2.5), (0.5, 3)], False)]),
    ("M0 0h2v2zh-1", [([(0, 0), (2, 0), (2, 2)], True), ([(0, 0), (-1, 0)], False)]),
]


@pytest.mark.parametrize(("data", "parts"), PATHS)
def test_lines_become_points(data, parts):
    assert [([*part.points], part.closed) for part in flatten_path(data)] == parts


def test_curves_and_arcs_end_where_they_should():
    (curve,) = flatten_path("M0 0C0 8 8 8 8 0")
    assert curve.points[-1] == (8, 0)
    assert curve.points[4] == (4, 6)  # the middle of a cubic curve
    (circle,) = flatten_path("m10 15a5 5 0 1 1 0 10a5 5 0 1 1 0 -10z")
    assert {round(hypot(x - 10, y - 20), 6) for x, y in circle.points} == {5}
    (quarter,) = flatten_path("M0 0a4 4 0 0 1 4 4")  # to the right and down, bent outwards
    assert {round(hypot(x, y - 4), 6) for x, y in quarter.points} == {4}


def test_an_unknown_command_is_refused():
    with pytest.raises(ValueError, match="'Q'"):
        flatten_path("M0 0Q1 1 2 2")


@pytest.mark.parametrize("rank", list_designs())
def test_the_drawing_of_a_rank_stays_in_its_square(rank):
    points = [point for part in flatten_path(list_designs()[rank].drawing) for point in part.points]
    assert all(-0.1 <= x <= 24.1 and -0.1 <= y <= 24.1 for x, y in points)


@pytest.mark.parametrize("path", SHAPES.values())
def test_outlines_stay_in_their_square(path):
    assert all(0 <= x <= CELL and 0 <= y <= CELL for part in flatten_path(path) for x, y in part.points)


@pytest.fixture(scope="module")
def replay():
    return Replay(read_record(next(path for path in GOLDEN if path.stem == "duel").read_bytes()))


@pytest.mark.parametrize("theme", THEMES)
def test_a_square_has_the_colour_of_its_ground_and_of_its_piece(replay, theme):
    layout = lay_out(replay.frame(replay.last, "red"), "red")
    painter = Painter(THEMES[theme])
    picture = painter.paint(layout)
    assert picture.size == (layout.width, layout.height)
    for x, y, look in layout.squares:
        found = picture.getpixel((x + 8, y + 14))
        if look.piece is None and not look.marked:
            assert found == hex_pixel(getattr(THEMES[theme], look.ground))
        elif look.piece and look.piece.manner != "secret" and look.piece.rank is None:
            assert found == hex_pixel(getattr(THEMES[theme], f"{look.piece.seat}_deep"))
    assert {look.piece.manner for _, _, look in layout.squares if look.piece} >= {"back", "secret"}


def hex_pixel(colour):
    return tuple(bytes.fromhex(colour[1:]))


def test_a_png_can_be_opened(replay):
    frame = replay.frame(5, "arbiter")
    layout = lay_out(frame, "arbiter")
    one, other, same = (write_png(frame, "arbiter", PAPER, title) for title in ("a 1-0 b", "c 1-0 d", "a 1-0 b"))
    assert one == same != other  # the names are in the picture
    picture = Image.open(BytesIO(one))
    assert picture.size[0] == 2 * layout.width
    assert picture.size[1] > 2 * layout.height


@pytest.fixture
def no_installed_font():
    """Paint texts with the font of Pillow, as on a machine without others."""
    pixels.find_text_font.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pixels, "find_installed_font", lambda: None)
        yield
    pixels.find_text_font.cache_clear()


@pytest.mark.usefixtures("no_installed_font")
def test_a_picture_has_no_empty_boxes_for_letters_that_its_font_lacks(replay):
    frame = replay.frame(5, "arbiter")
    one, other = (
        write_png(frame, "arbiter", PAPER, title) for title in ("Bär \u2013 Éva ½\u2013½", "Bar - Eva 1/2-1/2")
    )
    assert one == other


def test_texts_have_accents_and_dashes_if_the_machine_has_a_font_with_them():
    text = "Bär \u2013 Éva ½\u2013½"
    if pixels.find_installed_font() is None:
        assert pixels.spell(text) == "Bar - Eva 1/2-1/2"
    else:
        assert pixels.spell(text) == text
        font = pixels.find_text_font(12)
        box = bytes(font.getmask("\ufffe"))
        assert [sign for sign in text if bytes(font.getmask(sign)) == box] == []


def test_an_animation_has_all_frames_in_its_speed_and_the_colours_of_the_theme(replay):
    frames = [replay.frame(number, "red") for number in range(3, 9)]
    animation = Image.open(BytesIO(write_gif(frames, show_all(range(3, 9), 4), "red", PAPER, "hunter")))
    assert animation.n_frames == 6
    assert animation.info["loop"] == 0
    durations = []
    for number, frame in enumerate(frames):
        animation.seek(number)
        durations.append(animation.info["duration"])
        shown = animation.convert("RGB")
        exact = Painter(PAPER).paint(lay_out(frame, "red"))
        for x, y, look in lay_out(frame, "red").squares:
            at = (x + 4, y + 40)
            one, other = shown.getpixel((at[0], at[1] + 18)), exact.getpixel(at)
            assert max(abs(a - b) for a, b in zip(one, other, strict=True)) < 32, look
    assert durations == [250] * 5 + [LAST_MS]
