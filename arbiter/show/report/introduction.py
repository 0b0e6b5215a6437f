"""The game in five pictures, for readers who see it for the first time."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from msgspec import Struct

from arbiter.games.ranks import RANKS
from arbiter.languages.catalogue import read_language
from arbiter.show.boards import NO_MARKS, Marks, write_rank
from arbiter.show.pictures.layout import lay_out, write_svg
from arbiter.show.replay.frame import Frame
from arbiter.show.replay.knowledge import Viewer
from arbiter.show.theme import PAPER
from protocol.messages import BoardShape, BoardView, ViewPiece
from protocol.words import Place

_SHAPE: Final = BoardShape(files=4, rows=4, lakes=[])
_RANKS: Final = {write_rank(rank): rank for rank in RANKS}
_SEATS: Final = {"r": "red", "b": "blue"}


class Picture(Struct, frozen=True):
    """A small board with a text; a piece is written as the first letter of its seat and its sign."""

    caption: str
    """Key of the text."""
    pieces: Mapping[Place, str]
    marks: Marks = NO_MARKS
    known: tuple[Place, ...] = ()
    """Squares of pieces whose rank the opponent knows."""
    viewer: Viewer = "arbiter"

    def draw(self, lang: str) -> bytes:
        """Draw the board as SVG, with its text in a language."""
        pieces = [
            ViewPiece(place, _SEATS[text[0]], _RANKS.get(text[1:]))  # type: ignore[arg-type]
            for place, text in self.pieces.items()
        ]
        view = BoardView(pieces, {"red": {}, "blue": {}})
        frame = Frame(ply=0, seat=None, action="", shape=_SHAPE, view=view, marks=self.marks, known=self.known)
        return write_svg(lay_out(frame, self.viewer), PAPER, read_language(lang).pages[self.caption]).encode()


_BACK: Final = {"a4": "b?", "b4": "b?", "c4": "b?", "d4": "b?"}
_OWN: Final = {"a1": "r3", "b1": "rF", "c1": "rM"}
PICTURES: Final = {
    "start-1.svg": Picture(
        "start_1",
        {**_OWN, "d1": "r5", **_BACK},
        viewer="red",
    ),
    "start-2.svg": Picture(
        "start_2",
        {**_OWN, "d2": "r5", **_BACK},
        Marks("d1", "d2"),
        viewer="red",
    ),
    "start-3.svg": Picture(
        "start_3",
        {**_OWN, "d3": "r5", "a4": "bB", "b4": "bF", "c4": "bS"},
        Marks("d2", "d3", attack=True),
        ("d3",),
    ),
    "start-4.svg": Picture(
        "start_4",
        {"a3": "r3", "a4": "bB", "b4": "bF", "c2": "bS", "c1": "rM", "b1": "rF"},
        Marks("c3", "c2"),
        ("c1",),
    ),
    "start-5.svg": Picture(
        "start_5",
        {"b4": "r3", "c2": "bS", "b1": "rF"},
        Marks("a4", "b4", attack=True),
        ("b4",),
    ),
}
"""The pictures by the names of their files."""


@cache
def draw_picture(name: str, lang: str) -> bytes:
    """Draw one of the PICTURES."""
    return PICTURES[name].draw(lang)
