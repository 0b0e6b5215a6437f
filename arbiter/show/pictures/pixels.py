"""Layouts painted with pixels, from paths of SVG as polygons: PNG pictures and animated GIFs; needs Pillow."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from io import BytesIO
from itertools import chain
from math import atan2, cos, hypot, pi, sin, sqrt, tau
from operator import mul
from pathlib import Path
from typing import Final, get_args
from unicodedata import combining, normalize

from msgspec import Struct
from PIL import Image, ImageChops, ImageDraw, ImageFont

from arbiter.show.language import ENGLISH, SentenceWriter
from arbiter.show.pictures.layout import (
    CELL,
    LINE,
    SIZES,
    Caption,
    Ground,
    Manner,
    PictureLayout,
    PieceLook,
    Shape,
    SquareLook,
    draw_square,
    find_colour,
    lay_out,
    write_context,
)
from arbiter.show.replay.clip import Shot
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.theme import PAINTS, Theme, list_designs
from protocol.words import SEATS

Point = tuple[float, float]
_TOKEN: Final = re.compile(r"[MmLlHhVvCcAaZz]|-?(?:\d*\.\d+|\d+)")
_COUNTS: Final = {"m": 2, "l": 2, "h": 1, "v": 1, "c": 6, "a": 7, "z": 0}
_CURVE_STEPS: Final = 8
_ARC_STEP: Final = pi / 16


class Polygon(Struct):
    """A part of a path as points that straight lines join."""

    points: list[Point]
    closed: bool = False


def flatten_path(data: str) -> list[Polygon]:
    """Return the parts of a path with the commands M, L, H, V, C, A and Z, absolute and relative.

    Raises ValueError for any other command.
    """
    parts: list[Polygon] = []
    here: Point = (0.0, 0.0)
    for command, numbers in _read_commands(data):
        x, y = here if command.islower() else (0.0, 0.0)
        match command.lower():
            case "m":
                here = (x + numbers[0], y + numbers[1])
                parts.append(Polygon([here]))
                continue
            case "z":
                parts[-1].closed = True
                here = parts[-1].points[0]
                continue
            case "l":
                more = [(x + numbers[0], y + numbers[1])]
            case "h":
                more = [(x + numbers[0], here[1])]
            case "v":
                more = [(here[0], y + numbers[0])]
            case "c":
                pairs = zip(numbers[::2], numbers[1::2], strict=True)
                more = list(_flatten_curve(here, *((x + dx, y + dy) for dx, dy in pairs)))
            case _:
                end = (x + numbers[5], y + numbers[6])
                more = list(_flatten_arc(here, end, numbers[0], large=numbers[3] != 0, sweep=numbers[4] != 0))
        if parts[-1].closed:
            parts.append(Polygon([here]))
        parts[-1].points += more
        here = more[-1]
    return [part for part in parts if len(part.points) > 1]


def _read_commands(data: str) -> Iterator[tuple[str, list[float]]]:
    """Yield each command with its numbers; numbers after the last ones repeat the command."""
    if rest := re.sub(r"[\s,]", "", _TOKEN.sub("", data)):
        raise ValueError(f"a path contains {rest!r}")
    tokens = _TOKEN.findall(data)
    at = 0
    command = ""
    while at < len(tokens):
        if tokens[at].isalpha():
            command = tokens[at]
            at += 1
        count = _COUNTS[command.lower()]
        yield command, [float(token) for token in tokens[at : at + count]]
        at += count
        command = {"m": "l", "M": "L"}.get(command, command)


def _flatten_curve(start: Point, one: Point, two: Point, end: Point) -> Iterator[Point]:
    for step in range(1, _CURVE_STEPS + 1):
        t = step / _CURVE_STEPS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        x, y = (sum(map(mul, weights, axis)) for axis in zip(start, one, two, end, strict=True))
        yield x, y


def _flatten_arc(start: Point, end: Point, radius: float, *, large: bool, sweep: bool) -> Iterator[Point]:
    """Yield the points of an arc of a circle."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    chord = hypot(dx, dy)
    radius = max(radius, chord / 2)
    offset = sqrt(max(0.0, radius * radius - chord * chord / 4)) * (1 if large == sweep else -1)
    middle = ((start[0] + end[0]) / 2 + offset * dy / chord, (start[1] + end[1]) / 2 - offset * dx / chord)
    first = atan2(start[1] - middle[1], start[0] - middle[0])
    last = atan2(end[1] - middle[1], end[0] - middle[0])
    turn = (last - first) % tau if sweep else -((first - last) % tau)
    steps = max(2, round(abs(turn) / _ARC_STEP))
    for step in range(1, steps + 1):
        angle = first + turn * step / steps
        yield middle[0] + radius * cos(angle), middle[1] + radius * sin(angle)


