"""Layouts painted with pixels, and PNG pictures; needs Pillow."""

from functools import cache
from io import BytesIO
from typing import Final

from PIL import Image, ImageChops, ImageDraw, ImageFont

from arbiter.show.pictures.layout import CELL, Caption, Ground, PictureLayout, PieceLook
from arbiter.show.pictures.paths import flatten_path
from arbiter.show.pictures.styles import SIZES, STYLES, Shape, Sign, Symbol, draw_piece, find_colour
from arbiter.show.theme import RANKS, Theme

_FINE: Final = 4  # pixels in each direction that are averaged to one
_SQUARE: Final = f"m0 0h{CELL}v{CELL}h-{CELL}z"
_BOLD: Final = 0.2  # units that a line of a sign is thicker on each side
_ANCHORS: Final = {"start": "lm", "middle": "mm", "end": "rm"}


class Painter:
    """Paints layouts in the colours of a theme; each kind of square with its piece is painted once.

    `scale` is the number of pixels for each unit of a layout.
    """

    def __init__(self, theme: Theme, scale: float = 1) -> None:
        self.theme: Final = theme
        self.scale: Final = scale
        self._tiles: dict[tuple[Ground, bool, PieceLook | None], Image.Image] = {}

    def size(self, layout: PictureLayout) -> tuple[int, int]:
        """Return the width and the height of a layout in pixels."""
        return round(layout.width * self.scale), round(layout.height * self.scale)

    def paint(self, layout: PictureLayout) -> Image.Image:
        """Paint a layout."""
        picture = Image.new("RGB", self.size(layout), self.theme.paper)
        for cell in layout.cells:
            key = (cell.ground, cell.marked, cell.look)
            if key not in self._tiles:
                self._tiles[key] = self.paint_tile(*key)
            picture.paste(self._tiles[key], (round(cell.x * self.scale), round(cell.y * self.scale)))
        draw = ImageDraw.Draw(picture)
        for label in layout.labels:
            self.write(draw, label)
        return picture

    def write(
        self, draw: ImageDraw.ImageDraw, label: Caption, size: float = SIZES["label"], colour: str = "soft"
    ) -> None:
        """Write a text into a picture."""
        at = (label.x * self.scale, label.y * self.scale)
        draw.text(at, label.text, self._colour(colour), find_font(size * self.scale), _ANCHORS[label.anchor])

    def _colour(self, name: str) -> str:
        return str(find_colour(name, self.theme))

    def paint_tile(self, ground: Ground, marked: bool, look: PieceLook | None) -> Image.Image:
        """Paint a square with its piece."""
        size = round(CELL * self.scale)
        tile = Image.new("RGB", (size * _FINE, size * _FINE), self._colour(ground))
        self._paint_shape(tile, Shape("grid", _SQUARE))
        if marked:
            self._paint_shape(tile, Shape("mark", _SQUARE))
        if look is not None:
            piece = draw_piece(look)
            for shape in piece.shapes:
                self._paint_shape(tile, shape)
            if piece.symbol:
                self._paint_symbol(tile, piece.symbol)
            self._paint_sign(tile, piece.sign)
        return tile.resize((size, size), Image.Resampling.BOX)

    def _paint_shape(self, tile: Image.Image, shape: Shape) -> None:
        style = STYLES[shape.style]
        zoom = self.scale * _FINE
        mask = Image.new("L", tile.size)
        for colour, is_line in ((style.fill, False), (style.stroke, True)):
            if colour is None:
                continue
            mask.paste(0, (0, 0, *mask.size))
            draw = ImageDraw.Draw(mask)
            opacity = round(255 * style.opacity)
            for part in flatten_path(shape.path):
                points = [(x * zoom, y * zoom) for x, y in part.points]
                if is_line:
                    ends = points[:2] if part.closed else []  # so that the last corner is joined too
                    draw.line([*points, *ends], opacity, max(1, round(style.width * zoom)), "curve")
                else:
                    draw.polygon(points, opacity)
            tile.paste(self._colour(colour), mask=mask)

    def _paint_symbol(self, tile: Image.Image, symbol: Symbol) -> None:
        """Paint the drawing of a rank; a part inside another one is a hole."""
        zoom = self.scale * _FINE
        mask = Image.new("1", tile.size)
        for part in flatten_path(RANKS[symbol.rank].drawing):
            points = [
                ((symbol.x + x * symbol.scale) * zoom, (symbol.y + y * symbol.scale) * zoom) for x, y in part.points
            ]
            layer = Image.new("1", tile.size)
            ImageDraw.Draw(layer).polygon(points, 1)
            mask = ImageChops.logical_xor(mask, layer)
        tile.paste(self._colour("on"), mask=mask)

    def _paint_sign(self, tile: Image.Image, sign: Sign) -> None:
        zoom = self.scale * _FINE
        font = find_font(SIZES[sign.size] * zoom)
        ImageDraw.Draw(tile).text(
            (sign.x * zoom, sign.y * zoom), sign.text, self._colour("on"), font, "ms", stroke_width=_BOLD * zoom
        )


@cache
def find_font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the font of all pictures in a size in pixels."""
    return ImageFont.load_default(size)


def write_png(layout: PictureLayout, theme: Theme, scale: float = 2) -> bytes:
    """Write a layout as a PNG file."""
    file = BytesIO()
    Painter(theme, scale).paint(layout).quantize(64, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()
