"""Lost connections, and those of them that the arbiter's side explains: by all others, programs lose their games."""

import math
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from msgspec import Struct

from protocol.envelope import PING_EVERY_S, SILENCE_S

TOGETHER_S: Final = 1.0  # connections that are lost within it are lost together
FEWEST: Final = 2  # authors that lose their connections together: one can end all of the own ones
STALL_S: Final = SILENCE_S - PING_EVERY_S  # no program gives up its connection in a shorter stall of the gateway
_MOST: Final = 100  # are kept: losses of a program, and stalls


class _Loss(Struct):
    at: float
    back_at: float = math.inf


class Outages:
    """The lost connections and the stalls of the gateway, in times of trio's clock."""

    def __init__(self, authors: Mapping[str, str]) -> None:
        """Count connections by the authors of the programs; a program that is not listed has its own."""
        self._authors = authors
        # Of each program its own ones, so that no program which connects all the time makes others forgotten.
        self._losses: defaultdict[str, deque[_Loss]] = defaultdict(partial(deque, maxlen=_MOST))
        self._stalls: deque[tuple[float, float]] = deque(maxlen=_MOST)

    def note_stall(self, begin: float, end: float) -> None:
        """Note that the gateway did not work."""
        if end - begin >= STALL_S:
            self._stalls.append((begin, end))

    def note_loss(self, bot: str, at: float) -> None:
        """Note that a program has lost its connection."""
        self._losses[bot].append(_Loss(at))

    def note_return(self, bot: str, at: float) -> None:
        """Note that a program is connected."""
        for loss in self._losses[bot]:
            loss.back_at = min(loss.back_at, at)

    def explain(self, bot: str, since: float, connected: Iterable[str]) -> bool:
        """Return True if a program is late with the answer to a question because of the arbiter's side.

        It had no connection for a time since then, because the gateway stalled, or because at least half of all authors
        and at least FEWEST lost theirs together; these are back, as is the program itself.
        """
        if not self._losses[bot] or (own := self._losses[bot][-1]).back_at < since:
            return False
        if any(begin <= own.at <= end + TOGETHER_S for begin, end in self._stalls):
            return True
        together = {
            one: loss.back_at
            for one, losses in self._losses.items()
            for loss in losses
            if abs(loss.at - own.at) <= TOGETHER_S
        }
        stayed = {self._author(one) for one in connected if one not in together}
        lost = set(map(self._author, together))
        back = {self._author(one) for one, back_at in together.items() if back_at < math.inf} - stayed
        return own.back_at < math.inf and self._author(bot) in back and len(back) >= max(FEWEST, len(lost | stayed) / 2)

    def _author(self, bot: str) -> str:
        return self._authors.get(bot, bot)
