"""Parts of the games of a bot as values: by colour, opponent, length, phase, deployment and version of the program.

How scores in them are compared is in `breakdown`, which needs numpy.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, get_args

from msgspec import UNSET, Struct

from arbiter.errors import ConfigError
from arbiter.games.base import Addressed
from arbiter.record import Record
from arbiter.tournament.standings.stored_game import StoredGame
from protocol.messages import BoardShape
from protocol.words import RED, Deploy, Deployed, Place, Placed, RankId, Removed, Seat

Aspect = Literal["colour", "opponent", "length", "phase", "deployment", "version"]
Phase = Literal["opening", "middlegame", "endgame"]
"""The phase in which a game ended, by the share of all pieces that was lost: up to a third, two thirds, or more."""

PHASES: Final[tuple[Phase, ...]] = get_args(Phase)
_THIRDS: Final = 3


class GameFacts(Struct, frozen=True):
    """The part of a record that scores are divided by."""

    phase: Phase | None = None
    """None if the game has no board."""
    deployments: Mapping[Seat, Mapping[Place, RankId]] = {}
    """The deployments that the bots chose; places are seen from red's side."""


class ScorePart(Struct, frozen=True, kw_only=True):
    """The score of a bot in one part of its games, without repeated games."""

    bot: str
    aspect: Aspect
    name: str
    """The part, such as a colour, an opponent, or the longest plies."""
    games: int
    score: float
    """Share of the points, from 0 to 1."""
    low: float
    """Lower limit of its 95 % interval."""
    high: float
    expected: float | None = None
    """The score that the strength of the opponents and the other games of the bot predict; None without other games."""
    rest: str = ""
    """The name of the other games, if they are one part."""
    rest_score: float | None = None
    """Score in the other games of the bot."""
    errors: float | None = None
    """Score above the expected one, in standard errors; None if there are too few games to compare."""
    is_finding: bool = False
    """True if chance explains no such difference, among all the comparisons that were made at the same time."""


def find_facts(record: Record) -> GameFacts:
    """Find phase and deployments in a record.  They are empty if its rules are not known or there is no board."""
    try:
        shape = record.header.game().describe(RED).board
    except ConfigError:
        return GameFacts()
    if shape is UNSET:
        return GameFacts()
    deployments = {} if record.header.position else _find_deployments(record, shape)
    return GameFacts(_find_phase(record), deployments)


def _find_deployments(record: Record, shape: BoardShape) -> dict[Seat, Mapping[Place, RankId]]:
    """Return the first deployment of each seat."""
    found: dict[Seat, Mapping[Place, RankId]] = {}
    for act in record.acts:
        if isinstance(act.action, Deploy) and act.action.pieces and act.seat not in found:
            pieces = act.action.pieces.items()
            found[act.seat] = {
                place if act.seat == RED else turn_place(place, shape): rank  # type: ignore[misc]
                for place, rank in pieces
            }
    return found


def count_few_deployments(games: Sequence[StoredGame], facts: Sequence[GameFacts]) -> dict[str, int]:
    """Count the deployments of each bot that has shown at most one for every two games."""
    shown: dict[str, list[frozenset[tuple[Place, RankId]]]] = {}
    for game, fact in zip(games, facts, strict=True):
        for seat, deployment in fact.deployments.items():
            shown.setdefault(getattr(game, seat), []).append(frozenset(deployment.items()))
    return {bot: len(set(found)) for bot, found in sorted(shown.items()) if 2 * len(set(found)) <= len(found)}


def _find_phase(record: Record) -> Phase:
    """Find the phase in which a game ended."""
    placed = lost = 0
    facts: list[Addressed] = list(record.header.facts or ())
    for act in record.acts:
        facts += () if act.facts is UNSET else act.facts
    for one in facts:
        match one.fact:
            case Deployed():
                placed += len(one.fact.places)
            case Placed():
                placed += 1
            case Removed():
                lost += 1
            case _:
                pass
    return find_phase(lost, placed)


def find_phase(lost: int, placed: int) -> Phase:
    """Return the phase of a game in which so many of all placed pieces are lost."""
    if _THIRDS * lost <= placed:
        return "opening"
    return "middlegame" if _THIRDS * lost <= 2 * placed else "endgame"


def turn_place(place: Place, shape: BoardShape) -> Place:
    """Return the place that a square has when the board is seen from the other side."""
    file = ord(place[0]) - ord("a")
    row = int(place[1:])
    return f"{chr(ord('a') + shape.files - 1 - file)}{shape.rows + 1 - row}"
