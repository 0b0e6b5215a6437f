"""Pairing of a Swiss round: the best matching of all bots.

A round is a match with both colours, as in the FIDE's Double-Swiss System (Handbook C.04.5), so colours need no
balancing from round to round.  The rules are those of FIDE for byes, brackets and pairings, the most important first:

1. no bot has a second bye before all have had one (C.04.1 d);
2. no two bots meet again if it can be avoided (C.04.1 b);
3. the bye goes to the lowest ranked bot that can have it (C.04.5, 3.4);
4. from the highest score group down: as few bots as possible come up to it from lower groups, and from as little lower
   as possible (C4 and C5), and among equals the highest ranked (3.5);
5. the upper half of such a bracket meets the lower half in the same order; if that is impossible, the lower half
   changes places before the halves do, and the last before the first (3.6).

Each rule outweighs all that come after it, and no two pairings are equal in all: there is one best.  Unlike in C.04.5,
bots that come up rank below the group that they come up to, whatever their seeding, and it does not matter
which bots floated in the round before (C7, C8).
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from arbiter.tournament.schedule.matching import Seeker, match
from arbiter.tournament.schedule.score_groups import ScoreGroups

_MANY: Final = 40  # bots; fewer are matched all at once, in a tenth of a second


class PairingPool(Struct, frozen=True):
    """The bots to pair and their earlier rounds."""

    ranked: tuple[str, ...]
    """The highest ranked first."""
    points: Mapping[str, float]
    met: Mapping[frozenset[str], int]
    """Number of rounds in which two bots met."""
    byes: Mapping[str, int]


def pair_off(pool: PairingPool) -> tuple[list[tuple[str, str]], str | None]:
    """Pair all bots, the highest ranked first, and return the bot with the bye if their number is odd."""
    scores = sorted({pool.points[bot] for bot in pool.ranked}, reverse=True)
    groups = {score: number for number, score in enumerate(scores)}
    seekers = [Seeker(bot, groups[pool.points[bot]], pool.byes.get(bot, 0)) for bot in pool.ranked]
    if len(seekers) >= _MANY and (found := _pair_many(seekers, pool.met)) is not None:
        return found
    best = match(seekers, pool.met)
    bye = next((seekers[one].bot for one, two in best if two == len(seekers)), None)
    return [(seekers[one].bot, seekers[two].bot) for one, two in best if two < len(seekers)], bye


def _pair_many(
    seekers: Sequence[Seeker], met: Mapping[frozenset[str], int]
) -> tuple[list[tuple[str, str]], str | None] | None:
    """Pair many bots by their score groups; None if no group is large enough."""
    bye: Seeker | None = None
    if len(seekers) % 2:  # whichever bot has it, no two of the others need to meet again
        fewest = min(seeker.byes for seeker in seekers)
        bye = next(seeker for seeker in reversed(seekers) if seeker.byes == fewest)
    playing = [seeker for seeker in seekers if seeker is not bye]
    pairs = ScoreGroups(playing, met).pair()
    if pairs is None:
        return None
    return [(playing[one].bot, playing[two].bot) for one, two in pairs], None if bye is None else bye.bot
