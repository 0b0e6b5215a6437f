"""The remote attack: the marksman hits a weaker piece up to two squares away and stays (CW "Besondere Fähigkeiten").

Both ranks become known, whatever comes of it.
"""

from typing import TYPE_CHECKING, Final

from arbiter.games.base import Addressed
from arbiter.games.board.paths import BOTH
from arbiter.games.board.powers.aims import aims, check_aim, in_line_within_two
from arbiter.games.board.ruleset import Power
from arbiter.games.ranks import Rank, Trait
from protocol.words import OPPONENT, AnyAction, Removed, Seat, Strike, Struck

if TYPE_CHECKING:
    from arbiter.games.board.play import BoardPlay


def _actions(play: "BoardPlay", seat: Seat) -> list[AnyAction]:
    names = play.tables.ruleset.board.names
    return [Strike(names[src], names[dst]) for src, dst in aims(play, seat, Trait.STRIKER, in_line_within_two)]


def _strike(play: "BoardPlay", seat: Seat, action: Strike) -> tuple[Addressed, ...]:
    src, dst = check_aim(play, seat, (action.src, action.dst), Trait.STRIKER, in_line_within_two)
    ranks, foe = play.tables.ruleset.ranks, OPPONENT[seat]
    striker, target = ranks[play.rank[play.board[src]]], ranks[play.rank[play.board[dst]]]
    facts = [Addressed(Struck(seat, action.src, action.dst), BOTH), play.reveal(seat, src), play.reveal(foe, dst)]
    falls = _falls(striker, target)
    if falls:
        facts.append(Addressed(Removed(foe, action.dst), BOTH))
        play.capture(foe, dst)
    if target.has(Trait.FLAG):
        play.take_flag(seat, action.dst)
    play.spend_turn(seat, attacks=True, captures=falls)
    return tuple(facts)


def _falls(striker: Rank, target: Rank) -> bool:
    """Let a lower number fall, and the base; a bomb is unharmed, equals and higher ones stay."""
    if target.number is None or striker.number is None:
        return target.has(Trait.FLAG)
    return target.number < striker.number


REMOTE_ATTACK: Final = Power(
    "turn",
    Strike,
    _actions,
    _strike,
    "remote attack: hit an enemy piece one or two squares away in a straight line and stay; only a lower one falls",
)
