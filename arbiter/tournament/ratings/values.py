"""Ratings as values: what is told of how strong bots are.  Knows nothing of how they are found."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from arbiter.errors import ConfigError, unknown_name

_ANCHOR: Final = re.compile(r"(?P<bot>[^=]+)=(?P<elo>[+-]?\d{1,6}(\.\d{1,3})?)")


class Estimate(Struct, frozen=True):
    """A number on the Elo scale, and the 95 % interval about it."""

    elo: float
    low: float
    high: float


class Rating(Struct, frozen=True, kw_only=True):
    """A bot's rating; `group` numbers those that games join, directly or through others.

    `as_red` and `as_blue` come from the games with that colour alone, None where there are none.
    All is None for a bot of which no game tells anything.
    """

    bot: str
    group: int | None = None
    rating: Estimate | None = None
    as_red: Estimate | None = None
    as_blue: Estimate | None = None


class Anchor(Struct, frozen=True):
    """A bot whose rating is set; the others' follow."""

    bot: str
    elo: float


class Ratings(Struct, frozen=True, kw_only=True):
    """The ratings, best first within each group; the mean of each group is 0, but that with the `anchor`.

    `superiority[bot][other]` is the likelihood that a bot is the stronger, for two of one group only.
    `red_advantage` is what having red is worth, None where no two bots have met with both colours.
    """

    bots: tuple[Rating, ...]
    superiority: dict[str, dict[str, float]]
    red_advantage: Estimate | None
    anchor: Anchor | None = None

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """List the groups, between which ratings say nothing."""
        numbers = {one.group for one in self.bots if one.group is not None}
        return tuple(tuple(one.bot for one in self.bots if one.group == number) for number in sorted(numbers))


def find_anchor(text: str, bots: Sequence[str]) -> Anchor:
    """Read an anchor, BOT=RATING.  Raises ConfigError."""
    found = _ANCHOR.fullmatch(text)
    if found is None:
        raise ConfigError(f'is "{text}", must be a bot and its rating, as in "{next(iter(bots), "random")}=1500"')
    if found["bot"] not in bots:
        raise unknown_name("bot", found["bot"], bots)
    return Anchor(found["bot"], float(found["elo"]))
