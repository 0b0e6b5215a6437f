"""What a game is worth in a tournament."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from arbiter.errors import ConfigError
from arbiter.games.base import FORFEITS, Ending
from arbiter.games.catalogue import unknown
from protocol.words import OPPONENT, SEATS, Seat

Worth = Annotated[float, Meta(ge=-1000, le=1000)]


class Points(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points for a win (by forfeit too), a draw, a loss over the board, and a forfeit of one's own."""

    win: Worth
    draw: Worth
    loss: Worth
    forfeit: Worth


SYSTEMS: Final[dict[str, Points]] = {
    "isf": Points(win=6, draw=3, loss=1, forfeit=0),
    "simple": Points(win=1, draw=0.5, loss=0, forfeit=0),
    "ucc": Points(win=3, draw=2, loss=1, forfeit=-1),
}


def find_points(points: str | Points) -> Points:
    """Find a points system by name, or check one's own.  Raises ConfigError."""
    if isinstance(points, str):
        if points not in SYSTEMS:
            raise unknown("points system", points, SYSTEMS)
        return SYSTEMS[points]
    ladder = (points.win, points.draw, points.loss, points.forfeit)
    if list(ladder) != sorted(ladder, reverse=True) or points.win == points.loss:
        raise ConfigError("a win must be worth more than a loss, and win, draw, loss, forfeit go from most to least")
    return points


def score(points: Points, winner: Seat | None, ending: Ending) -> dict[Seat, float]:
    """Share out the points of a game; a void game has none to share.

    Where both bots forfeited (neither got through the setup) there is no winner, and each has 0.
    """
    if ending == "void":
        return {}
    if winner is None:
        worth = 0.0 if ending in FORFEITS else points.draw
        return dict.fromkeys(SEATS, worth)
    return {winner: points.win, OPPONENT[winner]: points.forfeit if ending in FORFEITS else points.loss}
