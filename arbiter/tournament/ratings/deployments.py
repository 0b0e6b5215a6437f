"""The deployments that bots chose, from the records of games, and bots that have shown only a few."""

from collections.abc import Iterable, Mapping

from msgspec import UNSET

from arbiter.errors import ConfigError
from arbiter.record import Record
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.messages import BoardShape
from protocol.words import RED, Deploy, Place, RankId, Seat

Deployments = Mapping[Seat, Mapping[Place, RankId]]
"""The deployments that the bots chose in one game; places are seen from red's side."""


def find_deployments(record: Record) -> Deployments:
    """Return the first deployment of each seat; none if the rules are not known or there is no board."""
    try:
        shape = record.header.game().describe(RED).board
    except ConfigError:
        return {}
    found: dict[Seat, Mapping[Place, RankId]] = {}
    if shape is UNSET or record.header.position:
        return found
    for act in record.acts:
        if isinstance(act.action, Deploy) and act.action.pieces and act.seat not in found:
            pieces = act.action.pieces.items()
            found[act.seat] = {
                place if act.seat == RED else turn_place(place, shape): rank  # type: ignore[misc]
                for place, rank in pieces
            }
    return found


def count_few_deployments(games: Iterable[tuple[StoredGame, Deployments]]) -> dict[str, int]:
    """Count the deployments of each bot that has shown at most one for every two games."""
    shown: dict[str, list[frozenset[tuple[Place, RankId]]]] = {}
    for game, deployments in games:
        for seat, deployment in deployments.items():
            shown.setdefault(getattr(game, seat), []).append(frozenset(deployment.items()))
    return {bot: len(set(found)) for bot, found in sorted(shown.items()) if 2 * len(set(found)) <= len(found)}


def turn_place(place: Place, shape: BoardShape) -> Place:
    """Return the place that a square has when the board is seen from the other side."""
    file = ord(place[0]) - ord("a")
    row = int(place[1:])
    return f"{chr(ord('a') + shape.files - 1 - file)}{shape.rows + 1 - row}"
