"""A game as an animated GIF; needs Pillow."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import chain
from typing import Final, get_args

from PIL import Image, ImageDraw

from arbiter.show.pictures.layout import Caption, Ground, Manner, PieceLook, SquareLook, lay_out
from arbiter.show.pictures.pixels import Painter, find_font
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.theme import Theme
from protocol.words import SEATS

LAST_MS: Final = 3000
"""Duration of the last frame."""
_LINE: Final = 18  # units
_LEFT: Final = 16
_TEXT: Final = 12
_COLOURS: Final = 128


def write_gif(frames: Iterable[Frame], viewer: Viewer, theme: Theme, title: str, *, speed: float) -> bytes:
    """Write frames as a GIF that repeats forever, with the title above the board and the act of each frame below.

    `speed` is the number of frames per second.
    """
    painter = Painter(theme)
    pictures = _paint_frames(painter, frames, viewer, title)
    first = next(pictures)
    palette = _choose_colours(painter, first)
    first, *rest = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in chain([first], pictures))
    durations = [round(1000 / speed)] * len(rest) + [LAST_MS]
    file = BytesIO()
    first.save(file, "GIF", save_all=True, append_images=rest, duration=durations, loop=0, optimize=True, disposal=1)
    return file.getvalue()


def _choose_colours(painter: Painter, picture: Image.Image) -> Image.Image:
    """Return an image whose palette is that of all frames: with one palette, a GIF stores only what changes."""
    looks = [SquareLook(ground, marked) for ground in get_args(Ground) for marked in (False, True)]
    pieces = (PieceLook(seat, "spy", manner, moved=True) for seat in SEATS for manner in get_args(Manner))
    looks += [SquareLook("ground", piece=piece) for piece in pieces]
    samples = [painter.paint_square(look) for look in looks]
    side = samples[0].width
    sheet = Image.new("RGB", (max(picture.width, side * len(samples)), picture.height + side), painter.theme.card)
    sheet.paste(picture)
    for number, sample in enumerate(samples):
        sheet.paste(sample, (number * side, picture.height))
    return sheet.quantize(_COLOURS, dither=Image.Dither.NONE)


def _paint_frames(painter: Painter, frames: Iterable[Frame], viewer: Viewer, title: str) -> Iterator[Image.Image]:
    for frame in frames:
        layout = lay_out(frame, viewer)
        width, height = painter.size(layout)
        picture = Image.new("RGB", (width, height + 4 * _LINE), painter.theme.card)
        picture.paste(painter.paint(layout), (0, _LINE))
        draw = ImageDraw.Draw(picture)
        lines = [title, *_describe(frame)]
        tops = [0.0, *(layout.height + _LINE * number for number in range(1, len(lines)))]
        for text, top in zip(lines, tops, strict=True):
            painter.write(draw, Caption(_fit(text, width - 2 * _LEFT), _LEFT, top + _LINE / 2, "start"), _TEXT, "ink")
        yield picture


def _describe(frame: Frame) -> list[str]:
    """Describe the act of a frame in up to three lines."""
    act = f"{frame.seat} {frame.action}" if frame.seat else frame.action
    return [f"{frame.ply}: {act}", *[*frame.story, *frame.ending][-2:]]


def _fit(text: str, width: float) -> str:
    """Cut a text that is too long for a line."""
    font = find_font(_TEXT)
    while font.getlength(text) > width:
        text = text.removesuffix("…")[:-1] + "…"
    return text