_FINE: Final = 4  # pixels in each direction that are averaged to one
_BOLD: Final = 0.2  # units that a line of a sign is thicker on each side
_ANCHORS: Final = {"start": "lm", "middle": "mm", "end": "rm"}


class Painter:
    """Paints layouts in the colours of a theme; each kind of square with its piece is painted once.

    `scale` is the number of pixels for each unit of a layout.
    """

    def __init__(self, theme: Theme, scale: float = 1) -> None:
        self.theme: Final = theme
        self.scale: Final = scale
        self._tiles: dict[SquareLook, Image.Image] = {}

    def size(self, layout: PictureLayout) -> tuple[int, int]:
        """Return the width and the height of a layout in pixels."""
        return round(layout.width * self.scale), round(layout.height * self.scale)

    def paint(self, layout: PictureLayout) -> Image.Image:
        """Paint a layout."""
        picture = Image.new("RGB", self.size(layout), self.theme.paper)
        for x, y, look in layout.squares:
            if look not in self._tiles:
                self._tiles[look] = self.paint_square(look)
            picture.paste(self._tiles[look], (round(x * self.scale), round(y * self.scale)))
        draw = ImageDraw.Draw(picture)
        for label in layout.labels:
            self.write(draw, label)
        return picture

    def write(
        self, draw: ImageDraw.ImageDraw, label: Caption, size: float = SIZES["label"], colour: str = "soft"
    ) -> None:
        """Write a text into a picture."""
        at = (label.x * self.scale, label.y * self.scale)
        font = find_text_font(size * self.scale)
        draw.text(at, spell(label.text), self._colour(colour), font, _ANCHORS[label.anchor])

    def _colour(self, name: str) -> str:
        return str(find_colour(name, self.theme))

    def paint_square(self, look: SquareLook) -> Image.Image:
        """Paint a square with its piece."""
        size = round(CELL * self.scale)
        zoom = self.scale * _FINE
        tile = Image.new("RGB", (size * _FINE, size * _FINE), self._colour(look.ground))
        square = draw_square(look)
        for shape in square.shapes:
            self._paint_shape(tile, shape)
        if symbol := square.symbol:
            # A part inside another one is a hole.
            mask = Image.new("1", tile.size)
            for part in flatten_path(list_designs()[symbol.rank].drawing):
                points = [
                    ((symbol.x + x * symbol.scale) * zoom, (symbol.y + y * symbol.scale) * zoom) for x, y in part.points
                ]
                layer = Image.new("1", tile.size)
                ImageDraw.Draw(layer).polygon(points, 1)
                mask = ImageChops.logical_xor(mask, layer)
            tile.paste(self._colour("on"), mask=mask)
        if sign := square.sign:
            at = (sign.x * zoom, sign.y * zoom)
            font = find_font(SIZES[sign.size] * zoom)
            ImageDraw.Draw(tile).text(at, sign.text, self._colour("on"), font, "ms", stroke_width=_BOLD * zoom)
        return tile.resize((size, size), Image.Resampling.BOX)

    def _paint_shape(self, tile: Image.Image, shape: Shape) -> None:
        style = PAINTS[shape.style]
        zoom = self.scale * _FINE
        mask = Image.new("L", tile.size)
        for colour, is_line in ((style.fill, False), (style.stroke, True)):
            if colour is None:
                continue
            mask.paste(0, (0, 0, *mask.size))
            draw = ImageDraw.Draw(mask)
            opacity = round(255 * style.opacity)
            for part in flatten_path(f"M0 0{shape.path}"):
                points = [(x * zoom, y * zoom) for x, y in part.points]
                if is_line:
                    ends = points[:2] if part.closed else []  # so that the last corner is joined too
                    draw.line([*points, *ends], opacity, max(1, round(style.width * zoom)), "curve")
                else:
                    draw.polygon(points, opacity)
            tile.paste(self._colour(colour), mask=mask)


Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
_TEXT_FONTS: Final = (
    "DejaVuSansCondensed.ttf",
    "DejaVuSans.ttf",
    "LiberationSans-Regular.ttf",
    "arial.ttf",
    "Arial.ttf",
)


@cache
def find_font(size: float) -> Font:
    """Return the font of the signs of pieces in a size in pixels, the same on every machine."""
    return ImageFont.load_default(size)


@cache
def find_installed_font() -> str | None:
    """Return the file of a font of this machine with accents and dashes; None if there is none."""
    for name in _TEXT_FONTS:
        if not Path(name).exists():  # in the current folder, where Pillow would look first
            with suppress(OSError):
                return str(ImageFont.truetype(name).path)
    return None


