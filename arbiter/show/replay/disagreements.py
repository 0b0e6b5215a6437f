"""The plies at which two bots evaluate a game differently."""

from typing import Final

from arbiter.show.replay.replay import Replay
from protocol.words import OPPONENT, SEATS, Seat

_EVEN: Final = 0.1
"""Part of the largest evaluation of a bot below which it believes that the game is even: each bot has its own unit."""


def find_disagreements(replay: Replay, last: int) -> list[int]:
    """List the frames up to the last one at which a bot evaluates the game differently from its opponent's latest one.

    Both believe that they are ahead, or both that they are behind.
    """
    found: dict[int, tuple[Seat, float]] = {}
    for number in range(1, last + 1):
        act = replay.act(number)
        if act is not None and act.entry.eval is not None:
            found[number] = act.entry.seat, act.entry.eval
    largest = {seat: max((abs(value) for one, value in found.values() if one == seat), default=0.0) for seat in SEATS}
    leans = dict.fromkeys(SEATS, 0)
    disagreements = []
    for number, (seat, value) in found.items():
        leans[seat] = 0 if abs(value) < _EVEN * largest[seat] else (value > 0) - (value < 0)
        if leans[seat] and leans[seat] == leans[OPPONENT[seat]]:
            disagreements.append(number)
    return disagreements
