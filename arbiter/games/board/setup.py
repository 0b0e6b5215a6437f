"""Deployments: is this the whole army, one piece a square, on one's own rows."""

from collections import Counter

from msgspec import UNSET

from arbiter.errors import IllegalAction
from arbiter.games.board.diagram import PlacedPiece
from arbiter.games.board.ruleset import Ruleset
from protocol.words import Deploy, RankId, Seat


def check_deployment(ruleset: Ruleset, seat: Seat, action: Deploy) -> tuple[PlacedPiece, ...]:
    """Return the pieces deployed, in board order.

    Raises IllegalAction (J2011-D "Aufstellung": the whole army on the four rows of one's own).
    """
    if action.pieces is UNSET or action.line is not UNSET:
        raise _refusal("a board game is deployed with `pieces`, square to rank")
    squares = {ruleset.board.names[square]: square for square in ruleset.deployment(seat)}
    standings = [
        PlacedPiece(_own_square(place, squares, seat), seat, _rank(ruleset, rank))
        for place, rank in action.pieces.items()
    ]
    _check_army(ruleset, standings)
    return tuple(sorted(standings, key=lambda standing: standing.square))


def _own_square(place: str, squares: dict[str, int], seat: Seat) -> int:
    if place not in squares:
        raise _refusal(f"{place[:20]!r} is not one of {seat}'s deployment squares")
    return squares[place]


def _rank(ruleset: Ruleset, rank: str) -> RankId:
    try:
        return ruleset.rank(rank).id
    except KeyError:
        raise _refusal(f"{ruleset.name} has no rank {rank[:20]!r}") from None


def _check_army(ruleset: Ruleset, standings: list[PlacedPiece]) -> None:
    counts = Counter(standing.rank for standing in standings)
    for rank in ruleset.ranks:
        wanted = ruleset.army.get(rank.id, 0)
        if counts[rank.id] != wanted:
            raise _refusal(f"{counts[rank.id]} pieces of rank {rank.id} instead of {wanted}")


def _refusal(why: str) -> IllegalAction:
    return IllegalAction("deployment", f"the deployment is not allowed: {why}", ending="illegal_setup")
