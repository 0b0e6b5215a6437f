"""A foul: a bot breaks the rules or the protocol, or fails, and so loses the game."""

from typing import Literal

from protocol.words import Seat

ForfeitEnding = Literal[
    "illegal_action", "immovable_moved", "illegal_setup", "protocol", "timeout", "crash", "no_start"
]


class Foul(Exception):
    """A seat loses the game."""

    seat: Seat
    ending: ForfeitEnding
    public: str
    """Sentence for the opponent: it names no rank and quotes nothing of the bot's output."""
    detail: str
    """Sentence for the bot's author and for the record: it may do both.  Default: the public one."""

    def __init__(self, seat: Seat, ending: ForfeitEnding, public: str, detail: str | None = None) -> None:
        super().__init__(detail or public)
        self.seat = seat
        self.ending = ending
        self.public = public
        self.detail = detail or public
