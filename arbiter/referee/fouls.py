"""A foul: a bot broke the deal and loses the game.  One sentence for everybody, one more for its author."""

from typing import Literal

from protocol.words import Seat

ForfeitEnding = Literal[
    "illegal_action", "immovable_moved", "illegal_setup", "protocol", "timeout", "crash", "no_start"
]


class Foul(Exception):
    """A seat loses the game: how, what everybody may know of it, and what only its author is told.

    The public sentence names no rank and quotes nothing of the bot's; `detail` may do both.
    """

    def __init__(self, seat: Seat, ending: ForfeitEnding, public: str, detail: str | None = None) -> None:
        super().__init__(detail or public)
        self.seat: Seat = seat
        self.ending: ForfeitEnding = ending
        self.public = public
        self.detail = detail or public
