"""The game in five pictures, for readers who see it for the first time."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from msgspec import Struct

from arbiter.games.ranks import RANKS
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
    pieces: Mapping[Place, str]
    marks: Marks = NO_MARKS
    known: tuple[Place, ...] = ()
    """Squares of pieces whose rank the opponent knows."""
    viewer: Viewer = "arbiter"

    def draw(self) -> bytes:
        """Draw the board as SVG."""
        pieces = [
            ViewPiece(place, _SEATS[text[0]], _RANKS.get(text[1:]))  # type: ignore[arg-type]
            for place, text in self.pieces.items()
        ]
        view = BoardView(pieces, {"red": {}, "blue": {}})
        frame = Frame(ply=0, seat=None, action="", shape=_SHAPE, view=view, marks=self.marks, known=self.known)
        return write_svg(lay_out(frame, self.viewer), PAPER, self.caption).encode()


_BACK: Final = {"a4": "b?", "b4": "b?", "c4": "b?", "d4": "b?"}
_OWN: Final = {"a1": "r3", "b1": "rF", "c1": "rM"}
PICTURES: Final = {
    "start-1.svg": Picture(
        "Two armies meet. Each player sees the ranks of its own pieces, but only the backs of the others (?). "
        "This is what red sees.",
        {**_OWN, "d1": "r5", **_BACK},
        viewer="red",
    ),
    "start-2.svg": Picture(
        "In turn, a player moves one piece by one square. Bombs (B) and flags (F) never move. "
        "The marked squares show the last move.",
        {**_OWN, "d2": "r5", **_BACK},
        Marks("d1", "d2"),
        viewer="red",
    ),
    "start-3.svg": Picture(
        "A piece that moves onto an enemy attacks it. The ranks are compared: the higher one stays, the other leaves. "
        "An eye marks a piece whose rank its opponent has learned; pieces with stripes are still secret.",
        {**_OWN, "d3": "r5", "a4": "bB", "b4": "bF", "c4": "bS"},
        Marks("d2", "d3", attack=True),
        ("d3",),
    ),
    "start-4.svg": Picture(
        "The weak have their turn: a spy (S) that attacks the marshal (M) wins, and a miner (3) removes a bomb, "
        "which stops all others.",
        {"a3": "r3", "a4": "bB", "b4": "bF", "c2": "bS", "c1": "rM", "b1": "rF"},
        Marks("c3", "c2"),
        ("c1",),
    ),
    "start-5.svg": Picture(
        "The player that takes the flag (F) wins, whatever else is lost. So the art is to know more than the opponent.",
        {"b4": "r3", "c2": "bS", "b1": "rF"},
        Marks("a4", "b4", attack=True),
        ("b4",),
    ),
}
"""The pictures by the names of their files."""


@cache
def draw_picture(name: str) -> bytes:
    """Draw one of the PICTURES."""
    return PICTURES[name].draw()