@cache
def find_text_font(size: float) -> Font:
    """Return the font of names and captions in a size in pixels."""
    file = find_installed_font()
    return find_font(size) if file is None else ImageFont.truetype(file, size)


def write_png(
    frame: Frame,
    viewer: Viewer,
    theme: Theme,
    title: str,
    scale: float = 2,
    *,
    sentences: SentenceWriter = ENGLISH,
) -> bytes:
    """Write a frame as a PNG file, with the title above the board and the act and its facts below."""
    file = BytesIO()
    picture = next(_paint_frames(_find_painter(theme, scale), [frame], [""], viewer, title, sentences=sentences))
    picture.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG", compress_level=6)
    return file.getvalue()


@cache
def _find_painter(theme: Theme, scale: float) -> Painter:
    """Return the painter of pictures of single frames; it keeps its squares, which take most of the time."""
    return Painter(theme, scale)


_LEFT: Final = 16
_TEXT: Final = SIZES["line"]
_COLOURS: Final = 128


def write_gif(
    frames: Iterable[Frame],
    shots: Sequence[Shot],
    viewer: Viewer,
    theme: Theme,
    title: str,
    *,
    sentences: SentenceWriter = ENGLISH,
) -> bytes:
    """Write frames as a GIF that repeats forever, with the title above the board and the act of each frame below.

    The shots are those of the frames: a caption takes the place of the facts and the ending.
    """
    painter = Painter(theme)
    captions = [shot.caption for shot in shots]
    pictures = _paint_frames(painter, frames, captions, viewer, title, sentences=sentences)
    first = next(pictures)
    # All frames have the palette of a sheet with all colours: with one palette, a GIF stores only what changes.
    looks = [SquareLook(ground, marked) for ground in get_args(Ground) for marked in (False, True)]
    pieces = (PieceLook(seat, "spy", manner, moved=True) for seat in SEATS for manner in get_args(Manner))
    looks += [SquareLook("ground", piece=piece) for piece in pieces]
    samples = [painter.paint_square(look) for look in looks]
    side = samples[0].width
    sheet = Image.new("RGB", (max(first.width, side * len(samples)), first.height + side), theme.card)
    sheet.paste(first)
    for number, sample in enumerate(samples):
        sheet.paste(sample, (number * side, first.height))
    palette = sheet.quantize(_COLOURS, dither=Image.Dither.NONE)
    first, *rest = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in chain([first], pictures))
    durations = [shot.ms for shot in shots]
    file = BytesIO()
    first.save(file, "GIF", save_all=True, append_images=rest, duration=durations, loop=0, optimize=True, disposal=1)
    return file.getvalue()


def _paint_frames(
    painter: Painter,
    frames: Iterable[Frame],
    captions: Sequence[str],
    viewer: Viewer,
    title: str,
    *,
    sentences: SentenceWriter,
) -> Iterator[Image.Image]:
    for frame, caption in zip(frames, captions, strict=True):
        layout = lay_out(frame, viewer, sentences)
        width = layout.width - 2 * _LEFT
        scale = painter.scale
        size = round(layout.width * scale), round((layout.height + 4 * LINE) * scale)
        picture = Image.new("RGB", size, painter.theme.card)
        picture.paste(painter.paint(layout), (0, round(LINE * scale)))
        draw = ImageDraw.Draw(picture)
        lines = write_context(frame, title, sentences)
        if caption:  # it has at most two lines
            words = spell(caption).split(" ")
            counts = range(len(words), 0, -1)
            font = find_text_font(_TEXT)
            count = next((one for one in counts if font.getlength(" ".join(words[:one])) <= width), len(words))
            lines[2:] = filter(None, (" ".join(words[:count]), " ".join(words[count:])))
        tops = [0.0, *(layout.height + LINE * number for number in range(1, len(lines)))]
        for number, (text, top) in enumerate(zip(lines, tops, strict=True)):
            colour = "accent" if caption and number > 1 else "ink"
            shown = spell(text)
            while find_text_font(_TEXT).getlength(shown) > width:
                shown = shown.removesuffix("…")[:-1] + "…"
            painter.write(draw, Caption(shown, _LEFT, top + LINE / 2, "start"), _TEXT, colour)
        yield picture


_SPELLINGS: Final = str.maketrans({"–": "-", "—": "-", "−": "-", "×": "x", "½": "1/2", "→": "->", "ß": "ss"})  # noqa: RUF001


def spell(text: str) -> str:
    """Write a text in letters of the font: that of Pillow has neither accents nor most signs."""
    if find_installed_font() is not None:
        return text
    return "".join(one for one in normalize("NFKD", text.translate(_SPELLINGS)) if not combining(one))
