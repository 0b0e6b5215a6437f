"""Excuses for bots that were killed: one replay for each game, and one for each bot if it may have done it itself."""

from collections.abc import Collection, Iterable
from typing import Final, Self, TypeGuard, get_args

from msgspec import Struct

from arbiter.sandbox.isolation import KillEvidence
from arbiter.tournament.attempt import Attempt, Reason

_CERTAIN: Final[Reason] = "sandbox_killed"


def is_kill(reason: Reason) -> TypeGuard[KillEvidence]:
    """Return True if an attempt was voided because a bot was killed."""
    return reason in get_args(KillEvidence)


class UsedExcuses(Struct, frozen=True):
    """The replays that the bots of one game have used up."""

    in_game: frozenset[str] = frozenset()
    """Bots that have used the one of the game."""
    in_tournament: frozenset[str] = frozenset()
    """Bots that have used the one of the tournament."""


class Excuses:
    """The replays that killed bots have used up in a tournament.

    A bot can kill itself, or use so much memory that the machine kills it.  So it has one such replay in the whole
    tournament: otherwise it could void each game that it is losing.  A kill that no bot can cause is excused in every
    game, but only once.
    """

    def __init__(self, attempts: Iterable[Attempt] = ()) -> None:
        """Count the voided attempts of earlier runs."""
        self._games: set[tuple[str, str]] = set()
        self._bots: set[str] = set()
        for attempt in attempts:
            if is_kill(attempt.reason) and attempt.bot is not None:
                self._note(attempt.id, attempt.bot, attempt.reason)

    def use(self, game_id: str, bot: str, evidence: KillEvidence) -> bool:
        """Return True if the game is voided because a bot was killed; False if the bot loses it."""
        if (game_id, bot) in self._games or (evidence != _CERTAIN and bot in self._bots):
            return False
        self._note(game_id, bot, evidence)
        return True

    def list_used(self, game_id: str, bots: Collection[str]) -> UsedExcuses:
        """List what the bots of a game have used up."""
        return UsedExcuses(
            frozenset(bot for bot in bots if (game_id, bot) in self._games), frozenset(self._bots.intersection(bots))
        )

    @classmethod
    def of_game(cls, game_id: str, used: UsedExcuses) -> Self:
        """Make the excuses of one game from what its bots have used up."""
        excuses = cls()
        excuses._games = {(game_id, bot) for bot in used.in_game}
        excuses._bots = set(used.in_tournament)
        return excuses

    def _note(self, game_id: str, bot: str, reason: Reason) -> None:
        self._games.add((game_id, bot))
        if reason != _CERTAIN:
            self._bots.add(bot)
