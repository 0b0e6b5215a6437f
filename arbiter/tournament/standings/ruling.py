"""A ruling of the organiser as the results store it."""

from typing import Literal

from msgspec import Struct

RulingKind = Literal["annul", "replay", "result", "disqualify", "reinstate", "undo"]
RuledResult = Literal["red", "blue", "draw", "none", "annulled", "replay"]
"""A winner, a draw, a game that both bots lose (none), or a game that does not count (annulled) or is played again."""


class Ruling(Struct, frozen=True, kw_only=True):
    """A decision of the organiser about a stored game, a bye or a bot.  It is never changed; another one reverts it."""

    number: int
    """From 1, in the order in which they were made."""
    at: str
    """ISO 8601 in UTC."""
    by: str
    because: str
    kind: RulingKind
    game: str | None = None
    """Id of the stored game or of the bye; None for a ruling about a bot."""
    bot: str | None = None
    """The bot, if the ruling is about one."""
    previous: RuledResult | None = None
    """The result of the game before the ruling."""
    result: RuledResult | None = None
    """The result of the game by the ruling."""
    replacement: str | None = None
    """Id of the game that is played instead."""
    undoes: int | None = None
    """Number of the ruling that this one reverts."""
    games: int = 0
    """Number of stored games when it was made."""
    rounds: int = 0
    """Number of rounds that were paired when it was made."""
