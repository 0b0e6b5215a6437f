"""Points systems: what a game is worth in a tournament."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from arbiter.errors import ConfigError, unknown_name
from arbiter.games.base import FORFEITS, Ending
from protocol.words import OPPONENT, SEATS, Seat

Worth = Annotated[float, Meta(ge=-1000, le=1000)]


class Points(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A points system."""

    win: Worth
    """A win by forfeit too."""
    draw: Worth
    loss: Worth
    """A loss on the board."""
    forfeit: Worth
    """A loss by forfeit."""


SYSTEMS: Final[dict[str, Points]] = {
    "isf": Points(win=6, draw=3, loss=1, forfeit=0),
    "simple": Points(win=1, draw=0.5, loss=0, forfeit=0),
    "ucc": Points(win=3, draw=2, loss=1, forfeit=-1),
}


def find_points(points: str | Points) -> Points:
    """Find a points system by name, or check one from a tournament file.  Raises ConfigError."""
    if isinstance(points, str):
        if points not in SYSTEMS:
            raise unknown_name("points system", points, SYSTEMS)
        return SYSTEMS[points]
    values = [points.win, points.draw, points.loss, points.forfeit]
    if values != sorted(values, reverse=True) or points.win == points.loss:
        raise ConfigError(
            "a win must be worth more than a loss, and win, draw, loss, forfeit must go from most to least"
        )
    return points


def score(points: Points, winner: Seat | None, ending: Ending) -> dict[Seat, float]:
    """Return the points of both seats; {} for a voided game.

    If both bots forfeited (neither completed the setup phase) or lost by a ruling, there is no winner and each has 0.
    """
    if ending == "void":
        return {}
    if winner is None:
        worth = 0.0 if ending in FORFEITS or ending == "double_loss" else points.draw
        return dict.fromkeys(SEATS, worth)
    return {winner: points.win, OPPONENT[winner]: points.forfeit if ending in FORFEITS else points.loss}
